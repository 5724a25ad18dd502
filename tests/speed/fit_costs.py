#!/usr/bin/env python3
"""fit_costs.py: the figures of src/cuda/device/costs.cpp, from what speed_regret measured and the terms that speed_terms counts.

    fit_costs.py TERMS.jsonl REGRET.jsonl... [-v]     of the same seeded cases; needs NumPy and SciPy; -v: what is furthest off

Prints a row for each cost, and how far from the measured times it is. Each is fitted by itself: the sum of squares of logarithms of
expected over measured, large ones counted less (soft L1), all figures positive.
"""
import collections
import json
import math
import sys

import numpy as np
from scipy.optimize import least_squares

CACHE_BYTES = 60 << 20  # of the GPU that speed_terms describes
MEMORY = ([1, 1], [4.7, 12])  # terabytes a second: beyond the caches, in them
LEAST = 12  # measurements that a cost needs; of fewer its figures stay


def read(terms_file, regret_files):
    """Of each cost, (terms, how many of them are waited for and how many walked, bytes, measured microseconds, job)."""
    measured = {}
    for file in regret_files:
        for line in open(file, encoding="utf-8"):
            job = json.loads(line)
            for way in job["ways"]:
                measured[job["case"], way["method"], way["family"]] = way["took_us"]
    rows = collections.defaultdict(list)
    for line in open(terms_file, encoding="utf-8"):
        job = json.loads(line)
        for way in job["ways"]:
            took = measured.get((job["case"], way["method"], way["family"]))
            if took is not None and "terms" in way:
                rows[way["cost"]].append((way["terms"], (way["waited"], way["walked"]), way["bytes"], took, job["job"]))
    return rows


def moved_us(bytes_moved, memory, cached):
    """As Gpu::launch_seconds has it."""
    beyond = 1 / (1 + np.exp(-(bytes_moved / CACHE_BYTES - 0.75) / 0.13))
    return 1e-6 * bytes_moved * (beyond / memory + (1 - beyond) / cached)


def fit(rows):
    """Figures (waited, walked and shared, memory, cached) and expected times."""
    terms = np.array([row[0] for row in rows], float)
    waited, walked = rows[0][1]
    moved = np.array([row[2] for row in rows], float)
    took = np.array([row[3] for row in rows], float)
    used = terms.max(axis=0) > 0

    def expected(figures):
        parts = slice(0, waited), slice(waited, waited + walked), slice(waited + walked, terms.shape[1])
        alone, walk, busy = (terms[:, part] @ figures[part] for part in parts)
        return alone + np.cbrt(walk**3 + busy**3 + moved_us(moved, *figures[-2:]) ** 3)

    largest = np.maximum(terms.max(axis=0), 1e-9)
    free = np.full(terms.shape[1], np.inf)
    low = np.concatenate([-free, np.log(MEMORY[0])])
    high = np.concatenate([free, np.log(MEMORY[1])])
    best = None
    for shift in (0, 1.5, -1.5):
        start = np.concatenate([np.log(np.median(took) / largest / 4) + shift, np.log([4.0, 6.0])])
        found = least_squares(
            lambda p: np.concatenate([np.log(expected(np.exp(p)) / took), 0.02 * np.minimum(p - start, 0)]),
            start, bounds=(low, high), loss="soft_l1", f_scale=0.1, max_nfev=600)
        if best is None or found.cost < best.cost:
            best = found
    figures = np.exp(best.x)
    figures[:-2][~used] = 0
    return figures, expected(figures), took


def main():
    files = [word for word in sys.argv[1:] if word != "-v"]
    if len(files) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    for name, rows in sorted(read(files[0], files[1:]).items()):
        if len(rows) < LEAST:
            print(f"    // {name}: {len(rows)} measurements are too few")
            continue
        figures, expected, took = fit(rows)
        off = np.abs(np.log(expected / took))
        waited, walked = rows[0][1]
        shared = waited + walked
        text = lambda values: ", ".join(f"{value:.4g}" for value in values)
        print(f"    .{name} = {{{{{{{text(figures[:waited])}}}, {{{text(figures[waited:shared])}}}, {{{text(figures[shared:-2])}}}}}, "
              f"{text(figures[-2:])}}},")
        print(f"    //   {len(rows)} measurements: {np.mean(off < math.log(1.1)):.0%} within 10%, {np.mean(off < math.log(1.2)):.0%} within"
              f" 20%, {np.mean(off < math.log(1.5)):.0%} within 50%")
        for i in np.argsort(-off)[: 3 if "-v" in sys.argv else 0]:
            print(f"    //   {expected[i]:.1f} for {took[i]:.1f}: {rows[i][4]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
