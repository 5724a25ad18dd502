#!/usr/bin/env python3
"""Writes table.json: what SciPy answers to small filter jobs, for tests/scipy_test.cpp.

Run by hand, with NumPy and SciPy installed, when cases are added:  python3 tests/scipy/make_table.py
"""

import itertools
import json
import pathlib

import numpy as np
import scipy
from scipy import ndimage, signal

rng = np.random.default_rng(20)


def array(shape):
    """Numbers with few digits, so that the table stays readable and sums are exact enough to print."""
    return rng.integers(-99, 100, size=shape) / 8.0


cases = []


def add(function, image, weights, result, **arguments):
    cases.append(
        {
            "function": function,
            "image": {"shape": image.shape, "values": image.ravel().tolist()},
            "weights": {"shape": weights.shape, "values": weights.ravel().tolist()},
            "result": {"shape": result.shape, "values": result.ravel().tolist()},
            **arguments,
        }
    )


ndimage_jobs = [
    ((7,), (3,)), ((7,), (4,)), ((2,), (7,)), ((1,), (4,)),
    ((5, 6), (3, 3)), ((5, 6), (2, 2)), ((5, 6), (4, 3)), ((5, 6), (1, 4)), ((3, 2), (5, 6)), ((1, 4), (2, 3)),
    ((3, 4, 5), (3, 3, 3)), ((3, 4, 5), (2, 3, 4)), ((2, 3, 2), (5, 2, 3)),
]
for (shape, taps), mode in itertools.product(ndimage_jobs, ["reflect", "constant", "nearest", "mirror", "wrap"]):
    # Every origin that SciPy allows is one case somewhere; the first is the default.
    origins = [tuple(0 for _ in taps), tuple(int(rng.integers(-(k // 2), (k - 1) // 2 + 1)) for k in taps)]
    for origin in origins:
        image, weights = array(shape), array(taps)
        cval = 2.5 if mode == "constant" else 0.0
        for function in (ndimage.convolve, ndimage.correlate):
            try:
                result = function(image, weights, mode=mode, cval=cval, origin=origin)
            except ValueError:  # convolve shifts the origin of even sizes before it checks it
                continue
            add("ndimage." + function.__name__, image, weights, result, mode=mode, cval=cval, origin=origin)

for (shape, taps), extent, (boundary, fill) in itertools.product(
    [((5, 6), (3, 3)), ((5, 6), (2, 2)), ((6, 5), (4, 3)), ((4, 7), (1, 6))],
    ["full", "same", "valid"],
    [("fill", 0.0), ("fill", 1.5), ("wrap", 0.0), ("symm", 0.0)],
):
    image, weights = array(shape), array(taps)
    result = signal.convolve2d(image, weights, mode=extent, boundary=boundary, fillvalue=fill)
    add("signal.convolve2d", image, weights, result, extent=extent, boundary=boundary, fillvalue=fill)

table = {"scipy": scipy.__version__, "cases": cases}
path = pathlib.Path(__file__).with_name("table.json")
text = json.dumps(table, separators=(",", ":")).replace('{"function"', '\n{"function"')
path.write_text(text + "\n")
print(f"{len(cases)} cases written to {path}")
