#!/usr/bin/env python3
"""scan_gpu.py: the random calls of scan.py over CuPy's arrays, by halation.ndimage beside cupyx.scipy.ndimage: what takes longer, what differs.

    python scan_gpu.py [--seed N] [--calls N] [--first N] [--processes N] [--json FILE]

Calls are those of scan_calls.py of the same seed and number, of which those are left out that either refuses and those that know no
weights of arrays (generic_*). First several processes make all calls: results are
compared with SciPy's, as scan.py does, and the kernels that CuPy compiles for a call are on disk then. After that each call is timed with
nothing beside it: the least of several batches with a wait for the device behind each call; what misses, over 1.5 times cupyx's time and
more than 100 us, is timed again by turns. The last lines are the summary.
"""
import argparse
import math
import multiprocessing
import time

import cupy
import cupyx.scipy.ndimage
import numpy as np
import scipy.ndimage

import halation
import halation.ndimage
import scan_calls
from record import machine, write

MISS, LEAST_MISS_S = 1.5, 100e-6
BATCHES, BATCH_S, TURNS = 5, 2e-3, 7


def waited(call):
    made = call()
    cupy.cuda.get_current_stream().synchronize()
    return made


def batch_s(call, runs):
    start = time.perf_counter()
    for _ in range(runs):
        waited(call)
    return (time.perf_counter() - start) / runs


def least_s(call):
    """The least of several batches, the first run of which is over."""
    runs = max(1, int(BATCH_S / batch_s(call, 1)))
    return min(batch_s(call, runs) for _ in range(BATCHES))


def of(call, module, array, on_device):
    """As `Call.of`, with weights on the device where a module wants them there."""
    values = [eval(text, {"np": np, "m": module}) for text in call.arguments]
    if on_device:
        values = [cupy.asarray(value) if isinstance(value, np.ndarray) else value for value in values]
    keywords = dict(call.keywords)
    if call.output:
        keywords["output"] = np.dtype(call.output)
    function = getattr(module, call.name)
    return lambda: function(array, *values, **keywords)


def on_gpu(call, host):
    """The call by halation and by cupyx, over arrays on the device."""
    array = cupy.asarray(host)
    return of(call, halation.ndimage, array, False), of(call, cupyx.scipy.ndimage, array, True)


def compared(seed, number):
    """The fields of a call: what is wrong, or why it is left out."""
    call = scan_calls.draw(seed, number)
    fields = {"number": number, "function": call.name, "elements": call.elements, "taps": call.taps, "line": call.line()}
    if call.name.startswith("generic_"):
        return fields | {"left_out": "a function for each axis"}
    host = call.make()
    ours, cupys = on_gpu(call, host)
    try:
        waited(cupys)
    except Exception as error:
        return fields | {"left_out": f"cupyx: {type(error).__name__}: {error}"[:200]}
    try:
        got = cupy.asnumpy(waited(ours))
    except TypeError as error:
        return fields | {"left_out": f"halation: {error}"[:200]}
    except Exception as error:
        return fields | {"wrong": f"{type(error).__name__}: {error}"[:300]}
    _, theirs, exact, wrong = call.sides(halation.ndimage, scipy.ndimage)
    wanted = theirs()
    what = wrong(got, exact(wanted), wanted)
    return fields | ({"wrong": what} if what else {})


def timed(call):
    """The fields of times."""
    ours, theirs = on_gpu(call, call.make())
    ours_s, theirs_s = least_s(ours), least_s(theirs)
    if ours_s > max(MISS * theirs_s, LEAST_MISS_S):
        for _ in range(TURNS):
            ours_s, theirs_s = min(ours_s, batch_s(ours, 3)), min(theirs_s, batch_s(theirs, 3))
    return {"ours_s": ours_s, "cupyx_s": theirs_s, "over_cupyx": ours_s / theirs_s}


def is_miss(row):
    return row["ours_s"] > LEAST_MISS_S and row["over_cupyx"] > MISS


def summary(rows):
    timed = [row for row in rows if "ours_s" in row]
    ratios = sorted(row["over_cupyx"] for row in timed)
    return {"calls": len(rows), "timed": len(timed), "left_out": sum("left_out" in row for row in rows),
            "wrong": sum("wrong" in row for row in rows),
            "less_than_cupyx": sum(ratio < 1 for ratio in ratios) / max(1, len(ratios)),
            "misses": sum(map(is_miss, timed)),
            "worst_over_cupyx": max((row["over_cupyx"] for row in timed if row["ours_s"] > LEAST_MISS_S), default=None),
            "median_over_cupyx": ratios[len(ratios) // 2] if ratios else math.nan}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first call")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count(), help="that make all calls at first")
    parser.add_argument("--json", help="file for the record")
    arguments = parser.parse_args()
    numbers = range(arguments.first, arguments.first + arguments.calls)
    with multiprocessing.get_context("spawn").Pool(arguments.processes) as pool:
        rows = pool.starmap(compared, [(arguments.seed, number) for number in numbers], chunksize=1)
    for row in rows:
        if "wrong" in row:
            print(f"{row['number']}: WRONG {row['wrong']}: {row['line']}", flush=True)
        if "left_out" in row:
            continue
        row |= timed(scan_calls.draw(arguments.seed, row["number"]))
        if is_miss(row):
            print(f"{row['number']}: MISS {row['over_cupyx']:.3g}x: {1e3 * row['ours_s']:.3g} ms, cupyx {1e3 * row['cupyx_s']:.3g} ms: {row['line']}", flush=True)
    figures = summary(rows)
    print(f"{figures['calls']} calls, {figures['timed']} timed, {figures['less_than_cupyx']:.1%} of them in less time than cupyx, "
          f"{figures['misses']} miss, worst {figures['worst_over_cupyx']}, {figures['wrong']} differ, {figures['left_out']} left out")
    if arguments.json:
        kept = [row for row in rows if "wrong" in row or "left_out" in row or is_miss(row)]
        kept += sorted((row for row in rows if "ours_s" in row), key=lambda row: -row["over_cupyx"])[:20]
        gpu = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        write(machine() | {"schema": "halation-scan-gpu-1", "device": "cuda", "gpu": gpu,
                           "versions": {"halation": halation.__version__, "cupy": cupy.__version__, "numpy": np.__version__},
                           "seed": arguments.seed, "first": arguments.first, "summary": figures,
                           "rows": sorted({row["number"]: row for row in kept}.values(), key=lambda row: row["number"])}, arguments.json)


if __name__ == "__main__":
    main()
