"""test_studio_messages.py: what the studio's page says of what went wrong, and of what is under way, goes when that is over."""
import pytest

from installed import PHOTO, Studio
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
