"""test_chain.py: chains over arrays beside their stages one after the other in f64, within the bounds of the stages' plans; and what is refused."""

import numpy as np
import pytest

import halation
from halation import Filter, filters

from .stand_in import There, streams  # noqa: F401

RNG = np.random.default_rng(3)
SKEW = Filter(RNG.uniform(-1, 1, (3, 4)) / 12)
SMALL = Filter.separable([0.5, 0.25], [0.25, 0.5, 0.5], anchor=(1, 0))
DERIVATIVE = Filter.sobel("y")
CHAINS = [
    [Filter.gaussian(1.5), Filter.unsharp_mask(amount=0.5)],
    [SKEW, SMALL],
    [Filter.gaussian(0.8), SKEW, Filter.box(4)],
    [SMALL, Filter.gaussian((0.7, 2.0)), DERIVATIVE],
    [SKEW],
]
BORDERS = ["constant", "replicate", "reflect", "reflect101", "wrap"]
RANGES = {"uint8": (0, 255), "uint16": (0, 65535), "int16": (-3000, 3000), "float16": (0, 1), "float32": (-1, 1), "float64": (-1, 1)}


def numbers(shape, dtype, rng=RNG):
    low, high = RANGES[dtype]
    return rng.integers(low, high, shape, dtype, endpoint=True) if dtype[0] in "ui" else rng.uniform(low, high, shape).astype(dtype)


def stage_by_stage(image, chain, operation="convolve", **words):
    """What filters along all axes give one after the other in f64, and how far the chain may be off in float32, before it is rounded."""
    exact, largest, bound = image.astype(np.float64), float(np.abs(image.astype(np.float64)).max(initial=words.get("cval", 0))), 0.0
    for one in chain:
        plan = halation.plan(exact.shape, np.float32, one, operation="convolution" if operation == "convolve" else "correlation", **words)
        size = float(np.abs(one.weights).sum())
        bound = bound * size + plan.error_bound(largest)
        largest *= size
        exact = getattr(halation, operation)(exact, one, **words)
    return exact, 2 * bound  # a joined filter has more taps than both of its stages


def apart(image, channel_axis, function):
    return np.stack([function(plane) for plane in np.moveaxis(image, channel_axis, 0)], channel_axis)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("chain", CHAINS, ids=range(len(CHAINS)))
def test_beside_the_stages(chain, border):
    for shape in ((33, 41), (20, 7), (3, 2), (1, 50), (2, 1), (1, 1)):
        image = numbers(shape, "float32")
        for operation in ("convolve", "correlate"):
            for words in ({"border": border, "cval": 0.5}, {"border": (border, "wrap"), "cval": 0.5, "extent": "full"}):
                exact, bound = stage_by_stage(image, chain, operation, **words)
                got = getattr(halation, operation)(image, chain, **words)
                assert got.dtype == np.float32 and got.flags.c_contiguous
                np.testing.assert_allclose(got, exact, rtol=0, atol=bound + 1e-30)
    image = numbers((50, 60), "float32")
    exact, bound = stage_by_stage(image, chain, border=border, extent="valid")
    np.testing.assert_allclose(halation.convolve(image, tuple(chain), border=border, extent="valid"), exact, rtol=0, atol=bound)


@pytest.mark.parametrize("dtype", RANGES)
def test_types_and_channels(dtype):
    chain = [Filter.gaussian(1.2), SMALL]
    for shape, channel in (((23, 17), None), ((23, 17, 3), -1), ((3, 23, 17), 0), ((23, 2, 17), 1)):
        image = numbers(shape, dtype)
        planes = image[np.newaxis] if channel is None else np.moveaxis(image, channel, 0)
        got = halation.convolve(image, chain, channel_axis=channel)
        assert got.dtype == image.dtype and got.shape == image.shape
        for plane, made in zip(planes, got[np.newaxis] if channel is None else np.moveaxis(got, channel, 0)):
            exact, bound = stage_by_stage(plane, chain)
            if got.dtype.kind in "ui":
                bound += 0.5 + 1 / 16
            elif dtype == "float16":
                bound += 2.0**-11
            assert np.abs(made.astype(np.float64) - exact).max() <= bound
        if dtype == "float64":
            np.testing.assert_allclose(got, apart(image, channel, lambda p: stage_by_stage(p, chain)[0]) if channel is not None else exact,
                                       rtol=0, atol=1e-14)


def test_nothing_is_rounded_or_clipped_on_the_way():
    bright = np.full((4, 6), 200, np.uint8)
    for chain in ("custom weights=2 | custom weights=0.5", "custom weights=-1|custom weights=-1", "custom weights=0.001 | custom weights=1000"):
        np.testing.assert_array_equal(halation.convolve(bright, chain), bright)
    odd = np.array([[1, 3, 5, 7]], np.uint8)
    half = ["custom weights=0.5", Filter([[1.0]])]
    assert halation.convolve(odd, half).tolist() == [[0, 2, 2, 4]]
    assert halation.convolve(odd, half, rounding="truncate").tolist() == [[0, 1, 2, 3]]
    assert halation.convolve(odd, "custom weights=3 | custom weights=2", scale=4, offset=5, output="f4").tolist() == [[29, 77, 125, 173]]


def test_texts_filters_and_both():
    image = numbers((30, 31), "float32")
    named = "gaussian sigma=2,0.7 | unsharp_mask amount=0.5 | sobel axis=y"
    as_filters = [Filter.gaussian((2, 0.7)), Filter.unsharp_mask(amount=0.5), Filter.sobel("y")]
    want = halation.convolve(image, named)
    for chain in (as_filters, named.split("|"), [as_filters[0], named.split("|", 1)[1]], tuple(as_filters), [*as_filters[:2], "sobel axis=y"]):
        np.testing.assert_allclose(halation.convolve(image, chain), want, rtol=0, atol=1e-5)
    np.testing.assert_allclose(want, stage_by_stage(image, as_filters)[0], rtol=0, atol=1e-4)
    # Magnitudes are stages as well; alone they are what halation.edges gives.
    soft = halation.gaussian(image, 2)
    np.testing.assert_allclose(halation.convolve(image, "gaussian sigma=2 | edges"), halation.edges(soft), rtol=0, atol=1e-5)
    np.testing.assert_array_equal(halation.correlate(image, "edges"), halation.edges(image))


NAMED = [
    Filter.gaussian(0.7), Filter.gaussian(2.0), Filter.box(5), Filter.sharpen(), Filter.unsharp_mask(amount=0.5), Filter.sobel("y"),
    Filter.scharr("x"), Filter.laplacian(), Filter.laplacian_of_gaussian(1.0), Filter.emboss(), Filter.disk(2), Filter.high_pass(),
]  # fmt: skip
VIEWS = {
    "strided": lambda image: image.repeat(2, 0).repeat(3, 1)[::2, ::3],
    "reversed": lambda image: image[::-1, ::-1].copy()[::-1, ::-1],
    "Fortran": np.asfortranarray,
    "rows apart": lambda image: np.pad(image, ((0, 0), (2, 1)))[:, 2:-1],
    "of other bytes": lambda image: image.astype(image.dtype.newbyteorder()),
}


@pytest.mark.parametrize("seed", range(6))
def test_views_give_what_packed_arrays_give(seed):
    """NaN and infinity in the same places, and numbers within the bound, however the image lies."""
    rng = np.random.default_rng(seed)
    for _ in range(25):
        shape = [int(rng.integers(1, 4)) if rng.random() < 0.3 else int(rng.integers(4, 60)) for _ in range(2)]
        image = rng.uniform(-1, 1, shape).astype(rng.choice(["float16", "float32", "float64"]))
        chain = [NAMED[i] for i in rng.integers(0, len(NAMED), int(rng.integers(1, 4)))]
        words = {"border": str(rng.choice(BORDERS)), "cval": float(rng.choice([0.0, 0.5, np.inf])), "output": "float32"}
        finite = {**words, "cval": words["cval"] if np.isfinite(words["cval"]) else 1.0}
        _, bound = stage_by_stage(image, chain, **{name: finite[name] for name in ("border", "cval")})
        flat = image.reshape(-1)
        flat[rng.integers(0, flat.size, int(rng.integers(0, 4)))] = rng.choice([np.nan, np.inf, -np.inf])
        packed = halation.convolve(image, chain, **words)
        for name, view in VIEWS.items():
            np.testing.assert_allclose(halation.convolve(view(image), chain, **words), packed, rtol=1e-6, atol=bound + 1e-30, err_msg=name)


WORDS = [
    "gaussian sigma=0.7", "gaussian sigma=4", "gaussian sigma=30", "box size=5", "box size=31", "sharpen", "unsharp_mask amount=0.5", "sobel",
    "scharr", "prewitt", "laplacian", "laplacian_of_gaussian", "emboss", "disk radius=2", "disk radius=15", "high_pass", "edges", "identity",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_what_is_not_finite_reaches_the_same_in_views(seed):
    """Of named chains over signals, images and volumes, stacks of them, of any pixel, border and extent."""
    made = 0
    for number in range(60):
        rng = np.random.default_rng((seed, number))
        ndim, stacked = int(rng.integers(1, 4)), int(rng.random() < 0.3)
        most = {1: 400, 2: 80, 3: 24}[ndim]
        shape = [int(rng.integers(1, 4)) if rng.random() < 0.25 else int(rng.integers(4, most)) for _ in range(ndim + stacked)]
        image = numbers(shape, str(rng.choice(["float16", "float32", "float64", "uint8", "int16", "uint16"])), rng)
        if image.dtype.kind == "f":
            flat = image.reshape(-1)
            flat[rng.integers(0, flat.size, int(rng.integers(0, 6)))] = rng.choice([np.nan, np.inf, -np.inf])
        chain = " | ".join(rng.choice(WORDS, int(rng.integers(1, 4))))
        words = {"border": str(rng.choice(BORDERS)), "cval": float(rng.choice([0, 0.5, np.inf, -np.inf, np.nan])), "output": "float32",
                 "extent": str(rng.choice(["same", "same", "full", "valid"])), "axes": tuple(range(stacked, ndim + stacked))}  # fmt: skip
        try:
            packed = halation.convolve(image, chain, **words)
        except ValueError:  # a filter of two axes along one or three, or larger than the array under extent valid
            continue
        made += 1
        apart = np.repeat(image, 3, -1)[..., ::3]
        turned = image[(slice(None, None, -1),) * image.ndim].copy()[(slice(None, None, -1),) * image.ndim]
        inside = np.pad(image, [(1, 2)] * image.ndim)[(slice(1, -2),) * image.ndim]
        for view in (apart, turned, inside, np.asfortranarray(image), image.astype(image.dtype.newbyteorder())):
            got = halation.convolve(view, chain, **words)
            for kind in (np.isnan, np.isposinf, np.isneginf):
                np.testing.assert_array_equal(kind(got), kind(packed), err_msg=f"{number}: {chain} {shape} {words}")
    assert made > 30


def test_axes():
    volume = numbers((9, 10, 11), "float32")
    chain = "gaussian sigma=0.8 | box size=3"
    exact, bound = stage_by_stage(volume, [Filter.gaussian(0.8, dims=3), Filter.box(3, dims=3)])
    np.testing.assert_allclose(halation.convolve(volume, chain), exact, rtol=0, atol=bound)
    signal = volume[0, 0]
    exact, bound = stage_by_stage(signal, [Filter.gaussian(0.8, dims=1), Filter.box(3, dims=1)])
    np.testing.assert_allclose(halation.convolve(signal, chain), exact, rtol=0, atol=bound)
    stack = numbers((2, 3, 9, 10), "float32")
    each = np.stack([[halation.convolve(plane, chain) for plane in planes] for planes in stack])
    np.testing.assert_allclose(halation.convolve(stack, chain, axes=(-2, -1)), each, rtol=0, atol=1e-6)
    moved = np.moveaxis(stack, (2, 3), (1, 0))
    got = halation.convolve(moved, [SKEW, SMALL], axes=(1, 0))
    np.testing.assert_allclose(np.moveaxis(got, (1, 0), (2, 3)), halation.convolve(stack, [SKEW, SMALL], axes=(2, 3)), rtol=0, atol=1e-6)
    along = halation.convolve(stack, chain, axes=2, channel_axis=-1)
    np.testing.assert_allclose(along[1, 2, :, 3], halation.convolve(stack[1, 2, :, 3], chain), rtol=0, atol=1e-6)
    per_axis = halation.convolve(stack, chain, axes=(3, 2), border=("wrap", "constant"), cval=(0, 0.5))
    want = halation.convolve(stack[0, 0], chain, border=("constant", "wrap"), cval=(0.5, 0))
    np.testing.assert_allclose(per_axis[0, 0], want, rtol=0, atol=1e-6)


def test_joined_filters_agree():
    """Where two filters may become one, that one is beside the stages too, and whichever it is the same for all borders alike."""
    image = numbers((64, 64), "float32")
    chain = [Filter.gaussian(1.0), Filter.gaussian(1.0)]
    for border in BORDERS:
        exact, bound = stage_by_stage(image, chain, border=border)
        np.testing.assert_allclose(halation.convolve(image, chain, border=border), exact, rtol=0, atol=bound)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_alpha_is_that_of_the_named_filter(dtype):
    image = numbers((20, 24, 4), dtype)
    np.testing.assert_array_equal(halation.convolve(image, "gaussian sigma=2", alpha=True), filters.gaussian(image, 2, alpha=True))
    np.testing.assert_array_equal(halation.convolve(image, Filter.gaussian(2), alpha=True), filters.gaussian(image, 2, alpha=True))
    first = np.moveaxis(image, -1, 0)
    np.testing.assert_array_equal(halation.convolve(first, "gaussian sigma=2", alpha=True, channel_axis=0),
                                  np.moveaxis(filters.gaussian(image, 2, alpha=True), -1, 0))


def test_alpha_all_the_way():
    image = numbers((20, 24, 4), "float64")
    image[..., 3] = RNG.choice([0, 0.25, 1], image.shape[:2])
    chain = [Filter.box(3), Filter.gaussian(1.0)]
    alpha = stage_by_stage(image[..., 3], chain)[0]
    light = apart(image[..., :3], -1, lambda plane: stage_by_stage(plane * image[..., 3], chain)[0])
    got = halation.convolve(image, chain, alpha=True)
    np.testing.assert_allclose(got[..., 3], alpha, rtol=0, atol=1e-12)
    np.testing.assert_allclose(got[..., :3] * alpha[..., np.newaxis], light, rtol=0, atol=1e-12)
    transparent = np.zeros((9, 9, 4), np.uint8)
    transparent[:, :5] = 200, 100, 50, 255
    transparent[:, 5:] = 0, 255, 0, 0
    soft = halation.convolve(transparent, "box | box", alpha=True, border="replicate")
    assert np.all(soft[:, :7, :3] == (200, 100, 50))


def decoded(levels):
    value = np.asarray(levels, np.float64) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def encoded(light):
    return 255 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 0.0031308) ** (1 / 2.4) - 0.055)


def test_linear_light_and_gray():
    image = numbers((20, 24, 3), "uint8")
    chain = [Filter.gaussian(1.0), Filter.box(3)]
    want = encoded(apart(decoded(image), -1, lambda plane: stage_by_stage(plane, chain)[0]))
    got = halation.convolve(image, chain, linear=True, channel_axis=-1)
    assert np.abs(got - want).max() <= 0.51
    luma = image @ np.array([0.299, 0.587, 0.114])
    got = halation.convolve(image, chain, gray=True)
    assert got.shape == (20, 24) and np.abs(got - stage_by_stage(luma, chain)[0]).max() <= 0.51
    rgba = numbers((3, 20, 24, 4), "uint8")
    got = halation.convolve(rgba, chain, gray=True, alpha=True, axes=(1, 2))
    assert got.shape == (3, 20, 24, 2)
    np.testing.assert_array_equal(got[1], halation.convolve(rgba[1], chain, gray=True, alpha=True))
    assert halation.convolve(rgba[..., :3], chain, gray=True, axes=(1, 2)).shape == (3, 20, 24)


def test_views():
    image = numbers((20, 24), "uint8")
    chain = "sobel axis=x | custom weights='1 2 1'"
    exact = stage_by_stage(image, [Filter.sobel("x"), Filter([[1, 2, 1]])], border="wrap")[0]
    signed = halation.convolve(image, chain, view="signed", border="wrap")
    assert np.abs(signed - (128 + 127 * exact / (4 * 255 * 4))).max() <= 0.51
    np.testing.assert_array_equal(halation.convolve(image, chain, view="abs", border="wrap"), np.clip(np.rint(np.abs(exact)), 0, 255))
    stretched = halation.convolve(image, chain, view="stretch", border="wrap")
    assert (stretched.min(), stretched.max()) == (0, 255)
    np.testing.assert_array_equal(halation.convolve(image, Filter.sobel("x"), view="signed"), filters.sobel(image, "x", view="signed"))


def test_outputs_strides_and_other_arrays():
    image = numbers((20, 24, 3), "float32")
    chain = "gaussian sigma=1 | custom weights='1 0 -2; 0 3 1'"
    want = halation.convolve(image, chain, channel_axis=-1)
    for out in (np.zeros(image.shape, np.float32), np.zeros((3, 24, 20)).T, np.zeros(image.shape, ">f8"), np.zeros(image.shape, np.int16)):
        assert halation.convolve(image, chain, channel_axis=-1, output=out) is out
        np.testing.assert_allclose(out, np.rint(want) if out.dtype.kind == "i" else want, rtol=0, atol=1e-5)
    again = image.copy()
    assert halation.convolve(again, chain, channel_axis=-1, output=again) is again
    np.testing.assert_array_equal(again, want)
    backwards = np.repeat(image, 2, 1)[:, ::-2]
    np.testing.assert_allclose(halation.convolve(backwards, chain, channel_axis=-1), halation.convolve(backwards.copy(), chain, channel_axis=-1),
                               rtol=0, atol=1e-5)
    unaligned = np.frombuffer(b"\0" + image.tobytes(), np.uint8)[1:].view(np.float32).reshape(image.shape)
    for other in (unaligned, image.astype(">f4"), np.broadcast_to(image, image.shape)):
        np.testing.assert_array_equal(halation.convolve(other, chain, channel_axis=-1, output="f4"), want)
    assert halation.convolve(memoryview(image[..., 0].copy()), chain).shape == (20, 24)
    with halation.threads(1):
        np.testing.assert_array_equal(halation.convolve(image, chain, channel_axis=-1), want)
    np.testing.assert_allclose(halation.convolve(image, chain, channel_axis=-1, device="reference"), want, rtol=0, atol=1e-5)
    for words in ({"tune": "measure"}, {"accuracy": "fast"}, {"sum": "f64"}, {"method": "direct"}, {"threads": 1}):
        np.testing.assert_allclose(halation.convolve(image, chain, channel_axis=-1, **words), want, rtol=0, atol=1e-4)


def test_arrays_of_other_libraries(streams):  # noqa: F811
    """By a library in CuPy's place, whose arrays go the way of those on a GPU."""
    image = numbers((3, 20, 24), "float32")
    chain = [Filter.gaussian(1), "edges"]
    for words in ({"axes": (1, 2)}, {"axes": (2, 0)}, {"axes": (0, 1), "extent": "full"}, {"channel_axis": 0, "output": np.uint8}):
        made = halation.convolve(image.view(There), chain, **words)
        assert type(made) is There
        np.testing.assert_array_equal(made, halation.convolve(image, chain, **words))
    out = np.zeros((3, 20, 24)).view(There)
    assert halation.convolve(image.view(There), chain, axes=(2, 0), output=out) is out and len(streams) == 5
    np.testing.assert_allclose(out, halation.convolve(image, chain, axes=(2, 0)), rtol=0, atol=1e-5)


IMAGE = np.zeros((20, 24), np.float32)


@pytest.mark.parametrize("words, error, sentence", [
    ({"filter": ["edges", [[1, 2]]]}, TypeError,
     "a stage of a chain is a Filter or a text such as 'gaussian sigma=2', got list; weights are Filter(weights)"),
    ({"filter": ["edges", 3]}, TypeError, "a stage of a chain is a Filter or a text such as 'gaussian sigma=2', got int"),
    ({"filter": ["edges", Filter([1, 2])]}, ValueError,
     "weights have 1 axes, the arrays 2: say along which the filter runs by axes=, as axes=(-2, -1) for a stack of images, or "
     "channel_axis=-1 for H x W x C"),
    ({"filter": [Filter([[1]]), Filter([1, 2])]}, ValueError, "a filter along 2 axes is needed, got one along 1"),
    ({"filter": [Filter(np.ones((1, 1, 1, 1)))], "image": np.zeros((2, 2, 2, 2))}, ValueError,
     "a filter of a chain runs along 1 to 3 axes, got one along 4"),
    ({"filter": "custom weights='1 2; 3 4'", "axes": 0}, ValueError, "chain: stage 1 runs along 2 axes, the chain along 1"),
    ({"filter": "edges", "image": np.zeros((2, 3, 4, 5))}, ValueError,
     "a chain runs along 1 to 3 axes, the array has 4: say which by axes=, as axes=(-2, -1) for a stack of images"),
    ({"filter": "edges", "axes": (0, 7)}, ValueError, "axes must lie in [-2, 2) for an array of 2 axes, got (0, 7)"),
    ({"filter": "edges", "axes": (0, -2)}, ValueError, "axes must be unique, got (0, 0)"),
    ({"filter": "edges", "anchor": 1}, ValueError, "anchor goes with one filter, got a chain; a stage has its own by Filter.with_anchor"),
    ({"filter": "edges", "border": ("wrap",) * 3}, ValueError, "border must be one or as many as axes (2), got 3"),
    ({"filter": "edges", "cval": (1, 2, 3)}, ValueError, "cval must be one or as many as axes (2), got 3"),
    ({"filter": "edges", "view": "sined"}, ValueError, "unknown view 'sined'; choose from signed, abs, stretch; did you mean 'signed'?"),
    ({"filter": "edges", "accuracy": "good"}, ValueError, "unknown accuracy 'good'; choose from exact, fast"),
    ({"filter": "edges", "threads": -1}, ValueError, "threads must be at least 0, got -1"),
    ({"filter": "edges", "image": np.zeros((4, 4), np.int32)}, TypeError,
     "a chain takes uint8, uint16, int16, float16, float32 or float64, got int32; convert it by astype"),
    ({"filter": "edges", "output": np.complex64}, TypeError,
     "a chain gives uint8, uint16, int16, float16, float32 or float64, got complex64; say which by output="),
    ({"filter": "edges", "output": np.zeros((4, 4))}, ValueError, "output must have shape (20, 24), got (4, 4)"),
    ({"filter": "edges", "output": np.broadcast_to(np.float32(0), (20, 24))}, ValueError, "output is read-only; give one that can be written"),
    ({"filter": "edges", "image": np.zeros((0, 4), np.float32)}, ValueError, "a chain needs an array with elements, got shape (0, 4)"),
    ({"filter": "box", "image": np.zeros((8, 8, 1), np.float32), "alpha": True}, ValueError,
     "alpha needs a colour beside it, got an image of 1 channel"),
    ({"filter": "box", "image": np.zeros((8, 8, 2), np.float32), "gray": True}, ValueError, "gray needs 3 colours, got 2"),
    ({"filter": "box size=9 | box size=9", "image": np.zeros((12, 12), np.float32), "extent": "valid"}, ValueError, None),
    ({"filter": "box", "device": "cuda:0"}, ValueError,
     "the array lies on cpu, where device is 'cpu' or 'reference', got 'cuda:0'; arrays are not moved: give one there"),
])  # fmt: skip
def test_errors(words, error, sentence):
    with pytest.raises(error) as caught:
        halation.convolve(**{"image": IMAGE, **words})
    if sentence is not None:
        assert str(caught.value) == sentence


@pytest.mark.parametrize("text, words", [
    ("edges | unsharp_mask amount", "stage 2.*'amount'"), ("", "stage 1 is empty"), ("custom weights='1", "quote"),
    ("gausian", "unknown filter 'gausian'; did you mean 'gaussian'"), ("gaussian sigma=-1 | edges", "sigma must be >= 0, got -1"),
])  # fmt: skip
def test_texts_that_are_no_chain(text, words):
    """In the library's own words."""
    with pytest.raises(ValueError, match=words):
        halation.convolve(IMAGE, text)


def test_a_photograph_is_warned_of():
    with pytest.warns(halation.ChannelWarning):
        halation.convolve(np.zeros((20, 24, 3), np.uint8), "gaussian")
