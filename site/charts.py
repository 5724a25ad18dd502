"""charts.py: the charts of the site, drawn from the records in bench/results. A page asks for one by `<!-- chart NAME(...) -->`."""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench" / "tables"))

import contest_tables  # noqa: E402
import ladder_tables  # noqa: E402
import package_tables  # noqa: E402
from records import digits, percent, record, times  # noqa: E402
from svg import bars, lines  # noqa: E402

ASKED = re.compile(r"^<!-- chart (.+?) -->$", re.MULTILINE)
FACTORS = ((0, 0.9, "below 0.9"), (0.9, 1, "0.9 to 1"), (1, 1.25, "1 to 1.25"), (1.25, 1.5, "1.25 to 1.5"), (1.5, 2, "1.5 to 2"),
           (2, 4, "2 to 4"), (4, 8, "4 to 8"), (8, float("inf"), "8 and more"))


def _ahead(over):
    return "ahead" if over >= 1 else "behind"


def _beside(name, machine, jobs):
    rows = []
    for label, row in jobs:
        over = contest_tables.over(row)
        rows.append((label, over, f"{times(over)} × {row['best_peer']['peer']}", _ahead(over)))
    return bars(name, f"{machine}: times as fast as the fastest other library", rows, "Times as fast as the fastest other library",
                (1, "as fast as the fastest other"))


def overview_cpu():
    return _beside("overview-cpu", contest_tables.machine(contest_tables.CPU[0]), contest_tables.overview_cpu_jobs())


def overview_gpu():
    return _beside("overview-gpu", contest_tables.machine(contest_tables.GPU), contest_tables.overview_gpu_jobs())


def _counted(name, machine, what, factors):
    """How many jobs lie in each range of factors."""
    rows = []
    for low, high, label in FACTORS:
        count = sum(low <= factor < high for factor in factors)
        rows.append((f"{label} times as fast", count, f"{count} jobs" if count != 1 else "1 job", _ahead(low)))
    return bars(name, f"{machine}: all {len(factors)} jobs{what} beside the fastest other library", rows,
                "Jobs by how many times as fast halation is as the fastest other library")


def all_cpu():
    factors = [min(map(contest_tables.over, rows.values())) for rows in contest_tables.cpu_rows().values()]
    return _counted("all-cpu", contest_tables.machine(contest_tables.CPU[0]), ", the worse of one thread and two,", factors)


def all_gpu():
    factors = [contest_tables.over(row) for row in record(contest_tables.GPU)["rows"]]
    return _counted("all-gpu", contest_tables.machine(contest_tables.GPU), "", factors)


def copy_pace():
    """Small and large filters beside the one limit that all share."""
    rows = [(label, row["share_of_copy"], f"{percent(row['share_of_copy'])}", "ahead")
            for label, jobs in contest_tables.grouped(contest_tables.GPU_GROUPS[:5], contest_tables.gpu_rows())
            for label, row in zip(_each(label), jobs)]
    return bars("copy-pace", f"{contest_tables.machine(contest_tables.GPU)}: the share of a copy's pace, which no filter can pass", rows,
                "Share of a copy's pace", (1, "the pace of a copy"))


def _each(label):
    """The labels of jobs that share a line: "f32 3×3 / 5×5" is "f32 3×3" and "f32 5×5"."""
    first, *others = label.split(" / ")
    stem, _, _ = first.rpartition(" ")
    return [first, *(f"{stem} {other}" for other in others)]


def package():
    rows = []
    for call, by_type in package_tables.by_call(package_tables.CPU).items():
        row = by_type.get("f32")
        if call in package_tables.FEW and row and row["peers"]:
            over = row["peers"][0]["over_peer"]
            rows.append((f"{call}, beside {row['peers'][0]['peer']}", over, f"{times(over)} × as fast", _ahead(over)))
    return bars("package", f"{contest_tables.machine(package_tables.CPU)}: calls of the Python package over 4096×4096 of f32", rows,
                "Times as fast as the other package", (1, "as fast as the other"))


def rungs_2d(radius):
    """GPix/s of the rungs on the GPU at one radius."""
    rows = [(rung, ladder_tables.gpix_of(times_of[radius]), f"{digits(ladder_tables.gpix_of(times_of[radius]))}", _rung_style(rung))
            for rung, times_of in ladder_tables.swept().items() if radius in times_of and not rung.startswith("cpu")]
    copied = ladder_tables.copy() * 1e-9 / 8
    size = 2 * radius + 1
    return bars(f"rungs-{radius}", f"{ladder_tables.gpu()}: the rungs at {size}×{size}, billions of outputs a second (GPix/s)", rows,
                "GPix/s", (copied, f"a copy: {digits(copied)}"))


def _rung_style(rung):
    return "library" if rung == "library" else "rung"


def _rungs_of(name, key, what):
    rows = []
    for row in record(name)["rungs"]:
        rate = ladder_tables.gpix_of(row["ms"]["kernel"], name)
        if row["place"] == "gpu":
            rows.append((row["rung"], rate, digits(rate), _rung_style(row["rung"])))
    copied = ladder_tables.copy(name) * 1e-9 / 8
    title = f"{ladder_tables.gpu(name)}: the rungs in {what}, billions of outputs a second (GPix/s)"
    return bars(key, title, rows, "GPix/s", (copied, f"a copy: {digits(copied)}"))


def rungs_1d():
    return _rungs_of(ladder_tables.SIGNAL, "rungs-1d", "1D, 5 taps")


def rungs_3d():
    return _rungs_of(ladder_tables.VOLUME, "rungs-3d", "3D, 3×3×3")


def over_radius(*rungs):
    """Kernel milliseconds of rungs over the radius; of all on the GPU where none is named."""
    swept = {rung: sorted(by_radius.items()) for rung, by_radius in ladder_tables.swept().items()
             if (rung in rungs or not rungs) and not rung.startswith("cpu")}
    series = [(rung, points, f"c{index}") for index, (rung, points) in enumerate(swept.items())]
    most = max(ms for _, points, _ in series for _, ms in points)
    return lines("over-radius" + "-".join(["", *rungs]).replace("_", "-"),
                 f"{ladder_tables.gpu()}: time of a filter over its radius, 8192×8192", series, "radius, pixels",
                 "milliseconds", [1, 2, 4, 8, 16, 32], [0.1, 1, 10, 100] + ([1000] if most > 100 else []))


def where_time_goes():
    steps = ("upload", "kernel", "download")
    rows = []
    for memory in ("pageable", "pinned"):
        of = ladder_tables.rung(ladder_tables.SMALL, "naive", memory)["ms"]
        rows += [(f"{step}, {memory} memory", of[step], f"{digits(of[step])} ms", "library" if step == "kernel" else "rung")
                 for step in steps]
    return bars("where-time-goes", f"{ladder_tables.gpu(ladder_tables.SMALL)}: the naive rung over 2048×2048 with its transfers, milliseconds",
                rows, "Milliseconds")


NAMES = {function.__name__: function for function in (overview_cpu, overview_gpu, all_cpu, all_gpu, copy_pace, package, rungs_2d,
                                                       rungs_1d, rungs_3d, over_radius, where_time_goes)}


def drawn(text):
    """`text` with the charts that it asks for."""
    return ASKED.sub(lambda match: eval(match[1], {**NAMES, "__builtins__": {}}), text)  # noqa: S307: of the project's own pages
