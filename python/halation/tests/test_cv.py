"""test_cv.py: every function of halation.cv beside OpenCV's, over types, channels, borders, anchors, deltas and sizes."""
import warnings

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st

import halation.cv as ours

theirs = pytest.importorskip("cv2")

same_examples = settings(derandomize=True, deadline=None, database=None, max_examples=150)
BORDERS = ["BORDER_CONSTANT", "BORDER_REPLICATE", "BORDER_REFLECT", "BORDER_REFLECT_101"]
PAIRS = [("u1", -1), ("u1", "CV_16S"), ("u1", "CV_32F"), ("u2", -1), ("u2", "CV_32F"), ("i2", -1), ("i2", "CV_64F"), ("f4", -1),
         ("f8", -1)]  # what OpenCV's filter2D takes
borders = st.sampled_from(BORDERS)
deltas = st.sampled_from([0, 0, 3, -7.25, 0.5])


@st.composite
def images(draw, dtypes=("u1", "u2", "i2", "f4", "f8")):
    """An image of 1 to 5 channels or none, at times a part of a larger one."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    height, width = draw(st.integers(1, 24)), draw(st.integers(1, 24))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    channels = draw(st.sampled_from([(), (), (2,), (3,), (4,), (5,)]))
    if dtype.kind == "f":
        return (rng.random((height, width, *channels)) * 200 - 50).astype(dtype)
    whole = dtype.itemsize < 4 and draw(st.booleans())  # OpenCV wraps sums of int32
    low, high = (np.iinfo(dtype).min, np.iinfo(dtype).max) if whole else (0, 255)
    image = rng.integers(low, high, (height + 2, width + 3, *channels), dtype, endpoint=True)
    return image[1:-1, 2:-1] if draw(st.booleans()) else np.ascontiguousarray(image[:height, :width])


def depth(module, name):
    return name if name == -1 else getattr(module, name)


def both(name, image, *args, border="BORDER_REFLECT_101", **keywords):
    """The results of both libraries. Arguments that are names of constants are each library's own."""
    made = []
    for module in (ours, theirs):
        given = [getattr(module, value) if isinstance(value, str) else value for value in args]
        made.append(getattr(module, name)(image, *given, borderType=getattr(module, border), **keywords))
    assert made[0].shape == made[1].shape and made[0].dtype == made[1].dtype
    return made


def check(made, largest, levels=1):
    """Integers within `levels`, floats within what sums in float32 round: `largest` is the largest sum."""
    got, expected = made
    if got.dtype.kind in "iu":
        apart = np.abs(got.astype(np.int64) - expected.astype(np.int64))
        allowed = levels if levels > 1 else 1 + int(largest * 2.0**-20)
        assert apart.max(initial=0) <= allowed, (apart.max(), allowed)
        return apart
    unit = 2.0**-19 if got.dtype == np.float32 else 2.0**-20  # OpenCV's own sums of float64 take float32 weights at times
    assert np.abs(got.astype(np.float64) - expected.astype(np.float64)).max(initial=0) <= unit * max(largest, 1.0)
    return None


def largest_of(image, weights, delta=0, scale=1):
    return (float(np.abs(image.astype(np.float64)).max()) * float(np.abs(weights).sum())) * abs(scale) + abs(delta)


@same_examples
@given(st.data(), st.sampled_from(PAIRS), borders, deltas, st.booleans())
def test_filter2D(data, pair, border, delta, whole):
    image = data.draw(images((pair[0],)))
    shape = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    kernel = rng.integers(-3, 4, shape).astype(np.float32) if whole else (rng.random(shape) - 0.3).astype(np.float32)
    anchor = data.draw(st.integers(-1, shape[1] - 1)), data.draw(st.integers(-1, shape[0] - 1))
    made = both("filter2D", image, pair[1], kernel, border=border, anchor=anchor, delta=delta)
    apart = check(made, largest_of(image, kernel, delta))
    if apart is not None and whole and float(delta).is_integer() and image.dtype == np.uint8:
        assert apart.max() == 0  # sums of whole numbers are exact


@same_examples
@given(st.data(), images(), borders, deltas, st.sampled_from([-1, "CV_16S", "CV_64F"]))
def test_sepFilter2D(data, image, border, delta, ddepth):
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x, y = (rng.random(data.draw(st.integers(1, 7))).astype(np.float32) for _ in range(2))
    anchor = data.draw(st.integers(-1, len(x) - 1)), data.draw(st.integers(-1, len(y) - 1))
    made = both("sepFilter2D", image, ddepth, x.reshape(-1, 1), y, border=border, anchor=anchor, delta=delta)
    check(made, largest_of(image, np.outer(x, y), delta))


@same_examples
@given(st.data(), images(), borders)
def test_GaussianBlur(data, image, border):
    size = data.draw(st.sampled_from([(3, 3), (5, 3), (1, 7), (9, 9), (11, 5), (0, 0), (0, 3), (13, 1)]))
    sigma = data.draw(st.sampled_from([0.5, 0.8, 1.5, 2.4] if 0 in size else [0, 0.7, 1.0, 2.0]))
    sigmas = sigma, data.draw(st.sampled_from([0, 1.3]))
    made = both("GaussianBlur", image, size, sigmas[0], sigmaY=sigmas[1], border=border)
    apart = check(made, largest_of(image, np.ones(1)))
    if apart is not None and image.dtype.kind == "u":
        assert apart.max() <= 1


@same_examples
@given(st.data(), images(("u1", "u2", "i2", "i4", "f4", "f8")), borders, st.booleans(),
       st.sampled_from([-1, "CV_32F", "CV_64F"]))
def test_boxes(data, image, border, normalize, ddepth):
    size = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 8))
    anchor = data.draw(st.integers(-1, size[0] - 1)), data.draw(st.integers(-1, size[1] - 1))
    area = 1 if normalize else size[0] * size[1]
    made = both("boxFilter", image, ddepth, size, border=border, anchor=anchor, normalize=normalize)
    check(made, largest_of(image, np.ones(area)))
    check(both("blur", image, size, border=border, anchor=anchor), largest_of(image, np.ones(1)))


@settings(same_examples, max_examples=40)
@given(images(("u1", "f4")))
def test_wrap(image):
    """OpenCV has BORDER_WRAP for few filters: beside its results for an image with as much around it."""
    around = np.pad(image, [(8, 8), (8, 8)] + [(0, 0)] * (image.ndim - 2), mode="wrap")
    kernel = np.random.default_rng(1).integers(-2, 3, (4, 3)).astype(np.float32)
    for name, *args in (("filter2D", -1, kernel), ("GaussianBlur", (5, 7), 1.5), ("blur", (5, 3)), ("Sobel", "CV_32F", 1, 1)):
        args = [getattr(ours, value) if isinstance(value, str) else value for value in args]
        got = getattr(ours, name)(image, *args, borderType=ours.BORDER_WRAP)
        check((got, getattr(theirs, name)(around, *args)[8:-8, 8:-8]), largest_of(image, np.array(36)))


@same_examples
@given(st.data(), images(("u1", "u2", "i2", "f4", "f8")), borders, st.sampled_from([1, 0.25, -2]), deltas)
def test_derivatives(data, image, border, scale, delta):
    ddepth = "CV_64F" if image.dtype == np.float64 else "CV_32F"
    if image.dtype == np.uint8 and data.draw(st.booleans()):
        ddepth = "CV_16S"
    ksize = data.draw(st.sampled_from([-1, 1, 3, 5, 7, 9]))
    order = (1, 0) if ksize == -1 else data.draw(st.sampled_from([(1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1)]))
    weights = {-1: 32, 1: 16, 3: 64}.get(ksize, 4.0**ksize)
    made = both("Sobel", image, ddepth, *order, border=border, ksize=ksize, scale=scale, delta=delta)
    check(made, largest_of(image, np.array(weights), delta, scale))
    made = both("Scharr", image, ddepth, 0, 1, border=border, scale=scale, delta=delta)
    check(made, largest_of(image, np.array(32), delta, scale))


@same_examples
@given(st.data(), images(("u1", "u2", "i2", "f4", "f8")), borders, st.sampled_from([1, 0.25]), deltas)
def test_Laplacian(data, image, border, scale, delta):
    ddepth = data.draw(st.sampled_from(["CV_16S", "CV_32F"])) if image.dtype == np.uint8 else -1
    ksize = data.draw(st.sampled_from([1, 3, 5, 7, 9, 13]))
    made = both("Laplacian", image, ddepth, border=border, ksize=ksize, scale=scale, delta=delta)
    check(made, largest_of(image, np.array(4.0 ** max(ksize, 2)), delta, scale))


@pytest.mark.parametrize("size", range(1, 16, 2))  # of even sizes OpenCV takes the two middle weights from elsewhere
@pytest.mark.parametrize("sigma", [0, -1, 0.4, 1.0, 3.7])
def test_getGaussianKernel(size, sigma):
    for kind in ("CV_32F", "CV_64F"):
        got, expected = (module.getGaussianKernel(size, sigma, getattr(module, kind)) for module in (ours, theirs))
        assert got.dtype == expected.dtype and got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=1e-6 if kind == "CV_32F" else 1e-13)


def test_constants():
    for name in dir(ours):
        if name.startswith("CV_") and (name == "CV_MAKETYPE" or "C" in name[3:]):
            continue  # types with channels: test_cv_words.py
        if name.startswith(("BORDER_", "CV_", "FILTER_", "ALGO_")):
            assert getattr(ours, name) == getattr(theirs, name, getattr(ours, name)), name
    assert sum(name.startswith(("BORDER_", "CV_")) for name in dir(ours)) == 17 + 8 * 5 + 1


def test_dst():
    image = np.random.default_rng(1).integers(0, 256, (9, 8, 3), np.uint8)
    expected = theirs.blur(image, (3, 3))
    dst = np.zeros_like(image)
    assert ours.blur(image, (3, 3), dst) is dst
    assert np.abs(dst.astype(int) - expected).max() <= 1
    other = np.zeros((9, 8, 3), np.float32)
    assert ours.blur(image, (3, 3), other).dtype == np.uint8 and not other.any()  # as OpenCV, which makes a new array then
    same = image.copy()
    assert ours.blur(same, (3, 3), dst=same) is same
    np.testing.assert_array_equal(same, dst)
    dst.flags.writeable = False
    with pytest.raises(ours.error, match="read-only"):
        ours.blur(image, (3, 3), dst)


def test_shapes():
    image = np.random.default_rng(1).random((7, 5, 1), np.float32)
    assert ours.blur(image, (3, 3)).shape == theirs.blur(image, (3, 3)).shape == (7, 5)
    with pytest.raises(ValueError, match="got 4 axes"):
        ours.blur(image[None], (3, 3))


def test_what_opencv_has_not():
    half = np.random.default_rng(1).random((7, 5)).astype(np.float16)
    np.testing.assert_allclose(ours.blur(half, (3, 3)), theirs.blur(half.astype(np.float32), (3, 3)), rtol=1e-3)
    whole = np.arange(-40, 40, dtype=np.int8).reshape(8, 10)
    np.testing.assert_array_equal(ours.Sobel(whole, ours.CV_32S, 1, 0), theirs.Sobel(whole.astype(np.int16), theirs.CV_16S, 1, 0))
    around = ours.filter2D(half, ours.CV_32F, [[1, 0, 0]], borderType=ours.BORDER_WRAP | ours.BORDER_ISOLATED)
    np.testing.assert_array_equal(around, np.roll(half, 1, axis=1))


image = np.zeros((8, 8), np.uint8)


@pytest.mark.parametrize("call, words", [
    (lambda cv: cv.filter2D(image, -1, np.ones((3, 3)), anchor=(3, 0)), "anchor"),
    (lambda cv: cv.filter2D(image, -1, np.ones((3, 3, 2))), "two axes"),
    (lambda cv: cv.filter2D(image, -1, np.zeros((0, 3))), "empty"),
    (lambda cv: cv.filter2D(image, 20, np.ones((3, 3))), "ddepth"),
    (lambda cv: cv.filter2D(image.astype(complex), -1, np.ones((3, 3))), "real numbers"),
    (lambda cv: cv.sepFilter2D(image, -1, np.ones((2, 2)), np.ones(3)), "kernelX must be one row"),
    (lambda cv: cv.GaussianBlur(image, (4, 3), 1), "ksize must be odd"),
    (lambda cv: cv.GaussianBlur(image, (0, 0), 0), "ksize must be odd"),
    (lambda cv: cv.blur(image, 3), "two whole numbers"),
    (lambda cv: cv.blur(image, (0, 3)), "at least 1 x 1"),
    (lambda cv: cv.blur(np.zeros((0, 3), np.uint8), (3, 3)), "empty"),
    (lambda cv: cv.blur(image, (3, 3), borderType=5), "borderType"),
    (lambda cv: cv.Sobel(image, -1, 0, 0), "dx and dy"),
    (lambda cv: cv.Sobel(image, -1, 1, 0, ksize=4), "ksize must be odd"),
    (lambda cv: cv.Sobel(image, -1, 3, 0), "larger than the order"),
    (lambda cv: cv.Scharr(image, -1, 1, 1), "Scharr takes"),
    (lambda cv: cv.Laplacian(image, -1, ksize=2), "ksize must be odd"),
    (lambda cv: cv.getGaussianKernel(0, 1), "at least 1"),
])
def test_errors(call, words):
    with pytest.raises(ours.error, match=words):
        call(ours)


@pytest.mark.parametrize("sigma", [1e-160, 5e-324, 1e-20])
def test_a_tiny_sigma_is_the_identity(sigma):
    whole = np.random.default_rng(5).integers(0, 256, (7, 9), np.uint8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for picture in (whole, whole.astype(np.uint16), whole.astype(np.float32), whole.astype(np.float64)):
            np.testing.assert_array_equal(ours.GaussianBlur(picture, (5, 5), sigma), picture)
            np.testing.assert_array_equal(ours.GaussianBlur(picture, (3, 7), sigma, sigmaY=sigma), picture)
        assert ours.getGaussianKernel(5, sigma).ravel().tolist() == [0, 0, 1, 0, 0]
        assert ours.getGaussianKernel(4, sigma).ravel().tolist() == [0, 0.5, 0.5, 0]
