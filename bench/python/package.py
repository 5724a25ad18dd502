#!/usr/bin/env python3
"""package.py: the Python package halation beside the packages whose calls it takes over, each result verified before it is timed.

    python package.py [--device cpu|cuda] [--jobs TEXT ...] [--json FILE] [--program build/halation]

On the CPU SciPy, OpenCV and scikit-image (package_cpu.py), on a GPU CuPy and PyTorch (package_gpu.py) compute the same rows in
the same run, on images of 4096 x 4096, on a GPU 8192 x 8192 and of bytes 16384 x 16384, into arrays that are there already. A
time is the median of several, on a GPU between events on the stream. With --program, on a GPU, the program's own `bench` runs the
same job before each row, to tell what Python costs.
"""
import argparse
import datetime
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

MOST = 21  # batches


class Row:
    """A job: `ours()` and each of `theirs` {peer: call} return arrays; `near(ours, theirs)` is empty, or says what is wrong."""

    def __init__(self, name, dtype, taps, ours, theirs, near, pixels, same_as=None):
        self.name, self.dtype, self.taps, self.ours, self.theirs = name, dtype, taps, ours, theirs
        self.near, self.pixels, self.same_as = near, pixels, same_as


def near(share):
    """Integers: at most one off, in that share of all elements; floats: 1e-5 of the largest."""
    def compare(got, expected):
        if got.shape != expected.shape:
            return f"shape {got.shape}, not {expected.shape}"
        if got.dtype.kind == "f":
            worst = float(np.abs(got - expected).max() / max(float(np.abs(expected).max()), 1e-30))
            return "" if worst <= 1e-5 else f"off by {worst:.2g} of the largest"
        off = np.abs(got.astype(np.int32) - expected.astype(np.int32))
        off = np.minimum(off, np.iinfo(got.dtype).max - np.iinfo(got.dtype).min + 1 - off)  # sums of SciPy's wrap
        differing = np.count_nonzero(off)
        if off.max() <= 1 and differing <= share * off.size:
            return ""
        return f"{differing} of {off.size} differ, the largest by {off.max()}"
    return compare


def wall_batch(run, runs):
    start = time.perf_counter()
    for _ in range(runs):
        run()
    return time.perf_counter() - start


def times_of(run, batch, least_s, budget_s):
    """Seconds a run, of several batches, each of `least_s` at least and all of `budget_s` or so."""
    runs = 1
    while (spent := batch(run, runs)) < least_s:
        runs *= 2
    times, start = [spent / runs], time.perf_counter()
    if spent > 3 * budget_s:
        return times
    times = []
    while len(times) < 3 or (len(times) < MOST and time.perf_counter() - start < budget_s):
        times.append(batch(run, runs) / runs)
    return times


def measured(row, device):
    """The fields of a row: ours between the peers, once before and once after each."""
    def times(call):
        device.settle()
        return times_of(call, device.batch, device.LEAST_S, device.BUDGET_S)

    fields = {"job": row.name, "dtype": row.dtype, "taps": row.taps, "peers": []}
    got = device.to_host(row.ours())
    own = times(row.ours)
    for peer, call in row.theirs.items():
        wrong = row.near(got, device.to_host(call()))
        if wrong:
            fields["peers"].append({"peer": peer, "status": "differs", "reason": wrong})
            continue
        theirs = times(call)
        own += times(row.ours)
        fields["peers"].append({"peer": peer, "status": "verified", "ms": 1e3 * statistics.median(theirs), "repeats": len(theirs)})
    median = statistics.median(own)
    fields |= {"ms": 1e3 * median, "repeats": len(own), "gpix_per_s": row.pixels / median / 1e9}
    for peer in fields["peers"]:
        if peer["status"] == "verified":
            peer["over_peer"] = peer["ms"] / fields["ms"]
    return fields


def machine():
    """Whose figures these are."""
    def git(*words):
        return subprocess.run(["git", "-C", Path(__file__).parent, *words], capture_output=True, text=True, check=False).stdout
    names = [line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")]
    return {"schema": "halation-package-1", "machine": names[0] if names else platform.machine(),
            "cores": len(os.sched_getaffinity(0)), "system": f"{platform.system()} {platform.release()}",
            "python": platform.python_version(), "commit": git("rev-parse", "--short", "HEAD").strip(),
            "modified": bool(git("status", "--porcelain", "--untracked-files=no").strip()),
            "date": datetime.date.today().isoformat(), "command": shlex.join(["python", *sys.argv])}


def line_of(fields):
    """One row as a line of text."""
    peers = ", ".join(f"{p['peer']} {p['ms']:.2f} ms = {p['over_peer']:.1f}x" if p["status"] == "verified"
                      else f"{p['peer']}: {p['reason']}" for p in fields["peers"])
    program = f", the program {fields['program_gpix_per_s']:.0f}" if "program_gpix_per_s" in fields else ""
    return f"{fields['job']} {fields['dtype']}: {fields['ms']:.3f} ms, {fields['gpix_per_s']:.3g} GPix/s{program}; {peers}"


def write(record, path):
    """A record, one row a line; complete or not at all."""
    head = {key: value for key, value in record.items() if key != "rows"}
    rows = ",\n".join(json.dumps(row) for row in record["rows"])
    part = Path(f"{path}.part")
    part.write_text(json.dumps(head)[:-1] + ',\n"rows": [\n' + rows + "\n]}\n", encoding="utf-8")
    part.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--jobs", nargs="*", default=[""], help="rows whose name and type contain one of these")
    parser.add_argument("--json", help="file for the record")
    parser.add_argument("--program", help="halation's program, for the same jobs without Python, on a GPU")
    arguments = parser.parse_args()
    if arguments.device == "cuda":
        import package_gpu as device
    else:
        import package_cpu as device
    record = machine() | device.facts()
    record["rows"] = []
    for row in device.rows():
        if not any(text in f"{row.name} {row.dtype}" for text in arguments.jobs):
            continue
        rate = {}
        if arguments.program and row.same_as:
            rate = {"program_job": row.same_as, "program_gpix_per_s": device.rate_of(arguments.program, row.same_as)}
        fields = measured(row, device) | rate | device.extra(row)
        record["rows"].append(fields)
        print(line_of(fields), flush=True)
    if arguments.json:
        write(record, arguments.json)


if __name__ == "__main__":
    main()
