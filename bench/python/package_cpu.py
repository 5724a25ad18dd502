"""package_cpu.py: what package.py runs on the CPU: the same call of halation.ndimage and scipy.ndimage, of halation.cv and cv2, and
what scikit-image computes by other names."""
import cv2
import numpy as np
import scipy
import scipy.ndimage
import skimage
import skimage.filters

import halation
import halation.cv
import halation.ndimage
from package_rows import Row, near
from stopwatch import wall_batch

SIDE = 4096
LEAST_S, BUDGET_S = 2e-3, 0.4  # of a batch and of all batches of a call
SCIPY = 1e-6  # share of integers where two ways to sum may fall on two sides of a whole number
OPENCV = 1.0  # its 8 bits are sums of rounded weights

batch = wall_batch


def facts():
    """Versions and threads for the record."""
    cv2.setNumThreads(-1)
    return {"device": "cpu", "versions": {"halation": halation.__version__, "numpy": np.__version__, "scipy": scipy.__version__,
                                          "opencv": cv2.__version__, "scikit-image": skimage.__version__},
            "threads": {"opencv": cv2.getNumThreads()}}


def settle():
    """Nothing: what was run before leaves no trace."""


def to_host(array):
    return np.array(array)


def extra(row):
    return {}


def rate_of(program, job):
    raise SystemExit("--program is for GPUs; the CPU's jobs without Python are those of halation bench --device cpu")


def weights(taps, shape=2):
    """Random, of both signs, with sum 1."""
    rng = np.random.default_rng(taps)
    drawn = rng.uniform(-0.5, 1, (taps,) * shape)
    return drawn / drawn.sum()


def ndimage_jobs(image):
    """(name, taps, call of a module like scipy.ndimage)."""
    def out():
        return np.empty_like(image)
    for taps in (3, 5, 9, 15):
        w = weights(taps)
        w = np.abs(w) / np.abs(w).sum()  # SciPy wraps what leaves 8 bits
        yield f"correlate {taps}x{taps}", taps, lambda m, w=w, to=out(): m.correlate(image, w, output=to)
    whole = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]) - np.eye(5) * 30
    yield "convolve 5x5 of whole weights", 5, lambda m, to=np.empty(image.shape, np.float32): m.convolve(image, whole, output=to)
    for axis in (0, 1):
        row = np.abs(weights(9, 1))
        row /= row.sum()
        yield f"correlate1d 9 taps, axis {axis}", 9, lambda m, row=row, axis=axis, to=out(): m.correlate1d(image, row, axis, to)
    for sigma in (1, 2, 4):
        yield (f"gaussian_filter sigma {sigma}", 8 * sigma + 1,
               lambda m, sigma=sigma, to=out(): m.gaussian_filter(image, sigma, output=to))
    for size in (3, 9, 31):
        yield f"uniform_filter {size}", size, lambda m, size=size, to=out(): m.uniform_filter(image, size, output=to)
    wide = np.float32 if image.dtype.kind == "f" else np.int16
    for name in ("sobel", "prewitt"):
        yield name, 3, lambda m, name=name, to=np.empty(image.shape, wide): getattr(m, name)(image, output=to)
    yield "laplace", 3, lambda m, to=np.empty(image.shape, wide): m.laplace(image, output=to)
    for name in ("gaussian_laplace", "gaussian_gradient_magnitude"):
        if image.dtype.kind == "f":
            yield f"{name} sigma 2", 17, lambda m, name=name, to=out(): getattr(m, name)(image, 2, output=to)


def cv_jobs(image):
    """(name, taps, call of a module like cv2)."""
    def out():
        return np.empty_like(image)
    for taps in (3, 5, 9, 15):
        yield f"filter2D {taps}x{taps}", taps, lambda m, w=weights(taps), to=out(): m.filter2D(image, -1, w, to)
    for taps in (7, 15):
        row = weights(taps, 1)
        yield f"sepFilter2D {taps} taps", taps, lambda m, row=row, to=out(): m.sepFilter2D(image, -1, row, row, to)
    for taps, sigma in ((5, 0), (9, 1.5), (25, 4)):
        yield (f"GaussianBlur {taps}x{taps}", taps,
               lambda m, taps=taps, sigma=sigma, to=out(): m.GaussianBlur(image, (taps, taps), sigma, to))
    for size in (3, 9, 31):
        yield f"blur {size}x{size}", size, lambda m, size=size, to=out(): m.blur(image, (size, size), to)
    depth, wide = (-1, np.float32) if image.dtype.kind == "f" else (cv2.CV_16S, np.int16)
    yield "Sobel 3x3", 3, lambda m, to=np.empty(image.shape, wide): m.Sobel(image, depth, 1, 0, to)
    yield "Scharr", 3, lambda m, to=np.empty(image.shape, wide): m.Scharr(image, depth, 1, 0, to)
    yield "Laplacian 3x3", 3, lambda m, to=np.empty(image.shape, wide): m.Laplacian(image, depth, to, 3)


def skimage_jobs(image):
    """(name, taps, halation's call, scikit-image's)."""
    for sigma in (1, 2, 4):
        ours, theirs = np.empty(image.shape, np.float32), np.empty(image.shape, np.float32)
        yield (f"gaussian sigma {sigma}", 8 * sigma + 1,
               lambda sigma=sigma, to=ours: halation.ndimage.gaussian_filter(image, sigma, output=to, mode="nearest"),
               lambda sigma=sigma, to=theirs: skimage.filters.gaussian(image, sigma, mode="nearest", preserve_range=True, out=to))
    if image.dtype.kind != "f":
        return
    wanted = np.array([[0.25], [0.5], [0.25]]) * [1, 0, -1]
    yield ("sobel along x", 3, lambda to=np.empty_like(image): halation.ndimage.convolve(image, wanted, to),
           lambda: skimage.filters.sobel(image, axis=1))


def rows():
    """All rows, in turn: arrays live as long as theirs."""
    rng = np.random.default_rng(0)
    for dtype in ("float32", "uint8"):
        image = rng.random((SIDE, SIDE), np.float32) if dtype == "float32" else rng.integers(0, 256, (SIDE, SIDE), np.uint8)
        for name, taps, call in ndimage_jobs(image):
            yield Row(f"ndimage.{name}", dtype, taps, lambda call=call: call(halation.ndimage),
                      {"SciPy": lambda call=call: call(scipy.ndimage)}, near(SCIPY), image.size)
        for name, taps, call in cv_jobs(image):
            yield Row(f"cv.{name}", dtype, taps, lambda call=call: call(halation.cv), {"OpenCV": lambda call=call: call(cv2)},
                      near(OPENCV), image.size)
        for name, taps, ours, theirs in skimage_jobs(image):
            yield Row(f"{name}, as scikit-image's", dtype, taps, ours, {"scikit-image": theirs}, near(0), image.size)
