"""test_ndimage_values.py: what outputs of halation.ndimage depend on: the elements under the filter, all of them, and nothing else."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

from halation import ndimage

from .stand_in import streams, there  # noqa: F401

LAYOUTS = {
    "packed": lambda values: values,
    "other byte order": lambda values: values.astype(values.dtype.newbyteorder()),
    "reversed": lambda values: values[::-1].copy()[::-1],
    "Fortran": np.asfortranarray,
    "strided": lambda values: np.repeat(values, 2, axis=-1)[..., ::2],
    "longdouble": lambda values: values.astype(np.longdouble),
}
SHAPES = [(40,), (20, 24), (20, 9), (20, 1), (5, 6, 20), (6, 7, 5), (4, 5, 4, 5), (3, 4, 3, 4, 3), (3, 3, 2, 3, 2, 3)]
# Calls whose filters reach one element along each axis.
CALLS = [
    lambda array: ndimage.sobel(array, 0),
    lambda array: ndimage.prewitt(array),
    lambda array: ndimage.laplace(array, axes=tuple(range(array.ndim))),
    lambda array: ndimage.correlate(array, _sparse(array.ndim)),
    lambda array: ndimage.convolve(array, _sparse(array.ndim)),
]


def _sparse(ndim):
    weights = np.zeros((3,) * ndim)
    weights[(1,) * ndim], weights[(0,) * ndim] = 2, -1
    return weights


@pytest.mark.parametrize("number", [np.nan, np.inf])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_nan_and_infinity_reach_the_box(shape, layout, number):
    """Weights of 0 make NaN of them as well, whatever the shape, the axes and how the array lies."""
    array = np.random.default_rng(1).random(shape)
    at = tuple(n // 3 for n in shape)
    array[at] = number
    reached = np.zeros(shape, bool)
    reached[tuple(slice(max(i - 1, 0), i + 2) for i in at)] = True
    for call in CALLS:
        for kind in ("float64", "complex128"):
            if kind == "complex128" and layout == "longdouble":
                continue
            got = np.asarray(call(LAYOUTS[layout](array.astype(kind))))
            np.testing.assert_array_equal(~np.isfinite(got), reached)


@pytest.mark.usefixtures("streams")
@pytest.mark.parametrize("shape", [(9, 8), (4, 5, 6), (3, 4, 3, 4), (2, 3, 2, 3, 2)], ids=str)
def test_infinite_constants(shape):
    """Around integers too: each weight that reads outside makes a product of them, those of 0 NaN."""
    for dtype, cval, array in itertools.product(("uint8", "float32"), (np.inf, -np.inf, np.nan), (np.asarray, there)):
        image = np.random.default_rng(2).integers(0, 9, shape).astype(dtype)
        inside = np.zeros(shape, bool)
        inside[(slice(1, -1),) * len(shape)] = True
        for call in (ndimage.laplace, lambda *given, **words: ndimage.correlate(given[0], _sparse(len(shape)), *given[1:], **words)):
            got = np.asarray(call(array(image), output=np.float32, mode="constant", cval=cval, **_all_axes(call, shape)))
            np.testing.assert_array_equal(np.isnan(got), ~inside)
        # As SciPy goes: the constant stands around what lies between the axes as well.
        got = np.asarray(ndimage.gaussian_filter(array(image), 1.0, order=1, output=np.float32, mode="constant", cval=cval, radius=1))
        np.testing.assert_array_equal(np.isfinite(got), inside)


def _all_axes(call, shape):
    return {"axes": tuple(range(len(shape)))} if call is ndimage.laplace else {}


def test_integers_along_short_axes_under_infinite_constants():
    """A constant that is not read makes no NaN."""
    image = np.arange(12, dtype=np.uint8).reshape(3, 4)
    got = ndimage.correlate1d(image, [1, 2, 1], axis=0, output=np.float64, mode="constant", cval=np.inf)
    np.testing.assert_array_equal(got, [[np.inf] * 4, [16, 20, 24, 28], [np.inf] * 4])
    got = ndimage.correlate1d(image, [1, -1, 1, 1], axis=0, output=np.float64, mode="constant", cval=np.inf, origin=-2)
    np.testing.assert_array_equal(got, [[np.inf] * 4, [np.inf] * 4, [np.nan] * 4])


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "complex64"])
def test_gradient_magnitude_along_one_axis_twice(dtype):
    """A call like an earlier one gives what that one gave: no derivative in the magnitude's place."""
    line = np.array([9, 5, 3, 1, 0, 0, 4], dtype)
    out = np.empty(7, "complex64" if dtype == "complex64" else "float64")
    first = ndimage.gaussian_gradient_magnitude(line, 1.0, output=out).copy()
    assert (first.real >= 0).all()
    for _ in range(3):
        np.testing.assert_array_equal(ndimage.gaussian_gradient_magnitude(line, 1.0, output=out), first)


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f8", ">f4"])
def test_means_of_numbers_whose_sum_overflows(dtype):
    level = np.finfo(dtype).max / 4
    for shape, size in itertools.product([(90,), (30, 40), (5, 3)], [3, 17, 40]):
        array = np.full(shape, level, dtype)
        for got in (ndimage.uniform_filter(array, size, axes=tuple(range(len(shape)))), ndimage.uniform_filter1d(array, size, axis=0)):
            np.testing.assert_allclose(got / level, 1.0, rtol=1e-5)


def _draws(seed, count, *words):
    """What ndimage_draws.py says, in a process of its own, of calls that are not as defined."""
    command = [sys.executable, "-m", "halation.tests.ndimage_draws", str(seed), str(count), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "HALATION_CACHE": ""})
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


@pytest.mark.parametrize("seed", [1, 2])
def test_random_calls_are_as_defined(seed):
    count = int(os.environ.get("HALATION_EXAMPLES") or 4000)
    said = _draws(seed if "HALATION_EXAMPLES" not in os.environ else np.random.default_rng().integers(2**31), count)
    assert said == [f"0 of {count} calls are not as defined"], "\n".join(said[:5])


def test_random_calls_of_large_filters_are_as_defined():
    said = _draws(1, 150, "large")
    assert said == ["0 of 150 calls are not as defined"], "\n".join(said[:5])
