"""refused.py: calls that type checkers must refuse, each line with both checkers' errors: one that is refused no longer is an unused comment,
which fails the check. It is checked, not run."""
# fmt: off
import numpy as np

import halation
import halation.cv as cv
import halation.dask
import halation.ndimage as ndimage
import halation.signal as signal
from halation import Filter, filters

photo = np.zeros((8, 9, 3), np.uint8)
sharp = Filter([[1, 2, 1]])
plan = halation.plan((8, 9), np.uint8, sharp)
name: str = input()

# Names of parameters.
ndimage.gaussian_filter(photo, sigmaa=2)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
ndimage.gaussian_laplace(photo, 2, truncat=3)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
halation.gaussian(photo, sigmaa=2)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
halation.convolve(photo, sharp, boarder="reflect")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
Filter.gaussian(sigmaa=2)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
halation.imread("photo.png", pages=1)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
halation.gausian(photo, 2)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
plan.runs(photo)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]

# Arguments that are missing.
ndimage.gaussian_filter(photo)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
ndimage.correlate1d(photo)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
signal.convolve2d(photo)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
halation.convolve(photo)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
halation.plan((8, 9), np.uint8)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
halation.imwrite("photo.png")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
halation.filter_file("edges", "photo.png")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

# Names of borders, modes and choices.
ndimage.gaussian_filter(photo, 2, mode="reflct")  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
ndimage.uniform_filter(photo, 3, mode=["reflect", "edge"])  # type: ignore[list-item]  # pyright: ignore[reportCallIssue, reportArgumentType]
ndimage.correlate1d(photo, [1, 2, 1], mode=["reflect", "wrap"])  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
halation.convolve(photo, sharp, border="mirrored")  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
halation.convolve(photo, "sobel", view="sined")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
halation.filter_file("edges", "in.tif", "out.tif", layout="chw")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
halation.filter_file("edges", "in.tif", "out.tif", progress=print, memory=1.5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
halation.convolve(photo, sharp, border=name)  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
halation.plan((8, 9), np.uint8, sharp, border="reflect_102")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
halation.convolve(photo, sharp, extent="all")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
halation.correlate(photo, sharp, rounding="nearest")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
halation.plan((8, 9), np.uint8, sharp, method="banded")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
filters.sobel(photo, "w")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
filters.gaussian(photo, view="absolute")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
filters.box(photo, border="edge")  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
signal.convolve(photo, photo, mode="half")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
signal.convolve2d(photo, photo, boundary="round")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
halation.plan((8, 9), np.uint8, sharp, accuracy="quick")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

# Types.
ndimage.gaussian_filter(photo, "2")  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
ndimage.gaussian_filter(photo, 2, axes=(0.5, 1))  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
ndimage.uniform_filter(photo, 3.5)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
ndimage.sobel(photo, axis="x")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
ndimage.generic_laplace(photo, "sobel")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
halation.gaussian(photo, sigma=2j)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
halation.gaussian(photo, dims=2)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
halation.disk(photo, axes="xy")  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
halation.box(photo, size="large", alpha="yes")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
halation.convolve(photo, sharp, anchor=0.5)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
halation.convolve(photo, sharp, stream="default")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
halation.plan(9, np.uint8, sharp)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
halation.plan((8, 9), np.uint8, sharp, cval="white")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
halation.threads("all")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
halation.imread(3)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
halation.imwrite("photo.png", photo, metadata={"icc": b""})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
_ = halation.imread("photo.png", metadata=True).shape  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
halation.dask.gaussian_filter(photo, 2)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
plan.error_bound("large")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
text: str = plan.output_shape  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]

# OpenCV's functions.
cv.GaussianBlur(photo, (3, 3), sigmaX="a")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
cv.GaussianBlur(photo, 3, 1)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
cv.GaussianBlur(photo, (3.0, 3.0), 1)  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
cv.GaussianBlur(photo, (3, 3))  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
cv.GaussianBlur(photo, (3, 3), 0, 2)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
cv.GaussianBlur("photo.png", (3, 3), 0)  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
cv.GaussianBlur(cv.imread("photo.png"), (3, 3), 0)  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
cv.blur(photo, (3, 3), borderType="edge")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
cv.boxFilter(photo, np.uint8, (3, 3))  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
cv.filter2D(photo, -1, "sobel")  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
cv.filter2D(photo, -1, [[1]], anchor=1)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
cv.sepFilter2D(photo, -1, [1, 2, 1])  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
cv.Sobel(photo, cv.CV_16S, 1)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
cv.Sobel(photo, cv.CV_16S, 1, 0, ksize=(3, 3))  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
cv.pyrDown(photo, bordertype=1)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
cv.pyrUp(photo, dstsize=18)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
cv.copyMakeBorder(photo, 1, 1, 1, 1, 0, value="white")  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
cv.magnitude(photo)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
cv.getGaussianKernel(2.5, 1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
cv.imread(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
_ = cv.imread("photo.png").shape  # type: ignore[union-attr]  # pyright: ignore[reportOptionalMemberAccess]
cv.imwrite("photo.jpg", photo, {"quality": 80})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
cv.medianBlur(photo, 3)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]

# Filters.
Filter()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
Filter([1, 2, 1], (1,))  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
Filter.separable([1, 2, 1], anchors=1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
Filter.separable(sharp, sharp)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
sharp.separable()  # type: ignore[operator]  # pyright: ignore[reportCallIssue]
Filter.edges()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
Filter.sobel("w")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
Filter.gaussian(sigma=2, dims=2.5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
_ = sharp + 1  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
_ = sharp * sharp  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
_ = sharp / "2"  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
_ = sharp @ [1, 2, 1]  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]
sharp.then([1, 2, 1])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
sharp.rank = 2  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
rank: str = sharp.rank  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]

