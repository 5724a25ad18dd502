"""test_lesson.py: the lesson of `halation studio` in Chromium: every rung, its counts, bars and questions."""
import json
import math
from pathlib import Path

import pytest

from looks import faults_of_looks

RESULTS = Path(__file__).parents[2] / "bench" / "results"
RECORDS = {1: "ladder_1d.json", 2: "ladder_2d_2048.json", 3: "ladder_3d.json"}
RUNGS = {1: ["basic", "constant", "tiled_halo", "tiled_cached", "library"],
         2: ["naive", "constant", "tiled_input_block", "tiled_output_block", "tiled_cached", "texture", "separable_shared", "separable_optimised", "library"],
         3: ["naive", "constant", "tiled", "library"]}
SIZES = {1: [(16, 5), (7, 9)], 2: [(8, 5), (11, 7)], 3: [(3, 3), (2, 5)]}  # outputs and taps along an axis


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


def choose(page, dims, rung, tile=None, mask=None):
    page.select_option("#dims", str(dims))
    page.select_option("#rung", rung)
    for name, value in (("#tile", tile), ("#mask", mask)):
        if value is not None:
            page.eval_on_selector(name, "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }", str(value))
    page.wait_for_selector(f'body[data-lesson^="{dims} {rung} "]' if tile is None else f'body[data-lesson^="{dims} {rung} "][data-lesson$=" {mask}"]')


def rows(page, table):
    return dict(page.eval_on_selector_all(f"#{table} tbody tr", "rows => rows.map(row => [row.dataset.name, [...row.cells].slice(1).map(cell => cell.textContent)])"))


def step(page, times):
    """As often as asked, or to the end."""
    page.evaluate("times => { for (let i = 0; i < times; ++i) document.getElementById('step').click(); }", times)


def expected(dims, rung, tile, mask):
    """What a block of `tile` outputs (of tiled_input_block: elements of its tile) along each axis reads and computes."""
    radius = mask // 2
    outputs = max(1, tile - 2 * radius) if rung == "tiled_input_block" else tile
    side = outputs + 2 * radius
    taps, all_taps = mask ** dims, (outputs * mask) ** dims
    counts = {"global": all_taps, "weights": 0, "again": 0, "shared": 0, "products": all_taps, "outputs": outputs ** dims}
    if rung in ("basic", "naive", "texture"):
        counts["weights"] = outputs ** dims * taps
    elif rung in ("tiled_halo", "tiled_input_block", "tiled_output_block", "tiled"):
        counts |= {"global": side ** dims, "shared": all_taps}
    elif rung == "tiled_cached":
        # Along an axis the first output misses `radius` elements, the next one fewer; of a tile shorter than that, as many as there are.
        inside = sum(min(x + radius, outputs - 1) - max(x - radius, 0) + 1 for x in range(outputs)) ** dims
        counts |= {"global": outputs ** dims + all_taps - inside, "shared": inside}
    elif rung.startswith("separable"):
        counts |= {"global": 2 * outputs * side, "products": 2 * outputs ** 2 * mask}
        # A thread an output, each of its taps; or a thread of eight rows, which reads each of its elements once, and the way out turned.
        by_thread = sum(min(8, outputs - first) + mask - 1 for first in range(0, outputs, 8))
        counts["shared"] = 2 * outputs ** 2 * mask if rung == "separable_shared" else 2 * (outputs * by_thread + outputs ** 2)
    elif rung == "library":
        counts |= {"global": outputs ** dims, "again": side ** dims - outputs ** dims}
    return counts


@pytest.mark.parametrize("dims, rung, tile, mask", [(dims, rung, *size) for dims in RUNGS for rung in RUNGS[dims] for size in SIZES[dims]])
def test_each_rung_counts_what_it_does_as_the_model(lesson, dims, rung, tile, mask):
    choose(lesson, dims, rung, tile, mask)
    want = expected(dims, rung, tile, mask)
    end = rows(lesson, "counts")
    assert {name: int(all_of_it) for name, (_, all_of_it) in end.items()} == {name: count for name, count in want.items() if count or name == "global"}
    assert all(so_far == "0" for so_far, _ in end.values())

    shares = rows(lesson, "shares")
    loads = (want["global"] + want["weights"]) / want["outputs"]
    for name, value in (("loads", loads), ("operations", 2 * want["products"] / want["outputs"]),
                        ("intensity", 2 * want["products"] / want["outputs"] / (4 * loads))):
        counted, modelled = shares[name]
        assert counted == modelled, (name, shares)
        assert math.isclose(float(counted), value, rel_tol=6e-4), (name, shares, value)

    step(lesson, 1)
    first = lesson.inner_text("#phase")
    assert lesson.get_attribute("body", "data-step") == "1" and first
    step(lesson, 1000)
    assert all(so_far == all_of_it for so_far, all_of_it in rows(lesson, "counts").values())
    assert lesson.inner_text("#phase") != first
    assert lesson.locator(".bar.chosen").inner_text().startswith(rung)
    panels = lesson.get_attribute("#block", "data-panels").split()
    assert ("tile" in panels) == (want["shared"] > 0 or (dims, rung) == (1, "library"))
    assert ("between" in panels) == rung.startswith("separable")


@pytest.mark.parametrize("dims", RUNGS)
def test_bars_are_the_record_at_first(lesson, dims):
    record = json.loads((RESULTS / RECORDS[dims]).read_text())
    choose(lesson, dims, "library")
    assert [option.inner_text() for option in lesson.locator("#rung option").all()] == RUNGS[dims]
    assert [bar.locator("span").first.inner_text() for bar in lesson.locator(".bar").all()] == RUNGS[dims]
    side = 2 * record["job"]["radius"] + 1
    size = {1: "67108864 samples", 2: "2048×2048", 3: "512×512×512"}[dims]
    taps = f"{side} taps" if dims == 1 else f"{'×'.join([str(side)] * dims)} taps"
    assert lesson.inner_text("#times-words") == f"Recorded, not measured here: NVIDIA H200, kernels alone, {size} f32, {taps}, {record['date'][:10]}."
    kernels = {row["rung"]: row["ms"]["kernel"] for row in record["rungs"] if row["place"] == "gpu" and row["memory"] == "pageable"}
    for bar in lesson.locator(".bar").all():
        name, time = bar.locator("span").first.inner_text(), bar.locator("span").last.inner_text()
        value, unit = time.split()
        assert math.isclose(float(value) * {"µs": 1e-3, "ms": 1}[unit], kernels[name], rel_tol=6e-3), (name, time)


def test_bars_measured_here_say_so_and_what_failed(lesson):
    """The program's answers are played, so that this can be seen without a GPU as well."""
    record = json.loads((RESULTS / RECORDS[3]).read_text()) | {"measured_here": False, "gpu_here": "Some GPU"}
    measured = json.loads(json.dumps(record)) | {"measured_here": True, "date": "2030-01-02 03:04 UTC"}
    measured["machine"]["gpu"]["name"] = "Some GPU"
    measured["job"] |= {"depth": 256, "height": 256, "width": 256}
    for row in measured["rungs"]:
        if row["rung"] == "tiled":
            del row["ms"]
            row |= {"status": "failed", "reason": "out of memory on cuda:0"}
    answers = [(200, measured), (503, {"error": "the rungs cannot be measured here: the driver is gone"})]

    def answer(route):
        status, body = (200, record) if "measure=1" not in route.request.url else answers.pop(0)
        route.fulfill(status=status, content_type="application/json", body=json.dumps(body))

    lesson.route("**/ladder?*", answer)
    choose(lesson, 3, "tiled")
    assert lesson.inner_text("#times-words").startswith("Recorded, not measured here: NVIDIA H200, ")
    assert lesson.inner_text("#measure") == "Measure here, on Some GPU"
    lesson.click("#measure")
    lesson.wait_for_selector('#times-words[data-measured="here"]')
    assert lesson.inner_text("#times-words") == ("Measured here: Some GPU, kernels alone, 256×256×256 f32, 3×3×3 taps, 2030-01-02. "
                                                 "tiled: out of memory on cuda:0.")
    assert [bar.locator("span").first.inner_text() for bar in lesson.locator(".bar").all()] == ["naive", "constant", "library"]
    assert not any("tiled was, beside" in card for card in lesson.locator(".card legend").all_inner_texts())
    assert lesson.inner_text("#measure") == "Measure again"
    lesson.click("#measure")
    lesson.wait_for_selector("#trouble:not([hidden])")
    assert lesson.inner_text("#trouble") == "the rungs cannot be measured here: the driver is gone"
    assert lesson.is_enabled("#measure") and lesson.inner_text("#measuring") == ""
    lesson.said[:] = [said for said in lesson.said if "503" not in said]  # the browser's own note


def test_the_lesson_plays_pauses_and_follows_the_sliders(lesson):
    lesson.click("#play")
    lesson.wait_for_selector('body[data-step]:not([data-step="1"])')  # some step: they go by while the test looks elsewhere
    assert lesson.get_attribute("#play", "aria-pressed") == "true"
    lesson.click("#play")
    at = lesson.get_attribute("body", "data-step")
    lesson.wait_for_timeout(800)
    assert lesson.get_attribute("body", "data-step") == at
    lesson.focus("#mask")
    lesson.keyboard.press("ArrowRight")
    lesson.wait_for_selector('body[data-lesson="2 naive 8 7"]')
    assert rows(lesson, "counts")["global"] == ["0", str(64 * 49)]
    lesson.focus("#dims")
    lesson.keyboard.press("ArrowDown")
    lesson.wait_for_selector('body[data-lesson="3 naive 3 3"]')
    # A tile too small for its filter grows until it leaves an output, and says so.
    choose(lesson, 2, "tiled_input_block", 4, 9)
    assert lesson.inner_text("#tile-shown") == "9"
    assert rows(lesson, "counts")["global"] == ["0", "81"]


def test_totals_hide_until_it_has_run(lesson):
    choose(lesson, 2, "tiled_output_block")
    lesson.check("#hide")
    assert {all_of_it for _, all_of_it in rows(lesson, "counts").values()} == {"?"}
    assert {value for values in rows(lesson, "shares").values() for value in values} == {"?"} and lesson.inner_text("#reuse") == ""
    step(lesson, 1000)
    assert rows(lesson, "counts")["global"] == ["144", "144"] and "11.1 times fewer" in lesson.inner_text("#reuse")


@pytest.mark.parametrize("dims, tile, mask", [(dims, *size) for dims in SIZES for size in (*SIZES[dims], {1: (4, 3), 2: (4, 9), 3: (2, 3)}[dims])])
def test_questions_are_answered_after_the_guess(lesson, dims, tile, mask):
    choose(lesson, dims, "constant", tile, mask)
    cards = lesson.locator(".card")
    assert cards.count() >= 5 and not any(answer.is_visible() for answer in lesson.locator(".answer").all())
    right = []
    for i in range(cards.count()):
        choices = cards.nth(i).locator("input")
        names = [label.strip() for label in cards.nth(i).locator("label").all_inner_texts()]
        assert len(set(names)) == len(names) >= 3
        said = []
        for k in range(choices.count()):
            choices.nth(k).check()
            said.append(cards.nth(i).locator(".answer").inner_text().startswith("Yes."))
        assert said.count(True) == 1
        right.append(names[said.index(True)])
    side = tile + mask - 1
    assert right[:2] == [str((tile * mask) ** dims), str(side ** dims)]
    if dims == 1:
        assert right[2:5] == [str(min(tile, mask)), str(mask // 2 * (mask // 2 + 1)), "0.5"]
    elif dims == 2:
        assert right[3] == str(side ** 2 - tile ** 2) and right[5] == str(2 * mask)
    else:
        assert right[2:5] == [str(side ** 3 - tile ** 3), str(4 * side ** 3), str(3 * mask)]
    # What the record says: on an H200 the textbook's tile is slower than none, and not by its counting.
    assert right[4 if dims == 2 else 5] == {1: "slower", 2: "slower", 3: "about as quick, within 7%"}[dims]
    assert "Recorded, not measured here" in cards.nth(4 if dims == 2 else 5).inner_text()


@pytest.mark.parametrize("dims, rung, steps", [(1, "tiled_halo", 9), (2, "tiled_output_block", 12), (2, "separable_optimised", 20), (3, "tiled", 14)])
def test_the_lesson_can_be_read_on_a_phone_and_by_night(lesson, shots, dims, rung, steps):
    choose(lesson, dims, rung)
    step(lesson, steps)
    lesson.locator(".card input").nth(9).check()
    assert faults_of_looks(lesson, shots / f"studio-lesson-{dims}d-{rung}") == []
    assert int(lesson.get_attribute("#block", "data-size")) >= 6


@pytest.mark.parametrize("dims, tile, mask", [(1, 32, 9), (2, 16, 9), (3, 4, 5)])
def test_the_largest_block_fits_a_phone(lesson, dims, tile, mask):
    lesson.set_viewport_size({"width": 390, "height": 844})
    for rung in RUNGS[dims]:
        choose(lesson, dims, rung, tile, mask)
        step(lesson, 3)
        assert lesson.evaluate("document.documentElement.scrollWidth") <= 390
        assert int(lesson.get_attribute("#block", "data-size")) >= 5, rung


def test_nothing_moves_by_itself(lesson):
    """Steps that the reader plays are all that moves: no style animates, whatever the system asks for."""
    moving = "() => document.getAnimations().length + [...document.querySelectorAll('*')].filter(each => getComputedStyle(each).animationName !== 'none').length"
    assert lesson.evaluate(moving) == 0
    lesson.emulate_media(reduced_motion="reduce")
    step(lesson, 3)
    assert lesson.evaluate(moving) == 0 and lesson.get_attribute("body", "data-step") == "3"
