"""test_front_door.py: what `halation` itself has: its list, convolve and correlate beside SciPy, channels, borders by any name."""

import inspect
import subprocess
import sys
import warnings

import numpy as np
import pytest

import halation
from halation import ChannelWarning, Filter, _border, _named

from .stand_in import There, streams  # noqa: F401

ndimage = pytest.importorskip("scipy.ndimage")
RNG = np.random.default_rng(1)
SKEW = np.array([[1.0, 2, -3], [0, 4, 1]])
PHOTO = RNG.integers(0, 256, (20, 24, 3), np.uint8)
MODES = {"constant": "constant", "replicate": "nearest", "reflect": "reflect", "reflect101": "mirror", "wrap": "wrap"}


def test_the_list_shows_what_there_is():
    there = dir(halation)
    wanted = {"convolve", "correlate", "Filter", "Plan", "plan", "devices", "threads", "imread", "imwrite", "filter_file", "ChannelWarning",
              "cv", "dask", "filters", "ndimage", "signal", *_named.FILTERS}  # fmt: skip
    assert wanted <= set(there) and there == sorted(there)
    assert not [name for name in there if name.startswith("_") and not name.startswith("__")]
    assert set(halation.__all__) <= set(there)
    for name in halation.__all__:
        assert inspect.getdoc(getattr(halation, name)), name
    for name in _named.FILTERS:
        assert getattr(halation, name) is getattr(halation.filters, name)
    with pytest.raises(AttributeError, match="module 'halation' has no attribute 'gausian'"):
        halation.gausian  # noqa: B018


def test_import_loads_no_more_than_it_must():
    heavy = ["scipy", "dask", "cv2", "cupy", "torch", "halation.cv", "halation.dask", "halation.filters", "halation.ndimage",
             "halation.signal", "halation._files", "halation._codecs", "asyncio"]  # fmt: skip
    # What NumPy itself loads counts as NumPy's.
    code = f"import sys, numpy; before = set(sys.modules); import halation; print((set(sys.modules) - before) & set({heavy}))"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "set()"


@pytest.mark.parametrize("border", MODES)
@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float32, np.float64, np.complex64, bool, ">f4"])
def test_convolve_and_correlate_beside_scipy(border, dtype):
    image = (RNG.random((9, 11)) * 100).astype(dtype)
    for operation in ("convolve", "correlate"):
        exact = getattr(ndimage, operation)(image.astype(np.promote_types(np.float64, dtype)), SKEW, mode=MODES[border], cval=3)
        got = getattr(halation, operation)(image, SKEW, border=border, cval=3)
        assert got.dtype == np.dtype(dtype)
        if got.dtype.kind in "iu":
            info = np.iinfo(got.dtype)
            exact = np.clip(np.rint(exact), info.min, info.max)
        if got.dtype.kind == "b":
            continue
        np.testing.assert_allclose(got, exact, rtol=1e-5, atol=1e-3)
        out = np.empty(image.shape, np.float64 if got.dtype.kind != "c" else np.complex128)
        assert getattr(halation, operation)(image, Filter(SKEW), border=border, cval=3, output=out) is out


def test_extents_anchors_scale_and_axes():
    signal = pytest.importorskip("scipy.signal")
    image = RNG.random((9, 11))
    for extent in ("full", "valid"):
        np.testing.assert_allclose(halation.convolve(image, SKEW, border="constant", extent=extent), signal.convolve2d(image, SKEW, extent))
    moved = halation.correlate(image, [1.0, 0, 0], axes=1, anchor=0, border="wrap")
    np.testing.assert_array_equal(moved, image)
    np.testing.assert_array_equal(halation.correlate(image, [1.0, 0, 0], axes=1, anchor=2, border="wrap"), np.roll(image, 2, 1))
    np.testing.assert_array_equal(halation.correlate(image, [[1.0]], scale=2, offset=1, output="float64"), 2 * image + 1)
    stack = RNG.random((3, 9, 11))
    apart = np.stack([halation.convolve(each, SKEW) for each in stack])
    np.testing.assert_allclose(halation.convolve(stack, SKEW, axes=(-2, -1)), apart)
    y, x = RNG.random(3), RNG.random(4)
    np.testing.assert_allclose(halation.convolve(image, (y, x)), halation.convolve(image, np.outer(y, x)))
    complex_weights = np.array([1, 2j, 1])
    np.testing.assert_allclose(halation.correlate(image[0], complex_weights), halation.correlate(image[0], [1, 0, 1]) + 2j * image[0])
    assert halation.convolve([1, 2, 3], [1]).tolist() == [1, 2, 3]


def test_by_a_plan():
    image = RNG.random((9, 11)).astype(np.float32)
    expected = halation.convolve(image, SKEW)
    for words in ({"device": "reference"}, {"device": "cpu"}, {"tune": "measure"}):
        np.testing.assert_allclose(halation.convolve(image, SKEW, **words), expected, rtol=1e-5)
        out = np.empty((9, 11))
        assert halation.convolve(image, Filter(SKEW), output=out, **words) is out


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_channels(axis):
    image = np.moveaxis(PHOTO, -1, axis)
    apart = np.stack([halation.convolve(PHOTO[..., c], SKEW) for c in range(3)], axis)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(halation.convolve(image, SKEW, channel_axis=axis), apart)
        np.testing.assert_array_equal(halation.plan(image.shape, "u1", SKEW, channel_axis=axis).run(image), apart)
        blurred = np.stack([halation.gaussian(PHOTO[..., c], 2) for c in range(3)], axis)
        np.testing.assert_array_equal(halation.gaussian(image, 2, channel_axis=axis - 3), blurred)
        volume = RNG.random((5, 6, 7, 2))
        halation.convolve(volume, np.ones((2, 2, 2)), channel_axis=-1)
        assert halation.gaussian(volume, channel_axis=-1).shape == volume.shape


@pytest.mark.usefixtures("streams")
def test_arrays_of_other_libraries():
    image = RNG.random((9, 11))
    for operation in (halation.convolve, halation.correlate):
        for words in ({}, {"border": "wrap", "output": np.float32}, {"extent": "full"}, {"tune": "measure"}):
            made = operation(image.view(There), Filter(SKEW), **words)
            assert type(made) is There
            np.testing.assert_allclose(made, operation(image, SKEW, **words), rtol=1e-6)
        out = np.empty((9, 11)).view(There)
        assert operation(image.view(There), SKEW, output=out) is out
    assert type(halation.convolve(memoryview(image), SKEW)) is np.ndarray


def line_of_warning(call):
    """The lines of this file that one call was said to be in."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught if each.category is ChannelWarning]


def second_difference(image, axis, output, mode, cval):
    return halation.ndimage.correlate1d(image, [1, -2, 1], axis, output, mode, cval)


CUBE = np.ones((3, 3, 3))
MEANT = {
    "convolve": lambda: halation.convolve(PHOTO, CUBE),
    "a filter": lambda: halation.correlate(PHOTO, Filter.gaussian(1, dims=3)),
    "plan": lambda: halation.plan(PHOTO.shape, "u1", CUBE),
    "plan of two axes": lambda: halation.plan(PHOTO.shape, "u1", SKEW),
    "scipy's Gaussian": lambda: halation.ndimage.gaussian_filter(PHOTO, 2),
    "scipy's box": lambda: halation.ndimage.uniform_filter(PHOTO),
    "scipy's convolution": lambda: halation.ndimage.convolve(PHOTO, CUBE),
    "scipy's edges": lambda: halation.ndimage.sobel(PHOTO, 0),
    "scipy's laplace": lambda: halation.ndimage.laplace(PHOTO),
    "scipy's gaussian_laplace": lambda: halation.ndimage.gaussian_laplace(PHOTO, 1),
    "scipy's gradient": lambda: halation.ndimage.gaussian_gradient_magnitude(PHOTO, 1),
    "scipy's generic laplace": lambda: halation.ndimage.generic_laplace(PHOTO, second_difference),
}
UNWARNED = {
    "axes": lambda: halation.convolve(PHOTO, CUBE, axes=(0, 1, 2)),
    "channel_axis": lambda: halation.convolve(PHOTO, SKEW, channel_axis=-1),
    "one tap": lambda: halation.convolve(PHOTO, np.ones((3, 3, 1))),
    "small": lambda: halation.convolve(PHOTO[:8], CUBE),
    "five": lambda: halation.convolve(np.zeros((20, 20, 5)), CUBE),
    "first": lambda: halation.convolve(np.zeros((3, 20, 20)), CUBE),
    "named": lambda: halation.gaussian(PHOTO),
    "scipy's axes": lambda: halation.ndimage.gaussian_filter(PHOTO, 2, axes=(0, 1)),
    "scipy's sigma each": lambda: halation.ndimage.gaussian_filter(PHOTO, (2, 2, 1)),
    "scipy's size each": lambda: halation.ndimage.uniform_filter(PHOTO, (3, 3, 1)),
    "scipy's 1-D": lambda: halation.ndimage.gaussian_filter1d(PHOTO, 2),
    "scipy's thin weights": lambda: halation.ndimage.correlate(PHOTO, np.ones((3, 3, 1))),
}


@pytest.mark.parametrize("name", MEANT)
def test_what_filters_along_channels_is_warned_of(name):
    (said,) = line_of_warning(MEANT[name])
    assert "an array H x W x 3 is filtered along its last axis, which looks like channels; " in said
    assert "axes=" in said or "channel_axis=-1" in said or "one by one" in said


@pytest.mark.parametrize("name", UNWARNED)
def test_what_does_not_is_not(name):
    assert line_of_warning(UNWARNED[name]) == []


def test_warned_once_a_place():
    for call in (lambda: halation.convolve(PHOTO, CUBE), lambda: halation.ndimage.gaussian_filter(PHOTO, 1.5)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            for _ in range(3):
                call()
        assert len(caught) == 1
    with warnings.catch_warnings(record=True) as caught:  # calls that are remembered, too
        warnings.simplefilter("default")
        halation.ndimage.gaussian_filter(PHOTO, 1.5)
        halation.ndimage.gaussian_filter(PHOTO, 1.5)
        halation.ndimage.gaussian_filter(PHOTO, 1.5)
    assert len({each.lineno for each in caught}) == 3


def test_dask_arrays_are_warned_of_once():
    da = pytest.importorskip("dask.array")
    lazy = da.from_array(PHOTO, chunks=(16, 16, 3))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        halation.dask.gaussian_filter(lazy, 1).compute()
        halation.dask.gaussian_filter(lazy, 1, axes=(0, 1)).compute()
    assert [(each.category, each.filename) for each in caught] == [(ChannelWarning, __file__)]


@pytest.mark.parametrize("name, canonical", [*zip(_border.BORDERS, _border.BORDERS), *_border.SYNONYMS.items()])
def test_borders_have_the_same_names_everywhere(name, canonical):
    image = RNG.integers(0, 256, (6, 7)).astype(np.float32)  # whose sums nothing rounds
    expected = halation.correlate(image, SKEW, border=canonical)
    np.testing.assert_array_equal(halation.correlate(image, SKEW, border=name), expected)
    np.testing.assert_array_equal(halation.correlate(image, SKEW, border=(name, canonical)), expected)
    plan = halation.plan(image.shape, image.dtype, SKEW, border=name, operation="correlation")
    np.testing.assert_array_equal(plan.run(image), expected)
    np.testing.assert_array_equal(halation.ndimage.correlate(image, SKEW, mode=name), expected)
    np.testing.assert_array_equal(halation.cv.filter2D(image, -1, SKEW, borderType=name), expected)
    np.testing.assert_array_equal(halation.box(image, border=name), halation.box(image, border=canonical))
    rgba = RNG.integers(0, 256, (6, 7, 4), np.uint8)
    np.testing.assert_array_equal(halation.box(rgba, border=name, alpha=True), halation.box(rgba, border=canonical, alpha=True))
    convolve2d = halation.signal.convolve2d
    np.testing.assert_array_equal(convolve2d(image, SKEW, boundary=name), convolve2d(image, SKEW, boundary=canonical))


def test_borders_are_those_of_numpys_pad():
    row = np.arange(1.0, 5)
    of_numpy = {"constant": "constant", "replicate": "edge", "reflect": "symmetric", "reflect101": "reflect", "wrap": "wrap"}
    for border, mode in of_numpy.items():
        padded = halation.correlate(row, [1, 0, 0, 0, 0, 0, 0], border=border)
        np.testing.assert_array_equal(padded, np.pad(row, 3, mode=mode)[:4])


@pytest.mark.parametrize("call", [
    lambda name: halation.convolve(PHOTO, SKEW, channel_axis=2, border=name),
    lambda name: halation.plan((4, 4), "u1", SKEW, border=(name, "wrap")),
    lambda name: halation.gaussian(PHOTO, border=name),
    lambda name: halation.ndimage.laplace(PHOTO[0], mode=name),
    lambda name: halation.signal.convolve2d(PHOTO[0], SKEW, boundary=name),
    lambda name: halation.cv.blur(PHOTO, (3, 3), borderType=name),
])  # fmt: skip
def test_wrong_borders_are_answered_with_the_list(call):
    for name in ("edge", "Reflect"):
        with pytest.raises((ValueError, RuntimeError), match="constant, replicate, reflect, reflect101, wrap; synonyms: grid-constant, "):
            call(name)


@pytest.mark.parametrize("call, error, words", [
    (lambda: halation.convolve(PHOTO, SKEW), ValueError,
     r"weights have 2 axes, the arrays 3: say along which the filter runs by axes=, .* or channel_axis=-1 for H x W x C"),
    (lambda: halation.convolve(PHOTO[0, 0], SKEW), ValueError, "weights have 2 axes, the arrays 1"),
    (lambda: halation.convolve(PHOTO, CUBE, channel_axis=2), ValueError, "weights have 3 axes, the arrays 2 beside their channels"),
    (lambda: halation.convolve(PHOTO, SKEW, channel_axis=3), ValueError, r"channel_axis must lie in \[-3, 3\) .* got 3"),
    (lambda: halation.convolve(PHOTO, SKEW, channel_axis="c"), TypeError, "channel_axis must be a whole number, got 'c'"),
    (lambda: halation.convolve(PHOTO, SKEW, channel_axis=2, axes=(1, 2)), ValueError, r"channel_axis is 2, and axes are \(1, 2\)"),
    (lambda: halation.convolve(PHOTO, SKEW, axes=(0, 3)), ValueError, "axes must lie in"),
    (lambda: halation.convolve(PHOTO, 3), ValueError, "at least one axis, got the number 3"),
    (lambda: halation.convolve(PHOTO, []), ValueError, "weights are empty"),
    (lambda: halation.convolve(PHOTO, [b"a"]), TypeError, "weights must be numbers"),
    (lambda: halation.convolve(PHOTO, SKEW, axes=(0, 1), anchor=3), ValueError, r"anchor \(3, 3\) must lie in the filter of 2x3 taps"),
    (lambda: halation.convolve(PHOTO, SKEW, axes=(0, 1), device="tpu"), ValueError, "the array lies on cpu"),
    (lambda: halation.convolve(PHOTO, SKEW, axes=(0, 1), device="cuda:0"), ValueError,
     "the array lies on cpu, where device is 'cpu' or 'reference', got 'cuda:0'"),
    (lambda: halation.convolve(PHOTO, SKEW, axes=(0, 1), extent="some"), ValueError, "unknown extent 'some'"),
    (lambda: halation.convolve(PHOTO, SKEW, axes=(0, 1), accuracy="quick"), ValueError, "unknown accuracy 'quick'"),
    (lambda: halation.convolve(PHOTO, SKEW, axes=(0, 1), output=np.empty(3)), ValueError, "output must have shape"),
    (lambda: halation.box(PHOTO, alpha=True, border=("wrap", "wrap")), ValueError, "with alpha one border serves all axes"),
    (lambda: halation.box(PHOTO, alpha=True, channel_axis=0), ValueError, "with alpha the channels are the last axis, got channel_axis=0"),
    (lambda: halation.box(PHOTO, channel_axis=0, axes=0), ValueError, "no filter runs along the channels"),
])  # fmt: skip
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()
