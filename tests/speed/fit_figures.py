#!/usr/bin/env python3
"""fit_figures.py: figures of a GPU's kernels (src/cuda/figures/), from what speed_regret measured there.

    fit_figures.py FIGURES MEASURED.jsonl... [-v]     FIGURES: those that speed_regret was given; needs NumPy and SciPy

Prints the text with figures that are nearest to the measured times: each kernel by itself, the sum of squares of the logarithms of expected
over measured, large ones counted less (soft L1), all figures positive. A kernel with fewer measurements than it needs keeps its figures.
-v: to standard error, how near they are.
"""
import collections
import json
import math
import re
import sys

import numpy as np
from scipy.optimize import least_squares

CACHE_BYTES = 60 << 20  # of the GPU that speed_terms describes
LEAST = 4               # measurements of a kernel
FEWEST = 3              # with a trait, and without it
LONGEST_US = 6e4
FIGURES = 10
START = (math.log(1.5), math.log(25))                        # microseconds of a launch
MEMORY = ((math.log(1), math.log(4.8)), (math.log(1), math.log(12)))  # terabytes a second: from memory, from the caches


def counts(way):
    """What the first eight figures are multiplied by (Gpu::seconds)."""
    walked, busy = way["launches"] * way["rounds"], way["launches"] * way["each"]
    return [way["launches"] + way["starts"], walked, walked * way["steps"], walked * way["chain"], busy * way["outputs"],
            busy * way["steps"], busy * way["staged"], busy * way["mads"]]


class Kernel:
    """Measurements of one kernel."""

    def __init__(self, ways):
        self.counts = np.array([counts(way) for way in ways], float)
        self.bytes = np.array([way["bytes"] for way in ways], float)
        self.took = np.array([way["took_us"] for way in ways], float)
        traits = sorted({trait for way in ways for trait in way["traits"]})
        having = {trait: sum(trait in way["traits"] for way in ways) for trait in traits}
        self.traits = [trait for trait in traits if FEWEST <= having[trait] <= len(ways) - FEWEST]
        self.has = np.array([[float(trait in way["traits"]) for trait in self.traits] for way in ways]).reshape(len(ways), len(self.traits))

    def expected(self, logs):
        """As Gpu::seconds has it, in microseconds."""
        figures, times = np.exp(logs[:FIGURES]), np.exp(self.has @ logs[FIGURES:])
        beyond = 1 / (1 + np.exp(-(self.bytes / CACHE_BYTES - 0.75) / 0.13))
        moved = 1e-6 * self.bytes * (beyond / figures[8] + (1 - beyond) / figures[9])
        walked, busy = times * (self.counts[:, 1:4] @ figures[1:4]), times * (self.counts[:, 4:8] @ figures[4:8])
        return self.counts[:, 0] * figures[0] + np.cbrt(walked**3 + busy**3 + moved**3)

    def fit(self):
        typical = np.array([np.median(column[column > 0]) if column.max() > 0 else 1 for column in self.counts[:, 1:].T])
        count = len(self.traits)
        low = np.array([START[0], *[-20] * 7, MEMORY[0][0], MEMORY[1][0], *[-2] * count])
        high = np.array([START[1], *[20] * 7, MEMORY[0][1], MEMORY[1][1], *[2] * count])
        best = None
        for shift in (0, 1.5, -1.5):
            start = np.concatenate([[math.log(4)], np.log(np.median(self.took) / typical / 4) + shift, np.log([4, 6]), np.zeros(count)])
            start = np.clip(start, low + 1e-6, high - 1e-6)
            # Figures that nothing speaks for become small, traits that nothing speaks for 1.
            found = least_squares(
                lambda logs: np.concatenate([np.log(self.expected(logs) / self.took), 0.02 * np.minimum(logs - start, 0)[:FIGURES],
                                             0.05 * logs[FIGURES:]]),
                start, bounds=(low, high), loss="soft_l1", f_scale=0.1, max_nfev=300)
            if best is None or found.cost < best.cost:
                best = found
        return best.x

    def text(self, logs):
        counted = [*(self.counts.max(axis=0) > 0), True, True]
        figures = ["0" if not is_counted or log < -16 else f"{math.exp(log):.4g}" for log, is_counted in zip(logs, counted)]
        times = [f"{trait} {math.exp(log):.3g}" for trait, log in zip(self.traits, logs[FIGURES:]) if abs(log) > 0.02]
        return "; ".join([" ".join(figures), ", ".join(times)] if times else [" ".join(figures)])


def main():
    files = [word for word in sys.argv[1:] if word != "-v"]
    if len(files) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    ways, of_passes = collections.defaultdict(dict), []
    for file in files[1:]:
        for line in open(file, encoding="utf-8"):
            for way in json.loads(line).get("ways", []):
                if way.get("kernel") and way["took_us"] < LONGEST_US:
                    ways[way["kernel"]][way["took_us"], *counts(way)] = way  # a family may do the same for two methods
                elif way["family"].startswith("axis by axis") and way["took_us"] > 15:
                    of_passes.append(way["took_us"] / way["expected_us"])
    kept, head = {}, []
    for line in open(files[0], encoding="utf-8"):
        name = line.split(";")[0].strip()
        if name == "two passes" and of_passes:
            line = f"two passes; {float(re.split(';', line)[1]) * np.median(of_passes):.4g}\n"
        if line.startswith("#") or name in ("device", "two passes", "channels apart"):
            head.append(line.rstrip("\n"))
        elif name:
            kept[name] = line.rstrip("\n")
    for name, measured in sorted(ways.items()):
        if len(measured) < LEAST:
            continue
        kernel = Kernel(list(measured.values()))
        logs = kernel.fit()
        kept[name] = f"{name}; {kernel.text(logs)}"
        if "-v" in sys.argv:
            off = np.abs(np.log(kernel.expected(logs) / kernel.took))
            print(f"{name}: {len(off)} measurements, {np.mean(off < math.log(1.1)):.0%} within 10%, {np.mean(off < math.log(1.25)):.0%} within"
                  " 25%", file=sys.stderr)
    print("\n".join([*head, *(kept[name] for name in sorted(kept))]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
