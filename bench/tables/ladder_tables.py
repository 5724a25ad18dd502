"""ladder_tables.py: what `halation ladder` recorded, as tables and figures of docs/ladder.md."""
from contest_tables import gpu_rows
from records import digits, percent, record, table, times

RADII = (1, 2, 3, 7, 8)
LARGE, SMALL, SLIDES, SIGNAL, VOLUME = "ladder_2d_8192", "ladder_2d_2048", "ladder_2d_2000_radius8", "ladder_1d", "ladder_3d"
FOLDERS = {SIGNAL: "1d", VOLUME: "3d"}

# An H200 by its data sheet: multiprocessors and the highest clock; what each does a clock: f32 operations (a multiply-add is
# two), bytes of shared memory, texture fetches.
MULTIPROCESSORS, CLOCK_HZ, OPERATIONS, SHARED_BYTES, FETCHES = 132, 1.98e9, 256, 128, 4

# What the sources print: xFilters on an RTX 3090 (total and kernel), the slides on a GPU of the G80 era; milliseconds.
XFILTERS = [
    ("naive", "naive", "pageable", 9.44, 0.046),
    ("constant", "constant", "pageable", 9.16, 0.058),
    ("constant and tiled", "tiled_input_block", "pageable", 9.39, 0.058),
    ("naive, pinned memory", "naive", "pinned", 5.42, 0.045),
]
XFILTERS_CPU_MS = 60.7
XFILTERS_SECOND_MS = 2.69
SLIDES_MS = [("CPU, naive", 2330, "cpu_naive"), ("GPU, naive", 693, "naive"), ("", None, "constant"),
             ("shared memory", 663, "tiled_output_block"), ("separable", 72, "separable_shared"),
             ("separable, optimised", 38, "separable_optimised")]


def outputs(name):
    job = record(name)["job"]
    return job["planes"] * job["depth"] * job["height"] * job["width"]


def copy(name=LARGE):
    """The device copy of a record in bytes per second."""
    return record(name)["machine"]["gpu"]["device_copy_gb_per_s"] * 1e9


def copy_gb(name=LARGE):
    return f"{copy(name) * 1e-9:,.0f}"


def copy_gpix(bytes_an_output=8, name=LARGE):
    """GPix/s of a kernel that moves so many bytes an output at the copy's pace."""
    return digits(copy(name) * 1e-9 / bytes_an_output)


def rung(name, wanted, memory="pageable"):
    return next(row for row in record(name)["rungs"] if row["rung"] == wanted and row["memory"] == memory)


def swept():
    """{rung: {radius: milliseconds}} of the sweep, in the record's order."""
    sweep = {}
    for row in record(LARGE)["sweep"]:
        if "kernel_ms" in row:  # others say why they were not run
            sweep.setdefault(row["rung"], {})[row["radius"]] = row["kernel_ms"]
    return sweep


def gpix_of(milliseconds, name=LARGE):
    return outputs(name) / milliseconds * 1e-6


def ms(wanted, radius):
    return digits(swept()[wanted][radius])


def gpix(wanted, radius):
    return digits(gpix_of(swept()[wanted][radius]))


def share(wanted, radius):
    """Of the device copy."""
    return percent(gpix_of(swept()[wanted][radius]) * 8e9 / copy())


def faster(wanted, than, radius):
    """How many times as fast one rung is as another."""
    return times(swept()[than][radius] / swept()[wanted][radius])


def longer(wanted, radius, than):
    """How many times as long a rung takes at one radius as at another."""
    return times(swept()[wanted][radius] / swept()[wanted][than])


def of_limit(wanted, radius, limit):
    """The share of a limit that a rung reaches."""
    return percent(gpix_of(swept()[wanted][radius]) / LIMITS[limit](radius))


LIMITS = {
    "memory": lambda radius: copy() * 1e-9 / 8,
    "two passes": lambda radius: copy() * 1e-9 / 16,
    "arithmetic": lambda radius: MULTIPROCESSORS * OPERATIONS * CLOCK_HZ * 1e-9 / (2 * (2 * radius + 1) ** 2),
    "shared": lambda radius: MULTIPROCESSORS * SHARED_BYTES * CLOCK_HZ * 1e-9 / (4 * (2 * radius + 1) ** 2),
    "texture": lambda radius: MULTIPROCESSORS * FETCHES * CLOCK_HZ * 1e-9 / (2 * radius + 1) ** 2,
}


def limits():
    copied = f"{copy_gb()} GB/s"
    forms = [("memory", "memory, dense", f"{copied} ÷ 8"), ("two passes", "memory, two passes", f"{copied} ÷ 16"),
             ("arithmetic", "arithmetic, dense", "132 · 256 operations · f = 66.9 T/s ÷ 2K²"),
             ("shared", "one shared-memory read a tap", "132 · 128 bytes · f = 33.5 TB/s ÷ 4K²"),
             ("texture", "one texture fetch a tap", "132 · 4 · f = 1.05 T/s ÷ K²")]
    return table(["Limit, GPix/s", "Formula", *(f"r = {radius}" for radius in RADII)],
                 [[name, form, *(digits(LIMITS[key](radius)) for radius in RADII)] for key, name, form in forms])


def source(name, folder):
    return f"[`{name}`](../ladder/{folder}/{name}.{'cpp' if name.startswith('cpu') or name == 'library' else 'cu'})"


def ladder_ms():
    return table(["Rung, ms", *(f"r = {radius}" for radius in RADII)],
                 [[source(name, "2d"), *(digits(by_radius[radius]) if radius in by_radius else "–" for radius in RADII)]
                  for name, by_radius in swept().items()])


def ladder_gpix():
    return table(["Rung, GPix/s", *(f"r = {radius}" for radius in RADII)],
                 [[f"`{name}`", *(gpix(name, radius) + ("" if name.startswith("cpu") else f" ({share(name, radius)})")
                                  if radius in by_radius else "–" for radius in RADII)] for name, by_radius in swept().items()])


def ladder_one(name):
    """The 1D or the 3D ladder, with what memory alone would give where it answered every read."""
    lines = []
    for row in record(name)["rungs"]:
        gpu = row["place"] == "gpu"
        loads = row["paper"]["loads_per_output"] if row["rung"] != "library" else None
        rate = gpix_of(row["ms"]["kernel"], name)
        lines.append([source(row["rung"], FOLDERS[name]), digits(loads) if gpu and loads else "–",
                      digits(copy(name) * 1e-9 / (4 * loads)) if gpu and loads else "–", digits(row["ms"]["kernel"]), digits(rate),
                      percent(rate * 8e9 / copy(name)) if gpu else "–"])
    return table(["Rung", "loads an output, on paper", "GPix/s, did DRAM answer each", "ms", "GPix/s", "of a copy's pace"], lines)


def ladder_1d():
    return ladder_one(SIGNAL)


def ladder_3d():
    return ladder_one(VOLUME)


def reads():
    """The rungs whose every tap is a read of the multiprocessor's own memory, beside the limit of such reads."""
    radii = (1, 2, 3, 4, 5, 7, 8)
    lines = [["limit of one read a tap", *(digits(LIMITS["shared"](radius)) for radius in radii)]]
    for name, how in (("constant", "by the first cache"), ("tiled_output_block", "by shared memory"),
                      ("tiled_input_block", "with idle lanes")):
        lines.append([f"`{name}`, {how}", *(f"{gpix(name, radius)} ({of_limit(name, radius, 'shared')})" for radius in radii)])
    return table(["GPix/s", *(f"r = {radius}" for radius in radii)], lines)


def texture_against_separable():
    radii = (1, 2, 4, 8, 16, 24, 32)
    rungs = ("texture", "separable_shared", "separable_optimised")
    lines = [[f"`{name}`", *(ms(name, radius) for radius in radii)] for name in rungs]
    lines.append(["`texture` ÷ `separable_optimised`", *(faster("separable_optimised", "texture", radius) for radius in radii)])
    return table(["ms", *(f"r = {radius}" for radius in radii)], lines)


def crossing(slow, quick):
    """The first radius from which on `quick` is the faster of two rungs throughout."""
    sweep = swept()
    common = sorted(set(sweep[slow]) & set(sweep[quick]))
    return str(next(radius for radius in common
                    if all(sweep[quick][later] < sweep[slow][later] for later in common if later >= radius)))


def library_since():
    """The library's rung beside the same sizes of the later record of the bench."""
    pairs = [("1D, 5 taps", gpix_of(rung(SIGNAL, "library")["ms"]["kernel"], SIGNAL), "f32 1D 5 taps")]
    pairs += [(f"2D, radius {radius}", gpix_of(swept()["library"][radius]), job)
              for radius, job in ((1, "f32 3x3"), (2, "f32 5x5"), (4, "f32 separable r=4"), (8, "f32 separable r=8"),
                                  (16, "f32 separable r=16"), (32, "f32 separable r=32"))]
    pairs.append(("3D, radius 1", gpix_of(rung(VOLUME, "library")["ms"]["kernel"], VOLUME), "f32 3D 3x3x3"))
    return table(["`library`, GPix/s", *(pair[0] for pair in pairs)],
                 [["this ladder", *(digits(rate) for _, rate, _ in pairs)],
                  ["`halation bench` since", *(digits(gpu_rows()[job]["gpix_per_s"]) for _, _, job in pairs)]])


def xfilters():
    cpu = rung(SMALL, "cpu_naive")["ms"]["total"]
    lines = [["CPU (Ryzen 7 7700; here `cpu_naive` on the Xeon)", digits(XFILTERS_CPU_MS), "", digits(cpu), "",
              times(XFILTERS_CPU_MS / cpu)]]
    for label, name, memory, theirs, kernel in XFILTERS:
        here = rung(SMALL, name, memory)["ms"]
        lines.append([label, digits(theirs), f"{kernel}", digits(here["total"]), digits(here["kernel"]),
                      times(theirs / here["total"])])
    here = rung(SMALL, "naive", "pinned")["second_filter_ms"]
    lines.append(["second filter, pinned, image on the GPU", f"{XFILTERS_SECOND_MS} ({1e3 / XFILTERS_SECOND_MS:.0f} FPS)", "",
                  f"{digits(here['total'])} ({1e3 / here['total']:,.0f} FPS)", digits(here["kernel"]),
                  times(XFILTERS_SECOND_MS / here["total"])])
    return table(["Version, ms", "xFilters total", "kernel", "H200 total", "kernel", "total, times as fast"], lines)


def slides():
    lines, before, slow = [], None, None
    for label, theirs, name in SLIDES_MS:
        ours = rung(SLIDES, name)["ms"]["kernel"]
        lines.append([label, f"{theirs}" if theirs else "", times(slow / theirs) if slow and theirs else "", f"`{name}`",
                      digits(ours), times(before / ours) if before else ""])
        before, slow = ours, theirs or slow
    return table(["Version, ms", "slides", "gain", "H200, rung", "ms", "gain"], lines)


def where_time_goes():
    steps = ("allocation", "upload", "filter_upload", "kernel", "download", "total")

    def line(label, of):
        return [label, *(digits(of[step]) if of[step] else "–" for step in steps), f"{1e3 / of['total']:,.0f}"]
    lines = []
    for memory, names in (("pageable", ("naive", "constant", "tiled_input_block")),
                          ("pinned", ("naive", "constant", "tiled_input_block", "library"))):
        lines += [line(f"`{name}`, {memory}", rung(SMALL, name, memory)["ms"]) for name in names]
    lines += [line(f"second filter, `tiled_input_block`, {memory}", rung(SMALL, "tiled_input_block", memory)["second_filter_ms"])
              for memory in ("pageable", "pinned")]
    return table(["ms", "allocation", "upload", "filter", "kernel", "download", "total", "FPS"], lines)


def total(name, wanted, memory, second=False):
    of = rung(name, wanted, memory)
    return digits((of["second_filter_ms"] if second else of["ms"])["total"])


def on_gpu(name, memory):
    """Milliseconds of each step of the GPU's rungs."""
    return [row["ms"] for row in record(name)["rungs"] if row["place"] == "gpu" and row["memory"] == memory]


def transfer(name, way, memory):
    """GB/s of `upload` or `download`, least and most over the rungs of a record."""
    rates = [outputs(name) * 4e-6 / row[way] for row in on_gpu(name, memory)]
    low, high = digits(min(rates), 2), digits(max(rates), 2)
    return low if low == high else f"{low} to {high}"


def pinning(name):
    return digits(record(name)["pinned_allocation_ms"])


def range_of(name, step):
    """The least and the most that a step takes over the GPU's rungs from pinned memory."""
    taken = [row[step] for row in on_gpu(name, "pinned")]
    return f"{digits(min(taken))} to {digits(max(taken))}"


def gpu(name=LARGE):
    """What a record was measured on."""
    return record(name)["machine"]["gpu"]["name"]


def ladder_circumstances():
    of = record(LARGE)
    return f"{gpu()}, driver {of['machine']['gpu']['driver']}, {of['date'][:10]}"


NAMES = {"LARGE": LARGE, "SMALL": SMALL}
FIGURES = [copy_gb, copy_gpix, ms, gpix, share, faster, longer, of_limit, limits, ladder_ms, ladder_gpix, ladder_1d, ladder_3d,
           reads, texture_against_separable, crossing, library_since, xfilters, slides, where_time_goes, total, transfer, pinning,
           range_of, ladder_circumstances]
