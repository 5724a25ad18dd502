#!/usr/bin/env python3
"""package.py: the Python package halation beside the packages whose calls it takes over, each result verified before it is timed.

    python package.py [--device cpu|cuda] [--jobs TEXT ...] [--json FILE] [--program build/halation]

On the CPU SciPy, OpenCV and scikit-image (package_cpu.py), on a GPU CuPy and PyTorch (package_gpu.py) compute the same rows in
the same run, on images of 4096 x 4096, on a GPU 8192 x 8192 and of bytes 16384 x 16384, into arrays that are there already. A
time is the median of several, on a GPU between events on the stream. With --program, on a GPU, the program's own `bench` runs the
same job before each row, to tell what Python costs.
"""
import argparse
import statistics

from record import machine, write
from stopwatch import times_of


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


def line_of(fields):
    """One row as a line of text."""
    peers = ", ".join(f"{p['peer']} {p['ms']:.2f} ms = {p['over_peer']:.1f}x" if p["status"] == "verified"
                      else f"{p['peer']}: {p['reason']}" for p in fields["peers"])
    program = f", the program {fields['program_gpix_per_s']:.0f}" if "program_gpix_per_s" in fields else ""
    return f"{fields['job']} {fields['dtype']}: {fields['ms']:.3f} ms, {fields['gpix_per_s']:.3g} GPix/s{program}; {peers}"


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
