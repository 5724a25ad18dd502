#!/usr/bin/env python3
"""peers.py: Python packages that compute the same filters, verified and timed for `halation bench`.

Reads lines of JSON: first {"device": "cuda" or "cpu", "repeats": N} with "peers": [NAME, ...] where not all packages take
part and "seconds": S that each may take for a job, then a job a line, on the CPU with "threads". Prints lines of JSON: for each
package {"peer", "version"}; before each job {"starts": PEER, "job"}; and for each job and package that has it {"job", "peer",
"version", "how", "border", "status": "verified", "times_s": [...]} or "differs", "failed" or "took too long" with a "reason"; on
the CPU also "threads", and "copies_s": what a copy of as many bytes took before and after.

Weights come as a convolution has them: out[p] = sum of w[k] in[p - k + a], a = taps // 2. Each result is compared with
plain sums in double on a window in the middle of the image before it is timed; the fastest of a package's right ways is
its row, or with "every_way": true beside "device" each of them one.
"""
import functools
import json
import math
import statistics
import sys
import time

import instruction_set  # noqa: F401: before the packages that it holds back
import numpy as np

from peer_arrays import CuPy, NumPy, ScikitImage, SciPy
from peer_halide import Halide
from peer_ipp import Ipp
from peer_job import DTYPES, Job, pool_of
from peer_opencv import OpenCV
from peer_process import supervise
from peer_torch import Torch
from peer_vips import Vips
from stopwatch import wall_batch

PEERS = (CuPy, Torch, OpenCV, Ipp, Halide, Vips, SciPy, NumPy, ScikitImage)

BATCH_S = 2e-3  # least length of what is timed at once
BUDGET_S = 0.05  # for batches beyond the least number
PATIENCE_S = 0.2  # of one run: slower ones are timed once
COLD_S = 2  # of a run on the CPU: the first one tells as much as a second would
HOPELESS = 10  # times the peer's best: such a way is not run again on the CPU
LEAST_REPEATS = 3
COPIES = 3
TOLERANCES = {"f16": 4e-3, "f32": 1e-4, "f64": 1e-4}  # times sum |w| max |x|; integers may be a level off


def middle(job):
    """Slices of a window in the middle of the image and of what the filter sees around it; None where there is no room."""
    side = {1: 4096, 2: 64, 3: 16}[job.dims]
    side = max(1, min(side, int((2e7 / job.weights.size) ** (1 / job.dims))))
    window, around = [slice(0, 1)], [slice(0, 1)]
    for extent, taps in zip(job.shape[1:4], job.taps):
        size = min(side, extent - 2 * (taps // 2))
        if size < 1:
            return None
        begin = (extent - size) // 2
        before = taps - 1 - taps // 2
        window.append(slice(begin, begin + size))
        around.append(slice(begin - before, begin + size + taps // 2))
    return (*window, slice(None)), (*around, slice(None))


def expected(job, around):
    """Plain sums in double over what lies around the window."""
    flipped = job.weights[::-1, ::-1, ::-1]
    sizes = [extent - taps + 1 for extent, taps in zip(around.shape[1:4], job.taps)]
    around = around.astype(np.float64)
    total = np.zeros((1, *sizes, around.shape[4]))
    for z, y, x in np.ndindex(*job.taps):
        total += flipped[z, y, x] * around[:, z:z + sizes[0], y:y + sizes[1], x:x + sizes[2]]
    return total


def difference(job, got, sums):
    """What is wrong with a window of outputs, or an empty text."""
    if job.output in TOLERANCES:
        largest = 1 if job.is_float else np.iinfo(DTYPES[job.pixel]).max
        allowed, right = TOLERANCES[job.output] * np.abs(job.weights).sum() * largest, sums
    else:
        limits = np.iinfo(DTYPES[job.output])
        allowed, right = 1, np.clip(np.rint(sums), limits.min, limits.max)
    errors = np.abs(got.astype(np.float64) - right)
    wrong = np.count_nonzero(~(errors <= allowed))
    return f"{wrong} of {errors.size} outputs are wrong, the largest by {errors.max():.3g}" if wrong else ""


def times_of(batch, run, repeats):
    """Seconds of single runs, each the mean over a batch; `batch(run, n)` makes n runs and tells their seconds."""
    runs = 1
    while (spent := batch(run, runs)) < BATCH_S:
        runs *= 2
    if spent / runs > PATIENCE_S:
        return [spent / runs]
    times, start = [], time.perf_counter()
    while len(times) < min(LEAST_REPEATS, repeats) or (len(times) < repeats and time.perf_counter() - start < BUDGET_S):
        times.append(batch(run, runs) / runs)
    return times


@functools.lru_cache(maxsize=1)
def copied_blocks(size):
    return np.ones(size, np.uint8), np.zeros(size, np.uint8)


def copy_s(job):
    """Seconds of a copy of as many bytes as the job reads and writes, by as many threads: the median of a few."""
    elements = math.prod(job.shape)
    size = elements * (np.dtype(DTYPES[job.pixel]).itemsize + np.dtype(DTYPES[job.output]).itemsize) // 2
    source, target = copied_blocks(size)
    bounds = [size * i // job.threads for i in range(job.threads + 1)]
    pool = pool_of(job.threads)

    def copy():
        list(pool.map(lambda part: np.copyto(target[part], source[part]), [slice(*part) for part in zip(bounds, bounds[1:])]))
    copy()
    return statistics.median(wall_batch(copy, 1) for _ in range(COPIES))


def emit(**fields):
    print(json.dumps(fields), flush=True)


def sentence_of(error):
    """The first line of what a package says."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def row_of(peer, job, way, repeats, best_s, on_cpu):
    """The fields of one way's row, where the peer's best so far takes `best_s` seconds."""
    row = {"how": way.how, "border": way.border}
    slices = middle(job)
    if slices is None:
        return {**row, "status": "differs", "reason": "no output lies away from the border"}
    window, around = slices
    try:
        if way.prepare:
            way.prepare()
        start = time.perf_counter()
        result = way.run()
        first_s = time.perf_counter() - start
        got = peer.to_host(way.window(result, window))
        sums = expected(job, peer.to_host(way.window(way.image, around)))
        reason = difference(job, got, sums)
        if reason:
            return {**row, "status": "differs", "reason": reason}
        once = on_cpu and (first_s > COLD_S or first_s > max(PATIENCE_S, HOPELESS * best_s))
        return {**row, "status": "verified", "times_s": [first_s] if once else times_of(peer.batch, way.run, repeats)}
    except Exception as error:  # whatever a package throws, the others go on
        return {**row, "status": "failed", "reason": f"{type(error).__name__}: {sentence_of(error)}"}


def median_s(row):
    return statistics.median(row["times_s"]) if row["status"] == "verified" else math.inf


def rows_of(peer, job, header, after_better):
    """A row for every way that the peer has; calls `after_better` for each that beats those before."""
    rows = []
    try:
        for way in peer.ways(job):
            best_s = min(map(median_s, rows), default=math.inf)
            rows.append(row_of(peer, job, way, header["repeats"], best_s, header["device"] == "cpu"))
            if median_s(rows[-1]) < best_s:
                after_better(rows[-1])
    except Exception as error:
        rows.append({"how": "", "border": "", "status": "failed", "reason": sentence_of(error)})
    return rows


def run_job(peer, job, header):
    """Prints the fastest way of a peer that is verified, else the first; nothing where it has none."""
    on_cpu = header["device"] == "cpu"
    fields = {"job": job.name, "peer": peer.name, "version": peer.version} | ({"threads": job.threads} if on_cpu else {})
    emit(starts=peer.name, **fields)
    copies = {"copies_s": [copy_s(job)]} if on_cpu else {}
    rows = rows_of(peer, job, header, lambda row: emit(so_far=fields | copies | row))
    if not rows:
        return
    if on_cpu:
        copies["copies_s"].append(copy_s(job))
    for row in rows if header.get("every_way") else [min(rows, key=median_s)]:
        emit(**fields, **copies, **row)


def run_peer(make, header, lines):
    """All jobs by one package, in a process of its own."""
    device = header["device"]
    try:
        peer = make(device) if make is Torch else make()
    except Exception as error:  # a package may be missing, or fail to find its own libraries
        emit(peer=make.name, version=f"not found: {sentence_of(error)}")
        return
    emit(peer=peer.name, version=peer.version)
    for line in lines:
        job = Job(json.loads(line))
        print(job.name, file=sys.stderr, flush=True)  # for who asks what it was at
        run_job(peer, job, header)


def main():
    lines = sys.stdin.readlines()
    header = json.loads(lines[0])
    if len(sys.argv) > 1:
        run_peer(next(make for make in PEERS if make.name == sys.argv[1]), header, lines[1:])
        return
    for make in PEERS:
        if make.name not in header.get("peers", [make.name]):
            continue
        if header["device"] not in make.device:
            where = "GPU" if header["device"] == "cuda" else "CPU"
            emit(peer=make.name, version=f"not run: it has no {where} to run these on")
            continue
        # A process each: one that crashes takes no other with it, nor do their threads meet.
        supervise([sys.executable, "-X", "faulthandler", __file__, make.name], make.name, header, lines[1:], emit)


if __name__ == "__main__":
    main()
