"""test_studio_address.py: what the studio's page shows is kept in its address: it outlives reload, Back and the lesson, and nothing in it breaks the page."""
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import pytest

from installed import PHOTO, Studio
from studio_page import add, facts, set_slider, shown


def words_of(url):
    """What stands behind # in it."""
    return dict(parse_qsl(urlsplit(url).fragment, keep_blank_values=True))


def kept(page, **words):
    """Waits until the page's address has these words."""
    page.wait_for_url(lambda url: words.items() <= words_of(url).items())


def seen(page):
    """All that a user has chosen, and sees of it."""
    return page.evaluate("""() => ({
      ...Object.fromEntries(['border', 'border-value', 'view', 'accuracy', 'device', 'compare', 'stage-choice'].map(id => [id, document.getElementById(id).value])),
      ...Object.fromEntries(['linear', 'gray'].map(id => [id, document.getElementById(id).checked])),
      ...Object.fromEntries(['zoom', 'picture-name', 'inspector', 'line-command'].map(id => [id, document.getElementById(id).textContent])),
      names: [...document.querySelectorAll('.stage .head select')].map(choice => choice.value),
      values: [...document.querySelectorAll('.parameter input[type=text], .parameter select, .stage textarea')].map(box => box.value),
      cut: document.getElementById('before').style.clipPath,
    })""")


def by_link(page):
    link = page.url
    page.goto("about:blank")
    page.goto(link)


WAYS = {
    "reload": lambda page: page.reload(),
    "the lesson and its link": lambda page: (page.click("#lesson"), page.wait_for_selector("body[data-lesson]"), page.click("#back")),
    "the lesson and Back": lambda page: (page.click("#lesson"), page.wait_for_selector("body[data-lesson]"), page.go_back()),
    "a link": by_link,
}
CHAIN = "gaussian sigma=2,1 | custom weights='0 1; -1 0' | edges | unsharp_mask amount=2"


@pytest.mark.parametrize("way", WAYS)
def test_what_is_chosen_and_seen_is_kept(page, way):
    page.locator(".parameter input[type=text]").first.fill("2,1")
    add(page, "custom")
    page.locator(".stage textarea").fill("0 1; -1 0")
    add(page, "edges")
    add(page, "unsharp_mask")
    page.get_by_label("amount", exact=True).fill("2")
    page.select_option("#border", "constant")
    page.fill("#border-value", "7")
    page.select_option("#view", "stretch")
    page.select_option("#accuracy", "fast")
    page.get_by_label("Linear light").check()
    page.get_by_label("Gray").check()
    page.get_by_label("Stage").select_option("2")
    set_slider(page, "Share of the picture that shows the original, from the left, in percent", 40)
    page.click("#one")
    page.click("#in")
    page.click("#inspect")
    page.locator("#frame").click(position={"x": 200, "y": 150})
    facts(page, CHAIN)
    page.wait_for_selector("#line-command:has-text('--accuracy fast')")
    page.wait_for_selector("#inspector strong:text('of light in [0, 1], luma')")
    page.wait_for_url(lambda url: "inspect" in words_of(url))
    before = seen(page)
    assert before["names"] == ["gaussian", "custom", "edges", "unsharp_mask"] and before["zoom"] == "125%" and before["stage-choice"] == "2"
    WAYS[way](page)
    facts(page, CHAIN)
    page.wait_for_selector("#inspector strong:text('of light in [0, 1], luma')")
    assert seen(page) == before
    assert not page.is_visible("#trouble")


def test_a_chain_of_no_filter_and_one_of_identity_are_told_apart(page):
    page.get_by_label("Remove gaussian, filter 1").click()
    kept(page, chain="")
    page.reload()
    facts(page, "identity")
    assert page.locator(".stage").count() == 0
    add(page, "identity")
    kept(page, chain="identity")
    page.reload()
    facts(page, "identity")
    assert page.locator(".stage").count() == 1


def test_the_same_part_is_seen_after_a_reload(page):
    crops = []
    page.on("request", lambda request: crops.append(dict(parse_qsl(urlsplit(request.url).query))["crop"]) if "/preview?" in request.url else None)
    page.click("#one")
    page.focus("#frame")
    for key in ("ArrowRight", "ArrowDown", "+", "+", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    with page.expect_request(lambda request: "/preview?" in request.url and "gray=1" in request.url):
        page.get_by_label("Gray").check()
    kept(page, gray="1")
    crop, zoom = crops[-1], page.inner_text("#zoom")
    assert crop.split(",")[0] != "0" and crop.split(",")[1] != "0"
    crops.clear()
    with page.expect_request(lambda request: "/preview?" in request.url and quote(crop, safe="") in request.url):
        page.reload()
    facts(page, "gaussian")
    assert crops[-1] == crop and page.inner_text("#zoom") == zoom


@pytest.mark.parametrize("back", [lambda page: page.click("#back"), lambda page: page.go_back()], ids=["link", "Back"])
def test_what_is_chosen_right_before_the_lesson_is_kept_too(page, back):
    """The address is not changed at each step of a slider."""
    page.evaluate("""() => {
      const slider = document.querySelector('.parameter input[type=range]');
      for (const value of [500, 400, 300]) {
        slider.value = value;
        slider.dispatchEvent(new Event('input', {bubbles: true}));
      }
      document.getElementById('lesson').click();
    }""")
    page.wait_for_selector("body[data-lesson]")
    back(page)
    page.wait_for_selector("body[data-shown]")
    assert page.get_attribute("body", "data-shown") == "gaussian sigma=4.5"


def test_the_address_is_changed_seldom_while_a_slider_is_dragged(browser, address):
    """Browsers refuse more than some hundred changes in half a minute."""
    page = browser.new_page()
    page.add_init_script("window.changes = 0; const replace = history.replaceState; history.replaceState = function() { ++changes; replace.apply(history, arguments); };")
    page.clock.install()
    page.goto(address)
    facts(page, "gaussian")
    page.clock.pause_at(page.evaluate("Date.now()") + 10_000)
    page.evaluate("changes = 0")
    for value in range(300, 340):
        set_slider(page, "sigma (px) of gaussian, filter 1", value)
        page.clock.run_for(100)
    page.clock.run_for(1000)
    assert 4000 / 500 < page.evaluate("changes") <= 4000 / 400 + 1
    kept(page, chain=f"gaussian sigma={page.get_by_label('sigma (px)', exact=True).input_value()}")
    page.close()


def open_with(browser, address, words):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.failed = []
    page.on("pageerror", lambda error: page.failed.append(str(error)))
    page.goto(f"{address}#{words if isinstance(words, str) else urlencode(words)}")
    return page


BAD_CHAINS = {
    "gauss": "there is no filter 'gauss'",
    "__proto__": "there is no filter '__proto__'",
    "gaussian sigmo=2": "gaussian takes no 'sigmo=2'",
    "gaussian 2": "gaussian takes no '2'",
    "gaussian | ": "a filter is missing beside |",
    "|": "a filter is missing beside |",
    " ": "a filter is missing beside |",
    "custom weights='1 2 1": "the quote ' is not closed",
    "sobel axis=q": "sobel: axis is one of x, y, z, not q",
    "custom sigma=2": "custom takes no 'sigma=2'",
    "%": "there is no filter '%'",
    "<img src=x onerror=alert(1)>": "there is no filter '<img'",
}


@pytest.mark.parametrize("text", BAD_CHAINS)
def test_a_chain_that_cannot_be_read_is_told_of(browser, address, text):
    page = open_with(browser, address, {"chain": text, "border": "wrap"})
    facts(page, "gaussian")
    assert page.inner_text("#trouble") == f"the chain in the page's address cannot be read, so this is gaussian: {BAD_CHAINS[text]}"
    assert page.input_value("#border") == "wrap"
    add(page, "edges")
    shown(page, "gaussian | edges")
    page.wait_for_selector("#trouble", state="hidden")
    kept(page, chain="gaussian | edges")
    page.reload()
    facts(page, "gaussian | edges")
    assert not page.is_visible("#trouble") and page.failed == []
    page.close()


def test_a_broken_address_breaks_nothing(browser, address):
    page = open_with(browser, address, "chain=gaussian&&=&%E0%A4%A&#=&see=&inspect")
    facts(page, "gaussian")
    assert not page.is_visible("#trouble") and page.failed == []
    page.close()


def test_what_the_page_has_not_is_as_usual_and_told_of(browser, address):
    words = {"border": "bogus", "border-value": "x", "view": "sideways", "accuracy": "some", "linear": "yes", "gray": "2", "device": "cuda:9", "compare": "900"}
    page = open_with(browser, address, words)
    facts(page, "gaussian")
    assert page.inner_text("#trouble").split("; ") == [f"the page's address has {name}={value}, which is none here" for name, value in words.items()]
    assert {name: page.input_value(f"#{name}") for name in words if name not in ("linear", "gray")} == {
        "border": "reflect101", "border-value": "0", "view": "", "accuracy": "exact", "device": "cpu", "compare": "0"}
    assert not page.is_checked("#linear") and not page.is_checked("#gray") and page.failed == []
    page.close()


@pytest.mark.parametrize("words", [{"see": "x,1,1"}, {"see": "1,1"}, {"see": "1e9,-1e9,0"}, {"see": "1,1,1e99"}, {"see": "NaN,NaN,NaN"}, {"inspect": "512,0"}, {"inspect": "-1,0.5"},
                                   {"stage": "7"}, {"stage": "-1"}, {"stage": "x"}], ids=str)
def test_a_place_that_is_none_breaks_nothing(browser, address, words):
    page = open_with(browser, address, words)
    facts(page, "gaussian")
    assert page.inner_text("#zoom").endswith("%") and page.input_value("#stage-choice") == "0"
    assert not page.is_visible("#inspector") and not page.is_visible("#trouble") and page.failed == []
    page.close()


def test_values_are_the_programs_to_refuse(browser, address):
    page = open_with(browser, address, {"chain": "gaussian sigma=-3"})
    page.wait_for_selector("#trouble:text-is('gaussian: sigma must be >= 0, got -3')")
    page.get_by_label("sigma (px)", exact=True).fill("3")
    shown(page, "gaussian sigma=3")
    page.wait_for_selector("#trouble", state="hidden")
    assert page.failed == []
    page.close()


def test_names_may_be_written_as_options_are(browser, address):
    page = open_with(browser, address, {"chain": "gaussian_derivative order-x=1 sigma=\"2\""})
    facts(page, "gaussian_derivative order_x=1 sigma=2")
    page.close()


def test_an_address_of_another_picture_says_so(browser, address):
    page = open_with(browser, address, {"chain": "edges", "picture": "other.png", "see": "10,10,8"})
    facts(page, "edges")
    assert page.inner_text("#trouble") == "the page's address is of other.png; open is astronaut.png"
    kept(page, picture="astronaut.png")
    assert words_of(page.url) == {"chain": "edges", "picture": "astronaut.png"}  # all of it is seen
    page.close()
    with Studio() as studio:
        page = open_with(browser, studio.address, {"chain": "edges", "picture": PHOTO.name})
        page.wait_for_selector("#trouble:text-is(\"the page's address is of astronaut.png, which is not open: open it to see it\")")
        page.set_input_files("#open", PHOTO)
        facts(page, "edges")
        assert not page.is_visible("#trouble") and page.failed == []
        page.close()


def test_another_address_put_into_the_page_is_shown(page):
    fitting = page.inner_text("#zoom")
    page.evaluate("location.hash = 'chain=sobel | box&border=wrap&compare=30&see=100,100,2&inspect=90,80'")
    facts(page, "sobel | box")
    page.wait_for_selector("#inspector strong:text('Pixel 90, 80')")
    assert seen(page)["border"] == "wrap" and seen(page)["compare"] == "30" and page.inner_text("#zoom") == "200%"
    page.evaluate("location.hash = ''")
    facts(page, "gaussian")
    assert page.inner_text("#zoom") == fitting and not page.is_visible("#inspector")


def test_a_chain_too_long_for_an_address_is_told_of(page):
    page.get_by_label("Filter 1", exact=True).select_option("custom")
    page.locator(".stage textarea").fill("1" + " 0" * 250000 + " x")
    page.wait_for_selector("#trouble:not([hidden])")
    page.wait_for_url(lambda url: "chain" not in words_of(url))
    page.get_by_label("Filter 1", exact=True).select_option("box")
    shown(page, "box")
    page.wait_for_selector("#trouble", state="hidden")
    kept(page, chain="box")
    page.said.clear()  # the browser tells of the refusal


@pytest.mark.parametrize("way", ["reload", "the picture and back"])
def test_the_lesson_s_block_is_kept_beside_the_picture(page, way):
    add(page, "edges")
    page.click("#lesson")
    page.wait_for_selector("body[data-lesson]")
    page.select_option("#dims", "1")
    page.select_option("#rung", "tiled_cached")
    page.eval_on_selector("#mask", "slider => { slider.value = 7; slider.dispatchEvent(new Event('input')); }")
    page.wait_for_selector('body[data-lesson="1 tiled_cached 16 7"]')
    if way == "reload":
        kept(page, mask="7")
        page.reload()
    else:
        page.click("#back")
        shown(page, "gaussian | edges")
        page.click("#lesson")
    page.wait_for_selector('body[data-lesson="1 tiled_cached 16 7"]')
    page.click("#back")
    shown(page, "gaussian | edges")


@pytest.mark.parametrize("words", [{"dims": "4"}, {"dims": "", "rung": "x"}, {"rung": "basic"}, {"tile": "x", "mask": "-1"}, {"tile": "1e9"}], ids=str)
def test_a_block_that_is_none_breaks_no_lesson(browser, address, words):
    page = open_with(browser, address.replace("/?", "/lesson?"), words)
    page.wait_for_selector('body[data-lesson^="2 naive "]')
    assert not page.is_visible("#trouble") and page.failed == []
    page.close()
