#!/usr/bin/env python3
"""transforms.py: large filters on the CPU beside OpenCV's and SciPy's transforms.

    python transforms.py [--dimensions N ...] [--turns N] [--json FILE]
    python transforms.py --peak 4096,4096 511,511

Dense random f32: images of 4096 x 4096 under 31 to 1023 taps squared, signals of millions under 257 to a million taps, volumes under 9
to 31 taps cubed, zeros outside. Each result is compared with SciPy's; then all take turns, and of each the least time counts: what other
work on the machine does only adds. Plans are made before, as OpenCV and SciPy have nothing to prepare; what a plan takes is told apart.
SciPy transforms by two workers.

Peak memory is that of a process of its own that makes a plan and runs it: what it has touched at most beside what it had before, the
weights it was given among that. In arrays; input and output are two of them.
"""
import argparse
import subprocess
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import scipy.fft
import scipy.signal

import halation
from record import machine, write

JOBS = {
    1: [((4_194_304,), (257,)), ((4_194_304,), (4097,)), ((4_194_304,), (100_001,)), ((1_048_576,), (1_048_575,))],
    2: [((4096, 4096), (k, k)) for k in (31, 63, 127, 255, 511, 1023)],
    3: [((n, n, n), (k, k, k)) for n in (128, 256) for k in (9, 15, 31)],
}
WITHIN = 3e-5  # of the largest output, by which results may differ


def seconds_of(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def problem(shape, taps):
    rng = np.random.default_rng(1)
    return rng.random(shape, np.float32), rng.random(taps, np.float32) - np.float32(0.4)


def memory_bytes(name):
    """Of this process, by the name that Linux has for it."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name + ":"))


def peak_arrays(shape, taps):
    """What a plan and a run take at most, input and output among it, in arrays."""
    small = halation.plan((64, 64), "float32", np.ones((33, 33), np.float32), border="constant")
    small.run(np.ones((64, 64), np.float32), np.empty((64, 64), np.float32))  # threads, modules and the like
    array, weights = problem(shape, taps)
    out = np.zeros_like(array)
    out.fill(1)
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the peak from now on
    before = memory_bytes("VmRSS")
    plan = halation.plan(shape, "float32", weights, border="constant")
    for _ in range(2):
        plan.run(array, out)
    return 2 + (memory_bytes("VmHWM") - before) / array.nbytes


def peak_in_a_process(shape, taps):
    words = [sys.executable, __file__, "--peak", *(",".join(map(str, sizes)) for sizes in (shape, taps))]
    return round(float(subprocess.run(words, check=True, capture_output=True, text=True).stdout), 3)


def contest(shape, taps, turns):
    """A row of the record."""
    array, weights = problem(shape, taps)
    begin = time.perf_counter()
    plan = halation.plan(shape, "float32", weights, border="constant")
    plan_s = time.perf_counter() - begin
    out, there = np.empty_like(array), np.empty_like(array)
    ways = {"halation": lambda: plan.run(array, out),
            "scipy.signal.fftconvolve": lambda: scipy.signal.fftconvolve(array, weights, "same"),
            "scipy.signal.oaconvolve": lambda: scipy.signal.oaconvolve(array, weights, "same")}
    if len(shape) == 2:
        turned = np.ascontiguousarray(weights[::-1, ::-1])
        ways["cv2.filter2D"] = lambda: cv2.filter2D(array, -1, turned, there, borderType=cv2.BORDER_CONSTANT)
    plan.run(array, out)
    exact = scipy.signal.oaconvolve(array, weights, "same")
    off = float(np.abs(out - exact).max() / np.abs(exact).max())
    assert off <= WITHIN, (shape, taps, off)
    least = {name: float("inf") for name in ways}
    for _ in range(turns):
        for name, call in ways.items():
            least[name] = min(least[name], seconds_of(call))
    best = min(seconds for name, seconds in least.items() if name != "halation")
    return {"shape": shape, "taps": taps, "methods": plan.methods, "plan_s": plan_s, "seconds": least,
            "over_best": best / least["halation"], "peak_arrays": peak_in_a_process(shape, taps), "off": off}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dimensions", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json", help="file for the record")
    parser.add_argument("--peak", nargs=2, metavar=("SHAPE", "TAPS"), help="peak memory of one job alone")
    arguments = parser.parse_args()
    if arguments.peak:
        print(peak_arrays(*(tuple(map(int, sizes.split(","))) for sizes in arguments.peak)))
        return
    rows = []
    with scipy.fft.set_workers(2):
        for dimensions in arguments.dimensions:
            for shape, taps in JOBS[dimensions]:
                rows.append(contest(shape, taps, arguments.turns))
                times = ", ".join(f"{name} {1e3 * seconds:.2f}" for name, seconds in rows[-1]["seconds"].items())
                print(f"{shape} x {taps}: {times} ms; {rows[-1]['over_best']:.2f}x the best of the others; plan "
                      f"{1e3 * rows[-1]['plan_s']:.1f} ms, peak {rows[-1]['peak_arrays']:.2f} arrays", flush=True)
    if arguments.json:
        versions = {"halation": halation.__version__, "numpy": np.__version__, "scipy": scipy.__version__, "opencv": cv2.__version__}
        write(machine() | {"schema": "halation-transforms-1", "device": "cpu", "versions": versions, "rows": rows}, arguments.json)


if __name__ == "__main__":
    main()
