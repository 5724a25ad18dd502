"""test_cv_arrays.py: what halation.cv does around filters, beside OpenCV: borders, weights, gradients, magnitudes; names that it lacks."""

import sys

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st

import halation.cv as ours

theirs = pytest.importorskip("cv2")

same_examples = settings(derandomize=True, deadline=None, database=None, max_examples=200)
DTYPES = ["u1", "i1", "u2", "i2", "i4", "f4", "f8", "f2"]
sides = st.integers(0, 12)


@st.composite
def images(draw, dtypes):
    """An image of 1 to 9 pixels a side, at times transposed or a part of a larger one."""
    shape = draw(st.integers(1, 9)), draw(st.integers(1, 9)), *draw(st.sampled_from([(), (), (1,), (2,), (3,), (4,), (6,), (9,)]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    image = rng.integers(0, 100, [2 * n for n in shape]).astype(draw(st.sampled_from(dtypes)))
    part = image[tuple(slice(1, 1 + n) for n in shape)]
    return draw(st.sampled_from([part, np.ascontiguousarray(part), part.swapaxes(0, 1), part[::-1, ::-1]]))


@same_examples
@given(images(DTYPES), sides, sides, sides, sides, st.sampled_from([0, 1, 2, 3, 4, 16, 17, 20]),
       st.sampled_from([0, 7, (300.5, -7.5, 2.5, 9), [1, 2, 3], (float("nan"), 1e9), (3, 3, 3, 3)]))
def test_copyMakeBorder(image, top, bottom, left, right, border, value):
    if image.ndim == 3 and image.shape[2] > 4:
        value = (5, 5, 5, 5)
    elif image.dtype.itemsize > 2 and image.dtype.kind == "i" and value != value:
        value = 7
    expected = theirs.copyMakeBorder(image.copy(), top, bottom, left, right, border, value=value)
    got = ours.copyMakeBorder(image, top, bottom, left, right, border, value=value)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)
    dst = np.zeros((*expected.shape[:2], *expected.shape[2:], 2), expected.dtype)[..., 0]
    assert ours.copyMakeBorder(image, top, bottom, left, right, border, dst, value) is dst
    np.testing.assert_array_equal(dst, expected)


def test_copyMakeBorder_in_place():
    """An image in the middle of `dst`."""
    whole = np.random.default_rng(1).integers(0, 255, (9, 12, 3), np.uint8)
    expected = theirs.copyMakeBorder(whole[2:-3, 1:-4].copy(), 2, 3, 1, 4, theirs.BORDER_REFLECT)
    assert ours.copyMakeBorder(whole[2:-3, 1:-4], 2, 3, 1, 4, ours.BORDER_REFLECT, whole) is whole
    np.testing.assert_array_equal(whole, expected)


@pytest.mark.parametrize("ksize", [-1, 0, 1, 3, 5, 7, 31])
@pytest.mark.parametrize("orders", [(1, 0), (0, 1), (1, 1), (2, 0), (0, 3), (2, 2)], ids=str)
@pytest.mark.parametrize("normalize", [False, True])
def test_getDerivKernels(ksize, orders, normalize):
    made = []
    for module in (theirs, ours):
        for ktype in ("CV_32F", "CV_64F"):
            try:
                made.append(module.getDerivKernels(*orders, ksize, normalize=normalize, ktype=getattr(module, ktype)))
            except module.error:
                made.append(None)
    for expected, got in zip(made[:2], made[2:]):
        assert (expected is None) == (got is None)
        for there, here in zip(expected or (), got or (), strict=True):
            assert there.dtype == here.dtype
            np.testing.assert_array_equal(here, there)


def test_getDerivKernels_into():
    kx, ky = np.zeros((3, 1), np.float32), np.zeros((5, 1), np.float32)
    got = ours.getDerivKernels(0, 1, 3, kx, ky)
    assert got[0] is kx and kx.ravel().tolist() == [1, 2, 1]
    assert got[1] is not ky and got[1].ravel().tolist() == [-1, 0, 1] and not ky.any()


@pytest.mark.parametrize("ksize", [1, 3, 5, 9, 11, 31])
@pytest.mark.parametrize("sigma", [-1, 0, 0.5, 3])
def test_getGaussianKernel(ksize, sigma):
    np.testing.assert_allclose(ours.getGaussianKernel(ksize, sigma), theirs.getGaussianKernel(ksize, sigma), rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (5, 1), (17, 40), (90, 131)], ids=str)
@pytest.mark.parametrize("border", ["BORDER_REFLECT_101", "BORDER_REPLICATE"])
def test_spatialGradient(shape, border):
    image = np.random.default_rng(3).integers(0, 256, shape, np.uint8)
    if 1 in shape and shape != (1, 6) and border == "BORDER_REFLECT_101":
        shape = None  # OpenCV's own code for one column reads the wrong pixels
    got = ours.spatialGradient(image, borderType=getattr(ours, border))
    expected = [theirs.Sobel(image, theirs.CV_16S, *order, borderType=getattr(theirs, border)) for order in ((1, 0), (0, 1))]
    if shape is not None:
        np.testing.assert_array_equal(theirs.spatialGradient(image, borderType=getattr(theirs, border)), expected)
    for here, there in zip(got, expected, strict=True):
        assert here.dtype == np.int16
        np.testing.assert_array_equal(here, there)
    dx, dy = np.zeros(image.shape, np.int16), np.zeros(image.shape, np.int16)
    into = ours.spatialGradient(image, dx, dy, 3, getattr(ours, border))
    assert into[0] is dx and into[1] is dy
    np.testing.assert_array_equal(into, got)


@same_examples
@given(images(["f4", "f8"]), images(["f4", "f8"]), st.sampled_from(["new", "x", "y", "other"]))
def test_magnitude(x, y, where):
    y = np.resize(y, x.shape).astype(x.dtype) - 50
    expected = theirs.magnitude(x.copy(), y.copy())
    out = {"new": None, "x": x, "y": y, "other": np.empty(x.shape, x.dtype)}[where]
    got = ours.magnitude(x, y, out)
    assert got.dtype == expected.dtype and got.shape == expected.shape
    if out is not None and out.shape == expected.shape:
        assert got is out
    np.testing.assert_allclose(got, expected, rtol=4 * np.finfo(x.dtype).eps)


def test_magnitude_of_large_and_overlapping():
    x, y = np.random.default_rng(4).normal(size=(2, 300, 401)).astype(np.float32)
    np.testing.assert_allclose(ours.magnitude(x, y), np.hypot(x, y), rtol=1e-6)
    np.testing.assert_allclose(ours.magnitude(x.T, y.T), np.hypot(x, y).T, rtol=1e-6)
    row = np.arange(20000, dtype=np.float64)
    expected = np.hypot(row[:-1], 3.0)
    got = ours.magnitude(row[:-1], np.full(19999, 3.0), row[1:])
    np.testing.assert_allclose(got, expected, rtol=1e-15)
    special = np.array([np.inf, np.nan, -np.inf, 1e30, 0], np.float32)
    np.testing.assert_array_equal(ours.magnitude(special, np.zeros(5, np.float32)), theirs.magnitude(special, np.zeros(5, np.float32)))
    assert ours.magnitude(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 3)


IMAGE = np.zeros((4, 5), np.uint8)


@pytest.mark.parametrize("call, words", [
    (lambda: ours.copyMakeBorder(IMAGE, 1, 2, -3, 4, 0), r"top, bottom, left and right must be at least 0, got \(1, 2, -3, 4\)"),
    (lambda: ours.copyMakeBorder(IMAGE, 1, 1, 1, 1, 5), "borderType must be BORDER_CONSTANT, REPLICATE, .* got 5"),
    (lambda: ours.copyMakeBorder(IMAGE, 1, 1, 1, 1, 0, None, (1, 2, 3, 4, 5)), "value must be a number or up to four, got"),
    (lambda: ours.copyMakeBorder(IMAGE, 1, 1, 1, 1, 0, None, np.ones(2) > 0), "value must be a number or up to four, got"),
    (lambda: ours.copyMakeBorder(np.zeros((2, 2, 5)), 1, 1, 1, 1, 0, value=3), "5 channels takes four equal numbers as value, got 3"),
    (lambda: ours.copyMakeBorder(IMAGE, 1.5, 1, 1, 1, 0), "float"),
    (lambda: ours.copyMakeBorder(IMAGE[:0], 1, 1, 1, 1, 0), "src is empty"),
    (lambda: ours.spatialGradient(IMAGE.astype(np.uint16)), "src must be of uint8, got uint16; Sobel takes all types"),
    (lambda: ours.spatialGradient(IMAGE, ksize=5), "ksize must be 3, got 5; Sobel takes other sizes"),
    (lambda: ours.magnitude(IMAGE, IMAGE), "both be of float32 or both of float64, got uint8 and uint8"),
    (lambda: ours.magnitude(np.zeros(3), np.zeros(3, np.float32)), "got float64 and float32"),
    (lambda: ours.magnitude(np.zeros(3), np.zeros(4)), r"one shape, got \(3,\) and \(4,\)"),
    (lambda: ours.getDerivKernels(0, 0, 3), "dx and dy must be at least 0 and one of them above, got 0 and 0"),
    (lambda: ours.getDerivKernels(1, 0, 4), "ksize must be odd, from 1 to 31, or FILTER_SCHARR, got 4"),
    (lambda: ours.getDerivKernels(1, 0, 3, ktype=ours.CV_8U), "ktype must be CV_32F or CV_64F, got 0"),
    (lambda: ours.Laplacian(IMAGE, -1, "3"), "dst must be an array, got str"),
])
def test_errors(call, words):
    with pytest.raises(ours.error, match=words):
        call()


def test_missing_names(monkeypatch):
    def said(name):
        with pytest.raises(AttributeError) as raised:
            getattr(ours, name)
        assert raised.value.name == name and raised.value.obj is ours
        return str(raised.value)

    assert said("medianBlur") == "halation.cv has no medianBlur (a non-linear filter); OpenCV's is cv2.medianBlur"
    assert said("imshow") == "halation.cv has no imshow; OpenCV's is cv2.imshow"
    assert said("gausianBlur") == "halation.cv has no gausianBlur; nor has OpenCV"
    assert said("_private") == "module 'halation.cv' has no attribute '_private'"
    assert not hasattr(ours, "medianBlur")
    monkeypatch.setitem(sys.modules, "cv2", None)  # as where it is not installed
    assert said("imshow") == "halation.cv has no imshow; if OpenCV has it, it is cv2.imshow"
    monkeypatch.setitem(sys.modules, "cv2", ours)
    assert said("imshow") == "halation.cv has no imshow; if OpenCV has it, it is cv2.imshow"
