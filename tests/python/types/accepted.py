"""accepted.py: calls that type checkers must take, and the types of their results. It is checked, not run."""
from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import halation
import halation.cv as cv
import halation.dask
import halation.ndimage as ndimage
import halation.signal as signal
from halation import Filter, filters


class Tensor:
    """An array of another library."""

    shape: tuple[int, ...]
    ndim: int
    dtype: object

    def __array__(self) -> NDArray[np.float32]:
        return np.zeros(3, np.float32)


photo = np.zeros((8, 9, 3), np.uint8)
tensor = Tensor()

# NumPy's arrays give NumPy's, of any type; other libraries' give theirs; lists give NumPy's.
assert_type(ndimage.gaussian_filter(photo, 2, axes=(0, 1), output=np.float32), NDArray[Any])
assert_type(ndimage.gaussian_filter(tensor, sigma=[1, 2.5], mode=["nearest", "wrap"], radius=(3, 4)), Tensor)
assert_type(ndimage.gaussian_filter([[1.0, 2.0]], np.float32(2), mode="mirror"), NDArray[Any])
assert_type(ndimage.gaussian_filter(input=photo, sigma=np.ones(3)), NDArray[Any])
assert_type(ndimage.gaussian_laplace(photo, 2, truncate=3.0), NDArray[Any])
assert_type(ndimage.generic_laplace(photo, lambda *given: ndimage.sobel(given[0]), extra_keywords={"axis": 1}), NDArray[Any])
assert_type(ndimage.uniform_filter(photo, size=np.int64(3), output=photo), NDArray[Any])
assert_type(ndimage.correlate(photo, [[[1, 2, 1]]], "float32", cval=1), NDArray[Any])
assert_type(signal.convolve2d(photo[..., 0], [[1, 2], [3, 4]], boundary="symm"), Any)
assert_type(signal.fftconvolve(photo, photo, mode="same", axes=(0, 1)), NDArray[Any])
assert_type(signal.sepfir2d(tensor, [1, 2, 1], [1, 2, 1]), Tensor)
assert_type(halation.convolve(photo, [[1, 2, 1]], channel_axis=-1, border="BORDER_REFLECT_101"), NDArray[Any])
assert_type(halation.correlate(tensor, ([1, 2, 1], np.ones(3)), border=("wrap", "constant"), cval=(0, 1.5)), Tensor)
assert_type(halation.convolve(photo, Filter.gaussian(sigma=(2, 3.5)), axes=(0, 1), method="direct", output=photo), NDArray[Any])
assert_type(halation.gaussian(photo, 2, axes=(0, 1), view="abs"), NDArray[Any])
assert_type(filters.sobel(tensor, "y", border="reflect", output="float32"), Tensor)
assert_type(filters.box(photo, size=(3, 5), alpha=True), NDArray[Any])

# Chains.
assert_type(halation.convolve(photo, "gaussian sigma=2 | edges", channel_axis=-1, linear=True), NDArray[Any])
assert_type(halation.correlate(tensor, [Filter.gaussian(2), "edges"], alpha=True, gray=True, view="signed"), Tensor)
assert_type(halation.convolve(photo, (Filter.gaussian(2), Filter.box(3)), axes=(0, 1)), NDArray[Any])
halation.filter_file([Filter.gaussian(2), "edges"], Path("in.tif"), b"out.tif", memory="512M", dtype=np.float32, border=("wrap", "reflect"))
halation.filter_file("edges", "in.tif", "out.tif", memory=1 << 30, progress=lambda done, total: print(done / total), layout="hwc")

# Filters.
sharp = 2 * Filter.identity() - Filter.gaussian(sigma=2) / 2
assert_type(sharp, Filter)
assert_type(Filter.separable([1, 2, 1], np.ones(3), anchor=(1, 0)), Filter)
assert_type(sharp.separable, bool)
assert_type(sharp.rank, int)
assert_type(sharp.weights, NDArray[np.float64])
assert_type(sharp @ Filter([[1, 2]]).with_anchor((0, 1)).then(sharp), Filter)
assert_type(np.float32(2) * -sharp, Filter)

# Plans.
plan = halation.plan(photo.shape, photo.dtype, sharp, channel_axis=-1, border="reflect", output=np.float32)
assert_type(plan, halation.Plan)
assert_type(plan.run(photo), NDArray[Any])
assert_type(plan.run(tensor, stream=0), Tensor)
assert_type(plan.output_shape, tuple[int, ...])
assert_type(plan.error_bound(255), float)
assert_type(plan.methods, list[str])
with halation.threads(np.int32(2)):
    halation.devices()

# OpenCV's functions: sizes, numbers and types of the caller's, borders by number or name, lists as images.
assert_type(cv.GaussianBlur(photo, (3, 3), 0), NDArray[Any])
assert_type(cv.GaussianBlur(src=tensor, ksize=[5, 0], sigmaX=np.float32(1.5), sigmaY=2, borderType=cv.BORDER_REFLECT), Tensor)
assert_type(cv.blur([[1, 2.5, 3]], photo.shape[:2], None, (-1, -1), "reflect"), NDArray[Any])
assert_type(cv.boxFilter(photo, -1, (np.int64(3), 3), normalize=False), NDArray[Any])
assert_type(cv.filter2D(photo, cv.CV_16S, [[1, 0, -1]], photo, (0, 0), 0.5), NDArray[Any])
assert_type(cv.sepFilter2D(tensor, cv.CV_32F, np.ones(3), [1, 2, 1], delta=1), Tensor)
assert_type(cv.Sobel(photo, cv.CV_64F, 1, 0, ksize=cv.FILTER_SCHARR, scale=0.5), NDArray[Any])
assert_type(cv.Laplacian(photo, ddepth=cv.CV_MAKETYPE(cv.CV_32F, 3)), NDArray[Any])
assert_type(cv.spatialGradient(photo), tuple[NDArray[Any], NDArray[Any]])
assert_type(cv.spatialGradient(tensor), tuple[Tensor, Tensor])
assert_type(cv.magnitude(tensor, tensor, tensor), Tensor)
assert_type(cv.pyrDown(cv.pyrUp(photo), dstsize=(9, 8), borderType=cv.BORDER_WRAP), NDArray[Any])
assert_type(cv.copyMakeBorder(photo, 1, 1, 2, np.int32(2), cv.BORDER_CONSTANT, value=(0, 0, 255.0)), NDArray[Any])
assert_type(cv.getGaussianKernel(5, 1.5, cv.CV_32F), NDArray[Any])
assert_type(cv.getDerivKernels(1, 0, 3, normalize=True), tuple[NDArray[Any], NDArray[Any]])
assert_type(cv.imread("photo.jpg", cv.IMREAD_COLOR | cv.IMREAD_IGNORE_ORIENTATION), NDArray[Any] | None)
assert_type(cv.imwrite(Path("photo.jpg"), photo, [cv.IMWRITE_JPEG_QUALITY, 80]), bool)
assert_type(cv.CV_8UC3 + cv.CV_8UC(2), int)
try:
    cv.pyrUp(photo)
except cv.error as mistake:
    assert_type((mistake.code == cv.Error.StsAssert, mistake.func), tuple[bool, str])

# Files.
assert_type(halation.imread("photo.png"), NDArray[Any])
image, facts = halation.imread(b"photo.tif", page=2, metadata=True)
assert_type(facts, halation.Metadata)
halation.imwrite("photo.webp", image, metadata=facts, lossless=False)
