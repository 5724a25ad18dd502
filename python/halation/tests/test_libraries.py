"""test_libraries.py: arrays of other libraries on the CPU, in place and back; skipped where a library is not installed."""

import numpy as np
import pytest

import halation.ndimage as ndimage

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
    got = ndimage.gaussian_filter(jax.numpy.asarray(VALUES), 1.0)
    assert isinstance(got, jax.Array)
    np.testing.assert_array_equal(np.asarray(got), ndimage.gaussian_filter(VALUES, 1.0))


def test_lists_matrices_and_scalars():
    assert ndimage.uniform_filter1d([3, 0, 6], 3).tolist() == [2, 3, 4]
    assert type(ndimage.sobel(np.ma.masked_array(VALUES, VALUES > 3))) is np.ndarray
    assert ndimage.gaussian_filter(np.float32(3), 1.0).shape == ()
