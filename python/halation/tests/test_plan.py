"""test_plan.py: halation.plan."""

import multiprocessing
import pickle

import numpy as np
import pytest

import halation
from halation import Filter
from halation.ndimage._gaussian import gaussian_factor

signal = pytest.importorskip("scipy.signal")
SKEW = np.array([[1.0, 2, -3], [0, 4, 1]])


def test_convolution_and_correlation():
    rng = np.random.default_rng(1)
    image, weights = rng.random((20, 30), np.float32), rng.random((3, 5))
    convolved = halation.plan(image.shape, image.dtype, weights, border="constant", sum="f64")
    np.testing.assert_allclose(convolved.run(image), signal.convolve2d(image, weights, "same"), rtol=1e-6)
    correlated = halation.plan(image.shape, image.dtype, weights, operation="correlation", extent="valid")
    np.testing.assert_allclose(correlated.run(image), signal.correlate2d(image, weights, "valid"), rtol=1e-5)
    assert correlated.output_shape == (18, 26)


def test_factors_axes_and_extents():
    rng = np.random.default_rng(2)
    image = rng.integers(0, 256, (12, 14, 3), np.uint8)
    x, y = rng.random(3), rng.random(5)
    plan = halation.plan(image.shape, image.dtype, (y, x), axes=(0, 1), border="constant", extent="full", output=np.float64)
    expected = np.stack([signal.convolve2d(image[..., c], np.outer(y, x), "full") for c in range(3)], axis=-1)
    np.testing.assert_allclose(plan.run(image), expected, rtol=1e-9)
    assert plan.methods == ["separable"] or plan.methods == ["direct"]
    one = halation.plan((8,), "float32", [1.0, 2.0], anchor=0, border="wrap")
    ramp = np.arange(8, dtype=np.float32)
    np.testing.assert_array_equal(one.run(ramp), ramp + 2 * np.roll(ramp, 1))


def test_run_into():
    rng = np.random.default_rng(3)
    image = rng.random((16, 16), np.float32)
    plan = halation.plan(image.shape, image.dtype, np.ones((3, 3)) / 9)
    expected = plan.run(image)
    out = np.empty_like(image)
    assert plan.run(image, out) is out
    np.testing.assert_array_equal(out, expected)
    flipped = np.ascontiguousarray(image[:, ::-1])[:, ::-1]  # other strides than planned
    np.testing.assert_array_equal(plan.run(flipped), expected)
    strided = np.zeros((32, 48), np.float32)[::2, ::3]
    np.testing.assert_array_equal(plan.run(image, strided), expected)
    where = image.copy()
    np.testing.assert_array_equal(plan.run(where, where), expected)
    np.testing.assert_allclose(plan.run(memoryview(image)), expected)
    assert "3x3" in plan.explain() and plan.workspace_bytes >= 0 and 0 < plan.error_bound(1.0) < 1e-5


def test_reference_agrees():
    image = np.random.default_rng(4).integers(0, 65536, (9, 11), np.uint16)
    weights = np.random.default_rng(5).random((4, 3)) / 6
    on = {
        device: halation.plan(image.shape, image.dtype, weights, device=device, tune="measure" if device == "cpu" else "estimate")
        for device in ("cpu", "reference")
    }
    np.testing.assert_array_equal(on["cpu"].run(image), on["reference"].run(image))
    assert "measured" in on["cpu"].explain()


def test_integers_saturate_and_round():
    image = np.array([0, 100, 200], np.uint8)
    assert halation.plan((3,), "u1", [1.0], scale=2, offset=0.5).run(image).tolist() == [0, 200, 255]
    assert halation.plan((3,), "u1", [1.0], scale=-1).run(image).tolist() == [0, 0, 0]
    assert halation.plan((3,), "u1", [0.999], rounding="truncate").run(image).tolist() == [0, 99, 199]


@pytest.mark.parametrize(
    "change, error, words",
    [
        ({"operation": "blur"}, ValueError, "unknown operation 'blur'"),
        ({"shape": (0, 3)}, ValueError, "at least one element"),
        ({"dtype": "complex64"}, TypeError, "got complex64"),
        ({"dtype": "int64", "weights": np.full(3, 0.5)}, ValueError, "weights must be integers"),
        ({"output": "complex64"}, TypeError, "got complex64"),
        ({"weights": np.ones((3, 3)) * 1j}, TypeError, "real weights"),
        ({"weights": np.ones((3, 3, 3))}, ValueError, "weights have 3 axes, the arrays 2"),
        ({"device": "tpu"}, ValueError, "unknown device 'tpu'"),
        ({"method": "box", "weights": np.arange(9.0).reshape(3, 3)}, ValueError, "method box"),
        ({"accuracy": "quick"}, ValueError, "unknown accuracy 'quick'"),
        ({"method": "multirate"}, ValueError, "method multirate approximates, which accuracy exact does not allow"),
        ({"shape": (3,) * 5, "weights": np.ones((3,) * 4)}, ValueError, "three axes at most"),
    ],
)
def test_errors(change, error, words):
    words_of_plan = {"shape": (8, 8), "dtype": "float32", "weights": np.ones((3, 3)), **change}
    with pytest.raises(error, match=words):
        halation.plan(**words_of_plan)


@pytest.mark.parametrize("odd, shown", [("\ud800", r"\ud800"), ("fft\0", r"fft\x00"), ("os\udc80", r"os\udc80")])
@pytest.mark.parametrize("word", ["border", "method", "operation", "extent", "rounding", "sum", "accuracy", "tune", "device", "chain"])
def test_words_that_are_no_utf8_are_shown(word, odd, shown):
    """Texts with a lone surrogate, or with a NUL."""
    image = np.zeros((8, 8), np.float32)
    with pytest.raises(ValueError) as caught:
        if word == "chain":
            halation.convolve(image, odd)
        else:
            halation.plan(image.shape, image.dtype, np.ones((3, 3)), **{word: odd})
    assert shown in str(caught.value) or odd in str(caught.value)


def test_faint_weights_decide_the_sign_of_an_infinity():
    """Rounding takes such weights for a product of factors; an infinite pixel shows that they are none."""
    weights = np.full((5, 5), 1e-17)
    weights[0, 0], weights[1, 1] = 1, -1e-17
    image = np.zeros((64, 64))
    image[30, 30] = np.inf
    made = halation.correlate(image, weights)
    np.testing.assert_array_equal(made[28:33, 28:33], np.inf * np.sign(weights[::-1, ::-1]))
    image[29, 29] = -np.inf
    assert np.isnan(halation.correlate(image, weights)).sum() == 14
    spike = np.random.default_rng(3).standard_normal((17, 3))
    spike[4, 1] = 1e30
    for call in (halation.signal.convolve, halation.signal.fftconvolve, halation.signal.oaconvolve):
        image = np.zeros((268, 64))
        image[100, 30] = np.inf
        np.testing.assert_array_equal(call(image, spike)[100:117, 30:33], np.inf * np.sign(spike))
    volume = np.zeros((9, 9, 9), np.float32)
    volume[4, 4, 4] = np.inf
    weights = np.random.default_rng(4).standard_normal((5, 1, 5)) * 1e-25
    weights[2, 0, 1:3] = -0.9, -0.86
    made = halation.convolve(volume, weights, axes=(0, 1, 2), border="replicate")
    np.testing.assert_array_equal(made[2:7, 4, 2:7], np.inf * np.sign(weights[:, 0]))


def test_run_errors():
    plan = halation.plan((8, 8), "float32", np.ones((3, 3)))
    for wrong in (np.zeros((8, 9), np.float32), np.zeros((8, 8)), np.zeros((8, 8), ">f4")):
        with pytest.raises(ValueError, match="the plan is for float32"):
            plan.run(wrong)
    with pytest.raises(ValueError, match="output"):
        plan.run(np.zeros((8, 8), np.float32), np.zeros((8, 8)))
    with pytest.raises(ValueError, match="shape"):
        plan.run(np.zeros((8, 8), np.float32), np.zeros((8, 7), np.float32))
    read_only = np.zeros((8, 8), np.float32)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        plan.run(np.ones((8, 8), np.float32), read_only)


def test_devices():
    names = [info["device"] for info in halation.devices()]
    assert names[:2] == ["reference", "cpu"]


@pytest.mark.parametrize("weights", [gaussian_factor(1.5, 0, 6), gaussian_factor(0.8, 0, 1), np.ones(5) / 7, [0.3, 0.4, 0.3]], ids=len)
@pytest.mark.parametrize("output", [np.uint8, np.int16])
def test_fixed_point_is_off_by_a_sixteenth_of_a_level_at_most(weights, output):
    """And not at all beside what f64 rounds where sums in f64 are asked for."""
    image = np.random.default_rng(3).integers(0, 256, (300, 400), np.uint8)
    exact = halation.plan(image.shape, np.uint8, (weights, weights), output=np.float64).run(image)
    for words, most in (({}, 1 / 16), ({"sum": "f64"}, 1e-9)):
        got = halation.plan(image.shape, np.uint8, (weights, weights), output=output, **words).run(image)
        assert np.abs(got - exact).max() <= 0.5 + most


@pytest.mark.parametrize("weights", [np.arange(6.0).reshape(2, 3), ([1.0, 2.0], [3.0, 4.0, 5.0])], ids=["dense", "factors"])
@pytest.mark.parametrize("anchor", [None, (0, 2)])
def test_the_operation_given_is_the_one_explained(weights, anchor):
    image = np.random.default_rng(4).random((7, 8))
    made = {}
    for operation in ("convolution", "correlation"):
        plan = halation.plan(image.shape, image.dtype, weights, operation=operation, anchor=anchor, border="constant")
        other = {"convolution": "correlation", "correlation": "convolution"}[operation]
        assert f", {operation}, " in plan.explain() and other not in plan.explain()
        made[operation] = plan.run(image)
    dense = weights if isinstance(weights, np.ndarray) else np.outer(*weights)
    at = (1, 1) if anchor is None else anchor
    full = signal.convolve2d(image, dense, "full")[at[0] :, at[1] :][:7, :8]
    np.testing.assert_allclose(made["convolution"], full)
    full = signal.correlate2d(image, dense, "full")[1 - at[0] :, 2 - at[1] :][:7, :8]
    np.testing.assert_allclose(made["correlation"], full)


@pytest.mark.parametrize("words, said", [
    ({"weights": np.ones((3, 3)) / 9, "method": "box"},
     "uint8 12x14, convolution by 3x3, rank 1, sum 1 along axes 0, 1, border reflect101, on cpu, method box"),
    ({"weights": Filter.gaussian(1), "border": "nearest", "output": "f4", "extent": "valid", "method": "separable"},
     "uint8 12x14 -> float32 4x6, convolution by gaussian 9x9, separable, sum 1 along axes 0, 1, border replicate, on cpu, "
     "method separable"),
    ({"weights": [1, -1], "operation": "correlation", "border": "constant", "cval": 7, "device": "reference", "method": "direct"},
     "uint8 12x14, correlation by 2, sum 0 along axis 1, border constant 7, on reference, method direct"),
    ({"weights": SKEW, "border": ("wrap", "mirror"), "anchor": (0, 2), "method": "direct"},
     "uint8 12x14, convolution by 2x3, rank 2, sum 5, anchor (0, 2) along axes 0, 1, border ('wrap', 'reflect101'), on cpu, method direct"),
])  # fmt: skip
def test_reprs_and_pickles(words, said):
    image = np.random.default_rng(1).integers(0, 256, (12, 14), np.uint8)
    plan = halation.plan(image.shape, image.dtype, **words)
    assert repr(plan) == f"<halation.Plan {said}>"
    page = plan._repr_html_()
    assert "<td>uint8 12x14" in page and "data:image/png;base64," in page and plan.device in page
    again = pickle.loads(pickle.dumps(plan))
    assert repr(again) == repr(plan) and again.filter == plan.filter and type(again) is halation.Plan
    np.testing.assert_array_equal(again.run(image), plan.run(image))
    assert pickle.dumps(again) == pickle.dumps(plan)


def test_plans_go_to_other_processes():
    image = np.random.default_rng(1).random((12, 14))
    plan = halation.plan(image.shape, image.dtype, Filter.gaussian(1), border="wrap")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        made = pool.map(plan.run, [image, image[::-1]])
    np.testing.assert_array_equal(made[0], plan.run(image))
    np.testing.assert_array_equal(made[1], plan.run(image[::-1]))


def test_filters_and_channels():
    image = np.random.default_rng(1).random((12, 14, 3))
    for operation in ("convolution", "correlation"):
        by_name = halation.plan(image.shape, image.dtype, Filter.sobel(), operation=operation, channel_axis=-1).run(image)
        np.testing.assert_allclose(by_name, halation.sobel(image))
    weights = np.ones((3, 3))
    plan = halation.plan(image.shape, image.dtype, weights, channel_axis=2)
    weights[...] = 0  # the plan has its own
    assert plan.filter == Filter(np.ones((3, 3))) and plan.shape == image.shape and plan.dtype == np.float64 and plan.border == "reflect101"
    assert pickle.loads(pickle.dumps(plan)).run(image).any()
    stack = halation.plan((2, 12, 14, 3), "f8", np.ones((3, 3)), channel_axis=-1)  # the last ones but the channels
    np.testing.assert_allclose(stack.run(np.stack([image, -image]))[1], -plan.run(image))


def _layouts(image):
    """The image in arrays of other strides, by name."""
    height, width = image.shape
    wide = np.zeros((height, width + 5), image.dtype)
    wide[:, :width] = image
    apart = np.zeros((height * 2, width * 3), image.dtype)
    apart[::2, ::3] = image
    between = np.zeros(image.nbytes + 1, np.uint8)[1:].view(image.dtype).reshape(image.shape)
    between[...] = image
    return {"wide": wide[:, :width], "apart": apart[::2, ::3], "backwards": np.ascontiguousarray(image[::-1, ::-1])[::-1, ::-1],
            "columns": np.asfortranarray(image), "between": between}  # fmt: skip


@pytest.mark.parametrize("layout", ["wide", "apart", "backwards", "columns", "between"])
@pytest.mark.parametrize("words", [
    {"accuracy": "fast"}, {"device": "reference"}, {"sum": "f64"}, {"method": "separable"}, {"tune": "measure"}, {"threads": 1},
    {"operation": "correlation", "extent": "valid", "output": np.float64}, {"extent": "full", "scale": 2.0, "offset": 1.0},
])  # fmt: skip
def test_a_run_on_another_layout_is_of_the_same_plan(words, layout):
    image = np.random.default_rng(6).random((60, 70), np.float32)
    factor = gaussian_factor(3.0, 0, 9)
    plan = halation.plan(image.shape, image.dtype, (factor, factor), border="replicate", **words)
    view = _layouts(image)[layout]
    expected, made = plan.run(image), plan.run(view)
    largest = plan.error_bound(1.0)
    assert np.abs(made.astype(float) - expected).max() <= 2 * largest
    is_taken_otherwise = words.get("tune") == "measure" or "images with gaps" in plan.explain()  # what is quicker there
    if layout == "wide" and not is_taken_otherwise:
        np.testing.assert_array_equal(made, expected)
    where = np.zeros((2, *plan.output_shape), plan.output_dtype).transpose(1, 2, 0)[..., 1]
    assert plan.run(view, where) is where
    assert np.abs(where.astype(float) - expected).max() <= 2 * largest


def test_a_fast_plan_approximates_a_view_as_well():
    image = np.random.default_rng(7).random((300, 400), np.float32)
    soft = Filter.gaussian(sigma=9)
    plan = halation.plan(image.shape, image.dtype, soft, accuracy="fast", method="multirate")
    view = _layouts(image)["wide"]
    np.testing.assert_array_equal(plan.run(view), plan.run(image))
    assert not np.array_equal(plan.run(view), halation.convolve(image, soft))


@pytest.mark.parametrize("words, said", [({"accuracy": "fast", "method": "multirate"}, "multirate"), ({"device": "reference"}, "reference"),
                                         ({"tune": "measure"}, "measured"), ({"operation": "correlation"}, "correlation"),
                                         ({}, "at most 1 thread;")])
def test_what_runs_on_a_view_is_what_was_asked_for(words, said):
    image = np.random.default_rng(7).random((300, 400), np.float32)
    with halation.threads(1):
        plan = halation.plan(image.shape, image.dtype, Filter.gaussian(sigma=9).factors, **words)
    plan.run(_layouts(image)["wide"])
    (other,) = plan._others.values()
    assert said in other.plan.explain() and said in plan.explain()


def test_plans_for_other_layouts_are_few_and_kept():
    image = np.random.default_rng(8).random((20, 30), np.float32)
    plan = halation.plan(image.shape, image.dtype, np.ones((3, 3)))
    expected = plan.run(image)
    for more in range(1, 10):
        view = np.zeros((20, 30 + more), np.float32)[:, :30]
        view[...] = image
        np.testing.assert_array_equal(plan.run(view), expected)
        kept = [id(one) for one in plan._others.values()]
        plan.run(view)
        assert kept == [id(one) for one in plan._others.values()]
    assert len(plan._others) == 4
    again = pickle.loads(pickle.dumps(plan))
    np.testing.assert_array_equal(again.run(view), expected)
