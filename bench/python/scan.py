#!/usr/bin/env python3
"""scan.py: random calls of halation.ndimage or halation.signal beside SciPy's: what takes longer, what differs, and where plans expect
something else.

    python scan.py [--module ndimage|signal] [--seed N] [--calls N] [--first N] [--functions NAME ...] [--limit SECONDS] [--jobs N]
                   [--json FILE]

ndimage: arrays of 1 to 6 axes of 1 to 10,000, thin ones among them, of all types; every function, with sigma from 0.3 to 1,000, sizes
from 1 to 500, modes, axes, truncate (scan_calls.py). signal: two arrays of 1 to 4 axes, up to a million elements along one, of all
types, modes, methods, axes, boundaries (scan_signal_calls.py). Each call is drawn from seed and number alone: `--first N --calls 1`
makes one again.

Each result is verified beside SciPy's in f64, then timed beside SciPy's call. A call that misses, over 1.5 times SciPy's time and
more than 100 us, is timed again by turns, the best of several of each. f16, which SciPy refuses, it gets as f32. What plans expect
is compared with what their runs take, on outputs whose memory is there: conversions between runs are no part of it, nor is the way
through Python, which a run over one element tells. Calls run in a process of their own, which is ended where halation takes longer
than the limit. With --jobs as many calls run at once, each in a process that has its own share of the cores and no other. The last
lines are the summary; the record has each call that missed, differed or was not expected, as a line of Python.
"""
import argparse
import collections
import concurrent.futures
import functools
import math
import multiprocessing
import os
import queue
import re
import statistics
import sys
import time
import warnings

import numpy as np
import scipy
import scipy.ndimage
import scipy.signal

import halation
import halation.ndimage
import halation.signal
import scan_calls
import scan_signal_calls
from halation import _direct
from record import machine, write
from stopwatch import times_of, wall_batch

MISS, LEAST_MISS_S = 1.5, 100e-6
LEAST_S, BUDGET_S = 1e-3, 0.01  # of a batch and of all batches of a call
SHORT_S, SHORT_BUDGET_S = LEAST_MISS_S / 2, 1e-3  # what takes so little cannot miss: a few batches of a tenth of that tell
LONG_S = 1.0  # a first run of which is believed
LEAST_RUN_S = 0.5e-6  # of a plan
LEAST_PLAN_S = 50e-6  # that all runs of a plan take together
TURNS, TURNS_S = 7, 1.0  # of what is timed again, each at least a millisecond, and for how long at most
WITHIN = 3  # times what is expected
MODULES = {"ndimage": (scan_calls, halation.ndimage, scipy.ndimage), "signal": (scan_signal_calls, halation.signal, scipy.signal)}
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


class Expectations:
    """While it is entered: what the plans that run are expected to take, and what they take."""

    def __enter__(self):
        self.runs, self.run = [], _direct.Direct.run

        def timed(entry, array, out, stream):
            if out is None:
                out = np.empty(entry.shape, entry.dtype)
                out.fill(0)
            start = time.perf_counter()
            made = self.run(entry, array, out, stream)
            spent = time.perf_counter() - start
            if spent < LEAST_PLAN_S:  # what a clock and cold caches take would be much of it
                again = int(LEAST_PLAN_S / spent) + 1
                spent = min(spent, wall_batch(lambda: self.run(entry, array, out, stream), again) / again)
            self.runs.append((entry.plan, entry.shape, spent))
            return made

        _direct.Direct.run = timed
        return self

    def __exit__(self, *_):
        _direct.Direct.run = self.run

    def seconds(self, way=0.0):
        """(expected, measured) of all runs together, less what the way to each takes."""
        expected = measured = 0.0
        for plan, shape, spent in self.runs:
            times = np.prod(shape, dtype=np.int64) / np.prod(plan.output_shape, dtype=np.int64)  # what five extents cannot hold
            each = re.findall(r"; expected ([0-9.e+]+) (us|ms|s)\b", plan.explain())
            expected += times * sum(float(number) * UNITS[unit] for number, unit in each)
            measured += max(spent - way, LEAST_RUN_S)
        return expected, measured


@functools.cache
def way_s():
    """Seconds from Python to a plan and back."""
    one, least = np.zeros(1, np.float32), math.inf
    for _ in range(200):
        with Expectations() as watched:
            halation.ndimage.correlate1d(one, [0.25, 0.5, 0.25])
        expected, spent = watched.seconds()
        least = min(least, spent - expected)
    return max(least, 0.0)


def first_run(call):
    start = time.perf_counter()
    made = call()
    return made, time.perf_counter() - start


def seconds_of(call, first):
    """Seconds that a call takes, the first run of which is over."""
    if first > LONG_S:
        return first
    is_short = wall_batch(call, 1) < SHORT_S
    budget_s = SHORT_BUDGET_S if is_short else BUDGET_S
    return statistics.median(times_of(call, wall_batch, LEAST_S * budget_s / BUDGET_S, budget_s))


def by_turns(ours, theirs, first):
    """The best of several of each."""
    runs = [max(1, int(1e-3 / seconds)) for seconds in first]
    best, begin = list(first), time.perf_counter()
    for _ in range(TURNS):
        for i, call in enumerate((ours, theirs)):
            best[i] = min(best[i], wall_batch(call, runs[i]) / runs[i])
        if time.perf_counter() - begin > TURNS_S:
            break
    return best


def measured(call, of_halation, of_scipy):
    """The fields of a call: those known before and after halation first runs it, and all of them."""
    fields = {"function": call.name, "elements": call.elements, "taps": call.taps, "line": call.line()}
    ours, theirs, exact_of, wrong_of = call.sides(of_halation, of_scipy)
    try:
        wanted, theirs_s = first_run(theirs)
    except Exception as error:
        yield fields | {"refused_by_scipy": f"{type(error).__name__}: {error}"}, "all"
        return
    exact = exact_of(wanted)
    yield fields | {"scipy_s": theirs_s}, "before"
    try:
        got, ours_s = first_run(ours)
    except Exception as error:
        yield fields | {"wrong": f"{type(error).__name__}: {error}"}, "all"
        return
    yield {}, "after"
    if wrong := wrong_of(got, exact, wanted):
        fields["wrong"] = wrong
    del got, exact, wanted
    ours_s, theirs_s = seconds_of(ours, ours_s), seconds_of(theirs, theirs_s)
    if ours_s > max(MISS * theirs_s, LEAST_MISS_S):
        ours_s, theirs_s = by_turns(ours, theirs, (ours_s, theirs_s))
    fields |= {"ours_s": ours_s, "scipy_s": theirs_s, "over_scipy": ours_s / theirs_s}
    plans = []
    for _ in range(1 if ours_s > LONG_S / 10 else 5):
        with Expectations() as watched:
            ours()
        plans.append(watched.seconds(way_s()))
    expected, taken = min(plans, key=lambda plan: plan[1])
    if expected:
        fields |= {"expected_s": expected, "plans_s": taken, "over_expected": taken / expected}
    yield fields, "all"


def serve(pipe, module, seed, cores):
    """The process that runs calls: gets numbers, gives fields."""
    os.sched_setaffinity(0, cores)
    warnings.simplefilter("ignore")  # both warn of casts that wrap
    try:
        while True:
            calls, *modules = MODULES[module]
            for step in measured(calls.draw(seed, pipe.recv()), *modules):
                pipe.send(step)
    except EOFError:  # nobody asks any more
        pass


class Bounded:
    """Calls in a process that is ended, and started anew, where one takes too long."""

    def __init__(self, module, seed, limit_s, cores):
        self.module, self.seed, self.limit_s, self.cores, self.process = module, seed, limit_s, cores, None

    def measured(self, number):
        if self.process is None:
            self.pipe, other = multiprocessing.Pipe()
            spawn = multiprocessing.get_context("spawn")
            self.process = spawn.Process(target=serve, args=(other, self.module, self.seed, self.cores), daemon=True)
            self.process.start()
            other.close()
        self.pipe.send(number)
        fields, known = self.pipe.recv()
        if known == "before" and not self.pipe.poll(self.limit_s):
            self.process.kill()
            self.process.join()
            self.process = None
            return fields | {"too_long_s": self.limit_s}
        while known != "all":
            fields, known = self.pipe.recv()
        return fields


def measured_by_all(numbers, arguments):
    """The rows of all numbers, as they are done."""
    cores, jobs = sorted(os.sched_getaffinity(0)), arguments.jobs
    share = max(1, len(cores) // jobs)
    free = queue.SimpleQueue()
    for job in range(jobs):
        own = cores[job * share : (job + 1) * share] if jobs > 1 else cores
        free.put(Bounded(arguments.module, arguments.seed, arguments.limit, own or cores))

    def one(number):
        bounded = free.get()
        try:
            return {"number": number} | bounded.measured(number)
        finally:
            free.put(bounded)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(one, number) for number in numbers]):
            yield done.result()


def is_miss(row):
    return "too_long_s" in row or row["ours_s"] > LEAST_MISS_S and row["over_scipy"] > MISS


def apart(row):
    """How many times as long, or as short."""
    return max(row["over_expected"], 1 / row["over_expected"])


def share(rows, holds):
    return sum(map(holds, rows)) / max(len(rows), 1)


def shares(rows):
    """Figures of some calls."""
    planned = [row for row in rows if "expected_s" in row]
    return {"calls": len(rows), "less_than_scipy": share(rows, lambda row: row.get("over_scipy", MISS) < 1),
            "misses": sum(map(is_miss, rows)), "too_long": sum("too_long_s" in row for row in rows),
            "worst_over_scipy": max((row["over_scipy"] for row in rows if row.get("ours_s", 0) > LEAST_MISS_S), default=None),
            "expected_within_3": share(planned, lambda row: apart(row) <= WITHIN),
            "worst_over_expected": max(planned, key=apart)["over_expected"] if planned else None}


def summary(rows):
    timed = [row for row in rows if "ours_s" in row or "too_long_s" in row]
    functions = collections.defaultdict(list)
    for row in timed:
        functions[row["function"]].append(row)
    return {"all": shares(timed), "of_100_us": shares([row for row in timed if row.get("ours_s", LONG_S) > LEAST_MISS_S]),
            "functions": {name: shares(functions[name]) for name in sorted(functions)},
            "wrong": sum("wrong" in row for row in rows), "refused_by_scipy": sum("refused_by_scipy" in row for row in rows)}


def line_of(name, figures):
    def times(number):
        return "none" if number is None else f"{number:.3g}x"
    return (f"{name}: {figures['calls']} calls, {figures['less_than_scipy']:.1%} take less than SciPy, {figures['misses']} miss "
            f"({figures['too_long']} beyond the limit), worst {times(figures['worst_over_scipy'])}; "
            f"{figures['expected_within_3']:.1%} of plans within {WITHIN}x of what is expected, "
            f"worst {times(figures['worst_over_expected'])}")


def told(row):
    """What is worth a line at once."""
    if "wrong" in row:
        return f"WRONG {row['wrong']}"
    if "too_long_s" in row:
        return f"TOO LONG, over {row['too_long_s']:g} s, SciPy {1e3 * row['scipy_s']:.3g} ms"
    if "ours_s" in row and is_miss(row):
        return f"MISS {row['over_scipy']:.3g}x: {1e3 * row['ours_s']:.3g} ms, SciPy {1e3 * row['scipy_s']:.3g} ms"
    if row.get("plans_s", 0) > LEAST_MISS_S and apart(row) > WITHIN:
        return f"EXPECTED {1e3 * row['expected_s']:.3g} ms, takes {1e3 * row['plans_s']:.3g} ms"
    return ""


def record_of(rows, arguments):
    """The record: figures, and the calls that any of them names."""
    kept = [row for row in rows if told(row)] + sorted((row for row in rows if "expected_s" in row), key=apart)[-20:]
    return machine() | {"schema": "halation-scan-1", "device": "cpu",
                        "versions": {"halation": halation.__version__, "numpy": np.__version__, "scipy": scipy.__version__},
                        "module": arguments.module, "seed": arguments.seed, "first": arguments.first, "jobs": arguments.jobs,
                        "summary": summary(rows),
                        "rows": sorted({row["number"]: row for row in kept}.values(), key=lambda row: row["number"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", choices=MODULES, default="ndimage")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0, help="number of the first call")
    parser.add_argument("--functions", nargs="*", help="only calls of these; the others are passed over")
    parser.add_argument("--limit", type=float, default=10, help="seconds after which a call of halation's is given up")
    parser.add_argument("--jobs", type=int, default=1, help="calls at once, each on cores of its own")
    parser.add_argument("--json", help="file for the record")
    arguments = parser.parse_args()
    numbers = range(arguments.first, arguments.first + arguments.calls)
    if arguments.functions:
        numbers = [number for number in numbers if MODULES[arguments.module][0].draw(arguments.seed, number).name in arguments.functions]
    rows, began = [], time.perf_counter()
    for row in measured_by_all(numbers, arguments):
        rows.append(row)
        if said := told(row):
            print(f"{row['number']}: {said}: {row['line']}", flush=True)
        if len(rows) % 500 == 0:
            print(f"{len(rows)} calls in {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    figures = summary(rows)
    for name, each in (*figures["functions"].items(), ("of more than 100 us", figures["of_100_us"]), ("all", figures["all"])):
        print(line_of(name, each))
    print(f"{figures['wrong']} wrong, {figures['refused_by_scipy']} refused by SciPy")
    if arguments.json:
        write(record_of(rows, arguments), arguments.json)


if __name__ == "__main__":
    main()
