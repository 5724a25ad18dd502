"""arrays.py: arrays to test with, and how far results may be from SciPy's."""

import numpy as np
from hypothesis import strategies as st

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
REAL = ["bool", *INTEGERS, *FLOATS]
MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap"]

modes = st.sampled_from(MODES)
cvals = st.sampled_from([0.0, 0.0, 1.0, -3.0, 2.5, 7.0])


@st.composite
def arrays(draw, dtypes=tuple(REAL), most_axes=3, most_length=9):
    """An array with axes of 1 to 9 elements, at times strided, reversed or transposed. Floats are multiples of 1/8 below 100."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    shape = tuple(draw(st.lists(st.integers(1, most_length), min_size=1, max_size=most_axes)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    layout = draw(st.sampled_from(["packed", "packed", "strided", "reversed", "transposed", "read-only"]))
    full = tuple(n * 2 for n in shape) if layout == "strided" else shape[::-1] if layout == "transposed" else shape
    array = numbers(rng, full, dtype)
    if layout == "strided":
        array = array[tuple(slice(None, None, 2) for _ in shape)]
    elif layout == "reversed":
        array = array[tuple(slice(None, None, -1) for _ in shape)]
    elif layout == "transposed":
        array = array.T
    elif layout == "read-only":
        array.flags.writeable = False
    return array


def numbers(rng, shape, dtype):
    """Numbers of a type, of a size whose sums no f64 rounds."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        whole = dtype.itemsize <= 2 and rng.random() < 0.5
        low, high = (np.iinfo(dtype).min, np.iinfo(dtype).max) if whole else (0 if dtype.kind == "u" else -100, 100)
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)
    eighths = rng.integers(-800, 800, shape) / 8
    if dtype.kind == "c":
        eighths = eighths + 1j * (rng.integers(-800, 800, shape) / 8)
    return eighths.astype(dtype)


def exact_type(array):
    """The type in which SciPy's results serve as exact."""
    return np.complex128 if array.dtype.kind == "c" else np.float64


def assert_floats_near(got, exact, array, magnitudes, taps, cval=0.0):
    """Within what sums of `taps` terms round, in f64 where the output is of that type, else in f32, and one rounding to it.

    `magnitudes` is the product over the axes of what the magnitudes of their weights sum to.
    """
    assert got.shape == exact.shape
    largest = max(float(np.abs(array.astype(np.complex128)).max(initial=0)), abs(cval))
    unit = 2.0 ** -max(_bits(got.dtype), 24)
    bound = (
        (taps + 16) * unit * max(1.0, magnitudes) * largest
        + _ulp(got.dtype) * np.abs(exact)
        + 2.0**-24 * (got.dtype == np.float16)
    )
    if got.dtype == np.float16:  # whose largest number is 65504
        within = np.abs(exact) < 65000
        assert np.all(np.abs(got[~within]) > 64000)
        got, exact, bound = got[within], exact[within], bound[within]
    wide = got.astype(exact.dtype)
    assert np.all(np.abs(wide - exact) <= bound), np.abs(wide - exact).max()


def _bits(dtype):
    """Bits of the mantissa of a type's parts."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        return {8: 24, 16: 53}[dtype.itemsize]
    return {"float16": 11, "float32": 24, "float64": 53}.get(dtype.name, 24 if dtype.itemsize <= 2 else 53)


def _ulp(dtype):
    return 2.0 ** -(_bits(dtype) - 1)


def as_bits(array):
    """Whole numbers without their types; SciPy leaves bytes other than 0 and 1 in its arrays of bool."""
    if array.dtype.kind == "b":
        return (array.view(np.uint8) != 0).astype(np.int64)
    return array.astype(np.int64) if array.dtype != np.uint64 else array.view(np.int64)


def assert_integers_equal(got, expected, unrounded=None):
    """Equal; where the sum before truncation is nearly whole (`unrounded`), either of the two whole numbers beside it."""
    assert got.dtype == expected.dtype and got.shape == expected.shape
    differ = as_bits(got) != as_bits(expected)
    if unrounded is not None:
        near = np.abs(unrounded - np.rint(unrounded)) <= 1e-9 * (1 + np.abs(unrounded))
        apart = np.abs(as_bits(got) - as_bits(expected))
        allowed = (apart == 1) | (apart == 2 ** (8 * got.dtype.itemsize) - 1) | (got.dtype.kind == "b")
        differ &= ~(near & allowed)
    assert not differ.any(), (got[differ], expected[differ])
