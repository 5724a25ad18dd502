"""studio_page.py: what tests of the studio's page share: what it shows, and its controls."""


def quoted(chain):
    return chain.replace("\\", "\\\\").replace('"', '\\"')


def shown(page, chain):
    page.wait_for_selector(f'body[data-shown="{quoted(chain)}"]', state="attached")


def facts(page, chain):
    page.wait_for_selector(f'body[data-facts="{quoted(chain)}"]', state="attached")


PIXELS = "id => { const canvas = document.getElementById(id); return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data; }"


NUMBER = f"which => ({PIXELS})(which).reduce((sum, value) => (Math.imul(sum ^ value, 16777619)) >>> 0, 2166136261)"


def canvas(page, which):
    """One number for the pixels of a canvas."""
    return page.evaluate(NUMBER, which)


def canvas_unlike(page, which, seen):
    """That number, once it is none of those seen."""
    return page.wait_for_function(f"([which, seen]) => {{ const now = ({NUMBER})(which); return seen.includes(now) ? null : {{now}}; }}", arg=[which, seen]).json_value()["now"]


def set_slider(page, label, value):
    page.get_by_label(label, exact=True).evaluate("(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', {bubbles: true})); }", value)


def add(page, name):
    page.select_option("#add", name)
    page.click("#add-filter")
