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


def test_refused(library):
    array = there(library, image("complex64"))
    with pytest.raises(TypeError, match="complex"):
        ndimage.gaussian_filter(array, 1.0)
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        ndimage.gaussian_filter(there(library, image("float32")), 1.0, output=np.zeros((65, 130), np.float32))
