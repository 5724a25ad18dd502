"""test_cv_words.py: errors, types, None and images one pixel wide or high as OpenCV has them."""

import inspect
import pickle

import numpy as np
import pytest

import halation.cv as ours

theirs = pytest.importorskip("cv2")

IMAGE = np.arange(20, dtype=np.uint8).reshape(4, 5)
FLOATS = IMAGE.astype(np.float32)
ARGUMENTS = {
    "filter2D": (IMAGE, -1, np.ones((3, 3)) / 9),
    "sepFilter2D": (FLOATS, -1, np.ones(3) / 3, np.ones(3) / 3),
    "GaussianBlur": (IMAGE, (3, 3), 1.0),
    "blur": (IMAGE, (3, 3)),
    "boxFilter": (FLOATS, -1, (3, 3)),
    "Sobel": (FLOATS, -1, 1, 0),
    "Scharr": (FLOATS, -1, 1, 0),
    "Laplacian": (IMAGE, -1),
    "getGaussianKernel": (5, 1.0),
    "getDerivKernels": (1, 0, 3),
    "spatialGradient": (IMAGE,),
    "magnitude": (FLOATS, FLOATS),
    "pyrDown": (IMAGE,),
    "pyrUp": (IMAGE,),
    "copyMakeBorder": (IMAGE, 1, 2, 3, 0, 4),
}
REFUSED = [
    ("blur", (IMAGE, (0, 0)), {}),
    ("blur", (IMAGE, 3), {}),
    ("blur", (IMAGE,), {}),
    ("blur", (IMAGE, (3, 3), None, (9, 9)), {}),
    ("GaussianBlur", (IMAGE, (2, 2), 0), {}),
    ("filter2D", (IMAGE, -1, np.ones((3, 3))), {"anchor": (9, 9)}),
    ("filter2D", (np.zeros((0, 3), np.uint8), -1, np.ones((3, 3))), {}),
    ("Sobel", (IMAGE, -1, 0, 0), {}),
    ("Scharr", (IMAGE, -1, 1, 1), {}),
    ("getGaussianKernel", (0, 1.0), {}),
    ("getDerivKernels", (1, 1, -1), {}),
    ("spatialGradient", (IMAGE,), {"ksize": 5}),
    ("magnitude", (FLOATS, FLOATS[1:]), {}),
    ("pyrDown", (IMAGE,), {"borderType": 0}),
    ("pyrDown", (IMAGE,), {"dstsize": (5, 4)}),
    ("pyrUp", (IMAGE,), {"borderType": 1}),
    ("pyrUp", (IMAGE,), {"dstsize": 10}),
    ("copyMakeBorder", (IMAGE, -1, 0, 0, 0, 4), {}),
    ("copyMakeBorder", (IMAGE, 1, 0, 0, 0, 0, None, "black"), {}),
    ("Laplacian", (IMAGE, -1, [1, 2]), {}),
]


def outcome(module, name, *args, **keywords):
    try:
        return getattr(module, name)(*args, **keywords)
    except module.error as error:
        return error


def assert_alike(name, *args, **keywords):
    expected, got = (outcome(module, name, *args, **keywords) for module in (theirs, ours))
    if isinstance(expected, theirs.error) or isinstance(got, ours.error):
        assert isinstance(expected, theirs.error) and isinstance(got, ours.error), (name, args, keywords, expected, got)
        return
    if not isinstance(expected, tuple):
        expected, got = (expected,), (got,)
    for there, here in zip(expected, got, strict=True):
        assert here.shape == there.shape and here.dtype == there.dtype, (name, args, keywords, there, here)
        # One level, where OpenCV's own fixed point rounds otherwise.
        np.testing.assert_allclose(here.astype(float), there.astype(float), atol=1 if here.dtype.kind in "iu" else 1e-4)


@pytest.mark.parametrize("name, args, keywords", REFUSED, ids=lambda value: value if isinstance(value, str) else "")
def test_errors(name, args, keywords):
    assert inspect.isclass(ours.error) and issubclass(ours.error, Exception)
    with pytest.raises(theirs.error) as there:
        getattr(theirs, name)(*args, **keywords)
    with pytest.raises(ours.error) as here:
        getattr(ours, name)(*args, **keywords)
    error = here.value
    assert error.code in (ours.Error.StsBadArg, ours.Error.StsAssert)
    assert f"({error.code}:" in str(there.value)
    assert error.func == name and error.err == error.msg == str(error) != ""
    assert isinstance(error, ValueError) and isinstance(error, TypeError)
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.func, str(again)) == (error.code, error.func, str(error))
    assert (ours.Error.StsBadArg, ours.Error.StsAssert) == (theirs.Error.StsBadArg, theirs.Error.StsAssert)


def test_types():
    names = [f"CV_{depth}C{channels}" for depth in ("8U", "8S", "16U", "16S", "32S", "32F", "64F", "16F") for channels in range(1, 5)]
    if not theirs.__version__.startswith("4."):  # where types had fewer depths
        assert [getattr(ours, name) for name in names] == [getattr(theirs, name) for name in names]
        assert ours.CV_16FC(7) == theirs.CV_16FC(7) and ours.CV_MAKETYPE(ours.CV_32S, 9) == theirs.CV_MAKETYPE(theirs.CV_32S, 9)
    for name in names:
        kind = ours.filter2D(IMAGE, getattr(ours, name), np.ones((1, 1))).dtype
        assert kind == ours.filter2D(IMAGE, getattr(ours, name[:-2]), np.ones((1, 1))).dtype
    assert ours.Sobel(IMAGE, ours.CV_16SC1, 1, 0).dtype == np.int16


@pytest.mark.parametrize("name", ARGUMENTS)
def test_none(name):
    """By position and by name, for each argument."""
    args = ARGUMENTS[name]
    for i in range(len(args)):
        if i == 0 and name in ("pyrUp", "copyMakeBorder"):  # OpenCV gives None, or never comes back
            assert isinstance(outcome(ours, name, None, *args[1:]), ours.error)
        else:
            assert_alike(name, *args[:i], None, *args[i + 1 :])
    for parameter in list(inspect.signature(getattr(ours, name)).parameters)[len(args) :]:
        assert_alike(name, *args, **{parameter: None})
    defaults = len(inspect.signature(getattr(ours, name)).parameters) - len(args)
    assert_alike(name, *args, *(None,) * defaults)


def test_numbers_as_dst():
    """Code that hands over ksize in dst's place works, without it, in OpenCV."""
    assert_alike("Laplacian", IMAGE, ours.CV_16S, 3)
    assert_alike("GaussianBlur", IMAGE, (3, 3), 0, 2.5)
    assert_alike("pyrDown", IMAGE, 1)


@pytest.mark.parametrize("shape", [(1, 7), (7, 1), (1, 1), (1, 7, 3), (7, 1, 3), (1, 2)], ids=str)
@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int16, np.float32])
def test_gaussian_of_one_pixel(shape, kind):
    image = np.random.default_rng(5).integers(0, 200, shape).astype(kind)
    for ksize in ((3, 3), (5, 3), (0, 0), (3, 4), (4, 3), (1, 4), (4, 1), (31, 31), (3, 0), (0, 3), (2, 2), (-1, 3), (3, -2)):
        for sigma_x, sigma_y in ((0, 0), (1.5, 0), (0, 2), (3, 1)):
            for border in (0, 1, 2, 4, 16, 17, 20):
                assert_alike("GaussianBlur", image, ksize, sigma_x, sigmaY=sigma_y, borderType=border)
