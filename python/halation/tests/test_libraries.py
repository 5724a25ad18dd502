"""test_libraries.py: arrays of other libraries on the CPU, in place and back; skipped where a library is not installed."""

import warnings

import numpy as np
import pytest

import halation
import halation.ndimage as ndimage

from .stand_in import There, streams  # noqa: F401

VALUES = np.arange(12, dtype=np.float32).reshape(3, 4) ** 2


def test_torch():
    torch = pytest.importorskip("torch")
    array = torch.from_numpy(VALUES.copy())
    got = ndimage.gaussian_filter(array, 1.0)
    assert isinstance(got, torch.Tensor) and got.dtype == torch.float32
    np.testing.assert_array_equal(got.numpy(), ndimage.gaussian_filter(VALUES, 1.0))
    out = torch.empty_like(array)
    assert ndimage.gaussian_filter(array, 1.0, output=out) is out
    np.testing.assert_array_equal(out.numpy(), got.numpy())
    np.testing.assert_array_equal(ndimage.sobel(array.T).numpy(), ndimage.sobel(VALUES.T))
    with pytest.raises(RuntimeError, match="requires grad"):
        ndimage.sobel(array.requires_grad_())


def test_jax():
    jax = pytest.importorskip("jax")
    array = jax.device_put(VALUES, jax.devices("cpu")[0])  # also where JAX would take a GPU
    got = ndimage.gaussian_filter(array, 1.0)
    assert isinstance(got, jax.Array)
    np.testing.assert_array_equal(np.asarray(got), ndimage.gaussian_filter(VALUES, 1.0))


def test_lists_matrices_and_scalars():
    assert ndimage.uniform_filter1d([3, 0, 6], 3).tolist() == [2, 3, 4]
    assert type(ndimage.sobel(np.ma.masked_array(VALUES))) is np.ndarray
    assert ndimage.gaussian_filter(np.float32(3), 1.0).shape == ()


MASKED = np.ma.masked_array(VALUES, VALUES > 3)


@pytest.mark.parametrize("call", [
    lambda array: ndimage.sobel(array), lambda array: ndimage.gaussian_filter(array.astype(complex), 1),
    lambda array: halation.convolve(array, np.ones((3, 3))), lambda array: halation.convolve(array, "gaussian sigma=1"),
    lambda array: halation.convolve(array, np.ones((3, 3)), accuracy="fast"), lambda array: halation.gaussian(array),
    lambda array: halation.sobel(array, view="abs"), lambda array: halation.plan(array.shape, array.dtype, np.ones((3, 3))).run(array),
    lambda array: halation.signal.convolve2d(array, np.ones((3, 3))), lambda array: halation.cv.GaussianBlur(array, (3, 3), 1),
    lambda array: ndimage.correlate(np.ones((9, 9)), array), lambda array: halation.Filter(array),
])  # fmt: skip
def test_a_mask_is_not_looked_at_which_a_warning_says(call):
    with pytest.warns(UserWarning, match="the mask of a masked array is not looked at") as caught:
        made = call(MASKED)
    assert [(each.category, each.filename) for each in caught] == [(UserWarning, __file__)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = call(VALUES)
        call(np.ma.masked_array(VALUES, np.zeros_like(VALUES, bool)))
    if not isinstance(made, halation.Filter):
        assert type(made) is np.ndarray
        np.testing.assert_array_equal(made, expected)


CALLS = [
    ("gaussian_filter", (1.0,)),
    ("uniform_filter", (3,)),
    ("sobel", ()),
    ("laplace", ()),
    ("correlate", (np.array([[1.0, 2.0], [0.5, -1.0]]),)),
    ("convolve1d", ([1.0, 2.0, 4.0],)),
    ("gaussian_laplace", (1.0,)),
    ("gaussian_gradient_magnitude", (1.0,)),
]


@pytest.mark.parametrize("name, args", CALLS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "int32", "bool"])
def test_elsewhere(streams, name, args, dtype):
    if (name, dtype) == ("gaussian_gradient_magnitude", "bool"):
        return  # squares of bools
    host = (np.arange(56).reshape(7, 8) * 37 % 19).astype(dtype)
    function = getattr(ndimage, name)
    got = function(host.view(There), *args)
    assert type(got) is There and got.dtype == dtype
    assert_near(got, function(host, *args))
    assert streams


def assert_near(got, expected):
    """Integers equal; floats within what sums in f32 round, which a GPU may make in f64."""
    rounding = {"f": {4: 4e-7, 8: 1e-15}}.get(expected.dtype.kind, {}).get(expected.dtype.itemsize, 0)
    np.testing.assert_allclose(np.asarray(got), expected, rtol=0, atol=rounding * np.abs(expected).max(initial=0))


def test_elsewhere_into(streams):
    host = np.random.default_rng(1).random((9, 8), np.float32)
    array, expected = host.copy().view(There), ndimage.gaussian_filter(host, 1.0)
    out = np.zeros_like(array)
    assert ndimage.gaussian_filter(array, 1.0, output=out) is out
    assert_near(out, expected)
    assert ndimage.gaussian_filter(array, 1.0, output=array) is array  # by way of a temporary
    assert_near(array, expected)
    array = host.copy().view(There)
    ndimage.gaussian_laplace(array, 1.0, output=array)
    assert_near(array, ndimage.gaussian_laplace(host, 1.0))
    plan = halation.plan(host.shape, host.dtype, np.ones((3, 3)))
    np.testing.assert_array_equal(np.asarray(plan.run(host.view(There))), plan.run(host))
