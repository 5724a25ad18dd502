"""test_studio_messages.py: what the studio's page says of what went wrong, and of what is under way, goes when that is over."""
import pytest

from installed import PHOTO, Studio
from looks import faults_of_looks
from studio_page import add, facts, shown

NO_PICTURE = "there is no picture yet: drop one on the page, or PUT /image"


@pytest.fixture
def empty(browser):
    """The page of a server without a picture."""
    with Studio() as studio:
        page = browser.new_page()
        page.failed = []
        page.on("pageerror", lambda error: page.failed.append(str(error)))
        page.goto(studio.address)
        page.wait_for_selector("#drop:not([hidden])")
        page.wait_for_selector("#stage-choice option", state="attached")
        yield page
        assert page.failed == []
        page.close()


def told(page, sentence):
    page.wait_for_selector("#trouble:not([hidden])")
    assert page.inner_text("#trouble") == sentence


def silent(page):
    page.wait_for_selector("#trouble", state="hidden")
    assert page.text_content("#trouble") == ""


@pytest.mark.parametrize("button", ["#measure", "#save"])
def test_what_fails_without_a_picture_is_forgotten_with_one(empty, button):
    empty.fill("#save-as", "saved.png")
    empty.click(button)
    told(empty, NO_PICTURE)
    empty.set_input_files("#open", PHOTO)
    shown(empty, "gaussian")
    silent(empty)


def test_a_stage_chosen_without_a_picture_stops_nothing(empty):
    add(empty, "edges")
    empty.get_by_label("Stage").select_option("1")
    empty.set_input_files("#open", PHOTO)
    facts(empty, "gaussian | edges")
    empty.wait_for_selector("#weight-facts dd:text('the root of the sum of squares')")
    silent(empty)


def test_a_file_that_is_none_is_forgotten_with_the_next_chain(page, tmp_path):
    (tmp_path / "bad.png").write_bytes(b"nothing")
    page.set_input_files("#open", tmp_path / "bad.png")
    page.wait_for_selector("#trouble:not([hidden])")
    sentence = page.inner_text("#trouble")
    assert sentence.startswith("bad.png: ")
    with page.expect_response("**/preview*of=original*"):
        page.click("#one")
    facts(page, "gaussian")
    told(page, sentence)  # what is seen of the picture says nothing of the file
    add(page, "edges")
    shown(page, "gaussian | edges")
    silent(page)
    page.said.clear()  # the browser tells of the refusal


@pytest.mark.parametrize("button", ["#measure", "#save"])
def test_what_failed_with_a_chain_is_forgotten_with_the_next(page, button):
    path = {"#measure": "**/explain*tune=measure*", "#save": "**/save*"}[button]
    page.route(path, lambda route: route.fulfill(status=507, body='{"error": "not enough memory"}'))
    page.click(button)
    told(page, "not enough memory")
    page.get_by_label("Gray").check()
    silent(page)
    page.said.clear()


def test_a_name_that_cannot_be_saved_is_forgotten_when_it_is_edited(page):
    page.fill("#save-as", "saved.xyz")
    page.click("#save")
    page.wait_for_selector("#trouble:not([hidden])")
    assert page.inner_text("#trouble").startswith("saved.xyz: unknown format")
    page.fill("#save-as", "saved.png")
    silent(page)
    page.said.clear()


def test_facts_of_an_old_chain_say_nothing_of_the_next(page):
    """The picture is there before the facts are."""
    page.route("**/histogram*", lambda route: route.fulfill(status=507, body='{"error": "not enough memory"}'))
    page.get_by_label("Filter 1", exact=True).select_option("edges")
    facts(page, "edges")
    told(page, "not enough memory")
    held = []
    page.unroute("**/histogram*")
    page.route("**/histogram*", lambda route: held.append(route))
    page.get_by_label("Filter 1", exact=True).select_option("box")
    shown(page, "box")
    silent(page)
    while not held:
        page.wait_for_timeout(10)
    for route in held:
        route.continue_()
    facts(page, "box")
    silent(page)
    page.said.clear()


def test_an_original_that_did_not_come_is_asked_for_again(page):
    page.route("**/preview*of=original*", lambda route: route.fulfill(status=507, body='{"error": "not enough memory"}'))
    page.click("#one")
    told(page, "not enough memory")
    page.unroute("**/preview*of=original*")
    with page.expect_response("**/preview*of=original*") as response:
        add(page, "edges")
    assert response.value.status == 200
    shown(page, "gaussian | edges")
    silent(page)
    page.said.clear()


def test_a_picture_that_could_not_be_asked_for_is_asked_for_again(browser, address):
    page = browser.new_page()
    page.route("**/image", lambda route: route.fulfill(status=503, body='{"error": "not now"}'))
    page.goto(address)
    told(page, "not now")
    page.unroute("**/image")
    add(page, "edges")
    shown(page, "gaussian | edges")
    silent(page)
    page.close()


@pytest.fixture
def clock(browser, address):
    """The page with a clock that stands, which a test moves on."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.clock.install()
    page.goto(address)
    facts(page, "gaussian")
    page.clock.pause_at(page.evaluate("Date.now()") + 10_000)
    page.clock.run_for(1000)
    not_busy(page)
    yield page
    page.close()


def hold(page, path):
    """The requests to it, which are not answered."""
    held = []
    page.route(path, lambda route: held.append(route))
    return held


def came(page, held):
    while not held:
        page.wait_for_timeout(10)
    return held.pop()


def not_busy(page, sign="#busy"):
    page.wait_for_selector(f"{sign}:empty", state="attached")
    assert not page.is_visible(sign)
    assert page.locator("[aria-busy=true]").count() == 0


def busy(page, words, regions, sign="#busy"):
    page.wait_for_selector(f"{sign}:text-is('{words}')")
    assert page.get_attribute(sign, "role") == "status"
    assert page.eval_on_selector_all("[aria-busy=true]", "marked => marked.map(each => each.id)") == regions


ENDS = {"answered": lambda route: route.continue_(), "refused": lambda route: route.fulfill(status=507, body='{"error": "not enough memory"}'),
        "not reached": lambda route: route.abort()}


@pytest.mark.parametrize("end", ENDS)
def test_that_a_preview_is_computed_is_said_until_it_is_over(clock, end):
    held = hold(clock, "**/preview*")
    add(clock, "edges")
    request = came(clock, held)
    clock.clock.run_for(100)
    not_busy(clock)
    clock.clock.run_for(100)
    busy(clock, "Filtering…", ["frame"])
    assert clock.get_attribute("#frame", "aria-busy") == "true"
    ENDS[end](request)
    not_busy(clock)
    assert clock.is_visible("#trouble") == (end != "answered")
    assert clock.get_attribute("body", "data-shown") == ("gaussian | edges" if end == "answered" else "gaussian")


def test_previews_that_are_quick_one_after_the_other_are_not_said(clock):
    """As while a slider is dragged."""
    held = hold(clock, "**/preview*")
    sigma = clock.locator(".parameter input[type=text]").first
    sigma.fill("2")
    for value in (3, 4, 5, 6):
        request = came(clock, held)
        sigma.fill(str(value))  # waits for the one before
        clock.clock.run_for(100)
        not_busy(clock)
        request.continue_()
    last = came(clock, held)
    clock.clock.run_for(160)  # and no longer: then the facts are under way too
    busy(clock, "Filtering…", ["frame"])
    last.continue_()
    shown(clock, "gaussian sigma=6")
    not_busy(clock)


@pytest.mark.parametrize("end", ENDS)
def test_that_a_picture_is_read_is_said_until_it_is_over(clock, end):
    held = hold(clock, "**/image?name=*")
    clock.set_input_files("#open", PHOTO)
    request = came(clock, held)
    clock.clock.run_for(100)
    not_busy(clock)
    clock.clock.run_for(100)
    busy(clock, "Reading astronaut.png…", ["frame"])
    ENDS[end](request)
    not_busy(clock)
    assert clock.is_visible("#trouble") == (end != "answered")


def test_that_facts_are_computed_is_said_where_they_stand(clock):
    held = hold(clock, "**/histogram*")
    add(clock, "edges")
    shown(clock, "gaussian | edges")
    clock.clock.run_for(150)  # of rest
    request = came(clock, held)
    clock.clock.run_for(200)
    busy(clock, "Working these out…", ["weights-panel", "histogram-panel", "methods-panel", "lines"], "#busy-facts")
    assert not clock.is_visible("#busy")
    request.continue_()
    facts(clock, "gaussian | edges")
    not_busy(clock, "#busy-facts")


def test_that_a_picture_is_saved_is_said(clock):
    held = hold(clock, "**/save*")
    clock.fill("#save-as", "saved.png")
    clock.click("#save")
    request = came(clock, held)
    clock.clock.run_for(200)
    busy(clock, "Saving saved.png…", ["frame"])
    with clock.expect_download():
        request.continue_()
    not_busy(clock)


def test_the_signs_can_be_read_on_a_phone_and_by_night(clock, shots):
    hold(clock, "**/preview*")
    held = hold(clock, "**/histogram*")
    add(clock, "edges")
    clock.clock.run_for(150)
    came(clock, held)
    clock.clock.run_for(200)
    busy(clock, "Filtering…", ["frame", "weights-panel", "histogram-panel", "methods-panel", "lines"])
    assert faults_of_looks(clock, shots / "studio-busy") == []
    assert clock.is_visible("#busy") and clock.is_visible("#busy-facts")
