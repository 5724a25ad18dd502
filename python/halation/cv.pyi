"""cv.pyi: types; made by tests/test_stubs.py (HALATION_WRITE_DOCS=1)."""
from collections.abc import Sequence
from typing import Any, Final, overload
from numpy.typing import NDArray
from ._types import A, Array, Border, Index, Real, Rows

from ._cv_words import CV_MAKETYPE as CV_MAKETYPE, Error as Error, error as error
from ._files import Path

__all__ = [
    "GaussianBlur",
    "Laplacian",
    "Scharr",
    "Sobel",
    "blur",
    "boxFilter",
    "copyMakeBorder",
    "error",
    "filter2D",
    "getDerivKernels",
    "getGaussianKernel",
    "imread",
    "imwrite",
    "magnitude",
    "pyrDown",
    "pyrUp",
    "sepFilter2D",
    "spatialGradient",
]

BORDER_CONSTANT: Final = 0
BORDER_REPLICATE: Final = 1
BORDER_REFLECT: Final = 2
BORDER_WRAP: Final = 3
BORDER_REFLECT_101: Final = 4
BORDER_TRANSPARENT: Final = 5
BORDER_REFLECT101: Final = 4
BORDER_DEFAULT: Final = 4
BORDER_ISOLATED: Final = 16
CV_8U: Final = 0
CV_8S: Final = 1
CV_16U: Final = 2
CV_16S: Final = 3
CV_32S: Final = 4
CV_32F: Final = 5
CV_64F: Final = 6
CV_16F: Final = 7
FILTER_SCHARR: Final = -1
IMREAD_UNCHANGED: Final = -1
IMREAD_GRAYSCALE: Final = 0
IMREAD_COLOR: Final = 1
IMREAD_ANYDEPTH: Final = 2
IMREAD_ANYCOLOR: Final = 4
IMREAD_COLOR_BGR: Final = 1
IMREAD_COLOR_RGB: Final = 256
IMREAD_IGNORE_ORIENTATION: Final = 128
IMWRITE_JPEG_QUALITY: Final = 1
IMWRITE_JPEG_OPTIMIZE: Final = 3
IMWRITE_PNG_COMPRESSION: Final = 16
IMWRITE_PNG_STRATEGY: Final = 17
IMWRITE_WEBP_QUALITY: Final = 64
IMWRITE_WEBP_LOSSLESS_MODE: Final = 65
IMWRITE_TIFF_COMPRESSION: Final = 259
IMWRITE_TIFF_PREDICTOR: Final = 317
IMWRITE_AVIF_QUALITY: Final = 512
IMWRITE_AVIF_SPEED: Final = 514
ALGO_HINT_DEFAULT: Final = 0
ALGO_HINT_ACCURATE: Final = 1
ALGO_HINT_APPROX: Final = 2
def CV_8UC(
    channels: Index,
) -> int: ...
CV_8UC1: Final = 0
CV_8UC2: Final = 32
CV_8UC3: Final = 64
CV_8UC4: Final = 96
def CV_8SC(
    channels: Index,
) -> int: ...
CV_8SC1: Final = 1
CV_8SC2: Final = 33
CV_8SC3: Final = 65
CV_8SC4: Final = 97
def CV_16UC(
    channels: Index,
) -> int: ...
CV_16UC1: Final = 2
CV_16UC2: Final = 34
CV_16UC3: Final = 66
CV_16UC4: Final = 98
def CV_16SC(
    channels: Index,
) -> int: ...
CV_16SC1: Final = 3
CV_16SC2: Final = 35
CV_16SC3: Final = 67
CV_16SC4: Final = 99
def CV_32SC(
    channels: Index,
) -> int: ...
CV_32SC1: Final = 4
CV_32SC2: Final = 36
CV_32SC3: Final = 68
CV_32SC4: Final = 100
def CV_32FC(
    channels: Index,
) -> int: ...
CV_32FC1: Final = 5
CV_32FC2: Final = 37
CV_32FC3: Final = 69
CV_32FC4: Final = 101
def CV_64FC(
    channels: Index,
) -> int: ...
CV_64FC1: Final = 6
CV_64FC2: Final = 38
CV_64FC3: Final = 70
CV_64FC4: Final = 102
def CV_16FC(
    channels: Index,
) -> int: ...
CV_16FC1: Final = 7
CV_16FC2: Final = 39
CV_16FC3: Final = 71
CV_16FC4: Final = 103
@overload
def GaussianBlur(
    src: NDArray[Any],
    ksize: Sequence[Index],
    sigmaX: Real,
    dst: Array | None = None,
    sigmaY: Real = 0,
    borderType: Index | Border = 4,
    hint: Index = 0,
) -> NDArray[Any]: ...
@overload
def GaussianBlur(
    src: A,
    ksize: Sequence[Index],
    sigmaX: Real,
    dst: Array | None = None,
    sigmaY: Real = 0,
    borderType: Index | Border = 4,
    hint: Index = 0,
) -> A: ...
@overload
def GaussianBlur(
    src: Rows,
    ksize: Sequence[Index],
    sigmaX: Real,
    dst: Array | None = None,
    sigmaY: Real = 0,
    borderType: Index | Border = 4,
    hint: Index = 0,
) -> NDArray[Any]: ...
@overload
def Laplacian(
    src: NDArray[Any],
    ddepth: Index,
    dst: Array | None = None,
    ksize: Index = 1,
    scale: Real = 1,
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def Laplacian(
    src: A,
    ddepth: Index,
    dst: Array | None = None,
    ksize: Index = 1,
    scale: Real = 1,
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> A: ...
@overload
def Laplacian(
    src: Rows,
    ddepth: Index,
    dst: Array | None = None,
    ksize: Index = 1,
    scale: Real = 1,
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def Scharr(
    src: NDArray[Any],
    ddepth: Index,
    dx: Index,
    dy: Index,
    dst: Array | None = None,
    scale: Real = 1,
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def Scharr(
    src: A,
    ddepth: Index,
    dx: Index,
    dy: Index,
    dst: Array | None = None,
    scale: Real = 1,
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> A: ...
@overload
def Scharr(
    src: Rows,
    ddepth: Index,
    dx: Index,
    dy: Index,
    dst: Array | None = None,
    scale: Real = 1,
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def Sobel(
    src: NDArray[Any],
    ddepth: Index,
    dx: Index,
    dy: Index,
    dst: Array | None = None,
    ksize: Index = 3,
    scale: Real = 1,
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def Sobel(
    src: A,
    ddepth: Index,
    dx: Index,
    dy: Index,
    dst: Array | None = None,
    ksize: Index = 3,
    scale: Real = 1,
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> A: ...
@overload
def Sobel(
    src: Rows,
    ddepth: Index,
    dx: Index,
    dy: Index,
    dst: Array | None = None,
    ksize: Index = 3,
    scale: Real = 1,
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def blur(
    src: NDArray[Any],
    ksize: Sequence[Index],
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def blur(
    src: A,
    ksize: Sequence[Index],
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    borderType: Index | Border = 4,
) -> A: ...
@overload
def blur(
    src: Rows,
    ksize: Sequence[Index],
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def boxFilter(
    src: NDArray[Any],
    ddepth: Index,
    ksize: Sequence[Index],
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    normalize: bool = True,
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def boxFilter(
    src: A,
    ddepth: Index,
    ksize: Sequence[Index],
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    normalize: bool = True,
    borderType: Index | Border = 4,
) -> A: ...
@overload
def boxFilter(
    src: Rows,
    ddepth: Index,
    ksize: Sequence[Index],
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    normalize: bool = True,
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def copyMakeBorder(
    src: NDArray[Any],
    top: Index,
    bottom: Index,
    left: Index,
    right: Index,
    borderType: Index | Border,
    dst: Array | None = None,
    value: Real | Sequence[Real] = 0,
) -> NDArray[Any]: ...
@overload
def copyMakeBorder(
    src: A,
    top: Index,
    bottom: Index,
    left: Index,
    right: Index,
    borderType: Index | Border,
    dst: Array | None = None,
    value: Real | Sequence[Real] = 0,
) -> A: ...
@overload
def copyMakeBorder(
    src: Rows,
    top: Index,
    bottom: Index,
    left: Index,
    right: Index,
    borderType: Index | Border,
    dst: Array | None = None,
    value: Real | Sequence[Real] = 0,
) -> NDArray[Any]: ...
@overload
def filter2D(
    src: NDArray[Any],
    ddepth: Index,
    kernel: Array | Rows,
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def filter2D(
    src: A,
    ddepth: Index,
    kernel: Array | Rows,
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> A: ...
@overload
def filter2D(
    src: Rows,
    ddepth: Index,
    kernel: Array | Rows,
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
def getDerivKernels(
    dx: Index,
    dy: Index,
    ksize: Index,
    kx: Array | None = None,
    ky: Array | None = None,
    normalize: bool = False,
    ktype: Index = 5,
) -> tuple[NDArray[Any], NDArray[Any]]: ...
def getGaussianKernel(
    ksize: Index,
    sigma: Real,
    ktype: Index = 6,
) -> NDArray[Any]: ...
def imread(
    filename: Path,
    flags: Index = 1,
) -> NDArray[Any] | None: ...
def imwrite(
    filename: Path,
    img: Array | Rows,
    params: Sequence[Index] = (),
) -> bool: ...
@overload
def magnitude(
    x: NDArray[Any],
    y: NDArray[Any],
    magnitude: Array | None = None,
) -> NDArray[Any]: ...
@overload
def magnitude(
    x: A,
    y: A,
    magnitude: Array | None = None,
) -> A: ...
@overload
def magnitude(
    x: Array | Rows,
    y: Array | Rows,
    magnitude: Array | None = None,
) -> Any: ...
@overload
def pyrDown(
    src: NDArray[Any],
    dst: Array | None = None,
    dstsize: Sequence[Index] = (0, 0),
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def pyrDown(
    src: A,
    dst: Array | None = None,
    dstsize: Sequence[Index] = (0, 0),
    borderType: Index | Border = 4,
) -> A: ...
@overload
def pyrDown(
    src: Rows,
    dst: Array | None = None,
    dstsize: Sequence[Index] = (0, 0),
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def pyrUp(
    src: NDArray[Any],
    dst: Array | None = None,
    dstsize: Sequence[Index] = (0, 0),
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def pyrUp(
    src: A,
    dst: Array | None = None,
    dstsize: Sequence[Index] = (0, 0),
    borderType: Index | Border = 4,
) -> A: ...
@overload
def pyrUp(
    src: Rows,
    dst: Array | None = None,
    dstsize: Sequence[Index] = (0, 0),
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def sepFilter2D(
    src: NDArray[Any],
    ddepth: Index,
    kernelX: Array | Rows,
    kernelY: Array | Rows,
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def sepFilter2D(
    src: A,
    ddepth: Index,
    kernelX: Array | Rows,
    kernelY: Array | Rows,
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> A: ...
@overload
def sepFilter2D(
    src: Rows,
    ddepth: Index,
    kernelX: Array | Rows,
    kernelY: Array | Rows,
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    delta: Real = 0,
    borderType: Index | Border = 4,
) -> NDArray[Any]: ...
@overload
def spatialGradient(
    src: NDArray[Any],
    dx: Array | None = None,
    dy: Array | None = None,
    ksize: Index = 3,
    borderType: Index | Border = 4,
) -> tuple[NDArray[Any], NDArray[Any]]: ...
@overload
def spatialGradient(
    src: A,
    dx: Array | None = None,
    dy: Array | None = None,
    ksize: Index = 3,
    borderType: Index | Border = 4,
) -> tuple[A, A]: ...
@overload
def spatialGradient(
    src: Rows,
    dx: Array | None = None,
    dy: Array | None = None,
    ksize: Index = 3,
    borderType: Index | Border = 4,
) -> tuple[NDArray[Any], NDArray[Any]]: ...
