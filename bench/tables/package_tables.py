"""package_tables.py: what bench/python recorded of the package halation beside other packages, as tables and figures."""
from records import digits, percent, record, table, times

CPU, GPU = "package_cpu", "package_gpu"
TRANSFORMS = "transforms_cpu"  # and transforms_cpu_xeon
SCANS = ("scan_xeon_1", "scan_xeon_2", "scan_xeon_3")
SIGNAL_SCANS = tuple(f"scan_signal_{number}" for number in range(1, 11))  # one seed, ten thousand calls each
TYPES = {"float32": "f32", "uint8": "u8"}

# The calls of the short table.
FEW = ("ndimage.correlate 3x3", "ndimage.correlate1d 9 taps, axis 1", "ndimage.gaussian_filter sigma 2", "cv.filter2D 5x5",
       "cv.GaussianBlur 9x9", "cv.blur 3x3")


def by_call(name):
    """{call: {type: row}}, calls in the record's order."""
    calls = {}
    for row in record(name)["rows"]:
        calls.setdefault(row["job"], {})[TYPES[row["dtype"]]] = row
    return calls


def factor(row):
    """How many times as long the peer takes."""
    return f"{row['peers'][0]['over_peer']:.1f}×" if row["peers"] else "–"


def peer_of(rows):
    return next((row["peers"][0]["peer"] for row in rows.values() if row["peers"]), "–")


def cell(rows, kind, value):
    return f"{value(rows[kind])}, {factor(rows[kind])}" if kind in rows else "–"


def calls_table(name, calls, unit, value):
    return table(["Call", "beside", f"f32: {unit}, the other's time over it", "u8"],
                 [[call, peer_of(rows), cell(rows, "f32", value), cell(rows, "u8", value)]
                  for call, rows in by_call(name).items() if calls is None or call in calls])


def package_cpu(calls=None):
    return calls_table(CPU, calls, "ms", lambda row: digits(row["ms"]))


def package_cpu_few():
    return package_cpu(FEW)


def rate(row):
    """GPix/s, and the share of what the program reached for the same job just before."""
    share = row["gpix_per_s"] / row["program_gpix_per_s"] if row.get("program_gpix_per_s") else None
    return digits(row["gpix_per_s"]) + (f" ({share:.1%})" if share else "")


def package_gpu():
    return calls_table(GPU, None, "GPix/s (of the program's)", rate)


def package_gpu_over(call, kind):
    return times(by_call(GPU)[call][kind]["peers"][0]["over_peer"])


def package_count(what):
    """Calls on the CPU that were timed, those `ahead` of their peer, the `least` and the `most` times as long that SciPy takes."""
    rows = record(CPU)["rows"]
    scipy = [row["peers"][0]["over_peer"] for row in rows if row["peers"][0]["peer"] == "SciPy"]
    return {"calls": str(len(rows)), "ahead": str(sum(row["peers"][0]["over_peer"] >= 1 for row in rows)),
            "least": times(min(scipy)), "most": times(max(scipy))}[what]


def program_share():
    """The least share of the program's rate that a call on the GPU reaches."""
    rows = [row for row in record(GPU)["rows"] if row.get("program_gpix_per_s")]
    return f"{min(row['gpix_per_s'] / row['program_gpix_per_s'] for row in rows):.1%}"


def versions(name):
    return ", ".join(f"{package} {version}" for package, version in record(name)["versions"].items() if package != "halation")


def package_cpu_circumstances():
    of = record(CPU)
    return f"{of['machine']}, {of['cores']} cores, commit {of['commit']}, {of['date']}"


def package_cpu_versions():
    return versions(CPU)


def package_gpu_circumstances():
    of = record(GPU)
    return f"{of['gpu'].split(',')[0]}, driver {of['driver']}, commit {of['commit']}, {of['date']}"


def package_gpu_versions():
    return versions(GPU)


def scan_circumstances(names=SCANS):
    """Each machine with its commits and the day of its first record."""
    machines = {}
    for name in names:
        machines.setdefault(record(name)["machine"], []).append(record(name))
    return ", and ".join(f"{machine}, commits {', '.join(dict.fromkeys(of['commit'] for of in records))}, {records[0]['date']}"
                         for machine, records in machines.items())


def scan_versions():
    return versions(SCANS[0])


def scans():
    lines = []
    for name in SCANS:
        every, large = (record(name)["summary"][key] for key in ("all", "of_100_us"))
        lines.append([str(record(name)["seed"]), f"{every['calls']:,}", f"{large['calls']:,}", f"{every['less_than_scipy']:.1%}",
                      f"{large['less_than_scipy']:.1%}", str(large["misses"]), times(large["worst_over_scipy"]),
                      f"{every['expected_within_3']:.1%}"])
    return table(["Seed", "calls", "of more than 100 µs", "faster than SciPy, of all", "of those of more than 100 µs",
                  "over 1.5 times SciPy's time", "worst", "plans within 3× of what they expect"], lines)


def signal_scans():
    lines = []
    for name in SIGNAL_SCANS:
        of, (every, large) = record(name), (record(name)["summary"][key] for key in ("all", "of_100_us"))
        lines.append([f"{of['first']:,} to {of['first'] + every['calls'] + of['summary']['refused_by_scipy'] - 1:,}", f"{every['calls']:,}",
                      f"{large['calls']:,}", str(of["summary"]["wrong"]), f"{every['less_than_scipy']:.1%}",
                      f"{large['less_than_scipy']:.1%}", str(large["misses"]), times(large["worst_over_scipy"])])
    return table(["Numbers", "calls that SciPy makes", "of more than 100 µs", "wrong", "faster than SciPy, of all",
                  "of those of more than 100 µs", "over 1.5 times SciPy's time", "worst"], lines)


def signal_scan_circumstances():
    return f"{scan_circumstances(SIGNAL_SCANS)}, beside {versions(SIGNAL_SCANS[0])}"


def signal_scan_functions():
    return scan_functions(SIGNAL_SCANS)


def scan_functions(names=SCANS):
    """Of each function the calls of all seeds that were faster than SciPy's, and the worst of them."""
    functions = {}
    for name in names:
        for function, summary in record(name)["summary"]["functions"].items():
            functions.setdefault(function, []).append(summary)
    lines = []
    for function, summaries in sorted(functions.items()):
        calls = sum(each["calls"] for each in summaries)
        faster = sum(each["calls"] * each["less_than_scipy"] for each in summaries) / calls
        lines.append([f"`{function}`", f"{calls:,}", percent(faster), times(max(each["worst_over_scipy"] or 0 for each in summaries))])
    return table(["Function", "calls", "faster than SciPy", "worst time over SciPy's, where calls take 100 µs or more"], lines)


def lengths(shape):
    """4096×4096, or 4 M where that is a power of two."""
    return "×".join(f"{n // 2**20} M" if n % 2**20 == 0 else f"{n:,}" if len(shape) == 1 else str(n) for n in shape)


def transforms(name=TRANSFORMS):
    """Large filters by transforms on the CPU: milliseconds, and how many times as long each peer takes."""
    peers = {"OpenCV": "cv2.filter2D", "fftconvolve": "scipy.signal.fftconvolve", "oaconvolve": "scipy.signal.oaconvolve"}
    lines = []
    with_peak = all("peak_arrays" in row for row in record(name)["rows"])
    for row in record(name)["rows"]:
        ours = row["seconds"]["halation"]
        others = [times(row["seconds"][name] / ours) if name in row["seconds"] else "–" for name in peers.values()]
        lines.append([lengths(row["shape"]), lengths(row["taps"]), digits(1e3 * ours), *others, digits(1e3 * row["plan_s"])] + ([times(row["peak_arrays"])] if with_peak else []))
    return table(["Array, f32", "taps", "ms", *peers, "plan, ms"] + (["peak memory, arrays"] if with_peak else []), lines)


def transforms_peak(dimensions, name=TRANSFORMS):
    """Of arrays of so many axes: the peak memory at most, in arrays."""
    return times(max(row["peak_arrays"] for row in record(name)["rows"] if len(row["shape"]) == dimensions))


def transforms_circumstances(name=TRANSFORMS):
    of = record(name)
    return f"{of['machine']}, {of['cores']} cores, commit {of['commit']}, {of['date']}"


def transforms_versions(name=TRANSFORMS):
    return versions(name)


def transforms_least(dimensions, name=TRANSFORMS):
    """Of arrays of so many axes: how many times as long the quickest peer takes, at the least."""
    return times(min(row["over_best"] for row in record(name)["rows"] if len(row["shape"]) == dimensions))


FIGURES = [package_cpu, package_cpu_few, package_gpu, package_gpu_over, package_count, program_share, package_cpu_circumstances,
           package_cpu_versions, package_gpu_circumstances, package_gpu_versions, scan_circumstances, scan_versions, scans,
           scan_functions, signal_scans, signal_scan_circumstances, signal_scan_functions, transforms, transforms_circumstances, transforms_versions, transforms_least,
           transforms_peak]
