"""test_lesson.py: the lesson of `halation studio` in Chromium: every rung, its counts and its questions."""
import pytest

from looks import faults_of_looks


@pytest.fixture
def lesson(browser, address):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.said = []
    page.on("console", lambda message: page.said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.goto(address.replace("/?", "/lesson?"))
    page.wait_for_selector("body[data-lesson]")
    yield page
    assert page.said == []
    page.close()


def counted(page):
    return {row[0]: row[1:] for row in page.eval_on_selector_all("#counts tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")}


@pytest.mark.parametrize("rung, outputs, read, shared", [
    # 8 threads a side, 5 taps: of 12 x 12 elements, or, where the block lies over the tile that it reads, 4 x 4 outputs of 8 x 8.
    ("naive", 64, 64 * 25, 0), ("constant", 64, 64 * 25, 0), ("tiled_input_block", 16, 64, 16 * 25), ("tiled_output_block", 64, 144, 64 * 25),
    ("separable_shared", 64, 144, 12 * 8 * 5 + 64 * 5)])
def test_each_rung_counts_what_it_does(lesson, rung, outputs, read, shared):
    lesson.select_option("#rung", rung)
    lesson.wait_for_selector(f'body[data-lesson^="{rung} "]')
    end = counted(lesson)
    assert [int(end[name][1]) for name in ("elements read from global memory", "reads of shared memory", "outputs")] == [read, shared, outputs]
    assert int(end["weights read from global memory"][1]) == (64 * 25 if rung == "naive" else 0)
    model = next(value for name, value in end.items() if name.startswith("the model"))
    side = 8 if rung == "tiled_input_block" else 12
    assert model[0] == str(side * side) and model[1].startswith(f"{outputs * 25} (")
    for _ in range(400):
        before = lesson.get_attribute("body", "data-step")
        lesson.click("#step")
        if lesson.get_attribute("body", "data-step") == before:
            break
    done = counted(lesson)
    assert all(so_far == all_of_it for name, (so_far, all_of_it) in done.items() if so_far and not name.startswith("the model")), done
    assert lesson.locator(".bar.chosen").inner_text().startswith(rung)


def test_the_lesson_plays_pauses_and_follows_the_sliders(lesson):
    lesson.click("#play")
    lesson.wait_for_selector('body[data-step]:not([data-step="1"])')  # some step: they go by while the test looks elsewhere
    assert lesson.get_attribute("#play", "aria-pressed") == "true"
    lesson.click("#play")
    step = lesson.get_attribute("body", "data-step")
    lesson.wait_for_timeout(800)
    assert lesson.get_attribute("body", "data-step") == step
    lesson.focus("#mask")
    lesson.keyboard.press("ArrowRight")
    lesson.wait_for_selector('body[data-lesson="naive 8 7"]')
    assert counted(lesson)["elements read from global memory"] == ["0", str(64 * 49)]


def test_questions_are_answered_after_the_guess(lesson):
    cards = lesson.locator(".card")
    assert cards.count() >= 5 and not any(answer.is_visible() for answer in lesson.locator(".answer").all())
    for i in range(cards.count()):
        choices = cards.nth(i).locator("input")
        said = []
        for k in range(choices.count()):
            choices.nth(k).check()
            said.append(cards.nth(i).locator(".answer").inner_text().startswith("Yes."))
        assert said.count(True) == 1


def test_the_lesson_can_be_read_on_a_phone_and_by_night(lesson, shots):
    lesson.select_option("#rung", "tiled_output_block")
    for _ in range(12):
        lesson.click("#step")
    lesson.locator(".card input").nth(9).check()
    assert faults_of_looks(lesson, shots / "studio-lesson") == []
