"""test_studio.py: the page of `halation studio` in Chromium: every control, by mouse and by keyboard alone.

The program is the one that the site was made with. What it answers is tested by tests/app/test_studio.py.
"""
import os
import subprocess
from pathlib import Path

from installed import HALATION, PHOTO, Studio
from looks import faults_of_looks
from studio_page import PIXELS, add, canvas, canvas_unlike, facts, set_slider, shown


def difference(page):
    """In how many samples original and result differ."""
    return page.evaluate(f"""() => {{
      const [before, after] = ['before', 'after'].map({PIXELS});
      return after.reduce((sum, value, i) => sum + (value !== before[i]), 0);
    }}""")


def test_it_shows_the_photograph(page):
    assert page.inner_text("#picture-name") == "astronaut.png: 512 × 512, 3 channels of u8"
    assert not page.is_visible("#drop") and not page.is_visible("#trouble")
    assert difference(page) > 10000
    assert "; shown in " in page.inner_text("#status")
    assert page.inner_text("#line-command") == "halation apply gaussian astronaut.png -o astronaut_filtered.png"
    assert page.inner_text("#line-python") == 'halation.filter_file("gaussian", "astronaut.png", "astronaut_filtered.png")'
    assert page.inner_text("#line-cpp") == 'halation::filter_file(halation::chain_from("gaussian"), "astronaut.png", "astronaut_filtered.png");'
    assert "separable ✓" in page.inner_text("#methods")
    assert "it smooths" in page.inner_text("#response-words")


def test_each_filter_can_be_chosen(page):
    names = page.locator(".stage select").first.locator("option").all_inner_texts()
    assert len(names) >= 18 and names[-1] == "custom"
    for name in names:
        page.get_by_label("Filter 1", exact=True).select_option(name)
        chain = name if name != "custom" else "custom weights='0 -1 0; -1 5 -1; 0 -1 0'"
        shown(page, chain)
        facts(page, chain)
        assert not page.is_visible("#trouble"), page.inner_text("#trouble")
        assert (difference(page) > 0) == (name != "identity"), name
        assert page.locator("#weights > *").count() >= 1


def test_sliders_and_boxes(page):
    before = canvas(page, "after")
    set_slider(page, "sigma (px) of gaussian, filter 1", 500)
    text = page.locator(".parameter input[type=text]").first.input_value()
    assert 5 < float(text) < 30
    shown(page, f"gaussian sigma={text}")
    assert canvas(page, "after") != before
    page.locator(".parameter input[type=text]").first.fill("2,1")
    shown(page, "gaussian sigma=2,1")
    page.locator(".parameter input[type=text]").first.fill("-3")
    page.wait_for_selector("#trouble:not([hidden])")
    assert page.inner_text("#trouble") == "gaussian: sigma must be >= 0, got -3"
    page.wait_for_timeout(600)  # for what is asked after a rest
    page.said.clear()  # the browser tells of refusals too
    page.locator(".parameter input[type=text]").first.fill("1")
    shown(page, "gaussian")
    page.wait_for_selector("#trouble", state="hidden")
    assert canvas(page, "after") == before


def test_options(page):
    seen = [canvas(page, "after")]
    for choice, value in (("#border", "wrap"), ("#border", "constant"), ("#view", "stretch")):
        page.select_option(choice, value)
        seen.append(canvas_unlike(page, "after", seen))
    for label in ("Linear light", "Gray"):
        page.get_by_label(label).check()
        seen.append(canvas_unlike(page, "after", seen))
    page.wait_for_selector("#line-command:text('--gray')")
    assert page.inner_text("#line-command") == "halation apply gaussian astronaut.png -o astronaut_filtered.png --border constant --border-value 0 --gray --linear --view stretch"


def test_weights_are_edited(page):
    page.get_by_label("Filter 1", exact=True).select_option("sobel")
    facts(page, "sobel")
    as_sobel = canvas(page, "after")
    box = page.get_by_label("Weight in row 2, column 3")
    assert box.input_value() == "2"
    box.fill("3")
    box.press("Enter")
    mirrored = "custom weights='1 0 -1; 3 0 -2; 1 0 -1'"  # as a convolution takes them
    shown(page, mirrored)
    facts(page, mirrored)
    assert canvas(page, "after") != as_sobel
    box = page.get_by_label("Weight in row 2, column 1")
    assert box.input_value() == "3"
    box.fill("2")
    box.press("Enter")
    shown(page, "custom weights='1 0 -1; 2 0 -2; 1 0 -1'")
    assert canvas(page, "after") == as_sobel
    box = page.get_by_label("Weight in row 1, column 1")
    facts(page, "custom weights='1 0 -1; 2 0 -2; 1 0 -1'")
    box.fill("x")
    box.press("Enter")
    assert box.input_value() == "1"


def test_a_number_that_is_none_stops_nothing(page):
    """Sums that are infinite came as null, and the page stayed at what it showed before."""
    page.get_by_label("Filter 1", exact=True).select_option("custom")
    box = page.locator(".stage textarea")
    box.fill("1e308 1e308")
    facts(page, "custom weights='1e308 1e308'")
    box.fill("1 2 1")
    facts(page, "custom weights='1 2 1'")
    assert page.inner_text("#line-command").startswith("halation apply 'custom weights='\\''1 2 1")
    add(page, "box")
    page.locator(".parameter input[type=text]").first.fill("3|sobel")
    page.wait_for_selector("#trouble:not([hidden])")
    assert "3|sobel" in page.inner_text("#trouble")
    page.wait_for_timeout(600)
    page.said.clear()


def test_another_page_s_picture_is_told_of(page, browser, address, tmp_path):
    subprocess.run([*HALATION, "apply", "identity", PHOTO, "-o", tmp_path / "gray.png", "--gray"], check=True)
    other = browser.new_page()
    other.goto(address)
    shown(other, "gaussian")
    other.set_input_files("#open", tmp_path / "gray.png")
    other.wait_for_selector("#picture-name:text('gray.png: 512 × 512, u8')")
    page.locator(".parameter input[type=text]").first.fill("2")
    page.wait_for_selector("#picture-name:text('gray.png: 512 × 512, u8')")
    other.set_input_files("#open", PHOTO)
    other.wait_for_selector("#picture-name:text('astronaut.png: 512 × 512, 3 channels of u8')")
    other.close()
    page.locator(".parameter input[type=text]").first.fill("3")
    page.wait_for_selector("#picture-name:text('astronaut.png: 512 × 512, 3 channels of u8')")
    shown(page, "gaussian sigma=3")
    page.wait_for_timeout(800)
    page.said.clear()  # the browser tells of each answer 410


def test_chains(page):
    add(page, "edges")
    shown(page, "gaussian | edges")
    page.get_by_label("Move up edges, filter 2").click()
    shown(page, "edges | gaussian")
    page.locator(".grip").nth(1).drag_to(page.locator(".stage").nth(0))
    shown(page, "gaussian | edges")
    facts(page, "gaussian | edges")
    page.get_by_label("Stage").select_option("1")
    page.wait_for_selector("#weight-facts dd:text('the root of the sum of squares')")
    page.get_by_label("Remove gaussian, filter 1").click()
    shown(page, "edges")
    page.get_by_label("Remove edges, filter 1").click()
    shown(page, "identity")
    assert difference(page) == 0


def test_compare_zoom_and_pan(page):
    assert page.evaluate("document.getElementById('before').style.clipPath") == "inset(0px 100% 0px 0px)"
    set_slider(page, "Share of the picture that shows the original, from the left, in percent", 40)
    assert page.evaluate("document.getElementById('before').style.clipPath") == "inset(0px 60% 0px 0px)"
    assert page.is_visible("#cut")
    fitting = page.inner_text("#zoom")
    page.get_by_role("button", name="1:1").click()
    assert page.inner_text("#zoom") == "100%"
    page.get_by_role("button", name="Zoom in").click()
    assert page.inner_text("#zoom") == "125%"
    page.locator("#frame").hover()
    for _ in range(12):
        page.mouse.wheel(0, -100)
    page.wait_for_timeout(500)
    before = canvas(page, "after")
    page.mouse.down()
    page.mouse.move(500, 300)
    page.mouse.up()
    page.wait_for_timeout(500)
    assert canvas(page, "after") != before
    page.get_by_role("button", name="Fit").click()
    assert page.inner_text("#zoom") == fitting


def test_a_pixel_is_inspected(page):
    page.get_by_label("Filter 1", exact=True).select_option("sharpen")
    shown(page, "sharpen")
    page.get_by_role("button", name="Inspect").click()
    box = page.locator("#frame").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("#inspector table")
    words = page.inner_text("#inspector")
    assert "Pixel 25" in words and "red: Σ = " in words and "blue: Σ = " in words
    tables = page.locator("#inspector table")
    values, weights = ([float(text) for text in tables.nth(i).locator("td").all_inner_texts()] for i in range(2))
    assert len(values) == len(weights) == 9
    total = float(words.split("red: Σ = ")[1].split(" ")[0])
    assert abs(sum(a * b for a, b in zip(values, weights)) - total) < 0.01 * max(1, abs(total)) + 2  # of weights with three digits


def test_the_inspector_follows_linear_light_and_gray(page):
    page.click("#inspect")
    page.locator("#frame").click(position={"x": 200, "y": 200})
    page.wait_for_selector("#inspector table")
    page.get_by_label("Linear light").check()
    page.get_by_label("Gray").check()
    page.wait_for_selector("#inspector strong:text('of light in [0, 1], luma')")
    lines = page.inner_text("#inspector").splitlines()
    assert [line for line in lines if line.startswith("gray: Σ = ")] and not [line for line in lines if line.startswith("red")]


def test_saved_bytes_are_the_programs(page, tmp_path):
    add(page, "unsharp_mask")
    shown(page, "gaussian | unsharp_mask")
    facts(page, "gaussian | unsharp_mask")
    for name in ("saved.png", "saved.jpg", "saved.tif"):
        page.get_by_label("Save as").fill(name)
        with page.expect_download() as download:
            page.get_by_role("button", name="Save at full size").click()
        assert download.value.suggested_filename == name
        subprocess.run([*HALATION, "apply", "gaussian | unsharp_mask", PHOTO, "-o", tmp_path / name], check=True, env={**os.environ, "HALATION_CACHE": ""})
        assert Path(download.value.path()).read_bytes() == (tmp_path / name).read_bytes()
        page.wait_for_selector("#save:enabled")
    page.get_by_label("Save as").fill("saved.xyz")
    page.get_by_role("button", name="Save at full size").click()
    page.wait_for_selector("#trouble:not([hidden])")
    assert page.inner_text("#trouble").startswith("saved.xyz: unknown format")
    page.said.clear()


def test_a_picture_picked_before_the_page_listens_is_opened(browser, tmp_path):
    subprocess.run([*HALATION, "apply", "identity", PHOTO, "-o", tmp_path / "gray.png", "--gray"], check=True)
    with Studio(PHOTO) as studio:
        page = browser.new_page()
        held = []  # the page listens once it knows the filters
        page.route("**/filters", lambda route: held.append(route))
        page.goto(studio.address)
        page.set_input_files("#open", tmp_path / "gray.png")
        while not held:
            page.wait_for_timeout(10)
        held[0].continue_()
        page.wait_for_selector("#picture-name:text('gray.png: 512 × 512, u8')")
        shown(page, "gaussian")
        page.close()


def test_another_picture_is_opened_dropped_and_pasted(browser, tmp_path):
    """On a server of its own."""
    subprocess.run([*HALATION, "apply", "identity", PHOTO, "-o", tmp_path / "gray.png", "--gray"], check=True)
    with Studio() as studio:
        page = browser.new_page()
        page.goto(studio.address)
        page.wait_for_selector("#drop:not([hidden])")
        page.set_input_files("#open", tmp_path / "gray.png")
        page.wait_for_selector("#picture-name:text('gray.png: 512 × 512, u8')")
        shown(page, "gaussian")
        (tmp_path / "bad.png").write_bytes(b"nothing")
        page.set_input_files("#open", tmp_path / "bad.png")
        page.wait_for_selector("#trouble:not([hidden])")
        assert page.inner_text("#trouble").startswith("bad.png: ")
        # A picture of 3 × 2, which the page reads from nowhere but itself.
        small = subprocess.run([*HALATION, "apply", "box", "-", "-o", "-", "--format", "png"], input=b"P5 3 2 255\n" + bytes(range(0, 240, 40)), capture_output=True, check=True).stdout
        give = """([kind, transfer, name, bytes]) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(bytes)], name, {type: 'image/png'}));
          const made = kind === 'paste' ? new ClipboardEvent('paste', {bubbles: true, clipboardData: data}) : new DragEvent('drop', {bubbles: true, dataTransfer: data});
          document.dispatchEvent(made);
        }"""
        for kind, name in (("drop", "dropped.png"), ("paste", "pasted.png")):
            page.evaluate(give, [kind, "", name, list(small)])
            page.wait_for_selector(f"#picture-name:text('{name}: 3 × 2, u8')")
            page.wait_for_selector("#trouble", state="hidden")
        page.close()


def test_a_panel_without_an_answer_is_marked(page):
    """And the others are not."""
    page.route("**/histogram*", lambda route: route.fulfill(status=507, body='{"error": "not enough memory"}'))
    page.get_by_label("Filter 1", exact=True).select_option("edges")
    facts(page, "edges")
    assert page.inner_text("#trouble") == "not enough memory"
    assert [page.locator(f"#{panel}.stale").count() for panel in ("lines", "weights-panel", "methods-panel", "histogram-panel")] == [0, 0, 0, 1]
    assert page.inner_text("#line-command").startswith("halation apply edges ")
    assert page.locator("#responses canvas").count() == 2
    assert page.inner_text("#response-words").count("it finds differences") == 2
    page.unroute("**/histogram*")
    page.get_by_label("Filter 1", exact=True).select_option("box")
    facts(page, "box")
    assert page.locator(".stale").count() == 0 and page.is_hidden("#trouble")
    assert page.inner_text("#histogram-words").startswith("Bars: the result, lines: the original. ")
    page.said.clear()  # the browser tells of the answer 507


def test_methods_are_measured_on_request(page):
    before = [row.split("\t")[-1] for row in page.inner_text("#methods tbody").splitlines()]
    page.click("#measure")
    page.wait_for_selector("#measure:enabled:text('Measure')")
    measured = [row.split("\t")[-1] for row in page.inner_text("#methods tbody").splitlines()]
    assert sum(cell.endswith("s") for cell in measured) > sum(cell.endswith("s") for cell in before)


def test_stale_answers_are_dropped(page):
    """The first of three is answered last, and late: it is never seen."""
    held = []

    def hold(route):
        if "sigma%3D9" in route.request.url or "sigma=9" in route.request.url:
            held.append(route)
        else:
            route.continue_()

    page.route("**/preview*", hold)
    box = page.locator(".parameter input[type=text]").first
    box.fill("9")
    page.wait_for_timeout(60)  # the page lets an older request go on for longer, but not for long
    box.fill("2")
    shown(page, "gaussian sigma=2")
    after = canvas(page, "after")
    assert len(held) == 1
    try:
        held[0].continue_()
    except Exception:  # the page has given it up
        pass
    page.wait_for_timeout(500)
    assert page.get_attribute("body", "data-shown") == "gaussian sigma=2"
    assert canvas(page, "after") == after
    page.unroute("**/preview*")


def test_strangers_are_refused(browser, address):
    page = browser.new_page()
    assert page.goto(address[:-1]).status == 403
    assert "the token is missing or wrong" in page.inner_text("body")
    # A page from elsewhere, which knows the token: its origin gives it away.
    page.goto("about:blank")
    port = address.split(":")[2].split("/")[0]
    for path in ("/filters", "/image"):
        assert page.evaluate("(address) => fetch(address).then(() => 'answered', () => 'refused')", address.replace("/?", path + "?")) == "refused"
    assert page.goto(f"http://localhost:{port}/?{address.split('?')[1]}").status == 200
    page.close()


def test_it_can_be_read_on_a_phone_and_by_night(page, shots):
    add(page, "edges")
    facts(page, "gaussian | edges")
    page.get_by_role("button", name="Inspect").click()
    box = page.locator("#frame").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("#inspector table")
    set_slider(page, "Share of the picture that shows the original, from the left, in percent", 50)
    assert faults_of_looks(page, shots / "studio") == []


def test_nothing_moves_where_that_is_asked(page):
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate("""() => [...document.querySelectorAll('*')].filter(element => {
      const style = getComputedStyle(element);
      return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0;
    }).length""") == 0


def test_everything_has_a_name(page):
    nameless = page.evaluate("""() => [...document.querySelectorAll('button, input, select, textarea, canvas[role]')].filter(element =>
      element.checkVisibility() && !element.ariaLabel && !element.labels?.length && !element.textContent.trim()).map(element => element.outerHTML)""")
    assert nameless == []


def test_by_keyboard_alone(page):
    focus = "document.activeElement.id || document.activeElement.ariaLabel || document.activeElement.textContent"
    stops = []
    for _ in range(60):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(focus))
        assert page.evaluate("""() => {
          const style = getComputedStyle(document.activeElement);
          const label = document.activeElement.id === 'open' ? getComputedStyle(document.querySelector('label[for=open]')) : style;
          return document.activeElement === document.body || label.outlineStyle !== 'none';
        }"""), stops[-1]
        if stops[-1] == "save":
            break
    for stop in ("open", "device", "Filter 1", "add", "border", "linear", "frame", "compare", "fit", "inspect", "stage-choice", "save-as", "save"):
        assert stop in stops, stops

    page.get_by_label("Weight in row 5, column 5").focus()
    for key, place in (("ArrowUp", "row 4, column 5"), ("Home", "row 4, column 5"), ("ArrowLeft", "row 4, column 4"), ("ArrowDown", "row 5, column 4")):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.ariaLabel") == f"Weight in {place}"
    page.focus("#add")
    page.keyboard.type("sobel")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    shown(page, "gaussian | sobel")
    page.get_by_label("Move up sobel, filter 2").focus()
    page.keyboard.press("Enter")
    shown(page, "sobel | gaussian")
    page.get_by_label("Remove sobel, filter 1").focus()
    page.keyboard.press("Space")
    shown(page, "gaussian")
    page.get_by_label("sigma (px) of gaussian, filter 1", exact=True).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    text = page.locator(".parameter input[type=text]").first.input_value()
    assert text != "1"
    shown(page, f"gaussian sigma={text}")
    page.focus("#frame")
    fitting = page.inner_text("#zoom")
    page.keyboard.press("1")
    assert page.inner_text("#zoom") == "100%"
    for key in ("+", "ArrowLeft", "ArrowDown", "-", "0"):
        page.keyboard.press(key)
    assert page.inner_text("#zoom") == fitting
    page.keyboard.press("i")
    page.wait_for_selector("#inspector table")


def test_lesson_and_picture_lead_to_each_other(page):
    page.click("#lesson")
    page.wait_for_selector("body[data-lesson]")
    page.click("#back")
    shown(page, "gaussian")
