"""test_dask.py: every function of halation.dask beside the same of halation.ndimage on the whole array."""
import doctest
import inspect
import pickle

import numpy as np
import pytest

pytest.importorskip("hypothesis")
da = pytest.importorskip("dask.array")

import dask
from hypothesis import given, settings
from hypothesis import strategies as st

import halation.dask as lazy
from halation import ndimage

MODES = ["reflect", "constant", "nearest", "mirror", "wrap"]
DTYPES = ["uint8", "int16", "int32", "bool", "float16", "float32", "float64", "complex64"]
same_examples = settings(derandomize=True, deadline=None, database=None, max_examples=30)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@st.composite
def volumes(draw, dtypes=tuple(DTYPES)):
    """An array of 1 to 3 axes and its chunks, of 1 element or more."""
    shape = tuple(draw(st.lists(st.integers(1, 14), min_size=1, max_size=3)))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    array = (rng.random(shape) * 100).astype(draw(st.sampled_from(dtypes)))
    if array.dtype.kind == "c":
        array = array + 1j * rng.random(shape).astype(np.float32)
    return array, tuple(draw(st.integers(1, 9)) for _ in shape)


def agree(name, volume, *args, **keywords):
    array, chunks = volume
    given = da.from_array(array, chunks=chunks)
    there = getattr(lazy, name)(given, *args, **keywords)
    made = there.compute()
    keywords.pop("depth", None)
    expected = getattr(ndimage, name)(array, *args, **keywords)
    assert isinstance(there, da.Array) and there.chunks == given.chunks
    assert there.dtype == expected.dtype == made.dtype
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(made, expected)
        return
    largest = float(np.abs(expected).max(initial=1.0))
    unit = {"float16": 2.0**-10, "float64": 2.0**-44}.get(expected.dtype.name, 2.0**-19)
    np.testing.assert_allclose(made, expected, rtol=0, atol=unit * max(largest, 100.0))


def modes_for(draw, count):
    return draw(st.sampled_from(MODES)) if draw(st.booleans()) else [draw(st.sampled_from(MODES)) for _ in range(count)]


def axes_for(draw, ndim):
    """None or some axes, in any order."""
    return None if draw(st.booleans()) else tuple(draw(st.permutations(range(ndim)))[:draw(st.integers(1, ndim))])


@same_examples
@given(st.data(), volumes(), st.sampled_from(["correlate", "convolve"]), st.sampled_from(MODES), st.sampled_from([None, "f8"]))
def test_weights(data, volume, name, mode, output):
    if volume[0].dtype.kind == "c" and output:
        output = None
    axes = axes_for(data.draw, volume[0].ndim)
    shape = [data.draw(st.integers(1, 5)) for _ in range(volume[0].ndim if axes is None else len(axes))]
    weights = np.random.default_rng(len(shape)).integers(-3, 4, shape)
    origin = [data.draw(st.integers(-1, 1)) if n > 3 else 0 for n in shape]
    agree(name, volume, weights, mode=mode, cval=3.0, origin=origin, axes=axes, output=output and np.dtype(output))


@same_examples
@given(st.data(), volumes(), st.sampled_from(MODES))
def test_along_one_axis(data, volume, mode):
    axis = data.draw(st.integers(-volume[0].ndim, volume[0].ndim - 1))
    agree("correlate1d", volume, [1, -2, 4, 3], axis, mode=mode, cval=2, origin=data.draw(st.integers(-2, 1)))
    agree("convolve1d", volume, [1, -2, 4], axis, mode=mode, cval=2, origin=data.draw(st.integers(-1, 1)))
    agree("uniform_filter1d", volume, data.draw(st.integers(1, 6)), axis, mode=mode)
    agree("gaussian_filter1d", volume, 1.1, axis, data.draw(st.integers(0, 2)), mode=mode, truncate=2.0)


@same_examples
@given(st.data(), volumes())
def test_windows_and_gaussians(data, volume):
    axes = axes_for(data.draw, volume[0].ndim)
    count = volume[0].ndim if axes is None else len(axes)
    sizes = [data.draw(st.integers(1, 6)) for _ in range(count)]
    agree("uniform_filter", volume, sizes, mode=modes_for(data.draw, count), axes=axes)
    if volume[0].dtype.kind != "c":
        sigmas, radius = [data.draw(st.sampled_from([0, 0.5, 1.2])) for _ in range(count)], data.draw(st.sampled_from([None, 2]))
        agree("gaussian_filter", volume, sigmas, mode=modes_for(data.draw, count), axes=axes, radius=radius)


@settings(same_examples, max_examples=12)
@given(st.data(), volumes(("uint8", "int32", "float32", "float64")))
def test_derivatives(data, volume):
    ndim = volume[0].ndim
    axes = axes_for(data.draw, ndim)
    count = ndim if axes is None else len(axes)
    modes = modes_for(data.draw, count)
    for name in ("sobel", "prewitt"):
        agree(name, volume, data.draw(st.integers(-ndim, ndim - 1)), mode=modes_for(data.draw, ndim), output=np.float32)
    agree("laplace", volume, mode=modes, axes=axes, output=np.float64)
    agree("gaussian_laplace", volume, 0.8, mode=modes, axes=axes, output=np.float32, truncate=3.0)
    agree("gaussian_gradient_magnitude", volume, 0.8, mode=modes, axes=axes, output=np.float32)
    agree("generic_gradient_magnitude", volume, ndimage.sobel, mode=modes, axes=axes, output=np.float32, depth=1)
    agree("generic_laplace", volume, ndimage.sobel, mode=modes, axes=axes, output=np.float32, depth=1)


def test_all_functions_are_here():
    assert lazy.__all__ == ndimage.__all__
    for name in lazy.__all__:
        there = list(inspect.signature(getattr(ndimage, name)).parameters)
        assert [word for word in inspect.signature(getattr(lazy, name)).parameters if word != "depth"] == there


def test_examples():
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    for name in lazy.__all__:
        for example in finder.find(getattr(lazy, name), name, globs={}):
            assert runner.run(example).failed == 0
    assert runner.summarize().attempted >= 5 * len(lazy.__all__)


def test_lazy_and_ready_to_travel():
    blocks = []

    def made_late(block):
        blocks.append(block.shape)
        return block

    meta = np.empty((0, 0), np.float32)
    source = da.zeros((32, 32), chunks=16, dtype=np.float32).map_blocks(made_late, dtype=np.float32, meta=meta)
    made = lazy.gaussian_filter(source, 1.0)
    assert not blocks
    assert not made.compute().any() and len(blocks) == 4
    made = lazy.gaussian_filter(da.zeros((32, 32), chunks=16), 1.0)
    assert pickle.loads(pickle.dumps(made)).chunks == made.chunks  # as it is sent to other processes


@pytest.mark.parametrize("call, error, words", [
    (lambda x: lazy.gaussian_filter(np.zeros(3), 1.0), TypeError, "filters Dask arrays, got ndarray"),
    (lambda x: lazy.gaussian_filter(x, 1.0, output=np.zeros((8, 8))), TypeError, "output must be a dtype"),
    (lambda x: lazy.gaussian_filter(x, 1.0, mode="mirrored"), RuntimeError, "boundary mode not supported"),
    (lambda x: lazy.correlate(x, [1, 2]), RuntimeError, "must match len"),
    (lambda x: lazy.correlate1d(x, [1, 2], origin=5), ValueError, "Invalid origin"),
    (lambda x: lazy.uniform_filter(x, 3, mode="wrong"), RuntimeError, "boundary mode not supported"),
    (lambda x: lazy.sobel(x, axis=2), ValueError, "out of bounds"),
    (lambda x: lazy.generic_laplace(x, ndimage.sobel), ValueError, "give depth"),
    (lambda x: lazy.generic_laplace(x, ndimage.sobel, depth=-1), ValueError, "at least 0"),
])
def test_errors_come_at_once(call, error, words):
    with pytest.raises(error, match=words):
        call(da.zeros((8, 8), chunks=4))


def test_chunks_of_unknown_size_are_refused_where_the_filter_reaches_into_them():
    image = np.random.default_rng(1).random((12, 5))
    known = da.from_array(image, chunks=(4, 5))
    unknown = known[known[:, 0] > 0.3]
    with pytest.raises(ValueError, match=r"^gaussian_filter: chunks along axis 0 are of unknown size, \(nan, nan, nan\), and the filter reaches "
                                         r"into the next; call compute_chunk_sizes\(\) on the array first$"):
        lazy.gaussian_filter(unknown, 1.0)
    expected = image[image[:, 0] > 0.3]
    np.testing.assert_allclose(lazy.gaussian_filter1d(unknown, 1.0, axis=1), ndimage.gaussian_filter1d(expected, 1.0, axis=1))
    known_now = unknown.compute_chunk_sizes()
    np.testing.assert_allclose(lazy.gaussian_filter(known_now, 1.0), ndimage.gaussian_filter(expected, 1.0))


def test_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")
    volume = np.random.default_rng(1).integers(0, 65536, (20, 33, 17), np.uint16)
    source = zarr.create_array(store=str(tmp_path / "in.zarr"), shape=volume.shape, chunks=(8, 8, 8), dtype=volume.dtype)
    source[:] = volume
    made = lazy.gaussian_filter(da.from_zarr(str(tmp_path / "in.zarr")), 1.5)
    made.to_zarr(str(tmp_path / "out.zarr"))
    np.testing.assert_array_equal(zarr.open_array(str(tmp_path / "out.zarr"), mode="r")[:], ndimage.gaussian_filter(volume, 1.5))


def test_blocks_on_a_gpu():
    cupy = pytest.importorskip("cupy")
    try:
        cupy.zeros(1)
    except Exception as error:  # of CuPy's own kind, where there is no device
        pytest.skip(f"no GPU: {error}")
    image = np.random.default_rng(1).random((40, 50), np.float32)
    made = lazy.gaussian_filter(da.from_array(cupy.asarray(image), chunks=(16, 16), asarray=False), 1.5)
    there = made.compute()
    assert isinstance(there, cupy.ndarray)
    np.testing.assert_allclose(cupy.asnumpy(there), ndimage.gaussian_filter(image, 1.5), rtol=1e-5)
