"""test_signal_choice.py: `method` of halation.signal means what it says; 'auto' takes transforms only where they are as good as sums."""

import itertools

import numpy as np
import pytest

import halation
import halation.signal as ours
from halation import _native

from .test_signal_calls import summed

theirs = pytest.importorskip("scipy.signal")

UNITS = {"float32": 2.0**-24, "float64": 2.0**-53, "complex64": 2.0**-24, "complex128": 2.0**-53}


def in_bound(made, first, second, mode="full", of_norms=False):
    """The largest error of any part of any output over u · taps · Σ|a||b| of its own products: 1 is a sum by taps' own bound. Of complex numbers by
    transforms, over the norms of what each part is made of in place of its own products."""
    wide = np.float64 if made.real.dtype == np.float32 else np.longdouble
    with np.errstate(under="ignore"):
        parts = [[part.astype(wide) for part in ((each.real, each.imag) if made.dtype.kind == "c" else (each,))] for each in (first, second)]

        def product(a, b):
            return theirs.convolve(a, b, mode, "direct")

        wanted, sizes = [product(parts[0][0], parts[1][0])], [product(abs(parts[0][0]), abs(parts[1][0]))]
        if made.dtype.kind == "c":
            (ar, ai), (br, bi) = parts
            wanted = [wanted[0] - product(ai, bi), product(ar, bi) + product(ai, br)]
            sizes = [sizes[0] + product(abs(ai), abs(bi)), product(abs(ar), abs(bi)) + product(abs(ai), abs(br))]
    worst = 0.0
    if of_norms:
        sizes = [np.full(size.shape, np.sqrt(sum(np.sum(one**2) * np.sum(two**2) for one, two in pairs)))
                 for size, pairs in zip(sizes, ([(ar, br), (ai, bi)], [(ar, bi), (ai, br)]))]  # fmt: skip
    for part, exact, size in zip((made.real, made.imag), wanted, sizes):
        assert not part[size == 0].any()
        taps, tiny = min(first.size, second.size), np.finfo(part.dtype).tiny  # below which numbers may count as 0
        with np.errstate(over="ignore"):
            met = np.isfinite(exact.astype(part.dtype)) & (size > 0)
        assert np.isinf(part[~met & (size > 0)]).all()
        over = (np.abs(part - exact) - 2 * taps * tiny)[met] / (UNITS[made.dtype.name] * taps * size[met])
        worst = max(worst, float(over.max(initial=0)))
    return worst


def signals(kind, shape, rng):
    n = int(np.prod(shape))
    at = np.arange(n)
    made = {
        "normal": lambda: rng.standard_normal(n),
        "positive": lambda: rng.random(n),
        "loud": lambda: 5 + rng.standard_normal(n),
        "tone": lambda: np.sin(at / 3) + 0.1 * rng.standard_normal(n),
        "decaying": lambda: np.exp(-at / 50),
        "zeros": lambda: rng.standard_normal(n) * (rng.random(n) < 0.05),
        "comb": lambda: rng.standard_normal(n) * (at % 2 == 0),
        "gap": lambda: rng.standard_normal(n) * ((at < n // 3) | (at > n // 2)),
        "outlier": lambda: rng.standard_normal(n) + 1e30 * (at == n // 3),
        "burst": lambda: rng.standard_normal(n) * np.where(at // 200 == 3, 1e6, 1),
        "quiet": lambda: rng.standard_normal(n) * np.where(at > n // 2, 1e-6, 1),
    }[kind]()
    return made.reshape(shape)


EVEN = ["normal", "positive", "loud", "tone"]
UNEVEN = ["decaying", "zeros", "comb", "gap", "outlier", "burst", "quiet"]
SHAPES = [((7000,), (2500,)), ((4000,), (4000,)), ((2500,), (7000,)), ((80, 90), (30, 40)), ((24, 24, 24), (9, 10, 9))]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("first, second", SHAPES)
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_transforms_are_as_good_as_sums(dtype, first, second, mode):
    rng = np.random.default_rng(1)
    for kind in EVEN:
        a, b = (signals(kind, shape, rng).astype(dtype) for shape in (first, second))
        if mode == "full":
            assert ours.choose_conv_method(a, b, mode) == "fft", kind
        assert in_bound(ours.convolve(a, b, mode), a, b, mode) <= 1, kind


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", UNEVEN)
def test_uneven_signals_are_summed(dtype, kind):
    rng = np.random.default_rng(1)
    for first, second in (((5000,), (2000,)), ((70, 80), (30, 40))):
        even, uneven = signals("normal", first, rng).astype(dtype), signals(kind, second, rng).astype(dtype)
        for a, b in ((even, uneven), (signals(kind, first, rng).astype(dtype), signals("normal", second, rng).astype(dtype))):
            for method in ("auto", "direct"):
                assert in_bound(ours.convolve(a, b, method=method), a, b) <= 1, method


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_arrays_are_like_is_seen_whatever_vectors_tiles_have_room_for(dtype):
    rng = np.random.default_rng(1)
    for _ in range(300):
        ndim = int(rng.integers(1, 4))
        shape, tile = tuple(rng.integers(1, {1: 700, 2: 60, 3: 20}[ndim], ndim)), tuple(map(int, rng.integers(1, {1: 80, 2: 20, 3: 9}[ndim], ndim)))
        array = rng.standard_normal(shape).astype(dtype)
        least, largest, squares, small, _ = _native.magnitudes(array, 1.0, tile, (1,) * ndim, (1,) * ndim)
        counts = np.abs(array) < least
        for axis, m in enumerate(tile):
            counts = np.add.reduceat(counts, range(0, shape[axis], m), axis, int)
        assert (largest, small) == (np.abs(array).max(), counts.max())
        np.testing.assert_allclose(squares, np.sum(array.astype(float) ** 2), rtol=1e-5)


def test_convolve2d_takes_transforms_where_they_are_as_good():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((120, 130)), rng.standard_normal((31, 30))
    for mode in ("full", "same", "valid"):
        assert ours.choose_conv_method(a, b, mode) == "fft"
        made = ours.convolve2d(a, b, mode)
        np.testing.assert_array_equal(made, ours.convolve(a, b, mode))
        assert in_bound(made, a, b, mode) <= 1


def test_long_filters_that_fade_are_transformed_where_the_ends_are_few():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal(60_000), np.exp(-(np.linspace(-4, 4, 1001) ** 2) / 2)
    assert ours.choose_conv_method(a, b) == "fft"
    assert in_bound(ours.convolve(a, b), a, b) <= 1


@pytest.mark.parametrize("name", ["convolve", "correlate", "convolve2d"])
@pytest.mark.parametrize("method", ["auto", "direct"])
def test_sums_of_what_is_not_negative_are_not(name, method):
    a, b = np.exp(-np.arange(1000) / 2), np.exp(-np.arange(1000) / 1.5)
    if name == "convolve2d":
        made = ours.convolve2d(a[np.newaxis], b[np.newaxis])[0]
    else:
        made = getattr(ours, name)(a, b[::-1] if name == "correlate" else b, method=method)
    assert not (made < 0).any()
    assert in_bound(made, a, b) <= 1


@pytest.mark.parametrize("weights", [np.ones((21, 19)), np.outer(np.hanning(23)[1:-1], np.hanning(25)[1:-1]), np.diag([1.0, *[1e-20] * 16])])
def test_factors_are_summed_where_weights_are_their_product(weights):
    """Within rounding of each weight: a small one that none of the factors gives counts as well."""
    rng = np.random.default_rng(1)
    for dtype in ("float32", "float64"):
        image = rng.random((60, 70)).astype(dtype)
        image[20, 20] = 1e25
        for made in (ours.convolve2d(image, weights.astype(dtype)), ours.convolve(image, weights.astype(dtype), method="direct")):
            assert in_bound(made, image, weights.astype(dtype)) <= 1


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("small", [1e-4, 1e-7])
def test_small_parts_of_complex_numbers_are_as_exact_as_large_ones(dtype, small):
    rng = np.random.default_rng(1)
    for n, taps in ((5000, 40), (5000, 300), (7000, 2500), (300, 250)):
        a, b = ((rng.standard_normal(n) + 1j * small * rng.standard_normal(n)).astype(dtype) for n in (n, taps))
        for method in ("auto", "direct"):
            assert in_bound(ours.convolve(a, b, method=method), a, b) <= 1
        for made in (ours.fftconvolve(a, b), halation.convolve(a, b, border="constant", extent="full")):
            assert in_bound(made, a, b, of_norms=True) <= 1


@pytest.mark.parametrize("shape, taps", [((900,), (60,)), ((40, 50), (15, 20)), ((12, 13, 14), (5, 6, 4)), ((7, 8, 6, 9), (3, 4, 3, 5))], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_outliers_blur_nothing_that_does_not_meet_them(dtype, shape, taps):
    """By transforms of whole arrays as well: each output keeps to what lies under its own filter, and a mask stays one."""
    rng = np.random.default_rng(1)
    a, b = (rng.uniform(1, 2, n) + (1j * rng.uniform(1, 2, n) if "complex" in dtype else 0) for n in (shape, taps))
    a[(0,) * a.ndim] = 1e30
    mask = np.zeros(shape, dtype)
    mask[(0,) * a.ndim] = 1
    a, b = a.astype(dtype), b.astype(dtype)
    for call in (lambda a: ours.fftconvolve(a, b), lambda a: ours.oaconvolve(b, a), lambda a: ours.convolve(a, b, method="fft")):
        wanted, made = theirs.convolve(a, b, "full", "direct"), call(a)
        untouched = np.ones(made.shape, bool)
        untouched[tuple(slice(k) for k in taps)] = False
        np.testing.assert_allclose(made[untouched], wanted[untouched], rtol=1e-3)
        np.testing.assert_array_equal(call(mask)[untouched], 0)


CALLS = [("convolve", "auto"), ("convolve", "direct"), ("convolve", "fft"), ("correlate", "auto"), ("correlate", "direct"),
         ("correlate", "fft"), ("fftconvolve", None), ("oaconvolve", None), ("convolve2d", None)]  # fmt: skip


@pytest.mark.parametrize("name, method", CALLS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_data_in_either_array(name, method, value):
    """It reaches as far as the other array does, whichever of the two it is in, and no further."""
    rng = np.random.default_rng(1)
    shapes = [((12, 13), (4, 5)), ((40, 50), (9, 11))]
    if name != "convolve2d":
        shapes += [((30,), (7,)), ((300,), (50,)), ((9, 8, 7), (3, 2, 4)), ((4, 5, 4, 5), (2, 3, 3, 2))]
    words = {} if method is None else {"method": method}
    for (shape, taps), dtype in itertools.product(shapes, ("float32", "float64", ">f4", "complex128")):
        if dtype == "complex128" and not np.isnan(value):
            continue  # of which NumPy's products make what its BLAS does
        a, b = rng.standard_normal(shape).astype(dtype), rng.standard_normal(taps).astype(dtype)
        b[tuple(k // 2 for k in taps)] = value
        a[tuple(n // 3 for n in shape)] = 0
        for first, second in ((a, b), (b, a), (b, b)):
            with np.errstate(invalid="ignore"):
                made = getattr(ours, name)(first, second, **words)
                wanted = summed(first, np.flip(second).conj() if name == "correlate" else second, range(len(shape)), made.dtype)
            for part, exact in ((made.real, wanted.real), (made.imag, wanted.imag)):
                np.testing.assert_allclose(part, exact, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("border", ["fill", "wrap", "symm"])
def test_what_a_border_puts_around_an_image_meets_nan_in_the_filter(border):
    """With nothing around it, and with fillvalue 0, only the image itself does."""
    image, weights = np.ones((6, 7)), np.ones((3, 3))
    weights[0, 1] = np.nan
    for fill in (0, 2):
        made = np.isnan(ours.convolve2d(image, weights, "same", border, fill))
        wanted = np.ones((6, 7), bool)
        if border == "fill" and fill == 0:
            wanted[-1] = False  # whose outputs read that weight below the image
        np.testing.assert_array_equal(made, wanted)


def test_a_fill_value_may_be_anything():
    image = np.arange(12.0).reshape(3, 4)
    for fill in (np.nan, np.inf, -np.inf):
        for weights in (np.ones((3, 3)), np.array([[0.0, 1.0], [1.0, -1.0]])):
            with np.errstate(invalid="ignore"):
                np.testing.assert_array_equal(ours.convolve2d(image, weights, fillvalue=fill), theirs.convolve2d(image, weights, fillvalue=fill))
