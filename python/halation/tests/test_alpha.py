"""test_alpha.py: halation.filters over images with alpha, beside the formulas of halation/colour.h in plain NumPy and SciPy."""

import numpy as np
import pytest

import halation
from halation import _native, filters

ndimage = pytest.importorskip("scipy.ndimage")

LIST = {facts["name"]: facts for facts in _native.named_filters()}
MODES = {"reflect101": "mirror", "reflect": "reflect", "replicate": "nearest", "wrap": "wrap", "constant": "constant"}
FULL = {"uint8": 255, "uint16": 65535, "int16": 32767, "float32": 1, "float64": 1}


def image_of(shape, dtype):
    """Colours and alpha, of which a third is 0 and a third opaque."""
    rng = np.random.default_rng(11)
    image = rng.random(shape) * FULL[dtype]
    alpha = np.array([0, 1, 0.4])[rng.integers(0, 3, shape[:-1])]
    image[..., -1] = alpha * FULL[dtype]
    return image.astype(dtype)


def summed(plane, made, mode, cval):
    """Sums of a plane by each of the library's filters."""
    for one in made:
        size = one["size"][3 - plane.ndim :]
        if "factors" in one:
            weights = np.array(1.0)
            for row in one["factors"][3 - plane.ndim :]:
                weights = np.multiply.outer(weights, row)
        else:
            weights = np.array(one["weights"]).reshape(size)
        origin = [at - n // 2 for at, n in zip(one["anchor"][3 - plane.ndim :], size)]
        yield weights, ndimage.correlate(plane, weights, mode=mode, cval=cval, origin=origin)


def expected(name, image, border, cval=0.0):
    """The filtered image in f64, before rounding, on the input's scale."""
    dims = image.ndim - 1
    made, is_magnitude = _native.make_filter(name, {}, dims)
    full, mode = FULL[str(image.dtype)], MODES[border]
    given = image.astype(np.float64)
    alpha = given[..., -1] / full
    colours = [list(summed(given[..., c] * alpha, made, mode, cval)) for c in range(image.shape[-1] - 1)]
    weights = [w for w, _ in colours[0]]
    colours = [np.sqrt(sum(s**2 for _, s in each)) if is_magnitude else each[0][1] for each in colours]
    if is_magnitude or abs(weights[0].sum()) <= np.abs(weights[0]).sum() / 256:
        inside = alpha > 0
    else:
        alpha = next(summed(alpha, made, mode, 1.0))[1] / weights[0].sum()
        inside = alpha > 1e-12
        colours = [np.divide(each, alpha, out=np.zeros_like(each), where=inside) for each in colours]
    colours = [np.where(inside, each, 0) for each in colours]
    return np.stack([*colours, alpha * full], axis=-1)


@pytest.mark.parametrize("border", sorted(MODES))
@pytest.mark.parametrize("name", ["gaussian", "box", "unsharp_mask", "sobel", "laplacian", "edges", "identity", "motion_blur"])
def test_formulas(name, border):
    for shape in ((12, 15, 4), (9, 11, 2), (30, 4), (5, 6, 7, 3)):
        dims = len(shape) - 1
        if dims not in LIST[name]["dims"]:
            continue
        image = image_of(shape, "float64")
        got = getattr(filters, name)(image, axes=tuple(range(dims)), border=border, cval=0.25, alpha=True)
        assert got.shape == shape and got.dtype == np.float64 and got.flags.c_contiguous
        want = expected(name, image, border, 0.25)
        clear = np.abs(want[..., -1:]) < 1e-9  # a quotient of two roundings
        np.testing.assert_allclose(np.where(clear, 0, got), np.where(clear, 0, want), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32"])
def test_types(dtype):
    image = image_of((20, 30, 4), dtype)
    want = expected("gaussian", image, "replicate")
    got = filters.gaussian(image, border="replicate", alpha=True)
    assert got.dtype == image.dtype
    near = 0.51 if got.dtype.kind in "iu" else 1e-5
    assert np.abs(got - want)[want[..., -1] > 1e-4 * FULL[dtype]].max() <= near
    floats = filters.gaussian(image, border="replicate", alpha=True, output=np.float32)
    np.testing.assert_allclose(floats[..., -1], want[..., -1] / FULL[dtype], atol=1e-5)


def test_transparent_pixels_do_not_bleed():
    image = np.zeros((9, 9, 4), np.uint8)
    image[:, :5] = 200, 100, 50, 255
    image[:, 5:] = 0, 255, 0, 0
    soft = filters.gaussian(image, sigma=1.5, alpha=True)
    assert np.all(soft[:, :7, :3] == (200, 100, 50)) and np.all(np.diff(soft[0, :, 3].astype(int)) <= 0)
    assert filters.gaussian(image, sigma=1.5)[4, 4, 1] > 120  # which is what alpha=True is for


def test_opaque_images_are_filtered_as_without():
    image = image_of((20, 30, 4), "uint8")
    image[..., 3] = 255
    with_alpha = filters.unsharp_mask(image, alpha=True)
    assert np.abs(with_alpha.astype(int) - filters.unsharp_mask(image)).max() <= 1 and np.all(with_alpha[..., 3] == 255)


def test_axes_strides_and_outputs():
    image = image_of((14, 12, 10, 4), "float32")
    whole = filters.gaussian(image, sigma=(1.0, 2.0), axes=(0, 2), alpha=True)
    for y in range(12):
        # Other shapes may be summed in another order.
        np.testing.assert_allclose(whole[:, y], filters.gaussian(image[:, y], sigma=(1.0, 2.0), alpha=True), rtol=0, atol=1e-6)
    turned = filters.gaussian(image.transpose(2, 1, 0, 3), sigma=(1.0, 2.0), axes=(2, -4), alpha=True)
    np.testing.assert_allclose(turned, whole.transpose(2, 1, 0, 3), rtol=0, atol=1e-6)
    backwards = image[::-1, :, ::2]
    np.testing.assert_array_equal(filters.box(backwards, axes=(0, 2), alpha=True),
                                  filters.box(backwards.copy(), axes=(0, 2), alpha=True))
    out = np.zeros(image.shape)
    assert filters.gaussian(image, sigma=(1.0, 2.0), axes=(0, 2), alpha=True, output=out) is out
    np.testing.assert_allclose(out, whole, atol=1e-6)
    again = image.copy()
    assert filters.gaussian(again, sigma=(1.0, 2.0), axes=(0, 2), alpha=True, output=again) is again
    np.testing.assert_array_equal(again, whole)
    with halation.threads(1):
        np.testing.assert_array_equal(filters.gaussian(image, sigma=(1.0, 2.0), axes=(0, 2), alpha=True), whole)
    assert filters.gaussian(image[:0], axes=(1, 2), alpha=True).shape == (0, 12, 10, 4)
    unaligned = np.frombuffer(b"\0" + image[:, 0].tobytes(), np.uint8)[1:].view(np.float32).reshape(image[:, 0].shape)
    np.testing.assert_array_equal(filters.box(unaligned, alpha=True), filters.box(image[:, 0].copy(), alpha=True))


@pytest.mark.parametrize("call, error, words", [
    (lambda x: filters.box(x[..., :1], alpha=True), ValueError, "a colour beside it"),
    (lambda x: filters.box(x, axes=(0, 2), alpha=True), ValueError, "last axis is channels"),
    (lambda x: filters.box(x[None], alpha=True), ValueError, "axes must be given"),
    (lambda x: filters.box(x[0, 0], alpha=True), ValueError, "axes must be given"),
    (lambda x: filters.box(x.astype(np.int32), alpha=True), TypeError, "got int32"),
    (lambda x: filters.box(x, alpha=True, output=bool), TypeError, "got bool"),
    (lambda x: filters.box(x, alpha=True, output=np.zeros(3)), ValueError, "output must have shape"),
    (lambda x: filters.box(x, alpha=True, border="none"), ValueError, "unknown border"),
])
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call(np.zeros((8, 8, 4), np.float32))
