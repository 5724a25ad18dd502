"""test_signal.py: every function of halation.signal beside SciPy's, over types, shapes, modes, boundaries and axes."""
import inspect
import warnings

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import halation.signal as ours
from halation import _arrays

from .stand_in import library_of_arrays

theirs = pytest.importorskip("scipy.signal")

same_examples = settings(derandomize=True, deadline=None, database=None, max_examples=200)
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
MODES = ["full", "valid", "same"]


def numbers(rng, shape, dtype, extreme):
    """Numbers of a type: small ones, or over the whole range of an integer type."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.4
    if dtype.kind in "iu":
        low, high = (np.iinfo(dtype).min, np.iinfo(dtype).max) if extreme else (0 if dtype.kind == "u" else -9, 9)
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)
    eighths = rng.integers(-80, 80, shape) / 8
    return (eighths + 1j * rng.integers(-80, 80, shape) / 8 if dtype.kind == "c" else eighths).astype(dtype)


@st.composite
def pairs(draw, dtypes, dims=(1, 2, 3), longest=8):
    """Two arrays of one number of axes, at times strided or reversed."""
    ndim = draw(st.sampled_from(dims))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    made = []
    for _ in range(2):
        shape = tuple(draw(st.integers(1, longest)) for _ in range(ndim))
        array = numbers(rng, tuple(2 * n for n in shape), draw(st.sampled_from(dtypes)), draw(st.booleans()))
        layout = draw(st.sampled_from(["packed", "strided", "reversed"]))
        cut = {"strided": (None, None, 2), "reversed": (None, None, -2), "packed": ()}[layout]
        made.append(array[tuple(slice(*cut) if cut else slice(n) for n in shape)])
    return made


def check(got, exact, in1, in2):
    """Within what sums of products round: `exact` is in float64 or complex128."""
    assert got.shape == exact.shape
    bits = {"float16": 11, "float32": 24, "complex64": 24}.get(got.dtype.name, 53)
    terms = min(in1.size, in2.size)
    largest = float(np.abs(in1).max()) * float(np.abs(in2).max()) * terms
    bound = (terms + 16) * 2.0 ** -max(bits, 24) * largest + 2.0**-bits * np.abs(exact) * (bits < 24)
    apart = np.abs(got.astype(exact.dtype) - exact)
    assert np.all((apart <= bound) | (np.abs(exact) > 65000) & (bits == 11)), (apart.max(), bound)


def fits(in1, in2, mode):
    larger = [n >= m for n, m in zip(in1.shape, in2.shape)]
    smaller = [n <= m for n, m in zip(in1.shape, in2.shape)]
    return mode != "valid" or all(larger) or all(smaller)


def wide(array):
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


@same_examples
@given(pairs(FLOATS + COMPLEX + ["int16", "uint8", "int32"]), st.sampled_from(MODES), st.sampled_from(["auto", "direct", "fft"]),
       st.sampled_from(["convolve", "correlate"]))
def test_floats(pair, mode, method, name):
    in1, in2 = pair
    assume(fits(in1, in2, mode) and np.result_type(in1, in2).kind in "fc")
    got = getattr(ours, name)(in1, in2, mode, method)
    assert got.dtype == np.result_type(in1, in2)
    check(got, getattr(theirs, name)(wide(in1), wide(in2), mode, "direct"), wide(in1), wide(in2))


@same_examples
@given(pairs(INTEGERS), st.sampled_from(MODES), st.sampled_from(["auto", "direct", "fft"]),
       st.sampled_from(["convolve", "correlate"]))
def test_integers_are_exact_and_wrap(pair, mode, method, name):
    in1, in2 = pair
    assume(fits(in1, in2, mode) and np.result_type(in1, in2).kind in "iu")
    got, expected = getattr(ours, name)(in1, in2, mode, method), getattr(theirs, name)(in1, in2, mode, "direct")
    # SciPy sums in one type on occasion, and puts the sums into NumPy's later.
    assert got.dtype == np.result_type(in1, in2)
    np.testing.assert_array_equal(got, expected.astype(got.dtype))


@same_examples
@given(pairs(["bool"]), st.sampled_from(MODES), st.sampled_from(["convolve", "correlate"]))
def test_bool(pair, mode, name):
    assume(fits(*pair, mode))
    got = getattr(ours, name)(*pair, mode)
    assert got.dtype == bool
    counts = getattr(theirs, name)(pair[0].astype(int), pair[1].astype(int), mode, "direct")
    np.testing.assert_array_equal(got, counts > 0)


@same_examples
@given(pairs(INTEGERS + FLOATS[1:] + COMPLEX, dims=(2,)), st.sampled_from(MODES),
       st.sampled_from(["fill", "pad", "wrap", "circular", "symm", "symmetric"]), st.sampled_from([0, 0, 1, 3.75, 2 - 1j]))
def test_convolve2d(pair, mode, boundary, fillvalue):
    in1, in2 = pair
    assume(fits(in1, in2, mode))
    if np.result_type(in1, in2).kind != "c":
        fillvalue = abs(fillvalue.real)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns where it makes its complex fill value real
        got = ours.convolve2d(in1, in2, mode, boundary, fillvalue)
        assert got.dtype == np.result_type(in1, in2)
        if got.dtype.kind in "iu":
            np.testing.assert_array_equal(got, theirs.convolve2d(in1, in2, mode, boundary, fillvalue))
            return
        expected = theirs.convolve2d(wide(in1), wide(in2), mode, boundary, fillvalue)
    bound = max(float(np.abs(wide(in1)).max()), 4.0) * float(np.abs(wide(in2)).max()) * max(in1.size, in2.size)
    bits = {"float32": 24, "complex64": 24}.get(got.dtype.name, 53)
    np.testing.assert_allclose(got, expected, rtol=0, atol=(max(in1.size, in2.size) + 16) * 2.0**-bits * bound)


@st.composite
def pairs_to_broadcast(draw):
    """Two arrays, the axes to convolve along, and others that fit each other."""
    in1, in2 = draw(pairs(FLOATS[1:] + COMPLEX + ["uint8", "bool", "float16"], longest=6))
    axes = draw(st.one_of(st.none(), st.permutations(range(in1.ndim)).map(tuple)))
    if axes is not None:
        axes = axes[:draw(st.integers(1, len(axes)))]
        shape = list(in2.shape)
        for axis in range(in1.ndim):
            if axis not in axes:
                shape[axis] = draw(st.sampled_from([1, in1.shape[axis]]))
        in2 = np.resize(in2, shape)
        one = [slice(1) if axis not in axes and draw(st.booleans()) else slice(None) for axis in range(in1.ndim)]
        in1 = in1[tuple(one)]
        axes = [axis - in1.ndim if draw(st.booleans()) else axis for axis in axes]
        axes = axes[0] if len(axes) == 1 and draw(st.booleans()) else axes
    return in1, in2, axes


@same_examples
@given(pairs_to_broadcast(), st.sampled_from(MODES), st.sampled_from(["fftconvolve", "oaconvolve"]))
def test_along_axes(drawn, mode, name):
    in1, in2, axes = drawn
    try:
        expected = theirs.fftconvolve(wide(in1), wide(in2), mode, axes)
    except ValueError as error:
        with pytest.raises(ValueError):
            getattr(ours, name)(in1, in2, mode, axes)
        assert "For 'valid' mode" in str(error)
        return
    got = getattr(ours, name)(in1, in2, mode, axes)
    assert got.dtype == theirs.fftconvolve(in1, in2, mode, axes).dtype
    assert got.shape == expected.shape
    if got.dtype.kind in "biu":  # without an axis to sum along both multiply in the arrays' own type
        np.testing.assert_array_equal(got, theirs.fftconvolve(in1, in2, mode, axes))
        return
    largest = float(np.abs(wide(in1)).max()) * float(np.abs(wide(in2)).max()) * max(in1.size, in2.size)
    unit = 2.0**-18 if got.dtype.name in ("float32", "complex64") else 2.0**-9 if got.dtype == np.float16 else 2.0**-46
    np.testing.assert_allclose(got, expected, rtol=0, atol=largest * unit)


@same_examples
@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from([1, 3, 5, 7]), st.sampled_from([1, 3, 5, 7]), st.integers(0, 99),
       st.sampled_from(["bool", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]))
def test_sepfir2d(height, width, across, down, seed, dtype):
    assume(across <= width and down <= height)  # beyond the image SciPy takes other elements than the mirrored ones
    rng = np.random.default_rng(seed)
    image = numbers(rng, (height, width), dtype, False)
    hrow, hcol = rng.integers(-3, 4, across).astype(float), rng.random(down)
    got, expected = ours.sepfir2d(image, hrow, hcol), theirs.sepfir2d(wide(image), hrow.tolist(), hcol.tolist())
    assert got.dtype == theirs.sepfir2d(image, hrow.tolist(), hcol.tolist()).dtype
    unit = 2.0**-19 if got.dtype.name in ("float32", "complex64") else 2.0**-46
    largest = max(1.0, float(np.abs(image).max())) * max(1.0, float(np.abs(hrow).sum() * hcol.sum()))
    np.testing.assert_allclose(got, expected, rtol=0, atol=unit * largest)


def test_sepfir2d_beyond_the_image():
    ndimage = pytest.importorskip("scipy.ndimage")
    image, row = np.arange(6.0).reshape(2, 3), np.arange(9.0)
    expected = ndimage.convolve1d(image, row, axis=1, mode="reflect")
    np.testing.assert_allclose(ours.sepfir2d(image, row, [1.0]), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sepfir2d_of_what_is_not_finite(dtype):
    """In the image, the row and the column: data are data, as in SciPy."""
    for seed in range(200):
        rng = np.random.default_rng(seed)

        def some(shape, share, rng=rng):
            values = rng.integers(-3, 4, shape).astype(dtype)
            return np.where(rng.random(shape) < share, rng.choice([np.nan, np.inf, -np.inf], shape), values).astype(dtype)

        image = some(tuple(rng.integers(5, 30, 2)), rng.choice([0, 0.02]))
        hrow, hcol = (some(int(rng.choice([1, 3, 5])), rng.choice([0, 0.3])) for _ in range(2))
        np.testing.assert_array_equal(ours.sepfir2d(image, hrow, hcol), theirs.sepfir2d(image, hrow, hcol))


class Far:
    """An array that is none of NumPy's, as those on a GPU are."""

    def __init__(self, values):
        self.shape, self.ndim, self.dtype, self.__array_interface__ = values.shape, values.ndim, values.dtype, values.__array_interface__
        self.values = values


@pytest.mark.parametrize("call, sentence", [
    (lambda image, row: ours.convolve(image, row), r"the smaller array holds the weights, which must be finite: got nan at \(0, 1\) of shape \(1, 3\)"),
    (lambda image, row: ours.fftconvolve(row, image), r"the smaller array holds the weights, which must be finite: got nan at \(0, 1\)"),
    (lambda image, row: ours.convolve2d(image, row, "same", "wrap"), r"the smaller array holds the weights, which must be finite"),
    (lambda image, row: ours.sepfir2d(image, row[0], [1.0]), r"hrow holds the weights, which must be finite: got nan at \(1,\) of shape \(3,\)"),
])  # fmt: skip
def test_on_a_gpu_weights_must_be_finite(call, sentence, monkeypatch):
    library, library_of = library_of_arrays(Far, []), _arrays.library_of
    monkeypatch.setattr(_arrays, "library_of", lambda array: library if type(array) is Far else library_of(array))
    with pytest.raises(ValueError, match=sentence + ".*give arrays on the CPU"):
        call(Far(np.ones((9, 8))), np.array([[1, np.nan, 1]]))


def test_nan_stays_local():
    signal = np.ones(50)
    signal[20] = np.nan
    assert np.isnan(ours.fftconvolve(signal, np.ones(5), "same")).sum() == 5


def test_larger_second():
    rng = np.random.default_rng(1)
    small, large = rng.random((3, 4)), rng.random((40, 30))
    for mode in MODES:
        np.testing.assert_allclose(ours.convolve(small, large, mode), theirs.convolve(small, large, mode, "direct"), rtol=1e-12)
        np.testing.assert_allclose(ours.correlate(small, large, mode), theirs.correlate(small, large, mode, "direct"), rtol=1e-12)


def test_whole_numbers_of_64_bits():
    rng = np.random.default_rng(1)
    for kind in (np.int64, np.uint64):
        info = np.iinfo(kind)
        a, b = (rng.integers(info.min, info.max, n, kind, endpoint=True) for n in (40, 9))
        np.testing.assert_array_equal(ours.convolve(a, b), np.convolve(a, b))


@pytest.mark.parametrize("kind, most", [("uint8", 255), ("int16", 32767), ("uint16", 65535), ("int32", 1000), ("int64", 2**21),
                                        ("int64", 2**40), ("uint64", 2**64 - 1), ("uint32", 2**32 - 1)])
@pytest.mark.parametrize("n, taps", [(40, 33), (3000, 100), (3000, 2500), (700, 2000)])
def test_whole_numbers_of_many_terms(kind, most, n, taps):
    """Where transforms are quicker, and where the sums are larger than f64 holds."""
    rng, kind = np.random.default_rng(1), np.dtype(kind)
    a, b = (rng.integers(-most if kind.kind == "i" else 0, most, n, kind, endpoint=True) for n in (n, taps))
    expected = np.convolve(a.astype(np.uint64), b.astype(np.uint64)).astype(kind)  # modulo 2**64
    for method in ("auto", "direct"):
        np.testing.assert_array_equal(ours.convolve(a, b, method=method), expected)
    # By transforms, which are asked for by name, sums may be rounded as f64 rounds them, and wrap.
    by_name = ours.convolve(a, b, method="fft")
    assert by_name.dtype == kind
    norms = np.linalg.norm(a.astype(float)) * np.linalg.norm(b.astype(float))
    apart = np.abs((by_name - expected).view(f"i{kind.itemsize}").astype(float))
    assert np.all(apart <= 2.0**-53 * (16 + 4 * np.log2(n * taps)) * norms)
    if most <= 2**16:
        np.testing.assert_array_equal(by_name, expected)
    same = (taps - 1) // 2
    np.testing.assert_array_equal(ours.convolve(a, b, "same"), expected[same:same + n])


@pytest.mark.parametrize("kind", ["uint16", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("shape, taps", [((37,), (5,)), ((130,), (90,)), ((9, 70), (4, 3)), ((12, 5), (7, 20)), ((3, 40), (18, 1)),
                                         ((5, 6, 7), (3, 1, 4)), ((4, 1, 6, 2), (2, 5, 3, 2))])
@pytest.mark.parametrize("mode", MODES)
def test_products_that_wrap(kind, shape, taps, mode):
    """Few products of numbers of the whole range, one by one."""
    rng, info = np.random.default_rng(1), np.iinfo(kind)
    a, b = (rng.integers(info.min, info.max, n, kind, endpoint=True) for n in (shape, taps))
    if fits(a, b, mode):
        wanted = theirs.convolve(a.astype("uint64"), b.astype("uint64"), mode, "direct").astype(kind)
        for method in ("auto", "direct"):
            np.testing.assert_array_equal(ours.convolve(a, b, mode, method), wanted)
        np.testing.assert_array_equal(ours.correlate(a[::-1], np.flip(b), mode), ours.convolve(a[::-1], b, mode))
        if len(shape) == 2:
            for boundary in ("fill", "wrap", "symm"):
                wanted = theirs.convolve2d(a.astype("uint64"), b.astype("uint64"), mode, boundary, 3).astype(kind)
                np.testing.assert_array_equal(ours.convolve2d(a, b, mode, boundary, 3), wanted)


@pytest.mark.parametrize("kind", ["float32", "float64", "complex64", "int16", "int64"])
@pytest.mark.parametrize("shape, taps", [((200, 3), (40, 2)), ((300, 5, 4), (20, 3, 2)), ((9, 200, 7), (4, 30, 3)), ((100, 1), (30, 1))])
@pytest.mark.parametrize("mode", MODES)
def test_short_rows(kind, shape, taps, mode):
    """Turned, so that a long axis is the last one."""
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-50, 50, n).astype(kind) for n in (shape, taps))
    if kind == "complex64":
        a, b = a + 1j * a[::-1], b - 2j * b[::-1]
    wanted = theirs.convolve(a.astype(complex), b.astype(complex), mode, "direct").astype(a.dtype)
    made = ours.convolve(a, b, mode)
    assert made.flags.c_contiguous and made.dtype == a.dtype
    np.testing.assert_allclose(made, wanted, rtol=0, atol=0 if kind.startswith("int") else 1e-5 * np.abs(wanted).max())
    if len(shape) == 2 and kind != "complex64":
        for boundary in ("fill", "wrap", "symm"):
            two = theirs.convolve2d(a.astype(float), b.astype(float), mode, boundary, 3)
            np.testing.assert_allclose(ours.convolve2d(a, b, mode, boundary, 3), two, rtol=0, atol=1e-5 * np.abs(two).max())
    along_last = theirs.fftconvolve(a.astype(complex), b.astype(complex)[:1], mode, axes=range(1, len(shape)))
    np.testing.assert_allclose(
        ours.fftconvolve(a, b[:1], mode, axes=range(1, len(shape))), along_last, rtol=0, atol=1e-5 * np.abs(along_last).max()
    )


def test_products_of_float16():
    rng = np.random.default_rng(1)
    a, b = (8 * rng.random(100_000) - 4).astype("float16"), np.array([-1.7], "float16")
    np.testing.assert_array_equal(ours.convolve(a, b), a * b)
    np.testing.assert_array_equal(ours.fftconvolve(a, b), a * b)
    np.testing.assert_array_equal(ours.fftconvolve(np.array([3], "uint8"), a), 3 * a)


def test_images_smaller_than_their_filter():
    rng = np.random.default_rng(1)
    image, weights = rng.integers(-9, 9, (10, 1)), rng.integers(-9, 9, (140, 44))
    for mode in ("same", "full"):
        np.testing.assert_array_equal(ours.convolve2d(image, weights, mode), theirs.convolve2d(image, weights, mode))


def test_whole_numbers_in_many_pixels():
    rng = np.random.default_rng(1)
    for kind in ("uint8", "int32", "int64"):
        image, weights = rng.integers(0, 200, (150, 170)).astype(kind), rng.integers(0, 200, (33, 31)).astype(kind)
        for boundary in ("fill", "wrap", "symm"):
            expected = theirs.convolve2d(image, weights, "same", boundary, 3)
            np.testing.assert_array_equal(ours.convolve2d(image, weights, "same", boundary, 3), expected)
    sparse, few = rng.random((200, 200)) < 0.001, rng.random((40, 40)) < 0.01
    expected = theirs.convolve(sparse.astype(int), few.astype(int), method="direct") > 0
    np.testing.assert_array_equal(ours.convolve(sparse, few), expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape, taps", [((9, 8, 10, 7), (4, 3, 5, 2)), ((6, 5, 4, 3, 4), (2, 3, 2, 3, 2)), ((5, 6, 5, 6), (5, 6, 5, 6))])
def test_many_axes(shape, taps, mode):
    rng = np.random.default_rng(1)
    a, b = rng.random(shape), rng.random(taps)
    wanted = theirs.convolve(a, b, mode, "direct")
    # By transforms all are off by a share of the largest, those of corners too.
    np.testing.assert_allclose(ours.convolve(a, b, mode), wanted, rtol=1e-12, atol=1e-14 * wanted.max())
    made = ours.convolve(a.astype(np.complex64), 1j * b, mode)
    np.testing.assert_allclose(made, 1j * theirs.convolve(a, b, mode, "direct"), rtol=1e-5)
    whole, weights = (100 * a).astype(int), (100 * b).astype(int)
    np.testing.assert_array_equal(ours.convolve(whole, weights, mode), theirs.convolve(whole, weights, mode, "direct"))
    a[1, 1, 1, 1] = np.nan
    np.testing.assert_array_equal(np.isnan(ours.convolve(a, b, mode)), np.isnan(theirs.convolve(a, b, mode, "direct")))


@pytest.mark.parametrize("mode", ["full", "same"])
@pytest.mark.parametrize("shape, taps, axes", [((60, 50), (7, 50), 0), ((3, 40), (1, 900), 1), ((1, 40), (70, 9), 1), ((20, 30), (400, 1), 0),
                                               ((5,), (4000,), None), ((4, 45), (283, 985), None), ((1, 9), (6, 1), None)])
def test_filters_of_any_place_and_length(shape, taps, axes, mode):
    rng = np.random.default_rng(1)
    for kind in ("float32", "float64", "complex128"):
        a, b = rng.random(shape).astype(kind), (rng.random(taps) - 0.5).astype(kind)
        expected = theirs.fftconvolve(a, b, mode, axes)
        made = ours.fftconvolve(a, b, mode, axes)
        assert made.dtype == expected.dtype
        np.testing.assert_allclose(made, expected, atol=2e-3 if kind == "float32" else 1e-11)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape, taps", [((1, 6, 4, 8), (13, 1, 12, 8)), ((16, 8, 11), (13, 1, 14)), ((44, 40), (31, 37)), ((300,), (200,)),
                                         ((4, 7, 12, 2), (1, 7, 9, 1)), ((6, 2, 1, 3), (1, 5, 2, 5)), ((44, 26, 1), (2, 2, 37)), ((30, 57), (27, 1))])
def test_by_spectra(shape, taps, mode):
    """Small complex arrays, and axes of one element: transforms of whole arrays, but where NaN would reach all of them."""
    rng = np.random.default_rng(1)
    a, b = (rng.random(n) - 0.5 + 1j * rng.random(n) for n in (shape, taps))
    if not fits(a, b, mode):
        return
    for kind, error in (("complex128", 1e-13), ("complex64", 1e-5)):
        for in1, in2 in ((a, b), (a, b.real), (a.real, b.real)):
            real = np.empty(0, kind).real.dtype
            in1, in2 = (each.astype(kind if each.dtype.kind == "c" else real) for each in (in1, in2))
            wanted = theirs.convolve(in1.astype(complex), in2.astype(complex), mode, "direct")
            for made in (ours.convolve(in1, in2, mode), ours.fftconvolve(in1, in2, mode)):
                assert made.dtype == np.result_type(in1, in2) and made.flags.c_contiguous
                np.testing.assert_allclose(made, wanted, rtol=0, atol=error * np.abs(wanted).max())
    if mode == "full":
        (a if a.size > b.size else b).flat[0] = np.nan  # the smaller one is weights, which must be finite
        np.testing.assert_array_equal(np.isfinite(ours.convolve(a, b)), np.isfinite(theirs.convolve(a, b, method="direct")))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape, taps, axes", [((112, 59), (4, 59), 0), ((40, 4, 12), (40, 2, 5), (1, 2)), ((2, 16, 2, 7), (2, 1, 8, 7), (1, 2)),
                                               ((12, 12, 2, 9), (12, 4, 2, 9), (1, 2)), ((6, 5, 5), (1, 5, 18), (0, 2))])
def test_few_taps_in_many_filters(shape, taps, axes, mode):
    rng = np.random.default_rng(1)
    for kind in ("float16", "float32", "float64", "complex64"):
        a, b = rng.random(shape).astype(kind), (rng.random(taps) - 0.5).astype(kind)
        try:
            expected = theirs.fftconvolve(*(each.astype(complex if kind == "complex64" else float) for each in (a, b)), mode, axes)
        except ValueError:  # neither is the larger one
            return
        made = ours.fftconvolve(a, b, mode, axes)
        assert made.dtype == np.promote_types(kind, "float32") and made.flags.c_contiguous
        np.testing.assert_allclose(made, expected, rtol=0, atol=1e-12 if kind == "float64" else 1e-5)


def test_nan_stays_local_in_many_filters():
    a, b = np.ones((3, 60)), np.ones((3, 5))
    a[1, 20] = np.nan
    assert np.isnan(ours.fftconvolve(a, b, "same", 1)).sum() == 5


def test_choose_conv_method():
    rng = np.random.default_rng(1)
    long, short = rng.random(60_000), rng.random(5_000)
    for mode in MODES:
        assert ours.choose_conv_method(long, short, mode) == ours.choose_conv_method(short, long, "full") == "fft"
        assert ours.choose_conv_method(long, short[:3], mode) == "direct"
    assert ours.choose_conv_method(long * 1j, short.astype(np.float32)) == "fft"
    assert ours.choose_conv_method(np.arange(9), np.arange(3)) == ours.choose_conv_method([], [1.0]) == "direct"
    method, times = ours.choose_conv_method(long, short, measure=True)
    assert set(times) == {"fft", "direct"} and method == min(times, key=times.get)
    with pytest.raises(ValueError, match="same dimensionality"):
        ours.choose_conv_method([1.0], [[1.0]])
    with pytest.raises(ValueError, match="Acceptable mode flags"):
        ours.choose_conv_method([1.0], [1.0], "some")


def test_scalars_and_lists():
    assert ours.convolve(3, 4) == 12 and ours.correlate(3, 4j) == -12j and ours.fftconvolve(2.0, 3) == 6
    assert ours.convolve([1, 2], [3]).tolist() == [3, 6]
    assert ours.fftconvolve([], [1.0]).size == 0


def test_other_libraries():
    torch = pytest.importorskip("torch")
    made = ours.convolve(torch.arange(5.0), torch.ones(2), "same")
    assert isinstance(made, torch.Tensor) and made.tolist() == [0, 1, 3, 5, 7]


def test_signatures():
    assert list(inspect.signature(ours.sepfir2d).parameters) == ["input", "hrow", "hcol"]  # SciPy's is compiled
    for name in set(ours.__all__) - {"sepfir2d"}:
        there = getattr(theirs, name)
        there = inspect.signature(inspect.unwrap(there)).parameters
        here = inspect.signature(getattr(ours, name)).parameters
        assert [(p.name, p.default) for p in here.values()] == [(p.name, p.default) for p in there.values()], name


@pytest.mark.parametrize("name, args, error, words", [
    ("convolve", ([1, 2], [[1]]), ValueError, "volume and kernel should have the same dimensionality"),
    ("convolve", ([1, 2], [1], "some"), ValueError, "Acceptable mode flags are 'valid', 'same', or 'full'"),
    ("convolve", ([1, 2], [1], "full", "slow"), ValueError, "Acceptable method flags"),
    ("convolve", ([[1, 2]], [[1], [2]], "valid"), ValueError, "For 'valid' mode, one must be at least as large as the other"),
    ("convolve", ([], [1]), ValueError, None),
    ("convolve", (["a"], [1]), TypeError, None),
    ("correlate", ([1, 2], [[1]]), ValueError, "in1 and in2 should have the same dimensionality"),
    ("convolve2d", ([1], [1]), ValueError, "convolve2d inputs must both be 2-D arrays"),
    ("convolve2d", ([[1]], [[1]], "some"), ValueError, "Acceptable mode flags are 'valid', 'same', or 'full'"),
    ("convolve2d", ([[1]], [[1]], "full", "some"), ValueError, "Acceptable boundary flags are"),
    ("convolve2d", ([[1]], [[1]], "full", "fill", [1, 2]), ValueError, "`fillvalue` must be scalar"),
    ("convolve2d", ([[1.0]], [[1]], "full", "fill", 1j), ValueError, "could not cast `fillvalue` directly"),
    ("fftconvolve", ([1.0], [1.0], "full", []), ValueError, "when provided, axes cannot be empty"),
    ("fftconvolve", ([1.0], [1.0], "full", 1), ValueError, "axes exceeds dimensionality of input"),
    ("fftconvolve", ([[1.0]], [[1.0]], "full", [0, 0]), ValueError, "all axes must be unique"),
    ("oaconvolve", (np.ones((3, 4)), np.ones((2, 4)), "full", 1), ValueError, "incompatible shapes for in1 and in2"),
    ("fftconvolve", ([1.0, 2], [1.0], "some"), ValueError, "acceptable mode flags"),
    ("sepfir2d", (np.ones((3, 3)), np.ones(2), np.ones(1)), ValueError, "odd length"),
    ("sepfir2d", (np.ones(3), np.ones(1), np.ones(1)), ValueError, None),
])
def test_errors(name, args, error, words):
    """Of SciPy's kind, and with its words where it has a sentence."""
    with pytest.raises(error, match=words):
        getattr(ours, name)(*args)
    with pytest.raises((error, TypeError), match=words):
        getattr(theirs, name)(*args)
