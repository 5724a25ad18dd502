"""test_filters.py: halation.filters beside the library's list, and beside SciPy with the list's own weights."""
import doctest
import inspect

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st

from halation import _native, _view, filters

ndimage = pytest.importorskip("scipy.ndimage")

same_examples = settings(derandomize=True, deadline=None, database=None, max_examples=150)
LIST = {facts["name"]: facts for facts in _native.named_filters()}
MODES = {"reflect101": "mirror", "reflect": "reflect", "replicate": "nearest", "wrap": "wrap", "constant": "constant"}


def dense(one, dims):
    """The weights of one of the library's filters, multiplied out, and SciPy's origins."""
    size = one["size"][3 - dims:]
    if "factors" in one:
        weights = np.array(1.0)
        for row in one["factors"][3 - dims:]:
            weights = np.multiply.outer(weights, row)
    else:
        weights = np.array(one["weights"]).reshape(size)
    return weights, [at - n // 2 for at, n in zip(one["anchor"][3 - dims:], size)]


@same_examples
@given(st.data(), st.sampled_from(sorted(LIST)), st.sampled_from(sorted(MODES)), st.sampled_from([0.0, 3.5]),
       st.sampled_from(["float64", "float32", "uint8", "int32"]))
def test_beside_scipy(data, name, border, cval, dtype):
    ndim = data.draw(st.integers(1, 4))
    dims = data.draw(st.sampled_from([d for d in LIST[name]["dims"] if d <= ndim] or [None]))
    if dims is None:
        return
    axes = tuple(data.draw(st.permutations(range(ndim)))[:dims])
    shape = [data.draw(st.integers(1, 9)) for _ in range(ndim)]
    image = (np.random.default_rng(data.draw(st.integers(0, 99))).random(shape) * 100).astype(dtype)
    made, is_magnitude = _native.make_filter(name, {}, dims)
    sums = []
    for one in made:
        weights, origin = dense(one, dims)
        moved = np.moveaxis(image.astype(float), axes, range(ndim - dims, ndim))
        weights = weights.reshape([1] * (ndim - dims) + list(weights.shape))
        there = ndimage.correlate(moved, weights, mode=MODES[border], cval=cval, origin=[0] * (ndim - dims) + origin)
        sums.append(np.moveaxis(there, range(ndim - dims, ndim), axes))
    expected = np.sqrt(sum(each**2 for each in sums)) if is_magnitude else sums[0]
    got = getattr(filters, name)(image, axes=axes, border=border, cval=cval, output=np.float64)
    assert got.shape == image.shape and got.dtype == np.float64
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-3)


@pytest.mark.parametrize("name", sorted(LIST))
def test_functions_are_those_of_the_list(name):
    function, facts = getattr(filters, name), LIST[name]
    assert filters.__all__ == list(LIST)
    parameters = inspect.signature(function).parameters
    own = [p["name"] for p in facts["parameters"]]
    assert list(parameters) == ["image", *own, "axes", "channel_axis", "border", "cval", "output", "alpha", "view"]
    for p in facts["parameters"]:
        default = parameters[p["name"]].default
        assert default == (p["choices"][int(p["default"])] if p["choices"] else p["default"])
        assert p["name"] + " :" in function.__doc__
    assert " ".join(function.__doc__.split()).count("of several values the order is z, y, x") == sum(p["per_axis"] for p in facts["parameters"])
    assert facts["summary"] in function.__doc__
    for example in doctest.DocTestFinder().find(function, name, globs={}):
        assert doctest.DocTestRunner().run(example).failed == 0


def test_parameters_reach_the_library():
    image = np.random.default_rng(1).random((12, 14))
    np.testing.assert_allclose(filters.gaussian(image, (1.0, 2.0), border="reflect"), ndimage.gaussian_filter(image, (1.0, 2.0)))
    np.testing.assert_allclose(filters.box(image, size=[3, 5], border="reflect"), ndimage.uniform_filter(image, (3, 5)))
    np.testing.assert_allclose(filters.sobel(image, "y", border="reflect"), ndimage.sobel(image, 0))
    np.testing.assert_allclose(filters.gaussian(image, radius=1, axes=1, border="reflect"),
                               ndimage.gaussian_filter1d(image, 1.0, axis=1, radius=1))
    photo = np.random.default_rng(2).integers(0, 256, (9, 8, 3), np.uint8)
    apart = np.stack([filters.unsharp_mask(photo[..., c], amount=2) for c in range(3)], axis=-1)
    np.testing.assert_array_equal(filters.unsharp_mask(photo, amount=2), apart)


def test_output():
    image = np.random.default_rng(1).integers(0, 256, (9, 8), np.uint8)
    out = np.empty((9, 8), np.int16)
    assert filters.laplacian(image, output=out) is out
    assert filters.laplacian(image, output="int16").dtype == np.int16
    np.testing.assert_array_equal(filters.laplacian(image, output=np.int16), out)
    np.testing.assert_array_equal(filters.laplacian(image), out.clip(0, 255))
    same = image.copy()
    assert filters.disk(same, 2, output=same) is same
    np.testing.assert_array_equal(same, filters.disk(image, 2))


VIEWED = [np.uint8, np.uint16, np.int16, np.int32, np.float32, np.float64]


@pytest.mark.parametrize("dtype", VIEWED)
@pytest.mark.parametrize("name", sorted(LIST))
def test_views(name, dtype):
    """Beside the formulas of halation/display.h, over the list's own weights."""
    rng = np.random.default_rng(3)
    info = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else None
    image = rng.integers(info.min, info.max, (20, 17, 3), dtype, endpoint=True) if info else rng.random((20, 17, 3)).astype(dtype)
    low, high = (info.min, info.max) if info else (0, 1)
    middle = (0.5 if not info else 0 if low < 0 else (high + 1) // 2)
    exact = getattr(filters, name)(image, output=np.float64)
    made, _ = _native.make_filter(name, {}, 2)
    bounds = []
    for one in made:
        weights = dense(one, 2)[0]
        up, down = weights[weights > 0].sum(), weights[weights < 0].sum()
        bounds.append(max(abs(up * high + down * low), abs(up * low + down * high)))
    largest = np.sqrt(np.square(bounds).sum())
    assert np.abs(exact).max() <= largest * (1 + 1e-12)
    wanted = {"signed": middle + (high - middle) * exact / largest, "abs": np.clip(np.abs(exact), None, high if info else None),
              "stretch": low + (high - low) * ((exact - exact.min()) / (exact.max() - exact.min()))}
    for view, expected in wanted.items():
        got = getattr(filters, name)(image, view=view)
        assert got.dtype == dtype and got.shape == image.shape
        np.testing.assert_allclose(got.astype(float), expected, rtol=1e-6, atol=0.52 if info else 1e-5)


def test_views_go_where_output_says():
    image = np.random.default_rng(1).integers(0, 256, (9, 8), np.uint8)
    out = np.empty((9, 8), np.uint16)[::-1]
    assert filters.sobel(image, view="signed", output=out) is out
    np.testing.assert_array_equal(out, filters.sobel(image, view="signed", output="uint16"))
    np.testing.assert_allclose(out, 32768 + 32767 * filters.sobel(image, output=float) / 1020, atol=0.52)
    np.testing.assert_array_equal(filters.laplacian(np.full((4, 5), 7, np.uint8), view="stretch"), 128)
    wild = np.array([-np.inf, -1, 0, 3, np.inf, np.nan])
    np.testing.assert_array_equal(filters.identity(wild, view="stretch", output=np.uint8), [0, 0, 64, 255, 255, 0])
    # What a constant border adds to the range counts.
    white = {"border": "constant", "cval": 1000.0, "output": float}
    np.testing.assert_allclose(filters.sobel(image, view="signed", **white), 0.5 + 0.5 * filters.sobel(image, **white) / 4000, atol=1e-6)


@pytest.mark.parametrize("name", ["sobel", "gaussian", "edges"])
def test_views_of_colours_with_alpha(name):
    image = np.random.default_rng(4).integers(0, 256, (9, 8, 4), np.uint8)
    run = getattr(filters, name)
    exact = run(image, alpha=True, output=np.float32)  # alpha in [0, 1]
    colours = exact[..., :3]
    least, most = colours.min(), colours.max()
    largest = {"sobel": 1020, "gaussian": 255, "edges": 1020 * 2**0.5}[name]
    wanted = {"signed": 128 + 127 * colours / largest, "abs": np.clip(np.abs(colours), 0, 255),
              "stretch": 255 * (colours - least) / (most - least)}
    for view, expected in wanted.items():
        out = np.empty_like(image)
        assert run(image, alpha=True, view=view, output=out) is out
        np.testing.assert_allclose(out[..., :3], np.clip(expected, 0, 255), atol=0.52)
        np.testing.assert_allclose(out[..., 3], 255 * exact[..., 3], atol=0.52)
        np.testing.assert_array_equal(out, run(image, alpha=True, view=view))


def test_views_leave_alpha():
    image = np.random.default_rng(2).integers(0, 256, (6, 5, 4), np.uint8)
    filtered = filters.sobel(image, output=np.float32)
    filtered[..., 3] = image[..., 3] / 255
    for view in _view.VIEWS:
        got = _view.shown("sobel", image, image.dtype, view, None, 1020.0, lambda kind: filtered.astype(kind), alpha=True)
        np.testing.assert_array_equal(got[..., 3], image[..., 3])
    np.testing.assert_allclose(got[..., :3].min(), 0)
    assert got[..., :3].max() == 255


@pytest.mark.parametrize("call, error, words", [
    (lambda x: filters.gaussian(x, view="sign"), ValueError, "gaussian: unknown view 'sign'; choose from signed, abs, stretch"),
    (lambda x: filters.gaussian(x + 0j, view="abs"), TypeError, "gaussian: a view needs real numbers, got complex128"),
    (lambda x: filters.gaussian(x, view="abs", output=np.empty(3)), ValueError, "output must have shape"),
    (lambda x: filters.gaussian(x, -1), ValueError, "gaussian: sigma must be >= 0, got -1"),
    (lambda x: filters.gaussian(x, "wide"), ValueError, "gaussian: sigma must be a number, got 'wide'"),
    (lambda x: filters.gaussian(x, object()), TypeError, None),
    (lambda x: filters.sobel(x, "w"), ValueError, "sobel: axis must be x, y or z, got 'w'"),
    (lambda x: filters.emboss(x, axes=0), ValueError, "emboss runs along 2 axes, got 1"),
    (lambda x: filters.box(np.zeros((2, 2, 2, 2))), ValueError, "axes must be given"),
    (lambda x: filters.box(np.zeros((2, 3, 5)), channel_axis=None), ValueError,
     r"^an array 2x3x5 is a volume, or an image of many channels: say axes=\(0, 1, 2\), or channel_axis=-1$"),
    (lambda x: filters.box(x, axes=(0, 0)), ValueError, "unique"),
    (lambda x: filters.box(x, axes=2), ValueError, "axes must lie in"),
    (lambda x: filters.box(x, border="mirrored"), ValueError, "unknown border 'mirrored'"),
    (lambda x: filters.box(np.array(["a"])), TypeError, "must be of numbers"),
])
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call(np.zeros((8, 8)))


@pytest.mark.parametrize("name", sorted(LIST))
def test_a_volume_is_asked_for_its_axes(name):
    volume = np.random.default_rng(3).random((6, 7, 8))
    with pytest.raises(ValueError, match="an array 6x7x8 is a volume, or an image of many channels"):
        getattr(filters, name)(volume)
    for channels in (1, 2, 3, 4):
        image = volume[..., :channels]
        np.testing.assert_array_equal(getattr(filters, name)(image), getattr(filters, name)(image, axes=(0, 1)))
    np.testing.assert_array_equal(getattr(filters, name)(volume, channel_axis=-1), getattr(filters, name)(volume, axes=(0, 1)))


@pytest.mark.parametrize("sigma", [0, (0, 2), (2, 0), (0, 0), (0.0, 0.7)])
@pytest.mark.parametrize("dtype", ["uint8", "int32", "float16", "float32", "float64"])
def test_sigma_0_blurs_nothing_along_its_axis(sigma, dtype):
    image = (np.random.default_rng(4).random((12, 15)) * 200).astype(dtype)
    made = filters.gaussian(image, sigma, border="reflect", output=np.float64)
    np.testing.assert_allclose(made, ndimage.gaussian_filter(image.astype(float), sigma), atol=2e-4 * 200 if dtype == "uint8" else 1e-4)
    sharp = filters.unsharp_mask(image, sigma, amount=0.7, border="reflect", output=np.float64)
    np.testing.assert_allclose(sharp, image + 0.7 * (image - made), atol=0.1 if dtype == "uint8" else 1e-3)
    if not np.any(sigma):
        np.testing.assert_array_equal(filters.gaussian(image, sigma), image)
        np.testing.assert_array_equal(filters.unsharp_mask(image, sigma, amount=3.3), image)
