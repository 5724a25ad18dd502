"""test_gpu.py: arrays on a GPU, in place, on the caller's stream; skipped, with the reason, where there is none."""

import numpy as np
import pytest

import halation
import halation.ndimage as ndimage

theirs = pytest.importorskip("scipy.ndimage")
pytestmark = pytest.mark.gpu

if not any(info["device"].startswith("cuda") for info in halation.devices()):
    pytest.skip("no CUDA device, or a build without CUDA", allow_module_level=True)

FILTERS = [
    ("gaussian_filter", (2.0,)),
    ("uniform_filter", (9,)),
    ("sobel", ()),
    ("laplace", ()),
    ("correlate", (np.ones((3, 5)),)),
    ("correlate1d", (np.arange(7.0),)),
    ("gaussian_laplace", (1.5,)),
    ("gaussian_gradient_magnitude", (1.5,)),
]


def image(dtype):
    rng = np.random.default_rng(1)
    return (rng.random((65, 130)) * 200).astype(dtype)


def near(got, expected):
    np.testing.assert_allclose(np.asarray(got, float), np.asarray(expected, float), rtol=1e-4, atol=1e-2)


@pytest.fixture(params=["cupy", "torch"])
def library(request):
    module = pytest.importorskip(request.param)
    if request.param == "torch" and not module.cuda.is_available():
        pytest.skip("PyTorch without CUDA")
    return module


def there(library, array):
    return library.asarray(array) if library.__name__ == "cupy" else library.from_numpy(array).cuda()


def back(library, array):
    return library.asnumpy(array) if library.__name__ == "cupy" else array.cpu().numpy()


def address(array):
    return array.data.ptr if hasattr(array.data, "ptr") else array.data_ptr()


@pytest.mark.parametrize("name, args", FILTERS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats(library, name, args, dtype):
    host = image(dtype)
    got = getattr(ndimage, name)(there(library, host), *args)
    assert type(got) is type(there(library, host))
    near(back(library, got), getattr(theirs, name)(host, *args))


@pytest.mark.parametrize("name, args", FILTERS[:2])
def test_bytes(library, name, args):
    host = image("uint8")
    got = back(library, getattr(ndimage, name)(there(library, host), *args))
    assert got.dtype == np.uint8
    assert np.abs(got.astype(int) - getattr(ndimage, name)(host, *args).astype(int)).max() <= 1


def test_in_place_and_strided(library):
    host = image("float32")
    array = there(library, host)
    out = array * 0
    before = address(out)
    assert ndimage.gaussian_filter(array, 1.0, output=out) is out
    assert address(out) == before
    near(back(library, out), theirs.gaussian_filter(host, 1.0))
    part = array[::2, 3:100]
    near(back(library, ndimage.gaussian_filter(part, 1.0)), theirs.gaussian_filter(host[::2, 3:100], 1.0))


def test_plan(library):
    host = image("float32")
    plan = halation.plan(host.shape, host.dtype, np.ones((3, 3)) / 9, border="reflect", device="cuda:0")
    near(back(library, plan.run(there(library, host))), theirs.uniform_filter(host, 3))
    with pytest.raises(ValueError):
        plan.run(host)


def test_current_stream(library):
    """Work queued before on the caller's stream is seen, without waiting in between."""
    host = np.ones((2048, 2048), np.float32)
    array = there(library, host)
    if library.__name__ == "cupy":
        library.cuda.get_current_stream().synchronize()  # the other stream does not wait for the upload
        with library.cuda.Stream(non_blocking=True) as stream:
            for _ in range(20):
                array = array * 1 + 1
            got = ndimage.uniform_filter(array, 5)
            stream.synchronize()
    else:
        stream = library.cuda.Stream()
        stream.wait_stream(library.cuda.current_stream())
        with library.cuda.stream(stream):
            for _ in range(20):
                array = array * 1 + 1
            got = ndimage.uniform_filter(array, 5)
        stream.synchronize()
    near(back(library, got), host + 20)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("weights", [np.ones((3, 5)), np.ones((3, 5)) * (1 - 2j), np.ones((9, 9)) * 1j])
@pytest.mark.parametrize("cval", [0, 3, 1 + 2j])
def test_complex(library, dtype, weights, cval):
    host = (image("float64") + 1j * image("float64")[::-1]).astype(dtype)
    for given, array in ((host, there(library, host)), (host[::2, 3:100], there(library, host)[::2, 3:100])):
        got = ndimage.correlate(array, weights, mode="constant", cval=cval)
        assert type(got) is type(array)
        expected = theirs.correlate(given.astype("complex128"), weights, mode="constant", cval=cval)
        np.testing.assert_allclose(back(library, got), expected, rtol=1e-4, atol=0.1)
    if library.__name__ == "torch":  # a conjugate that is not made yet
        got = ndimage.correlate(there(library, host).conj(), weights, mode="constant", cval=cval)
        expected = theirs.correlate(host.conj().astype("complex128"), weights, mode="constant", cval=cval)
        np.testing.assert_allclose(back(library, got), expected, rtol=1e-4, atol=0.1)


def test_refused(library):
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        ndimage.gaussian_filter(there(library, image("float32")), 1.0, output=np.zeros((65, 130), np.float32))


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve", "oaconvolve"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_signal(library, name, mode, dtype):
    import halation.signal as signal

    host, weights = image(dtype) % 16, np.arange(15).reshape(3, 5).astype(dtype) % 4
    got = getattr(signal, name)(there(library, host), weights, mode=mode)
    assert type(got) is type(there(library, host))
    near(back(library, got), getattr(signal, name)(host, weights, mode=mode))
    near(back(library, getattr(signal, name)(there(library, host), there(library, weights), mode=mode)), back(library, got))


@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
def test_convolve2d(library, boundary):
    import halation.signal as signal

    host, weights = image("float32"), np.arange(15.0, dtype=np.float32).reshape(3, 5)
    got = signal.convolve2d(there(library, host), weights, mode="same", boundary=boundary)
    near(back(library, got), pytest.importorskip("scipy.signal").convolve2d(host, weights, mode="same", boundary=boundary))


CV = [
    ("filter2D", (-1, np.array([[0, -1.0, 0], [-1, 6, -1], [0, -1, 0]]))),
    ("sepFilter2D", (-1, np.array([1.0, 2, 1]) / 4, np.array([1.0, 3, 1]) / 5)),
    ("GaussianBlur", ((5, 7), 1.5)),
    ("blur", ((5, 5),)),
    ("boxFilter", (-1, (3, 5))),
    ("Sobel", (5, 1, 0)),
    ("Scharr", (5, 0, 1)),
    ("Laplacian", (5,)),
]


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
@pytest.mark.parametrize("name, args", CV)
def test_cv(library, name, args, dtype):
    import halation.cv as cv

    host = np.stack([image(dtype)] * 3, axis=-1)
    try:
        array = there(library, host)
    except TypeError:
        pytest.skip(f"{library.__name__} has no {dtype}")
    got = getattr(cv, name)(array, *args)
    expected = getattr(cv, name)(host, *args)
    assert back(library, got).dtype == expected.dtype
    tolerance = {"rtol": 1e-4, "atol": 1e-2} if expected.dtype.kind == "f" else {"rtol": 0, "atol": 1}
    np.testing.assert_allclose(np.asarray(back(library, got), float), np.asarray(expected, float), **tolerance)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("name", halation.filters.__all__)
def test_named_filters(library, name, dtype):
    host = image(dtype)
    if name == "custom":
        pytest.skip("weights are its parameter")
    got = back(library, getattr(halation.filters, name)(there(library, host)))
    expected = getattr(halation.filters, name)(host)
    tolerance = {"rtol": 1e-4, "atol": 1e-2} if dtype == "float32" else {"rtol": 0, "atol": 1}
    np.testing.assert_allclose(np.asarray(got, float), np.asarray(expected, float), **tolerance)


def test_dask_blocks():
    cupy, da = pytest.importorskip("cupy"), pytest.importorskip("dask.array")
    import halation.dask

    host = image("float32")
    blocks = da.from_array(cupy.asarray(host), chunks=(20, 64), asarray=False)
    got = halation.dask.gaussian_filter(blocks, 2.0).compute(scheduler="synchronous")
    assert isinstance(got, cupy.ndarray)
    near(cupy.asnumpy(got), theirs.gaussian_filter(host, 2.0))


@pytest.mark.parametrize("name", ["sobel", "prewitt"])
def test_whole_weights_of_bytes(library, name):
    """Along all axes at once, into what holds the result."""
    host = image("uint8")
    got = getattr(ndimage, name)(there(library, host), output=np.int16)
    np.testing.assert_array_equal(back(library, got), getattr(theirs, name)(host, output=np.int16))


def test_nothing_is_allocated_or_copied(library):
    """With an output at hand neither the library of the arrays nor the driver is asked for memory."""
    if library.__name__ != "torch":
        pytest.skip("PyTorch counts")
    array = there(library, image("float32"))
    out = library.empty_like(array)
    plan = halation.plan(tuple(array.shape), "float32", np.ones((3, 3)) / 9, device="cuda:0")
    calls = [lambda: plan.run(array, out), lambda: ndimage.gaussian_filter(array, 2.0, output=out)]
    for call in calls:
        call()
        library.cuda.synchronize()
        before = library.cuda.memory_stats()["allocation.all.allocated"], library.cuda.mem_get_info()[0]
        for _ in range(20):
            call()
        library.cuda.synchronize()
        assert (library.cuda.memory_stats()["allocation.all.allocated"], library.cuda.mem_get_info()[0]) == before


CHAINS = ["gaussian sigma=2 | unsharp_mask amount=0.5 | edges", [halation.Filter(np.arange(6.0).reshape(2, 3) - 2), "box size=5"]]


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_chains(library, chain, dtype):
    host = np.stack([image(dtype), image(dtype)[::-1], image(dtype) // 2])
    on_gpu = there(library, host.copy())
    for words in ({"axes": (1, 2)}, {"channel_axis": 0, "border": "wrap", "output": np.float32}, {"axes": (2, 0)},
                  {"axes": (1, 2), "extent": "full"}):
        expected = halation.convolve(host, chain, **words)
        got = halation.convolve(on_gpu, chain, **words)
        assert type(got) is type(on_gpu) and tuple(got.shape) == expected.shape
        level = 1 if expected.dtype.kind == "u" else 1e-2
        np.testing.assert_allclose(back(library, got).astype(float), expected.astype(float), rtol=1e-4, atol=level)
    out = there(library, np.zeros(host.shape, np.float32))
    assert halation.convolve(on_gpu, chain, axes=(1, 2), output=out) is out
    near(back(library, out), halation.convolve(host, chain, axes=(1, 2), output=np.float32))
    np.testing.assert_array_equal(back(library, on_gpu), host)
    with pytest.raises(ValueError, match="host memory"):
        halation.convolve(on_gpu, chain, axes=(1, 2), linear=True)


def test_chains_on_a_stream():
    """What the caller has queued comes first."""
    cupy = pytest.importorskip("cupy")
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        array = cupy.zeros((2048, 2048), np.float32)
        for _ in range(50):
            array += 1
        got = halation.convolve(array, "gaussian | box")
    assert abs(float(got.min()) - 50) < 1e-3 and abs(float(got.max()) - 50) < 1e-3


def test_chains_on_a_stream_that_is_not_the_current_one():
    """The image becomes valid on it, and what goes into `output` is complete when the call returns; `axes` make the array be copied."""
    cupy = pytest.importorskip("cupy")
    stream, current = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
    array, out = cupy.zeros((3, 1024, 1024), np.float32), cupy.zeros((3, 1024, 1024), np.float32)
    cupy.cuda.get_current_stream().synchronize()
    with stream:
        for _ in range(50):
            array += 1
    with current:
        assert halation.convolve(array, "gaussian | box", axes=(2, 0), output=out, stream=stream.ptr) is out
    with cupy.cuda.Stream(non_blocking=True):
        least, most = float(out.min()), float(out.max())
    assert abs(least - 50) < 1e-3 and abs(most - 50) < 1e-3
