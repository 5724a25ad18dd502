"""test_filter.py: filters as values: beside NumPy's and SciPy's sums and convolutions of their weights, and by what they do to images."""

import copy
import pickle
import struct
import zlib
from binascii import a2b_base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import halation
from halation import Filter, _named

signal = pytest.importorskip("scipy.signal")
RNG = np.random.default_rng(1)
NAMES = [name for name in _named.FILTERS if name != "edges"]


@st.composite
def filters(draw, ndim=None):
    """Dense and separable filters of whole weights, of which no sum rounds, with any anchor."""
    shape = draw(st.lists(st.integers(1, 4), min_size=ndim or 1, max_size=ndim or 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    anchor = draw(st.one_of(st.none(), st.tuples(*(st.integers(0, n - 1) for n in shape))))
    if draw(st.booleans()):
        made = Filter.separable(*(rng.integers(-3, 4, n) for n in shape), anchor=anchor)
    else:
        made = Filter(rng.integers(-3, 4, shape), anchor=anchor)
    return made.as_correlation() if draw(st.booleans()) else made


def dense(filter_, ndim):
    """Weights as those of a correlation around the middle of a cube of 15 taps, which tells where each stands."""
    cube = np.zeros((15,) * ndim)
    begin = [7 - at for at in filter_.anchor]
    cube[tuple(slice(b, b + n) for b, n in zip(begin, filter_.shape))] = filter_.weights
    return cube


@given(filters())
def test_what_it_is(one):
    weights = one.weights
    assert one.shape == weights.shape and one.ndim == weights.ndim == len(one.anchor)
    assert one.sum == weights.sum()
    with pytest.raises(ValueError, match="read-only"):
        weights[...] = 1
    if one.factors is not None:
        product = np.ones(())
        for row in one.factors:
            product = np.multiply.outer(product, row)
        np.testing.assert_array_equal(weights, product)
    if one.ndim <= 2:
        assert one.rank == np.linalg.matrix_rank(np.atleast_2d(weights))
    assert one.separable == (one.rank <= 1)
    for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), Filter(weights, anchor=one.anchor)):
        if one.is_correlation:
            other = other.as_correlation()
        assert other == one and hash(other) == hash(one) and other.is_correlation == one.is_correlation
    assert one != one.with_anchor(0) or one.anchor == (0,) * one.ndim
    assert one != weights and one != "filter"


@given(st.data(), st.integers(1, 3))
def test_sums(data, ndim):
    one, other = data.draw(filters(ndim)), data.draw(filters(ndim))
    if one.is_correlation != other.is_correlation:
        other = other.as_correlation()
        one = one.as_correlation()
    for got, expected in ((one + other, dense(one, ndim) + dense(other, ndim)), (one - other, dense(one, ndim) - dense(other, ndim)),
                          (2 * one, 2 * dense(one, ndim)), (one / 4, dense(one, ndim) / 4), (-one, -dense(one, ndim)),
                          (np.float32(3) * one, 3 * dense(one, ndim)), (one * 3, 3 * dense(one, ndim))):  # fmt: skip
        np.testing.assert_array_equal(dense(got, ndim), expected)
        assert got.is_correlation == one.is_correlation
    assert one + other == other + one
    assert +one is one


@given(st.data(), st.integers(1, 3))
def test_compositions(data, ndim):
    one, other = data.draw(filters(ndim)), data.draw(filters(ndim))
    if one.is_correlation != other.is_correlation:
        one, other = one.as_correlation(), other.as_correlation()
    both = one @ other
    assert both == other.then(one) == one.then(other)
    np.testing.assert_array_equal(both.weights, np.rint(signal.convolve(one.weights, other.weights, method="direct")))
    assert both.anchor == tuple(np.add(one.anchor, other.anchor))
    assert (both.factors is None) == (one.factors is None or other.factors is None)
    for filtered in (halation.convolve, halation.correlate):
        image = np.random.default_rng(3).integers(-9, 9, (16,) * ndim).astype(float)
        twice = filtered(filtered(image, one, border="wrap"), other, border="wrap")
        np.testing.assert_allclose(filtered(image, both, border="wrap"), twice, atol=1e-10)  # by transforms, too


def test_symmetric_filters_go_with_named_ones():
    image = RNG.random((20, 30))
    soft, plain = Filter.gaussian(1), Filter(np.ones((3, 3)) / 9)
    for made in (soft + plain, plain + soft):
        assert made.is_correlation
        np.testing.assert_allclose(halation.convolve(image, made), halation.gaussian(image, 1) + halation.box(image))
    slope = Filter([[1.0, 0, -1]])
    for operation in (halation.convolve, halation.correlate):
        np.testing.assert_allclose(operation(image, slope @ soft, border="wrap"),
                                   operation(operation(image, soft, border="wrap"), slope, border="wrap"), atol=1e-12)  # fmt: skip
    with pytest.raises(ValueError, match="sobel is always a correlation and the other one is not, .* make it one by as_correlation"):
        Filter.sobel() + slope
    along = Filter.sobel() + slope.as_correlation()
    np.testing.assert_allclose(halation.convolve(image, along), halation.sobel(image) + halation.correlate(image, slope), atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_named(name):
    image = RNG.random((20, 30))
    made = getattr(Filter, name)()
    assert made.name == name and made.ndim == 2 and made.is_correlation and getattr(Filter, name).__doc__
    for filtered in (halation.convolve, halation.correlate):
        np.testing.assert_allclose(filtered(image, made), getattr(halation, name)(image), atol=1e-12)
    assert repr(made).startswith(f"<halation.Filter {name} ")
    plan = halation.plan(image.shape, image.dtype, made)
    np.testing.assert_array_equal(plan.run(image), halation.convolve(image, made))
    for dims in _named.FILTERS[name]["dims"]:
        assert getattr(Filter, name)(dims=dims).ndim == dims


def test_named_take_their_parameters():
    assert Filter.gaussian(sigma=(1, 2, 3)).ndim == 3 and Filter.gaussian(sigma=(1, 2, 3)).shape == (9, 17, 25)
    assert Filter.gaussian(2, dims=1) == Filter.gaussian(2.0, dims=1).with_anchor(8)
    np.testing.assert_array_equal(Filter.sobel("y").weights, [[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
    assert Filter.box(size=(3, 5)) == Filter.separable([1 / 3] * 3, [1 / 5] * 5).as_correlation()
    assert not hasattr(Filter, "edges")  # the magnitude of two


def test_long_filters_are_not_multiplied_out():
    long = np.arange(1.0, 100_001)
    one, other = (Filter.separable(long, long[:n]) for n in (100_000, 99_999))
    assert one.sum == long.sum() ** 2 and one.rank == 1 and one.separable and one != other
    assert one == Filter.separable(long.copy(), long.copy()) and hash(one) == hash(Filter.separable(long.copy(), long.copy()))
    assert one != Filter.separable(long, long + 1)
    assert repr(one) == "<halation.Filter 100000x100000, separable, sum 2.50005e+19>"
    assert len(one._repr_html_()) < 100_000
    with pytest.raises(ValueError, match="100000x100000 weights are too many to be multiplied out; `factors` has them as rows"):
        one.weights  # noqa: B018
    with pytest.raises(ValueError, match="the sum has 100000x100000 weights, more than"):
        one + one
    assert (2 * one).factors[0][5] == 12
    image = np.zeros((3, 4))
    image[1, 1] = 1
    got = halation.convolve(image, one.with_anchor(0), border="constant")
    np.testing.assert_array_equal(got, halation.convolve(image, np.outer(long[:3], long[:4]), anchor=0, border="constant"))


def test_equal_weights_are_equal_filters_whatever_made_them():
    one, other = Filter.separable([1, 2], [2, 4]), Filter.separable([2, 4], [1, 2])
    assert one == other == Filter([[2, 4], [4, 8]]) and len({one, other, Filter([[2, 4], [4, 8]])}) == 1
    assert Filter([0.0, 1]) == Filter([-0.0, 1]) and hash(Filter([0.0, 1])) == hash(Filter([-0.0, 1]))
    assert Filter([1, 2]) != Filter([[1, 2]]) and Filter([1, 2]) != Filter([1, 2]).as_correlation()


def test_weights_are_copied():
    weights = np.ones((3, 3))
    made = Filter(weights)
    weights[0] = 5
    assert made.sum == 9 and weights.flags.writeable


@pytest.mark.parametrize("filter_, words", [
    (Filter(np.ones((3, 3))), "3x3, rank 1, sum 9"),
    (Filter([1, 2, 1]), "3, sum 4"),
    (Filter([1, 2, 1], anchor=0), "3, sum 4, anchor (0,)"),
    (Filter.gaussian(1, dims=3), "gaussian 9x9x9, separable, sum 1"),
    (Filter.laplacian(), "laplacian 3x3, rank 2, sum 0"),
    (Filter.gaussian(1) - Filter.gaussian(2), "17x17, rank 2, sum 0"),
])  # fmt: skip
def test_reprs(filter_, words):
    assert repr(filter_) == f"<halation.Filter {words}>"


def picture_of(page):
    """The pixels of a PNG within a page, by its format's own words."""
    data = a2b_base64(page.split("data:image/png;base64,")[1].split('"')[0])
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body)
        chunks[kind], at = body, at + 12 + size
    width, height, depth, colour, *_ = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, colour) == (8, 2)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


def test_pictures():
    page = Filter([[1, 0, -2], [0.5, 2, 0]])._repr_html_()
    white, red, blue = [255, 255, 255], [255, 0, 0], [0, 0, 255]
    np.testing.assert_array_equal(picture_of(page), [[[255, 128, 128], white, blue], [[255, 191, 191], red, white]])
    assert "halation.Filter 2x3, rank 2, sum 1.5" in page and "http" not in page
    assert picture_of(Filter(np.zeros((3, 3)))._repr_html_()).min() == 255
    for shape in ((1,), (5,), (400,), (1, 1), (3, 500), (2, 3, 4), (1, 2, 3, 4)):
        assert max(picture_of(Filter(RNG.random(shape))._repr_html_()).shape) <= 128
        separable = Filter.separable(*(RNG.random(n) for n in shape))
        np.testing.assert_array_equal(picture_of(separable._repr_html_()), picture_of(Filter(separable.weights)._repr_html_()))


@pytest.mark.parametrize("call, error, words", [
    (lambda: Filter(3), ValueError, "weights must have at least one axis, got the number 3"),
    (lambda: Filter([]), ValueError, "weights are empty"),
    (lambda: Filter(["a"]), TypeError, "weights must be numbers"),
    (lambda: Filter([1j]), TypeError, "a filter has real weights"),
    (lambda: Filter([1, np.nan]), ValueError, "weights must be finite, got nan"),
    (lambda: Filter([[1, 2], [3]]), ValueError, None),
    (lambda: Filter([1, 2], anchor=2), ValueError, r"anchor \(2,\) must lie in the filter of 2 taps"),
    (lambda: Filter([1, 2], anchor=(0, 0)), ValueError, "anchor must be one number or 1, one for each axis, got 2"),
    (lambda: Filter([1, 2], anchor=0.5), TypeError, "anchor must be a whole number for each axis, got 0.5"),
    (lambda: Filter([1, 2]).with_anchor(-1), ValueError, "must lie in"),
    (lambda: Filter(Filter([1])), TypeError, "this is a Filter, which needs no other"),
    (lambda: Filter.separable(), ValueError, "a separable filter needs a row of weights for each axis"),
    (lambda: Filter.separable([[1, 2]], [1]), ValueError, r"must be one row of weights, got shape \(1, 2\)"),
    (lambda: Filter([1, 2]) + Filter([[1]]), ValueError, r"\+ takes filters of as many axes, got 1 and 2"),
    (lambda: Filter([1, 2]).then([1, 2]), TypeError, "then takes a Filter, got list"),
    (lambda: Filter([1, 2]) + 1, TypeError, "unsupported operand"),
    (lambda: Filter([1, 2]) * Filter([1, 2]), TypeError, "unsupported operand"),
    (lambda: Filter([1, 2]) * np.ones(2), TypeError, None),
    (lambda: Filter([1, 2]) / 0, ZeroDivisionError, "a number other than 0"),
    (lambda: Filter([1e308]) * 1e308, ValueError, "weights must be finite, got inf"),
    (lambda: Filter.gaussian(-1), ValueError, "gaussian: sigma must be >= 0, got -1"),
    (lambda: Filter.gaussian(dims=4), ValueError, "gaussian: dims must be 1 or 2 or 3, got 4"),
    (lambda: Filter.gaussian((1, 2), dims=3), ValueError, "gaussian: sigma"),
    (lambda: Filter.gaussian(dims="2"), TypeError, "gaussian: dims must be 1, 2 or 3, got '2'"),
    (lambda: setattr(Filter([1]), "anchor", (0,)), AttributeError, None),
])  # fmt: skip
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()
