"""contest_tables.py: what `halation bench` recorded on a CPU and on a GPU, as tables and figures."""
from records import digits, joined, percent, record, table, times

CPU = ("cpu_table_zen4", "cpu_table_zen4_u8")  # rows of a later record take the place of the same rows before
AVX2 = ("cpu_avx2_zen4",)  # halation and its peers held to it
AVX2_XEON = ("cpu_avx2_xeon_f32", "cpu_avx2_xeon_f32_more", "cpu_avx2_xeon_u8")
XEON = ("cpu_table",)
XEON_AMX = ("cpu_u8_xeon", "cpu_f32_xeon")
ZEN3_U8 = ("cpu_u8_zen3",)
GPU = "gpu_matrix"
GPU_LARGE = "gpu_large_filters"
GPU_CLIFFS = "gpu_cliffs"
GPU_PYTHON = "gpu_table"  # some of these jobs with CuPy and PyTorch beside them

# Jobs that share a line of the short tables.
CPU_GROUPS = [
    ("f32 3×3 / 7×7 / 15×15", "cpu f32 {}", ("3x3", "7x7", "15x15")),
    ("f32 separable, 3 / 15 / 63 taps", "cpu f32 separable {} taps", (3, 15, 63)),
    ("f32 Gaussian, σ 1 / 3 / 8", "cpu f32 gaussian sigma {}", (1, 3, 8)),
    ("f32 box, 3 / 9", "cpu f32 box {}", (3, 9)),
    ("f32 1D, 5 / 17 / 65 taps", "cpu f32 1D {} taps", (5, 17, 65)),
    ("f32 3D, 3³ / 5³ / 7³", "cpu f32 3D {}", ("3x3x3", "5x5x5", "7x7x7")),
    ("u8 3×3 / 7×7 / 15×15", "cpu u8 {}", ("3x3", "7x7", "15x15")),
    ("u8 separable, 3 / 15 / 63 taps", "cpu u8 separable {} taps", (3, 15, 63)),
    ("u8 box, 3 / 9", "cpu u8 box {}", (3, 9)),
    ("u8, 3 channels: 3×3 / 7×7 / 15×15", "cpu u8 c3 {}", ("3x3", "7x7", "15x15")),
]
GPU_GROUPS = [
    ("f32 3×3 / 5×5 / 7×7", "f32 {}", ("3x3", "5x5", "7x7")),
    ("f32 9×9 / 11×11 / 15×15", "f32 {}", ("9x9", "11x11", "15x15")),
    ("f32 separable, radius 1 / 2 / 4", "f32 separable r={}", (1, 2, 4)),
    ("f32 separable, radius 8 / 16 / 32", "f32 separable r={}", (8, 16, 32)),
    ("f32 box, 3 / 31 / 255", "f32 box {}", (3, 31, 255)),
    ("f32 1D, 5 / 17 / 65 taps", "f32 1D {} taps", (5, 17, 65)),
    ("f32 3D, 3³ / 5³ / 7³", "f32 3D {}", ("3x3x3", "5x5x5", "7x7x7")),
    ("u8, integer weights, 3×3 / 5×5", "u8 {} integer", ("3x3", "5x5")),
    ("u8, float weights, 3×3 / 5×5", "u8 {} float", ("3x3", "5x5")),
    ("u8, 3 channels, Gaussian 3 / 5 / 9 taps", "u8 c3 gaussian {} taps", (3, 5, 9)),
    ("u16 / f16 3×3", "{} 3x3", ("u16", "f16")),
    ("f32 3×3, one 512×512 / 256 of them", "f32 3x3 {}", ("one 512x512", "batch of 256")),
]


def cpu_rows(records=CPU):
    """{job: {threads: row}}, in the order of the first record."""
    rows = {}
    for name in records:
        for row in record(name)["rows"]:
            rows.setdefault(row["job"], {})[row["threads"]] = row
    return rows


def gpu_rows(name=GPU):
    return {row["job"]: row for row in record(name)["rows"]}


def over(row):
    """The best peer's time over halation's; infinite where none was done in the time that it was given."""
    return row["best_peer"]["over"] if "best_peer" in row else float("inf")


def grouped(groups, rows):
    for label, form, sizes in groups:
        yield label, [rows[form.format(size)] for size in sizes]


def target_text(row):
    """What was asked of the engine in this row, and whether it does it."""
    target = row["fields"].get("target")
    if not target:
        return "–"
    least = target["least"]
    text = {"share of copy": f"{least:.0%}", "share of job": f"{least:.0%}", "GPix/s": f"{least:,.0f}",
            "us": f"{least:g} µs", "times the best peer": f"{least:g}×"}[target["unit"]]
    verdict = row.get("target", {}).get("verdict")
    return text + {"missed": ", missed", None: ""}.get(verdict, ", met")


def both(rows, text):
    """What one and two threads give."""
    return " / ".join(text(row) for _, row in sorted(rows.items()))


def cpu_ahead(rows):
    """No peer was faster, with one thread or with two."""
    return all(over(row) >= 1 for row in rows.values())


def cpu_count(what, records=CPU):
    """How many jobs there are, in how many halation is `ahead` or `behind`, how many have a `target`, how many it `met`."""
    rows = list(cpu_rows(records).values())
    targets = [job for job in rows if all("target" in row for row in job.values())]
    return str({"jobs": len(rows), "ahead": sum(map(cpu_ahead, rows)), "behind": len(rows) - sum(map(cpu_ahead, rows)),
                "targets": len(targets),
                "met": sum(all(row["target"]["verdict"] != "missed" for row in job.values()) for job in targets)}[what])


def gpu_count(what):
    rows = record(GPU)["rows"]
    ahead = sum(over(row) >= 1 for row in rows)
    return str({"jobs": len(rows), "ahead": ahead, "behind": len(rows) - ahead}[what])


def cpu_behind(records=CPU):
    rows = sorted(((name, job) for name, job in cpu_rows(records).items() if not cpu_ahead(job)),
                  key=lambda item: min(map(over, item[1].values())))
    threads = " / ".join(map(str, sorted(rows[0][1]))) if rows else "1 / 2"
    return table(["Job", f"ms, {threads} threads", "best peer", "its time over halation's", "share of a copy's pace"],
                 [[name.removeprefix("cpu "), both(job, lambda row: digits(row["ms"])),
                   joined([job[threads]["best_peer"]["peer"] for threads in sorted(job)]), both(job, lambda row: times(over(row))),
                   both(job, lambda row: percent(row["share_of_copy"]))] for name, job in rows])


def gpu_behind():
    """A line for all sizes of filters that are behind on images of one kind."""
    kinds = {}
    for row in record(GPU)["rows"]:
        if over(row) < 1:
            kind, _, size = row["job"].removeprefix("sweep ").rpartition(" ")
            kinds.setdefault((kind, row["best_peer"]["peer"]), []).append((size, row))
    return table(["Image", "filters", "µs", "best peer", "its time over halation's"],
                 [[kind, " / ".join(size for size, _ in rows), " / ".join(digits(row["ms"] * 1e3) for _, row in rows), peer,
                   " / ".join(times(over(row)) for _, row in rows)] for (kind, peer), rows in kinds.items()])


def cpu_table():
    lines = []
    for label, jobs in grouped(CPU_GROUPS, cpu_rows()):
        two = [job[max(job)] for job in jobs]
        one = [job[min(job)] for job in jobs]
        lines.append([label, " / ".join(digits(row["ms"]) for row in two),
                      " / ".join(percent(row["share_of_copy"]) for row in two),
                      joined([row["best_peer"]["peer"] for row in two]), " / ".join(times(over(row)) for row in one),
                      " / ".join(times(over(row)) for row in two)])
    return table(["Job", "ms, two threads", "of a copy's pace", "best peer", "its time over halation's: one thread", "two"], lines)


def gpu_table():
    lines = []
    for label, jobs in grouped(GPU_GROUPS, gpu_rows()):
        lines.append([label, " / ".join(digits(row["gpix_per_s"]) for row in jobs),
                      " / ".join(percent(row["share_of_copy"]) for row in jobs), joined([target_text(row) for row in jobs]),
                      joined([row["best_peer"]["peer"] for row in jobs]), " / ".join(times(over(row)) for row in jobs)])
    return table(["Job", "GPix/s", "of a copy's pace", "target", "best peer", "its time over halation's"], lines)


def peer_columns(row, peers):
    """How many times as long each of the peers takes, by the fastest of its ways that were verified."""
    best = {}
    for peer in row["peers"]:
        if peer["status"] == "verified":
            best[peer["peer"]] = min(best.get(peer["peer"], float("inf")), peer["over_peer"])
    return [times(best[peer]) if peer in best else "–" for peer in peers]


def peers_of(rows):
    """Peers that did one of the rows at least, in their order there."""
    return list(dict.fromkeys(peer["peer"] for row in rows for peer in row["peers"] if peer["status"] == "verified"))


def cpu_all(records=CPU):
    rows = cpu_rows(records)
    peers = peers_of([row for job in rows.values() for row in job.values()])
    lines = [[name.removeprefix("cpu "), str(threads), digits(row["ms"]), digits(row["gpix_per_s"]), percent(row["share_of_copy"]),
              target_text(row), *peer_columns(row, peers)]
             for name, job in rows.items() for threads, row in sorted(job.items())]
    return table(["Job", "threads", "ms", "GPix/s", "of a copy's pace", "target", *peers], lines)


def gpu_all(name=GPU):
    rows = [{"peers": [], **row} for row in record(name)["rows"]]
    peers = peers_of(rows)
    return table(["Job", "µs", "GPix/s", "of a copy's pace", "target", *peers],
                 [[row["job"], digits(row["ms"] * 1e3), digits(row["gpix_per_s"]), percent(row["share_of_copy"]), target_text(row),
                   *peer_columns(row, peers)] for row in rows])


def gpu_large():
    return gpu_all(GPU_LARGE)


def gpu_large_circumstances():
    return gpu_circumstances(GPU_LARGE)


def gpu_cliffs():
    return gpu_all(GPU_CLIFFS)


def gpu_cliffs_circumstances():
    return gpu_circumstances(GPU_CLIFFS)


def gpu_python():
    return gpu_all(GPU_PYTHON)


def gpu_python_least():
    """How near CuPy and PyTorch come: the least that either takes, in times halation's time."""
    least = {}
    for row in record(GPU_PYTHON)["rows"]:
        for peer in row["peers"]:
            if peer["status"] == "verified" and peer["peer"] in ("CuPy", "PyTorch"):
                least[peer["peer"]] = min(least.get(peer["peer"], float("inf")), peer["over_peer"])
    return " and ".join(times(factor) for _, factor in sorted(least.items()))


def machine(name):
    """What a record was measured on."""
    of = record(name)
    return of["gpu"]["name"] if "gpu" in of else f"{of['machine']}, {of['cores']} cores"


def circumstances(*names):
    """Machine, driver, commits and dates of records."""
    records = [record(name) for name in names]
    first = records[0]
    driver = f", driver {first['gpu']['driver']}" if "gpu" in first else ""
    return f"{machine(names[0])}{driver}, commit {', '.join(dict.fromkeys(each['commit'] for each in records))}, {first['date']}"


def cpu_circumstances(records=CPU):
    return circumstances(*records)


def gpu_circumstances(name=GPU):
    return circumstances(name)


def gpu_copy():
    """The device copy in TB/s."""
    return digits(record(GPU)["copy_f32_8192_gb_per_s"] / 1e3)


def peer_versions(*names):
    """The peers of records that ran, with their versions."""
    versions = {}
    for name in names:
        did = peers_of(record(name)["rows"])
        versions.update({peer["peer"]: peer["version"] for peer in record(name)["peers"] if peer["peer"] in did})
    return ", ".join(f"{peer} {version}" for peer, version in versions.items())


def cpu_peers(records=CPU):
    return peer_versions(*records)


def gpu_peers():
    return peer_versions(GPU, GPU_PYTHON)


def overview_cpu_jobs(records=CPU):
    """(label, row) of a few jobs of each kind, with two threads."""
    rows = cpu_rows(records)
    for label, job in (("3×3 over 4096² f32", "f32 3x3"), ("9×9 over 4096² f32", "f32 9x9"),
                       ("Gaussian σ 2 over 4096² RGB of 8 bits", "u8 c3 gaussian sigma 2"),
                       ("box 9×9 over 4096² of 8 bits", "u8 box 9"), ("5×5×5 over 256³ f32", "f32 3D 5x5x5")):
        yield label, rows[f"cpu {job}"][2]


def overview_gpu_jobs():
    rows = gpu_rows()
    for label, job in (("3×3 over 8192² f32", "f32 3x3"), ("9×9 over 8192² f32", "f32 9x9"),
                       ("Gaussian of 17 taps over 8192² f32", "f32 gaussian 17 taps"), ("5×5×5 over 512³ f32", "f32 3D 5x5x5")):
        yield label, rows[job]


def overview():
    """The first table of the README."""
    def beside(row):
        return f"{times(over(row))} × {row['best_peer']['peer']}"

    avx2 = [f"{digits(row['ms'])} ms, {beside(row)}" for _, row in overview_cpu_jobs(AVX2)]
    cpu = [(machine(CPU[0]), *job) for job in overview_cpu_jobs()]
    gpu = [(machine(GPU), *job) for job in overview_gpu_jobs()]
    return table(["Job", "on", "time", "of a copy's pace", "as fast as the fastest other", "the same under AVX2"],
                 [[label, where, f"{digits(row['ms'])} ms", percent(row["share_of_copy"]), beside(row), under_avx2]
                  for (where, label, row), under_avx2 in zip(cpu + gpu, avx2 + ["–"] * len(gpu))])


NAMES = {"AVX2": AVX2, "AVX2_XEON": AVX2_XEON, "XEON": XEON, "XEON_AMX": XEON_AMX, "ZEN3_U8": ZEN3_U8}
FIGURES = [cpu_count, gpu_count, cpu_behind, gpu_behind, cpu_table, gpu_table, cpu_all, gpu_all, gpu_large, gpu_large_circumstances, gpu_cliffs, gpu_cliffs_circumstances, gpu_python, gpu_python_least,
           cpu_circumstances, gpu_circumstances, gpu_copy, cpu_peers, gpu_peers, overview]
