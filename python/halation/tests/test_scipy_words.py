"""test_scipy_words.py: what SciPy refuses is refused, whatever was called before; arrays without axes, complex results, zeros."""

import numpy as np
import pytest

import halation.ndimage as ours

theirs = pytest.importorskip("scipy.ndimage")

IMAGE = np.arange(24.0).reshape(4, 6) + 1
ROW = ([1.0, 2.0, 3.0],)
ARGUMENTS = {
    "correlate1d": ROW,
    "convolve1d": ROW,
    "correlate": (np.ones((2, 3)),),
    "convolve": (np.ones((2, 3)),),
    "gaussian_filter1d": (1.0,),
    "gaussian_filter": (1.0,),
    "uniform_filter1d": (3,),
    "uniform_filter": (3,),
    "sobel": (),
    "prewitt": (),
    "laplace": (),
    "gaussian_laplace": (1.0,),
    "gaussian_gradient_magnitude": (1.0,),
}


def outcome(module, name, *args, **keywords):
    """What a function gives, or the type of what it raises."""
    try:
        return getattr(module, name)(*args, **keywords)
    except Exception as error:
        return type(error)


def assert_alike(name, *args, **keywords):
    expected, got = (outcome(module, name, *args, **keywords) for module in (theirs, ours))
    if isinstance(expected, type) or isinstance(got, type):
        assert got is expected, (name, args, keywords, expected, got)
        return
    assert isinstance(got, np.ndarray) and got.dtype == expected.dtype and got.shape == expected.shape, (name, got, expected)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("cval", ["1", b"1", "x", None, [1.0], object()], ids=str)
@pytest.mark.parametrize("mode", ["constant", "reflect"])
def test_cval_is_a_number(name, cval, mode):
    assert_alike(name, IMAGE, *ARGUMENTS[name], cval=cval, mode=mode)


# Good values stand before the equal ones that are refused: a cache that knows no types gives those what these gave.
@pytest.mark.parametrize("name", ["gaussian_filter1d", "gaussian_filter"])
def test_words_of_gaussians(name):
    for order in (1, 2, 1.5, 1.0, 2.0, "1", None, -1, 1 + 0j, [1, 0], [1.0, 0], [1.5, 0], 0, 0.0):
        assert_alike(name, IMAGE, 1.0, order=order)
    for radius in (3, 3.0, np.float64(3), np.int64(3), "3", 2.5, -1, (3, 2), (3.0, 2), (3, 2.0)):
        assert_alike(name, IMAGE, 1.0, radius=radius)
    for sigma in (1, 1.0, 1 + 0j, "1", None, [1.0, "1"], np.nan):
        assert_alike(name, IMAGE, sigma)


@pytest.mark.parametrize("name", ["gaussian_laplace", "gaussian_gradient_magnitude"])
def test_words_of_derivatives_of_gaussians(name):
    for radius in (3, 3.0, (3, 2), (3.0, 2)):
        assert_alike(name, IMAGE, 1.0, radius=radius)
    for sigma in (1, 1.0, 1 + 0j, "1", (1, 2), (1 + 0j, 2), np.nan):
        assert_alike(name, IMAGE, sigma)


@pytest.mark.parametrize("name", ["uniform_filter1d", "uniform_filter"])
def test_words_of_means(name):
    for size in (3, 3.0, True, "3", (3, 2), (3.0, 2), 2.5):
        assert_alike(name, IMAGE, size)
    for origin in (1, 1.0, True, "1", (1, 0), (1.0, 0)):
        assert_alike(name, IMAGE, 3, origin=origin)


@pytest.mark.parametrize("name", ["laplace", "sobel", "gaussian_filter", "uniform_filter"])
def test_axes_are_whole(name):
    key = "axis" if name == "sobel" else "axes"
    for axes in (1, 1.0, (0, 1), (0.0, 1), [[1, 2], [3, 4]], "0"):
        assert_alike(name, IMAGE, *ARGUMENTS[name], **{key: axes})


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("value", [3, 3.5, np.float32(2), np.array(5, np.uint8), np.array(1 - 2j)], ids=repr)
def test_arrays_without_axes(name, value):
    args = (np.array(1.5),) if name in ("correlate", "convolve") else ARGUMENTS[name]
    assert_alike(name, value, *args)


def test_arrays_without_axes_into_an_output():
    out = np.zeros((), np.float32)
    assert ours.convolve(np.float64(3), np.array(2.0), output=out) is out and out == 6


@pytest.mark.parametrize("name", ["correlate1d", "convolve1d"])
def test_weights_are_what_numpy_reads_as_floats(name):
    for weights in (np.array([1, 2], object), [True, False], ["a"], np.ones(3, np.longdouble), [], [[1, 2]]):
        assert_alike(name, IMAGE, weights)


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("source", ["uint8", "int32", "float32", "float64"])
@pytest.mark.parametrize("kind", ["complex64", "complex128", ">c8"])
def test_complex_results_of_real_arrays(name, source, kind):
    """SciPy refuses them; they are the real results of the type's parts, and zeros."""
    array = IMAGE.astype(source)
    part = np.float64 if kind == "complex128" else np.float32
    expected = getattr(ours, name)(array, *ARGUMENTS[name], output=part)
    out = np.full(array.shape, np.nan, kind)
    for got in (getattr(ours, name)(array, *ARGUMENTS[name], output=np.dtype(kind)),
                getattr(ours, name)(array, *ARGUMENTS[name], output=out)):
        assert got.dtype == kind and np.all(got.imag == 0)
        np.testing.assert_allclose(got.real, expected, rtol=1e-5)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        getattr(ours, name)(array, *ARGUMENTS[name], output=out)


@pytest.mark.parametrize("name", ["sobel", "prewitt", "laplace", "gaussian_filter"])
@pytest.mark.parametrize("kind", [np.float32, int, bool])
def test_real_results_of_complex_arrays_are_refused(name, kind):
    assert_alike(name, IMAGE * (1 + 1j), *ARGUMENTS[name], output=kind)


@pytest.mark.parametrize("source", ["complex64", "float32", "complex128"])
def test_complex128_results_are_summed_in_f64(source):
    """SciPy rounds one of the two products of complex numbers to the input's type."""
    rng = np.random.default_rng(7)
    array = (rng.standard_normal((40, 50)) + (0 if source == "float32" else 1j) * rng.standard_normal((40, 50))).astype(source)
    weights = rng.standard_normal((5, 7)) + 1j * rng.standard_normal((5, 7))
    bound = 2 * (35 + 16) * 2.0**-53 * 2 * np.abs(weights).sum() * np.abs(array).max()
    for name, w in (("correlate", weights), ("convolve", weights), ("correlate1d", weights[0]), ("convolve1d", weights[0])):
        exact = getattr(theirs, name)(array.astype(np.complex128), w)
        for output in (np.complex128, np.empty(array.shape, np.complex128)):
            assert np.abs(getattr(ours, name)(array, w, output=output) - exact).max() <= bound, name


def test_sums_in_f32_overflow_where_they_pass_its_largest_number():
    """As docs/python.md says; sums in f64 are SciPy's."""
    array = np.full(5, 3e38, np.float32)
    assert np.all(np.isinf(ours.correlate1d(array, [1, 1, -1])))
    assert np.array_equal(ours.correlate1d(array, [1, 1, -1], output=np.float64), array.astype(np.float64))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_zeros_of_any_sign(kind):
    """docs/python.md promises no sign; their value is 0."""
    for name, args in ARGUMENTS.items():
        assert np.all(getattr(ours, name)(np.full((4, 6), -0.0, kind), *args) == 0), name
