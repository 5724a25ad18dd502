#!/usr/bin/env python3
"""fit_rates.py: figures of a text in src/cpu/figures/, from what speed_regret measured and the pieces that speed_cpu_terms counts.

    fit_rates.py TERMS.jsonl MEASURED.jsonl [TERMS.jsonl MEASURED.jsonl]... [-v]     of the same seeded cases, by two threads

Needs NumPy and SciPy. Prints lines to replace those of the text, and what choices by them would cost: of all jobs, and of each third of them by
figures that are fitted to the others. -v: the jobs where they cost more than 10%.

Of expected over measured the logarithms are fitted, large ones counted less (soft L1), all figures positive. What ways of one job
are off by beside each other counts most, the quickest ones above all; what all of them are off by together counts less.
"""
import collections
import json
import math
import sys

import numpy as np
from scipy.optimize import least_squares

BLUR = 0.3  # as seconds_of has it
THREADS = 2  # that the jobs were done by
LEAST_US = 20  # jobs that take less are none to judge by
TOGETHER = 0.4  # what errors common to all ways of a job count
LEAST_PIECES = 3  # ways that must count a piece, or its figure stays
LEAST = {"_tap": 0.003, "staged_row": 12, "lines.pass": 10, "axis_start": 430}  # of names that end so: seeded jobs say little
Way = collections.namedtuple("Way", "job name terms bytes cached took old")


def read(terms_file, measured_file, first):
    """Ways of jobs; equal ways, which count the same pieces, take what they do on average."""
    counted = {}
    for line in open(terms_file, encoding="utf-8"):
        job = json.loads(line)
        for way in job["ways"]:
            counted[job["case"], way["method"], way["family"]] = way | {"cached": job["cached_bytes"]}
    ways, texts = [], []
    for line in open(measured_file, encoding="utf-8"):
        job = json.loads(line)
        if not job["ways"] or min(way["took_us"] for way in job["ways"]) < LEAST_US:
            continue
        equal = collections.defaultdict(list)
        for way in job["ways"]:
            count = counted[job["case"], way["method"], way["family"]]
            equal[way["family"], json.dumps(count["terms"])].append((way, count))
        for (family, _), same in equal.items():
            way, count = same[0]
            took = float(np.mean([each["took_us"] for each, _ in same]))
            name = f"{way['method']}/{family}"
            ways.append(Way(first + len(texts), name, count["terms"], count["bytes"], count["cached"], took, way["expected_us"]))
        texts.append(job["job"])
    return ways, texts


def matrix(ways, names):
    return np.array([[way.terms.get(name, 0) for name in names] for way in ways], float)


def memory(ways):
    moved, cached = np.array([(way.bytes, way.cached) for way in ways], float).T
    return moved / (1 + np.exp((1 - moved / cached) / BLUR))


def expected(ways, names, figures):
    return np.hypot(matrix(ways, names) @ figures[:-1], memory(ways) * figures[-1])


def fit(ways, names):
    """Figures of the pieces, and of a byte."""
    pieces, beyond = matrix(ways, names), memory(ways)
    took = np.array([1e3 * THREADS * way.took for way in ways])
    _, job = np.unique([way.job for way in ways], return_inverse=True)
    best = np.full(job.max() + 1, np.inf)
    np.minimum.at(best, job, took)
    weight = best[job] / took
    mean = np.zeros((len(best), len(ways)))
    mean[job, np.arange(len(ways))] = weight / np.bincount(job, weight)[job]
    parts = np.vstack([weight[:, None] * (np.eye(len(ways)) - mean[job]), TOGETHER * mean])
    start = np.append(np.log(np.median(took) / np.maximum(pieces.max(axis=0), 1e-9) / 30), math.log(0.06))
    least = [max([figure for end, figure in LEAST.items() if name.endswith(end)], default=0) for name in names + ["memory_byte"]]
    low = np.log(np.maximum(least, 1e-30))
    start = np.maximum(start, low + 0.1)

    def residuals(logs):
        figures = np.exp(logs)
        times = np.hypot(pieces @ figures[:-1], beyond * figures[-1])
        return np.concatenate([parts @ np.log(times / took), 0.02 * np.minimum(logs - start, 0)])

    def slopes(logs):
        figures = np.exp(logs)
        busy, moved = pieces @ figures[:-1], beyond * figures[-1]
        times = np.hypot(busy, moved)
        by_figure = np.hstack([pieces * figures[:-1] * busy[:, None], (moved**2)[:, None]]) / (times**2)[:, None]
        return np.vstack([parts @ by_figure, 0.02 * np.diag((logs < start).astype(float))])

    found = least_squares(residuals, start, slopes, bounds=(low, np.inf), loss="soft_l1", f_scale=0.1, max_nfev=800)
    return np.exp(found.x)


def regret(ways, times):
    """(share, job, taken, quickest) of each job: what the way of least expected time took over the least measured."""
    by_job = collections.defaultdict(list)
    for way, time in zip(ways, times):
        by_job[way.job].append((time, way))
    shares_ = []
    for job, pairs in by_job.items():
        taken, quickest = min(pairs, key=lambda pair: pair[0]), min(pairs, key=lambda pair: pair[1].took)
        shares_.append((taken[1].took / quickest[1].took, job, taken, quickest))
    return sorted(shares_, key=lambda each: -each[0])


def summary(judged):
    shares = np.array([each[0] for each in judged])
    return (f"{len(shares)} jobs, {np.mean(shares <= 1.1):.1%} within 10%, {np.sum(shares > 1.3)} beyond 30%,"
            f" geometric mean {math.exp(np.mean(np.log(shares))):.4f}, worst {shares[0]:.2f}")


def main():
    words = sys.argv[1:]
    files = [word for word in words if word != "-v"]
    if not files or len(files) % 2 != 0:
        print(__doc__, file=sys.stderr)
        return 2
    ways, texts = [], []
    for terms, measured in zip(files[::2], files[1::2]):
        more_ways, more_texts = read(terms, measured, len(texts))
        ways += more_ways
        texts += more_texts
    counts = collections.Counter(name for way in ways for name in way.terms)
    names = [name for name in counts if counts[name] >= LEAST_PIECES]
    figures = fit(ways, names)
    for name, figure in sorted(zip(names + ["memory_byte"], figures)):
        print(f"{name}; {figure:.4g}")
    print("rare, not fitted:", *(name for name in counts if name not in names))
    judged = regret(ways, expected(ways, names, figures))
    print("as measured:", summary(regret(ways, [way.old for way in ways])))
    print("fitted:     ", summary(judged))
    order = np.random.default_rng(1).permutation(len(texts))
    held_out = []
    for third in range(3):
        apart = set(order[third::3])
        rest, rested = [way for way in ways if way.job not in apart], [way for way in ways if way.job in apart]
        held_out += regret(rested, expected(rested, names, fit(rest, names)))
    print("held out:   ", summary(sorted(held_out, key=lambda each: -each[0])))
    for share, job, taken, quickest in judged if "-v" in words else []:
        if share > 1.1:
            print("%.2f %s: %s took %.0f, expected %.0f; %s took %.0f, expected %.0f" % (
                share, texts[job], taken[1].name, taken[1].took, taken[0] / THREADS / 1e3,
                quickest[1].name, quickest[1].took, quickest[0] / THREADS / 1e3))
    return 0


if __name__ == "__main__":
    sys.exit(main())
