"""test_ndimage.py: every function of halation.ndimage beside SciPy's, over types, shapes, modes, origins, axes and outputs."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import halation.ndimage as ours
from halation import _complex
from .arrays import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    REAL,
    arrays,
    assert_floats_near,
    assert_integers_equal,
    cvals,
    exact_type,
    modes,
    numbers,
)

theirs = pytest.importorskip("scipy.ndimage")
GAUSSIAN_SHARE = 1 + 2.0**-44  # what halation.ndimage says that it adds before it truncates


@st.composite
def rows(draw):
    """A row of weights: whole numbers or others, of even or odd length."""
    length = draw(st.one_of(st.integers(1, 6), st.integers(7, 40)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    row = rng.integers(-3, 4, length).astype(float)
    return row if draw(st.booleans()) else row + rng.random(length)


@st.composite
def weights_for(draw, dims):
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=dims, max_size=dims)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = rng.integers(-3, 4, shape).astype(float)
    return weights if draw(st.booleans()) else weights + rng.random(shape)


def origin_within(draw, taps):
    return draw(st.integers(-(taps // 2), (taps - 1) // 2))


def compare(name, array, args, keywords, output, magnitudes, taps, exact=False):
    """One call of both; `exact`: whole numbers are summed exactly by both."""
    cval = keywords.get("cval", 0.0)
    got = getattr(ours, name)(array, *args, output=output, **keywords)
    kind = np.dtype(array.dtype if output is None else output)
    assert got.dtype == kind
    unrounded = getattr(theirs, name)(array.astype(exact_type(array)), *args, output=exact_type(array), **keywords)
    if kind.kind in "fc":
        assert_floats_near(got, unrounded, array, magnitudes, taps, cval)
        return
    wide = array.astype(np.float32) if array.dtype == np.float16 else array
    expected = getattr(theirs, name)(wide, *args, output=kind, **keywords)
    assert_integers_equal(got, expected, None if exact else unrounded)


outputs = st.sampled_from([None, None, *map(np.dtype, REAL)])


@given(st.data(), arrays(), outputs, modes, cvals, st.sampled_from(["correlate", "convolve"]), st.booleans())
def test_dense(data, array, output, mode, cval, name, subset):
    axes = data.draw(st.sets(st.integers(0, array.ndim - 1), min_size=1).map(lambda s: tuple(sorted(s)))) if subset else None
    dims = array.ndim if axes is None else len(axes)
    weights = data.draw(weights_for(dims))
    # Origins of convolutions move the other way, and of even sizes by one less.
    origin = [origin_within(data.draw, n) if name == "correlate" or n % 2 else 0 for n in weights.shape]
    compare(
        name,
        array,
        (weights,),
        {"mode": mode, "cval": cval, "origin": origin, "axes": axes},
        output,
        np.abs(weights).sum(),
        weights.size,
    )


@given(st.data(), st.lists(st.integers(1, 5), min_size=4, max_size=6), st.sampled_from(REAL), outputs, modes, cvals)
def test_dense_along_many_axes(data, shape, dtype, output, mode, cval):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    weights = rng.integers(-3, 4, data.draw(st.tuples(*[st.integers(1, 3)] * len(shape)))).astype(float)
    if data.draw(st.booleans()):
        weights += rng.random(weights.shape)
    array = numbers(rng, shape, dtype).transpose(data.draw(st.permutations(range(len(shape)))))
    compare("correlate", array, (weights,), {"mode": mode, "cval": cval}, output, np.abs(weights).sum(), weights.size)


def test_weights_that_overlap_many_strips():
    """Strips that are cut along several axes, more of them than one thread takes."""
    rng = np.random.default_rng(4)
    for shape, taps in (((40, 30, 20, 12), (3, 2, 3, 2)), ((2, 3, 5, 9000), (2, 3, 2, 5)), ((9000, 3, 2, 3), (5, 3, 2, 3))):
        array, weights = numbers(rng, shape, "int32"), rng.integers(-3, 4, taps).astype(float)
        for mode in ("reflect", "constant", "wrap"):
            keywords = {"mode": mode, "cval": 2.0}
            np.testing.assert_array_equal(ours.correlate(array, weights, **keywords), theirs.correlate(array, weights, **keywords))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint32", "int64"])
def test_windows_longer_than_axes(dtype):
    rng = np.random.default_rng(5)
    for shape in ((1,), (700,), (3, 50), (50, 3), (9, 1, 130, 2)):
        array = numbers(rng, shape, dtype)
        for axis in range(len(shape)):
            for size in (17, 40, 301):
                for mode in ("reflect", "constant", "nearest", "mirror", "wrap"):
                    keywords = {"axis": axis, "mode": mode, "cval": -3.0, "origin": size // 3, "output": np.int64}
                    expected = theirs.uniform_filter1d(array, size, **keywords)
                    np.testing.assert_array_equal(ours.uniform_filter1d(array, size, **keywords), expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_windows_of_floats(dtype):
    rng = np.random.default_rng(6)
    for shape in ((1,), (700,), (90, 50), (50, 90), (9, 1, 130, 2), (2, 60, 43)):
        array = (rng.integers(-400, 400, shape) / 8).astype(dtype)
        for axis in range(len(shape)):
            for size in (17, 40, 60):
                for mode in ("reflect", "constant", "nearest", "mirror", "wrap"):
                    keywords = {"axis": axis, "mode": mode, "cval": -2.5, "origin": size // 3, "output": np.int16}
                    expected = theirs.uniform_filter1d(array.astype("float64"), size, **keywords)
                    np.testing.assert_array_equal(ours.uniform_filter1d(array, size, **keywords), expected)


@pytest.mark.parametrize("shape", [(200,), (200, 3), (6, 200), (200, 40)])
def test_windows_of_floats_keep_what_is_no_number_inside(shape):
    axis = int(np.argmax(shape))
    array = np.ones(shape)
    line = np.moveaxis(array, axis, -1)[(0,) * (len(shape) - 1)]
    line[100], line[120] = np.inf, np.nan
    made = np.moveaxis(ours.uniform_filter1d(array, 20, axis=axis, output=np.int32), axis, -1).reshape(-1, 200)
    expected = np.ones(made.shape, np.int32)
    expected[0, 91:131] = np.iinfo(np.int32).min
    np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize("dtype, tolerance", [("complex64", 2e-5), ("complex128", 1e-12)])
def test_complex_constants_around_large_arrays(dtype, tolerance, monkeypatch):
    monkeypatch.setattr(_complex, "LARGE", 1)
    rng = np.random.default_rng(7)
    for shape in ((7,), (5, 9), (4, 3, 17), (1, 6)):
        array = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
        for axis in range(len(shape)):
            for size in (2, 3, 6, 40):
                weights = rng.normal(size=size) / size
                for cval in (2.5, 3j, 1 - 2j, complex(np.inf, 1)):
                    for origin in (-(size // 2), 0, (size - 1) // 2):
                        keywords = {"axis": axis, "mode": "constant", "cval": cval, "origin": origin}
                        with np.errstate(invalid="ignore"):
                            expected = theirs.correlate1d(array, weights, **keywords)
                        made = ours.correlate1d(array, weights, **keywords)
                        for one, other in ((made.real, expected.real), (made.imag, expected.imag)):
                            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)
                        out = np.empty_like(array)
                        assert ours.correlate1d(array, weights, output=out, **keywords) is out
                        np.testing.assert_array_equal(out, made)


@given(st.data(), arrays(), rows(), outputs, modes, cvals, st.sampled_from(["correlate1d", "convolve1d"]))
def test_rows(data, array, row, output, mode, cval, name):
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    origin = origin_within(data.draw, len(row)) if name == "correlate1d" or len(row) % 2 else 0
    compare(
        name, array, (row,), {"axis": axis, "mode": mode, "cval": cval, "origin": origin}, output, np.abs(row).sum(), len(row)
    )


@given(st.data(), arrays(), outputs, cvals, st.booleans())
def test_uniform_filter(data, array, output, cval, subset):
    axes = data.draw(st.sets(st.integers(0, array.ndim - 1), min_size=1).map(tuple)) if subset else None
    dims = array.ndim if axes is None else len(axes)
    size = data.draw(st.lists(st.integers(1, 7), min_size=dims, max_size=dims))
    origin = [origin_within(data.draw, n) for n in size]
    mode = data.draw(st.lists(modes, min_size=dims, max_size=dims))
    # SciPy's running sums lose small numbers beside negative ones that the first axis has wrapped to almost 2^64.
    assume(np.dtype(array.dtype if output is None else output) != np.uint64 or min(array.min(), cval) >= 0)
    # Constants that are no eighths would be rounded into running sums; these are.
    compare(
        "uniform_filter",
        array,
        (),
        {"size": size, "mode": mode, "cval": cval, "origin": origin, "axes": axes},
        output,
        1,
        int(np.sum(size)),
        exact=True,
    )


@given(st.data(), arrays(), outputs, modes, cvals, st.one_of(st.integers(1, 7), st.integers(8, 60)))
def test_uniform_filter1d(data, array, output, mode, cval, size):
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    compare(
        "uniform_filter1d",
        array,
        (size,),
        {"axis": axis, "mode": mode, "cval": cval, "origin": origin_within(data.draw, size)},
        output,
        1,
        size,
        exact=True,
    )


@given(st.data(), arrays(), outputs, cvals, st.sampled_from(["sobel", "prewitt"]))
def test_edges(data, array, output, cval, name):
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    mode = data.draw(st.lists(modes, min_size=array.ndim, max_size=array.ndim))
    compare(
        name,
        array,
        (),
        {"axis": axis, "mode": mode, "cval": cval},
        output,
        2 * 4.0 ** (array.ndim - 1),
        3 * array.ndim,
        exact=True,
    )


@given(st.data(), arrays(), outputs, cvals, st.booleans(), st.booleans())
def test_laplace(data, array, output, cval, subset, generic):
    axes = data.draw(st.sets(st.integers(0, array.ndim - 1)).map(tuple)) if subset else None
    dims = array.ndim if axes is None else len(axes)
    mode = data.draw(st.lists(modes, min_size=dims, max_size=dims))
    keywords = {"mode": mode, "cval": cval, "axes": axes}
    if not generic:
        compare("laplace", array, (), keywords, output, 4.0 * max(dims, 1), 3 * max(dims, 1), exact=True)
        return
    kind = np.dtype(array.dtype if output is None else output)
    if np.float16 in (array.dtype, kind):  # which SciPy does not take
        return

    def second(of):
        def derivative2(input, axis, output, mode, cval, weights):
            return of.correlate1d(input, weights, axis, output, mode, cval)

        return derivative2

    arguments = {"extra_arguments": ([1, -2, 1],), **keywords}
    got = ours.generic_laplace(array, second(ours), output, **arguments)
    expected = theirs.generic_laplace(array, second(theirs), output, **arguments)
    if kind.kind == "f":
        assert_floats_near(got, expected.astype(float), array, 4.0 * max(dims, 1), 3 * max(dims, 1) + 8, cval)
    else:
        assert_integers_equal(got, expected)


sigmas = st.sampled_from([0.5, 0.8, 1.0, 1.7, 2.3])


def gaussian_by_the_rule(input, sigma, order, output, mode, cval, truncate=4.0, radius=None, axes=None):
    """SciPy's rows, one after another in f64, and the package's rule between them: a share more, towards zero, wrapped."""
    kind = output.dtype if isinstance(output, np.ndarray) else np.dtype(output)
    between = input
    for axis in range(input.ndim) if axes is None else axes:
        at = axis if axes is None else list(axes).index(axis)

        def of(value, at=at):
            return value[at] if isinstance(value, (list, tuple)) else value

        if of(sigma) <= 1e-15:
            continue
        sums = theirs.gaussian_filter1d(
            between.astype(float), of(sigma), axis, of(order), float, of(mode), cval, truncate, radius=of(radius)
        )
        assume(np.all(np.abs(sums) < 2**52))  # negative sums wrapped into uint64 are not
        whole = np.trunc(sums * GAUSSIAN_SHARE)
        # Sums of a derivative that cancel to nearly whole numbers are for no rule to decide.
        assume(not (of(order) and np.any(np.abs(sums - np.rint(sums)) < 1e-9)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            between = (whole.astype(np.int64) & 0xFF != 0) if kind.kind == "b" else whole.astype(np.int64).astype(kind)
    if isinstance(output, np.ndarray):
        output[...] = between
        return output
    return between if between is not input else input.astype(kind)


@given(
    st.data(), arrays(dtypes=tuple(INTEGERS + FLOATS)), st.sampled_from([None, None, *INTEGERS, *FLOATS]), cvals, st.booleans()
)
def test_gaussian_filter(data, array, output, cval, subset):
    axes = data.draw(st.sets(st.integers(0, array.ndim - 1), min_size=1).map(lambda s: tuple(sorted(s)))) if subset else None
    dims = array.ndim if axes is None else len(axes)
    kind = np.dtype(array.dtype if output is None else output)
    sigma = data.draw(st.lists(sigmas, min_size=dims, max_size=dims))
    order = data.draw(st.lists(st.integers(0, 3), min_size=dims, max_size=dims)) if kind.kind == "f" else [0] * dims
    mode = data.draw(st.lists(modes, min_size=dims, max_size=dims))
    keywords = {"order": order, "mode": mode, "cval": cval, "truncate": data.draw(st.sampled_from([2.0, 4.0])), "axes": axes}
    if data.draw(st.booleans()):
        keywords["radius"] = data.draw(st.lists(st.integers(0, 5), min_size=dims, max_size=dims))
    if kind.kind == "f":
        compare("gaussian_filter", array, (sigma,), keywords, output, 8.0 ** sum(order), 41 * dims)
        return
    got = ours.gaussian_filter(array, sigma, output=output, **keywords)
    expected = gaussian_by_the_rule(array, sigma, output=kind, **keywords)
    assert_integers_equal(got, expected.astype(kind))


@given(st.data(), arrays(), outputs, modes, cvals, sigmas, st.integers(0, 3))
def test_gaussian_filter1d(data, array, output, mode, cval, sigma, order):
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    compare(
        "gaussian_filter1d", array, (sigma,), {"axis": axis, "order": order, "mode": mode, "cval": cval}, output, 8.0**order, 41
    )


@given(
    st.data(),
    arrays(dtypes=tuple(INTEGERS + FLOATS)),
    st.sampled_from(FLOATS),
    cvals,
    st.sampled_from(["gaussian_laplace", "gaussian_gradient_magnitude"]),
)
def test_gaussian_derivatives(data, array, output, cval, name):
    mode = data.draw(st.one_of(modes, st.lists(modes, min_size=array.ndim, max_size=array.ndim)))
    sigma = data.draw(st.one_of(sigmas, st.lists(sigmas, min_size=array.ndim, max_size=array.ndim)))
    keywords = {"mode": mode, "cval": cval}
    if data.draw(st.booleans()):
        keywords["truncate"] = 2.5
    got = getattr(ours, name)(array, sigma, output=output, **keywords)
    exact = getattr(theirs, name)(array.astype(float), sigma, output=float, **keywords)
    assert got.dtype == output
    assert_floats_near(got, exact, array, 100.0 * array.ndim, 60 * array.ndim, cval)


@given(arrays(dtypes=("uint8", "int16", "int32")), modes, st.sampled_from([0.8, 1.0]))
def test_gaussian_derivatives_of_integers(array, mode, sigma):
    def derivative(order):
        def of(input, axis, output, mode, cval):
            return gaussian_by_the_rule(input, sigma, [order if a == axis else 0 for a in range(input.ndim)], output, mode, cval)

        return of

    got = ours.gaussian_laplace(array, sigma, mode=mode)
    assert_integers_equal(got, theirs.generic_laplace(array, derivative(2), None, mode))
    wide = array.astype(np.int32)
    got = ours.gaussian_gradient_magnitude(wide, sigma, mode=mode)
    assert_integers_equal(got, theirs.generic_gradient_magnitude(wide, derivative(1), None, mode))


@given(arrays(dtypes=("float32", "float64")), modes, cvals)
def test_generic_gradient_magnitude(array, mode, cval):
    got = ours.generic_gradient_magnitude(array, ours.sobel, None, mode, cval)
    exact = theirs.generic_gradient_magnitude(array.astype(float), theirs.sobel, None, mode, cval)
    assert_floats_near(got, exact, array, 2 * 4.0 ** (array.ndim - 1), 20 * array.ndim, cval)


complex_cvals = st.sampled_from([0.0, 2.0, 1 + 1j, -2.5j])


@given(
    st.data(), arrays(dtypes=tuple(REAL[:-3] + ["float32", "float64"] + COMPLEX)), modes, complex_cvals, st.sampled_from(COMPLEX)
)
def test_complex_weights(data, array, mode, cval, output):
    weights = data.draw(weights_for(array.ndim)) + 1j * data.draw(st.integers(-2, 2))
    if array.dtype.kind != "c":
        cval = cval.real
    for name in ("correlate", "convolve"):
        got = getattr(ours, name)(array, weights, output=output, mode=mode, cval=cval)
        exact = getattr(theirs, name)(
            array.astype(complex) if array.dtype.kind == "c" else array.astype(float),
            weights,
            output=complex,
            mode=mode,
            cval=cval,
        )
        assert got.dtype == output
        assert_floats_near(got, exact, array, 4 * np.abs(weights).sum(), 4 * weights.size, abs(cval))


@given(st.data(), arrays(dtypes=tuple(COMPLEX)), modes, complex_cvals)
def test_complex_arrays(data, array, mode, cval):
    exact = array.astype(complex)
    row = data.draw(rows())
    near = {"magnitudes": 100.0, "taps": 60 * array.ndim, "cval": abs(cval)}
    for name, args in (
        ("correlate1d", (row,)),
        ("convolve1d", (row,)),
        ("uniform_filter1d", (3,)),
        ("gaussian_filter1d", (1.0,)),
        ("gaussian_filter", (1.0,)),
        ("uniform_filter", (3,)),
        ("sobel", ()),
        ("prewitt", ()),
    ):
        got = getattr(ours, name)(array, *args, mode=mode, cval=cval)
        assert got.dtype == array.dtype
        assert_floats_near(got, getattr(theirs, name)(exact, *args, mode=mode, cval=cval), array, **near)


@given(arrays(dtypes=("uint8", "float32", "int32", "bool")), modes)
def test_output_is_input(array, mode):
    for name, args in (
        ("correlate", (np.ones((3,) * array.ndim),)),
        ("gaussian_filter", (1.0,)),
        ("uniform_filter", (3,)),
        ("sobel", ()),
        ("laplace", ()),
        ("gaussian_gradient_magnitude", (1.0,)),
    ):
        where = array.copy()
        made = getattr(ours, name)(where, *args, output=where, mode=mode)
        assert made is where
        # Of a copy as well: other strides may be filtered by other kernels, which sum in another order.
        np.testing.assert_array_equal(where, getattr(ours, name)(array.copy(), *args, mode=mode))


@pytest.mark.parametrize("name", ["sobel", "prewitt"])
@pytest.mark.parametrize("source", ["uint8", "int16", "uint16", "int32"])
@pytest.mark.parametrize("output", ["uint8", "int8", "int16", "uint16", "int32", "int64"])
@pytest.mark.parametrize("mode, cval", [("reflect", 0.0), ("constant", 0.0), ("constant", 200.0), ("constant", 0.5)])
def test_whole_weights_wrap_as_between_the_axes(name, source, output, mode, cval):
    """Whole weights are filtered along all axes at once; what leaves the output's range between them or at the end wraps."""
    rng = np.random.default_rng(1)
    limits = np.iinfo(source)
    image = rng.integers(max(limits.min, -(2**20)), min(limits.max, 2**20), (37, 70), dtype=source, endpoint=True)
    expected = getattr(theirs, name)(image, axis=0, output=output, mode=mode, cval=cval)
    np.testing.assert_array_equal(getattr(ours, name)(image, axis=0, output=output, mode=mode, cval=cval), expected)


def test_magnitude_of_factors_too_many_to_multiply_out():
    """2**34 weights and more, if they were."""
    array = np.random.default_rng(6).random((30, 4, 5)).astype(np.float32)
    got = ours.gaussian_gradient_magnitude(array, [400.0, 460.0, 24.0])
    np.testing.assert_allclose(got, theirs.gaussian_gradient_magnitude(array, [400.0, 460.0, 24.0]), atol=1e-6)


def test_halves_overflow_only_at_the_end():
    array = np.array([[200.0, -200.0, 200.0], [0.0, 250.0, -250.0]], np.float16)
    for name in ("generic_gradient_magnitude", "generic_laplace"):
        got = getattr(ours, name)(array, ours.sobel)
        expected = getattr(theirs, name)(array.astype(np.float32), theirs.sobel)
        assert got.dtype == np.float16 and np.isfinite(expected).all()
        np.testing.assert_array_equal(got, expected.astype(np.float16))


@pytest.mark.parametrize("kind", ["uint8", "int16", "int32", "int64"])
@pytest.mark.parametrize("out", ["uint8", "int32", "int64", "uint64"])
def test_whole_sums_of_many_taps_are_exact(kind, out):
    """Also where transforms are the quickest: what they are off by would be cut off to the level below."""
    rng = np.random.default_rng(1)
    image, weights = rng.integers(0, 100, (200, 210)).astype(kind), rng.integers(-3, 4, (31, 29)).astype(float)
    np.testing.assert_array_equal(ours.correlate(image, weights, out), theirs.correlate(image, weights, out))
    weights = np.abs(weights) / 1024
    np.testing.assert_array_equal(ours.correlate(image, weights, out), theirs.correlate(image, weights, out))
