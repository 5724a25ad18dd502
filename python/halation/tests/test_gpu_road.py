"""test_gpu_road.py: the road that arrays on a GPU take, on the CPU: by a library in CuPy's place, whose arrays lie in host memory."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from halation import _arrays, _cache, _compose, _engine, ndimage
from halation._direct import Direct

from . import arrays
from .arrays import COMPLEX, MODES, REAL, as_bits
from .stand_in import There, library_of_arrays, streams, there  # noqa: F401

theirs = pytest.importorskip("scipy.ndimage")
RNG = np.random.default_rng(1)
IMAGE = RNG.random((9, 11), np.float32)
FACTORS = (np.array([1.0, 2.0, 1.0]), np.array([1.0, 0.0, -1.0]))
BORDERS = ["constant", "replicate", "reflect", "reflect101", "wrap"]
pytestmark = pytest.mark.usefixtures("streams")


def test_arrays_as_they_are():
    expected = _engine.correlate(IMAGE, FACTORS)
    given = there(IMAGE)
    for _ in range(2):  # prepared, then found
        made = _engine.correlate(given, FACTORS)
        assert type(made) is There
        np.testing.assert_array_equal(made, expected)
    out = there(np.zeros_like(IMAGE))
    assert _engine.correlate(given, FACTORS, out=out) is out
    np.testing.assert_array_equal(out, expected)
    assert _engine.correlate(given, FACTORS, out=given) is given  # by way of a temporary
    np.testing.assert_array_equal(given, expected)


@pytest.mark.parametrize("dtype", REAL)
def test_numbers_without_a_pixel(dtype):
    numbers = RNG.integers(0, 90, (9, 11)).astype(np.int32)
    options = {"rounding": "truncate", "overflow": "wrap", "divisor": 7, "borders": "wrap"}
    expected = _engine.correlate(numbers, FACTORS, dtype=dtype, **options)
    made = _engine.correlate(there(numbers), FACTORS, dtype=dtype, **options)
    assert type(made) is There and made.dtype == dtype
    np.testing.assert_array_equal(made, expected)
    out = there(np.zeros((9, 11), dtype))
    assert _engine.correlate(there(numbers), FACTORS, out=out, **options) is out
    np.testing.assert_array_equal(out, expected)


def families():
    return {type(entry) for entry in _cache.entries.values()}


@st.composite
def jobs(draw, most_axes):
    """An array, a filter along some of its axes, and options."""
    array = draw(arrays.arrays(REAL, most_axes=most_axes, most_length=5))
    count = draw(st.integers(1, array.ndim))
    axes = tuple(draw(st.permutations(range(array.ndim)))[:count])
    taps = [draw(st.integers(1, 4)) for _ in axes]
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    whole = draw(st.booleans())
    draw_row = (lambda n: rng.integers(-2, 4, n).astype(float)) if whole else (lambda n: rng.random(n) - 0.3)
    filters = tuple(draw_row(n) for n in taps) if draw(st.booleans()) else draw_row(taps)
    options = {
        "axes": axes,
        "borders": tuple(draw(st.sampled_from(BORDERS)) for _ in axes),
        "cvals": draw(st.sampled_from([0.0, 2.0, -1.5])),
        "anchors": tuple(draw(st.integers(0, n - 1)) for n in taps),
        "extent": draw(st.sampled_from(["same", "same", "full", "valid"])),
        "rounding": draw(st.sampled_from(["half_even", "truncate"])),
        "overflow": draw(st.sampled_from(["saturate", "wrap"])),
    }
    if options["extent"] == "valid" and any(n > array.shape[axis] for n, axis in zip(taps, axes)):
        options["extent"] = "same"
    return array, filters, options, np.dtype(draw(st.sampled_from([array.dtype, *REAL])))


def differences(got, expected):
    """Of whole numbers modulo what their type holds; of floats as a part of the largest."""
    if got.dtype.kind == "b":
        return int((as_bits(got) != as_bits(expected)).any())
    if got.dtype.kind in "iu":
        unsigned = np.dtype(f"u{got.dtype.itemsize}")
        off = np.asarray(got).view(unsigned) - np.asarray(expected).view(unsigned)
        return int(np.minimum(off, np.zeros_like(off) - off).max(initial=0))
    wide = np.longdouble if got.dtype == np.float64 else np.float64
    with np.errstate(over="ignore", invalid="ignore"):
        off = np.abs(got.astype(wide) - expected.astype(wide))
    off = off[np.isfinite(expected.astype(wide))]
    return float(off.max(initial=0)) / max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0)))


def check(job):
    array, filters, options, dtype = job
    expected = _engine.correlate(array, filters, dtype=dtype, **options)
    moved = array.view(There)
    got = _engine.correlate(moved, filters, dtype=dtype, **options)
    assert type(got) is There and got.dtype == expected.dtype and got.shape == expected.shape
    most = 1 if dtype.kind in "iub" else {2: 2.0**-9, 4: 2.0**-19, 8: 2.0**-19}[dtype.itemsize]
    assert differences(got, expected) <= most, (array.dtype, dtype, options)
    return got


@given(jobs(most_axes=3))
def test_few_axes(job):
    check(job)


@given(jobs(most_axes=6))
def test_many_axes(job):
    check(job)


def test_families():
    _cache.entries.clear()
    _engine.correlate(there(IMAGE), FACTORS)
    assert families() == {Direct}
    _cache.entries.clear()
    _engine.correlate(there(IMAGE.astype(np.int64)), FACTORS)
    assert families() == {_compose.Converted}
    _cache.entries.clear()
    _engine.correlate(there(RNG.random((3, 4, 5, 6, 7, 2))), (np.ones(3),) * 4, axes=(0, 2, 3, 4))
    assert families() == {_compose.ManyFactors}


CALLS = [
    lambda m, a, mode: m.laplace(a, mode=mode),
    lambda m, a, mode: m.sobel(a, mode=mode),
    lambda m, a, mode: m.prewitt(a, axis=0, mode=mode, output=np.int32),
    lambda m, a, mode: m.gaussian_filter(a, 0.7, mode=mode),
    lambda m, a, mode: m.gaussian_filter1d(a, 30.0, axis=0, mode=mode, output="float64"),
    lambda m, a, mode: m.uniform_filter(a, 3, mode=mode),
    lambda m, a, mode: m.uniform_filter1d(a, 7, axis=0, mode=mode, output=np.uint16),
    lambda m, a, mode: m.correlate1d(a, [1, -2.5, 1, 3], axis=-1, mode=mode),
    lambda m, a, mode: m.convolve(a, np.ones((2,) * a.ndim), mode=mode),
]


@pytest.mark.parametrize("shape", [(7,), (5, 6), (3, 1, 4), (2, 3, 4, 3), (2, 3, 1, 2, 3), (2, 1, 3, 2, 1, 3)], ids=str)
@pytest.mark.parametrize("dtype", REAL)
def test_ndimage(shape, dtype):
    """Twice each, since what an earlier call prepared is run again; into an array of the caller's as well."""
    host = arrays.numbers(np.random.default_rng(3), shape, dtype)
    given = there(host)
    for call in CALLS:
        for mode in MODES:
            expected = call(ndimage, host, mode)
            for _ in range(2):
                got = call(ndimage, given, mode)
                assert type(got) is There
                assert got.dtype == expected.dtype
                assert differences(got, expected) <= (1 if got.dtype.kind in "iub" else 2.0**-9 if got.dtype.itemsize == 2 else 2.0**-19)


def test_outputs_of_calls_like_earlier_ones():
    host = arrays.numbers(RNG, (6, 7), "int32")
    expected = theirs.correlate1d(host, [1, 2, 4])
    given = there(host)
    for _ in range(3):
        out = there(np.zeros_like(host))
        assert ndimage.correlate1d(given, [1, 2, 4], output=out) is out
        np.testing.assert_array_equal(out, expected)
    assert ndimage.correlate1d(given, [1, 2, 4], output=given) is given  # by way of a temporary
    np.testing.assert_array_equal(given, expected)


@pytest.mark.parametrize("shape", [(9,), (7, 12), (4, 3, 2), (2, 1, 3, 2), (3, 40), (1, 20)], ids=str)
@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan])
def test_infinities_along_short_axes(shape, number):
    """They make NaN where weights of both signs, or of 0, meet them, however often by way of the border."""
    host = RNG.random(shape)
    host[tuple(n // 2 for n in shape)] = number
    for row in ([-1.0, 0.5, 2.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [-1.0, 0.0, 1.0], [-0.3, 0.1, 0.2, 0.7, -0.1, 0.3, 0.2, 0.6, 0.9]):
        for axis in range(len(shape)):
            for mode in ("reflect", "constant", "nearest", "wrap"):
                expected = theirs.correlate1d(host, row, axis=axis, mode=mode, cval=2.0)
                got = ndimage.correlate1d(there(host), row, axis=axis, mode=mode, cval=2.0)
                np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
        weights = np.array(row).reshape([len(row)] + [1] * (len(shape) - 1))
        expected = theirs.correlate1d(host, row, axis=0)  # of dense weights SciPy leaves out those of 0
        np.testing.assert_allclose(ndimage.correlate(there(host), weights), expected, rtol=1e-12, atol=1e-12)


def test_longest_axes():
    """Rows that reach far beyond an axis, along many axes: the same elements again and again."""
    host = arrays.numbers(RNG, (2, 1, 3, 2), "int64")
    factors = tuple(np.arange(1.0, n + 1) for n in (9, 7, 11, 6))
    for border in BORDERS:
        expected = _engine.correlate(host, factors, borders=border, cvals=3.0)
        np.testing.assert_array_equal(_engine.correlate(there(host), factors, borders=border, cvals=3.0), expected)


def test_taps_whose_product_no_i64_holds():
    """They are counted, not multiplied out."""
    made = _engine.correlate(there(np.ones((2,) * 6, np.int32)), (np.ones(2048),) * 6, borders="wrap", dtype="float64")
    np.testing.assert_array_equal(made, 2.0**66)


def test_nothing_to_filter():
    assert _engine.correlate(there(np.zeros((0, 4), np.int32)), FACTORS).shape == (0, 4)
    number = _engine.correlate(there(np.array(3, np.int32)), np.array(2.0), axes=())
    assert number.shape == () and number == 6


def test_refusals():
    with pytest.raises(ValueError, match="need one cval for all constant borders"):
        _engine.correlate(there(np.zeros((2,) * 4)), (np.ones(2),) * 4, borders="constant", cvals=(1.0, 2.0, 1.0, 1.0))
    with pytest.raises(ValueError, match="must begin at a multiple of its element's size"):
        bytes_ = np.zeros(4 * 9 + 1, np.uint8)
        _engine.correlate(bytes_[1:].view(np.int32).reshape(3, 3).view(There), FACTORS)
    with pytest.raises(TypeError, match="on a GPU input must be of 64 bits at most"):
        _engine.correlate(there(IMAGE.astype(np.longdouble)), FACTORS)
    for array in (IMAGE, there(IMAGE)):
        with pytest.raises(TypeError, match="output must be complex where the input or the weights are, got float32"):
            _engine.correlate(array + 1j, FACTORS, dtype="float32")
        with pytest.raises(ValueError, match="cval must be real where the input is real"):
            _engine.correlate(array, (FACTORS[0], FACTORS[1] * 1j), borders="constant", cvals=1j)
        with pytest.raises(TypeError, match="complex arrays take no offset and no divisor"):
            _engine.correlate(array + 1j, FACTORS, offset=1.0)
        with pytest.raises(ValueError, match=r"extent full: an array without elements has no outputs, got shape \(0, 4\)"):
            _engine.correlate(array[:0, :4], FACTORS, extent="full", borders="constant")
        with pytest.raises(ValueError, match=r"has no outputs, got shape \(0, 4\)"):
            _engine.correlate(array[:0, :4] + 1j, FACTORS, extent="full", borders="constant")


COMPLEX_WAYS = [{}, {"borders": "constant", "cvals": 2.0}, {"borders": "constant", "cvals": 1 + 2j}, {"extent": "full", "borders": "constant"}]


@pytest.mark.parametrize("options", COMPLEX_WAYS)
@pytest.mark.parametrize("shape", [(), (7,), (9, 11), (0, 4), (3, 1, 5), (2, 3, 2, 4)])
@pytest.mark.parametrize("dtype", [*COMPLEX, "float32", "int32"])
def test_complex(shape, dtype, options):
    """Complex arrays, weights and results, as on the CPU; into arrays with gaps as well."""
    array = np.array(RNG.integers(-9, 9, shape) + RNG.integers(-9, 9, shape) * 1j)
    array = np.array(array if dtype in COMPLEX else array.real, dtype)
    if 0 in shape and options.get("extent") == "full":
        return  # refused, see below
    for weights in (RNG.random((3,) * len(shape)), RNG.random((3,) * len(shape)) * np.array(1 - 2j)):
        is_complex = "c" in (array.dtype.kind, np.asarray(weights).dtype.kind)
        if array.dtype.kind != "c" and isinstance(options.get("cvals"), complex):
            continue
        kinds = [None, "complex64", "complex128"] if is_complex else ["complex64", "complex128"]
        for kind in kinds:
            expected = _engine.correlate(array, weights, dtype=kind, **options)
            made = _engine.correlate(there(array), weights, dtype=kind, **options)
            assert type(made) is There and made.dtype == expected.dtype
            np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-4)
            apart = np.zeros((*expected.shape, 2), expected.dtype)
            out = apart[..., 1].view(There)
            assert _engine.correlate(there(array), weights, out=out, **options) is out
            np.testing.assert_allclose(apart[..., 1], expected, rtol=1e-5, atol=1e-4)
            assert not apart[..., 0].any()


def test_complex_entries_serve_every_library(monkeypatch):
    """Entries are kept by layouts, whatever library the arrays are of."""
    image, weights = IMAGE + 1j * IMAGE[::-1], np.ones((3, 3)) * (1 - 2j)
    for options in COMPLEX_WAYS[:3]:
        expected = _engine.correlate(there(image), weights, **options)

        class Elsewhere(np.ndarray):
            """An array of another library."""

        library = _arrays.library_of(there(image))
        other = library_of_arrays(Elsewhere, [])
        library_of = _arrays.library_of
        with monkeypatch.context() as patch:
            patch.setattr(_arrays, "library_of", lambda array: other if type(array) is Elsewhere else library_of(array))
            patch.setattr(library, "parts", None)
            patch.setattr(library, "empty", None)
            made = _engine.correlate(image.view(Elsewhere), weights, **options)
        assert type(made) is Elsewhere
        np.testing.assert_array_equal(made, expected)


def test_complex_in_place():
    given = there(IMAGE + 1j * IMAGE[::-1])
    expected = _engine.correlate(np.array(given), FACTORS)
    assert _engine.correlate(given, FACTORS, out=given) is given
    np.testing.assert_allclose(given, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["gaussian_filter", "uniform_filter", "sobel", "laplace"])
def test_complex_ndimage(name):
    host = IMAGE + 1j * IMAGE[::-1]
    arguments = {"gaussian_filter": (1.5,), "uniform_filter": (3,)}.get(name, ())
    made = getattr(ndimage, name)(there(host), *arguments)
    assert type(made) is There
    np.testing.assert_allclose(made, getattr(theirs, name)(host, *arguments), rtol=1e-5, atol=1e-5)
