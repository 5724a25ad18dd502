"""test_cv_pyramids.py: pyrDown and pyrUp beside OpenCV's, integers bit for bit, and beside plain sums where OpenCV's are not to be had."""

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st

import halation.cv as ours
from halation import _cv_pyramids

theirs = pytest.importorskip("cv2")

same_examples = settings(derandomize=True, deadline=None, database=None, max_examples=300)
TAPS = np.array([1, 4, 6, 4, 1])
INDEX = {1: "edge", 2: "symmetric", 3: "wrap", 4: "reflect"}  # NumPy's names of borders


@st.composite
def images(draw, dtypes=("u1", "u2", "i2", "f4", "f8"), most=40):
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    shape = draw(st.integers(1, most)), draw(st.integers(1, most)), *draw(st.sampled_from([(), (), (2,), (3,), (4,), (11,)]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    full = [2 * n for n in shape]
    ends = (-50, 150) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max + 1)
    image = rng.uniform(*ends, full).astype(dtype) if dtype.kind == "f" else rng.integers(*ends, full, dtype)
    part = image[tuple(slice(1, 1 + n) for n in shape)]
    return draw(st.sampled_from([np.ascontiguousarray(part), part, part[::-1], part.swapaxes(0, 1)]))


@pytest.fixture(params=[1 << 19, 1 << 8], ids=["one band", "bands"])
def band(request, monkeypatch):
    monkeypatch.setattr(_cv_pyramids, "_BAND", request.param)


def plain(image, size, border):
    """Halved by sums of whole numbers, or in f64."""
    width, height = size
    sums = image.astype(np.int64 if image.dtype.kind in "iu" else np.float64)
    for axis, n in ((0, height), (1, width)):
        widths = [(6, 6) if a == axis else (0, 0) for a in range(image.ndim)]
        sums = np.moveaxis(np.pad(sums, widths, mode=INDEX[border]), axis, 0)
        sums = np.moveaxis(sum(tap * sums[4 + k : 4 + k + 2 * n - 1 : 2] for k, tap in enumerate(TAPS)), 0, axis)
    return ((sums + 128) >> 8 if image.dtype.kind in "iu" else sums / 256).astype(image.dtype)


def assert_same(got, expected):
    assert got.shape == expected.shape and got.dtype == expected.dtype
    if got.dtype.kind in "iu":
        np.testing.assert_array_equal(got, expected)
    else:
        np.testing.assert_allclose(got, expected, atol=200 * 32 * np.finfo(got.dtype).eps)


@same_examples
@given(st.data(), images(), st.sampled_from([1, 2, 3, 4]))
def test_pyrDown(band, data, image, border):
    height, width = image.shape[:2]
    size = tuple(data.draw(st.integers(max(1, (n - 1) // 2), (n + 2) // 2)) for n in (width, height))
    got = ours.pyrDown(image, dstsize=size, borderType=border)
    assert_same(got, plain(image, size, border))
    if 2 * size[0] - 1 <= width:  # else OpenCV takes the last column one pixel too far left
        assert_same(got, theirs.pyrDown(image.copy(), dstsize=size, borderType=border))
    half = (height + 1) // 2, (width + 1) // 2
    assert ours.pyrDown(image, borderType=border).shape[:2] == half
    dst = np.zeros((*half, *image.shape[2:], 2), image.dtype)[..., 0]
    assert ours.pyrDown(image, dst) is dst
    assert_same(dst, theirs.pyrDown(image.copy()))


@same_examples
@given(st.data(), images(most=24))
def test_pyrUp(band, data, image):
    height, width = image.shape[:2]
    size = tuple(data.draw(st.integers(2 * n - 1, 2 * n + 1)) for n in (width, height))
    got, expected = ours.pyrUp(image, dstsize=size), theirs.pyrUp(image.copy(), dstsize=size)
    if width == 1:  # where OpenCV does not write a third column
        assert_same(got[:, :2], expected[:, :2])
        assert_same(got[:, 2:], got[:, 1 : size[0] - 1])
    else:
        assert_same(got, expected)
    dst = np.zeros((2 * height, 2 * width, *image.shape[2:], 2), image.dtype)[..., 0]
    assert ours.pyrUp(image, dst) is dst
    assert_same(dst, theirs.pyrUp(image.copy()))


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "i4", "f2", "f4", "f8"])
@pytest.mark.parametrize("name", ["pyrDown", "pyrUp"])
def test_every_type(dtype, name):
    """Those that OpenCV does not take are filtered like others with the same numbers."""
    image = np.random.default_rng(2).integers(-100 if dtype[0] != "u" else 0, 100, (30, 41, 3))
    got = getattr(ours, name)(image.astype(dtype))
    assert got.dtype == dtype
    expected = getattr(theirs, name)(image.astype("i2" if dtype[0] != "f" else "f8")).astype(np.float64)
    np.testing.assert_allclose(got.astype(np.float64), expected, atol=0.06 if dtype == "f2" else 1e-4 if dtype == "f4" else 1e-12)


def test_large_images():
    """Of several bands as they are."""
    image = np.random.default_rng(5).integers(0, 256, (700, 1501, 3), np.uint8)
    for kind in (image, image[:, :, 0], image.astype(np.float32), image[:, :, 1].astype(np.uint16) * 257):
        assert_same(ours.pyrDown(kind), theirs.pyrDown(kind))
        assert_same(ours.pyrUp(kind), theirs.pyrUp(kind))


def test_pyramid_in_place():
    """Each level in the corner of the one before."""
    image = np.random.default_rng(6).integers(0, 256, (64, 80), np.uint8)
    expected = theirs.pyrDown(image)
    corner = image[:32, :40]
    assert ours.pyrDown(image, corner) is corner
    np.testing.assert_array_equal(corner, expected)


@pytest.mark.parametrize("call, words", [
    (lambda image: ours.pyrDown(image, borderType=ours.BORDER_CONSTANT), "borderType must be BORDER_REPLICATE, .* got BORDER_CONSTANT"),
    (lambda image: ours.pyrDown(image, dstsize=(5, 5)), "dstsize must be half, or up to 1 more or less, of 7 x 6, got 5 x 5"),
    (lambda image: ours.pyrDown(image, dstsize=3), r"dstsize must be two whole numbers, \(width, height\), got 3"),
    (lambda image: ours.pyrUp(image, borderType=ours.BORDER_REPLICATE), "borderType must be BORDER_DEFAULT, got 1"),
    (lambda image: ours.pyrUp(image, dstsize=(14, 14)), "dstsize must be twice, or 1 more or less than twice, 7 x 6, got 14 x 14"),
    (lambda image: ours.pyrUp(image[:0]), "src is empty"),
])
def test_errors(call, words):
    with pytest.raises(ours.error, match=words):
        call(np.zeros((6, 7), np.uint8))
