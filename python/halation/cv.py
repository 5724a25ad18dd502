"""halation.cv: OpenCV's linear filters under their own names, arguments and meanings.

``import halation.cv as cv2`` runs existing code for `filter2D`, `sepFilter2D`, `GaussianBlur`, `blur`, `boxFilter`, `Sobel`,
`Scharr`, `Laplacian` and `getGaussianKernel`. Images are H x W or H x W x C with any number of channels, of any library, on a
GPU too. As in OpenCV every filter is a correlation, `dst` is written where it has the result's shape and type (and left alone
where not: use what is returned), H x W x 1 gives H x W, and a row of pixels or weights is 1 x N (OpenCV 4 took it as N x 1).
Integers are rounded half to even and saturate. What differs:

- Integers may be one level off OpenCV's where OpenCV is itself approximate: it rounds halves up in `GaussianBlur` of uint8
  and uint16 and in `blur`, goes through weights of 8 bits in `sepFilter2D` of uint8, and by a transform in `filter2D` from 11
  x 11 on. Here sums are in float32 or better, or of uint8 in fixed point, off by 1/16 of a level at most, of the weights as
  given; `GaussianBlur` of uint8 and uint16 takes OpenCV's weights, whole 256ths and 65536ths.
- Sums in int32 saturate; OpenCV's `boxFilter` wraps them.
- All borders serve all filters, BORDER_WRAP too. BORDER_ISOLATED changes nothing: an array is the whole image.
- All types of input and output go together, float16 and int8 among them; bool, int32 and others go through float64.
- Any array serves as `dst`, also a strided one; read-only ones are refused. A kernel may be a list.
- `getGaussianKernel` keeps to its formula for even sizes too, where OpenCV's two middle weights are larger.
- An `error` is a ValueError and a TypeError as well. Its `code` is that of a failed assertion, or of a bad argument where a type
  is wrong; `func` names the function; there is no file and no line.
"""
import operator

import numpy as np

from . import _arrays, _engine
from ._arrays import facts_of
from ._border import border_of
from ._cv_words import *
from ._cv_words import _CN_SHIFT, as_in_opencv
from ._cv_weights import SCHARR, derivative_factor, fixed_gaussian, gaussian, laplacian, ones

__all__ = ["GaussianBlur", "Laplacian", "Scharr", "Sobel", "blur", "boxFilter", "error", "filter2D", "getGaussianKernel",
           "sepFilter2D"]

_DEPTHS = {depth: np.dtype(name) for depth, name in enumerate(("u1", "i1", "u2", "i2", "i4", "f4", "f8", "f2"))}
_BORDERS = {BORDER_CONSTANT: "constant", BORDER_REPLICATE: "replicate", BORDER_REFLECT: "reflect", BORDER_WRAP: "wrap",
            BORDER_REFLECT_101: "reflect101"}
_LARGEST_DENSE = 7  # beyond this a Laplacian takes two separable passes


def _border(kind):
    if isinstance(kind, str):
        return border_of(kind)
    try:
        return _BORDERS[operator.index(kind) & ~BORDER_ISOLATED]
    except KeyError:
        raise ValueError(f"borderType must be BORDER_CONSTANT, REPLICATE, REFLECT, REFLECT_101 or WRAP, got {kind}") from None


def _depth(ddepth, dtype):
    """The dtype of a result."""
    ddepth = operator.index(ddepth)
    if ddepth < 0:
        return dtype.newbyteorder("=")
    ddepth &= (1 << _CN_SHIFT) - 1  # of a type with channels, which the image has
    if ddepth not in _DEPTHS:
        raise ValueError(f"ddepth must be -1 or of CV_8U, CV_8S, CV_16U, CV_16S, CV_32S, CV_32F, CV_64F or CV_16F, got {ddepth}")
    return _DEPTHS[ddepth]


def _image(src):
    """The image as an array of two or three axes, and its dtype."""
    if not hasattr(src, "ndim"):
        src = np.asarray(src)
    ndim, dtype = facts_of(src)
    if dtype.kind not in "biuf":
        raise TypeError(f"src must be of real numbers, got {dtype}")
    if ndim not in (1, 2, 3):
        raise ValueError(f"src must be H x W or H x W x C, got {ndim} axes")
    if 0 in src.shape:
        raise ValueError(f"src is empty: its shape is {tuple(src.shape)}")
    if ndim == 1:
        src = src[None, :]
    elif ndim == 3 and src.shape[2] == 1:
        src = src[:, :, 0]
    return src, dtype


def _target(dst, src, dtype):
    """`dst` where the result fits into it."""
    if dst is None or tuple(dst.shape) != tuple(src.shape) or facts_of(dst)[1] != dtype:
        return None
    return dst


def _anchors(anchor, shape):
    """(y, x) of an anchor given as (x, y), where -1 is the middle."""
    x, y = (operator.index(at) for at in anchor)
    anchors = tuple(n // 2 if at == -1 else at for at, n in zip((y, x), shape))
    if not all(0 <= at < n for at, n in zip(anchors, shape)):
        raise ValueError(f"anchor {tuple(anchor)} must lie in the kernel of {shape[1]} x {shape[0]}, or be -1 for its middle")
    return anchors


def _size(ksize):
    """(width, height) of a window."""
    try:
        width, height = (operator.index(n) for n in ksize)
    except TypeError:
        raise TypeError(f"ksize must be two whole numbers, (width, height), got {ksize!r}") from None
    return width, height


def _weights(values, name):
    weights = np.asarray(_arrays.on_cpu(values))
    if weights.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be of real numbers, got {weights.dtype}")
    if weights.size == 0:
        raise ValueError(f"{name} is empty: its shape is {weights.shape}")
    return weights


def _run(src, ddepth, filters, dst, anchors, delta, borderType, scale=1.0):
    src, dtype = _image(src)
    kind = _depth(ddepth, dtype)
    return _engine.correlate(src, filters, axes=(0, 1), borders=_border(borderType), anchors=anchors, out=_target(dst, src, kind),
                             dtype=kind, scale=float(scale), offset=float(delta))


@as_in_opencv
def filter2D(src, ddepth, kernel, dst=None, anchor=(-1, -1), delta=0, borderType=BORDER_DEFAULT):
    """Correlation with a kernel: ``dst(x, y) = sum(kernel(i, j) * src(x + i - anchor.x, y + j - anchor.y)) + delta``.

    Parameters
    ----------
    {src}
    {ddepth}
    kernel : 2-D array
        Weights, for all channels.
    {dst}
    {anchor}
    {delta}
    {border}

    Returns
    -------
    {result}

    Raises
    ------
    ValueError, TypeError
        For images, kernels, anchors and constants that are none.

    Examples
    --------
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> image = np.array([[10, 20, 30], [40, 50, 60], [70, 80, 90]], np.uint8)
    >>> cv2.filter2D(image, -1, np.array([[0, 0, 1]]), delta=100)
    array([[120, 130, 120],
           [150, 160, 150],
           [180, 190, 180]], dtype=uint8)
    """
    kernel = _weights(kernel, "kernel")
    if kernel.ndim == 1:
        kernel = kernel[np.newaxis]
    if kernel.ndim != 2:
        raise ValueError(f"kernel must have two axes, got {kernel.ndim}")
    return _run(src, ddepth, kernel, dst, _anchors(anchor, kernel.shape), delta, borderType)


@as_in_opencv
def sepFilter2D(src, ddepth, kernelX, kernelY, dst=None, anchor=(-1, -1), delta=0, borderType=BORDER_DEFAULT):
    """Correlation of each row with one row of weights and of each column with another.

    Parameters
    ----------
    {src}
    {ddepth}
    kernelX, kernelY : array
        Weights along rows and along columns: N, 1 x N or N x 1.
    {dst}
    {anchor}
    {delta}
    {border}

    Returns
    -------
    {result}

    Examples
    --------
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> image = np.array([[0, 0, 0], [0, 8, 0], [0, 0, 0]], np.float32)
    >>> cv2.sepFilter2D(image, cv2.CV_32F, np.array([1, 2, 1]), np.array([1, 0, -1]) / 2, borderType=cv2.BORDER_CONSTANT)
    array([[-4., -8., -4.],
           [ 0.,  0.,  0.],
           [ 4.,  8.,  4.]], dtype=float32)
    """
    factors = []
    for name, values in (("kernelY", kernelY), ("kernelX", kernelX)):
        factor = _weights(values, name)
        if factor.size != max(factor.shape, default=1):
            raise ValueError(f"{name} must be one row or column, got shape {factor.shape}")
        factors.append(factor.reshape(-1))
    return _run(src, ddepth, tuple(factors), dst, _anchors(anchor, tuple(map(len, factors))), delta, borderType)


@as_in_opencv
def getGaussianKernel(ksize, sigma, ktype=CV_64F):
    """The weights of a Gaussian, which sum to 1.

    Parameters
    ----------
    ksize : int
        How many.
    sigma : float
        Standard deviation; 0 or less: ``0.3 * ((ksize - 1) * 0.5 - 1) + 0.8``, and fixed weights for 1, 3, 5, 7 and 9.
    ktype : int, optional
        CV_32F or CV_64F.

    Returns
    -------
    array
        Of shape (ksize, 1).

    Examples
    --------
    >>> import halation.cv as cv2
    >>> cv2.getGaussianKernel(3, 0).T
    array([[0.25, 0.5 , 0.25]])
    """
    ksize = operator.index(ksize)
    if ksize < 1:
        raise ValueError(f"ksize must be at least 1, got {ksize}")
    if ktype not in (CV_32F, CV_64F):
        raise ValueError(f"ktype must be CV_32F or CV_64F, got {ktype}")
    return gaussian(ksize, float(sigma)).astype(_DEPTHS[ktype]).reshape(-1, 1)


@as_in_opencv
def GaussianBlur(src, ksize, sigmaX, dst=None, sigmaY=0, borderType=BORDER_DEFAULT, hint=ALGO_HINT_DEFAULT):
    """Gaussian blur.

    Parameters
    ----------
    {src}
    ksize : (int, int)
        Width and height of the kernel, odd; 0: from the sigmas, 3 of them each side for uint8 and 4 for others.
    sigmaX, sigmaY : float
        Standard deviations along rows and columns. Without `sigmaY` it is `sigmaX`; without both they follow from `ksize`.
    {dst}
    {border}
    hint : int, optional
        As in OpenCV; changes nothing.

    Returns
    -------
    {same}

    Examples
    --------
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> image = np.zeros((3, 3), np.uint8)
    >>> image[1, 1] = 64
    >>> cv2.GaussianBlur(image, (3, 3), 0)
    array([[16, 16, 16],
           [16, 16, 16],
           [16, 16, 16]], dtype=uint8)
    """
    width, height = _size(ksize)
    src, dtype = _image(src)
    sigma_x = max(float(sigmaX), 0.0)
    sigma_y = float(sigmaY) if sigmaY > 0 else sigma_x
    spread = 3 if dtype == np.uint8 else 4
    sizes = [round(sigma * spread * 2 + 1) | 1 if n <= 0 < sigma else n for n, sigma in ((height, sigma_y), (width, sigma_x))]
    if _border(borderType) != "constant":  # an axis of one pixel is not filtered, whatever its ksize
        sizes = [1 if n == 1 else size for n, size in zip(src.shape, sizes)]
    if not all(n > 0 and n % 2 for n in sizes):
        raise ValueError(f"ksize must be odd, or 0 with a sigma above 0, got {tuple(ksize)} and {sigmaX}, {sigmaY}")
    bits = {"u1": 8, "u2": 16}.get(dtype.str[1:])
    factors = tuple(fixed_gaussian(n, sigma, bits) if bits else gaussian(n, sigma) for n, sigma in zip(sizes, (sigma_y, sigma_x)))
    return _run(src, -1, factors, dst, None, 0, borderType)


@as_in_opencv
def boxFilter(src, ddepth, ksize, dst=None, anchor=(-1, -1), normalize=True, borderType=BORDER_DEFAULT):
    """Mean, or sum, of a window.

    Parameters
    ----------
    {src}
    {ddepth}
    ksize : (int, int)
        Width and height of the window.
    {dst}
    {anchor}
    normalize : bool, optional
        The mean; otherwise the sum.
    {border}

    Returns
    -------
    {result}

    Examples
    --------
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> cv2.boxFilter(np.array([[1, 2, 3, 4]], np.uint8), cv2.CV_16S, (3, 1), normalize=False)
    array([[ 5,  6,  9, 10]], dtype=int16)
    """
    width, height = _size(ksize)
    if width < 1 or height < 1:
        raise ValueError(f"ksize must be at least 1 x 1, got {tuple(ksize)}")
    scale = 1 / (width * height) if normalize else 1.0
    return _run(src, ddepth, (ones(height), ones(width)), dst, _anchors(anchor, (height, width)), 0, borderType, scale)


@as_in_opencv
def blur(src, ksize, dst=None, anchor=(-1, -1), borderType=BORDER_DEFAULT):
    """Mean of a window: `boxFilter` with a result of the image's type.

    Parameters
    ----------
    {src}
    ksize : (int, int)
        Width and height of the window.
    {dst}
    {anchor}
    {border}

    Returns
    -------
    {same}

    Examples
    --------
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> cv2.blur(np.array([[0, 0, 9, 0, 0]], np.uint8), (3, 1))
    array([[0, 3, 3, 3, 0]], dtype=uint8)
    """
    return boxFilter(src, -1, ksize, dst, anchor, True, borderType)


def _check_derivative(dx, dy, ksize):
    dx, dy, ksize = operator.index(dx), operator.index(dy), operator.index(ksize)
    if dx < 0 or dy < 0 or dx + dy == 0:
        raise ValueError(f"dx and dy must be at least 0 and one of them above, got {dx} and {dy}")
    if ksize % 2 == 0 or not 1 <= ksize <= 31:
        raise ValueError(f"ksize must be odd, from 1 to 31, or FILTER_SCHARR, got {ksize}")
    return dx, dy, ksize


@as_in_opencv
def Sobel(src, ddepth, dx, dy, dst=None, ksize=3, scale=1, delta=0, borderType=BORDER_DEFAULT):
    """Derivative by Sobel's kernels, or Scharr's.

    Parameters
    ----------
    {src}
    {ddepth}
    dx, dy : int
        Orders of the derivative along rows and columns.
    {dst}
    ksize : int, optional
        Size of the kernel, odd, up to 31; 1: three taps along the derivative, none across; 0 and less (FILTER_SCHARR): Scharr's.
    {scale}
    {border}

    Returns
    -------
    {result}

    Examples
    --------
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> ramp = np.array([[0, 0, 10, 10]] * 3, np.uint8)
    >>> cv2.Sobel(ramp, cv2.CV_16S, 1, 0)[1]
    array([ 0, 40, 40,  0], dtype=int16)
    """
    if operator.index(ksize) <= 0:
        return Scharr(src, ddepth, dx, dy, dst, scale, delta, borderType)
    dx, dy, ksize = _check_derivative(dx, dy, ksize)
    factors = derivative_factor(dy, ksize), derivative_factor(dx, ksize)
    return _run(src, ddepth, factors, dst, None, delta, borderType, scale)


@as_in_opencv
def Scharr(src, ddepth, dx, dy, dst=None, scale=1, delta=0, borderType=BORDER_DEFAULT):
    """First derivative by Scharr's 3 x 3 kernel.

    Parameters
    ----------
    {src}
    {ddepth}
    dx, dy : int
        1 for the axis of the derivative, 0 for the other.
    {dst}
    {scale}
    {border}

    Returns
    -------
    {result}

    Examples
    --------
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> cv2.Scharr(np.array([[0, 0, 10, 10]] * 3, np.uint8), cv2.CV_16S, 1, 0)[1]
    array([  0, 160, 160,   0], dtype=int16)
    """
    if (dx, dy) not in ((1, 0), (0, 1)):
        raise ValueError(f"Scharr takes dx 1 and dy 0, or dx 0 and dy 1, got {dx} and {dy}")
    return _run(src, ddepth, (SCHARR[dy], SCHARR[dx]), dst, None, delta, borderType, scale)


@as_in_opencv
def Laplacian(src, ddepth, dst=None, ksize=1, scale=1, delta=0, borderType=BORDER_DEFAULT):
    """Sum of the second derivatives along rows and columns, by Sobel's kernels.

    Parameters
    ----------
    {src}
    {ddepth}
    {dst}
    ksize : int, optional
        Size of the kernel, odd, up to 31; 1: the four neighbours and -4 in the middle.
    {scale}
    {border}

    Returns
    -------
    {result}

    Examples
    --------
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> cv2.Laplacian(np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]], np.float32), cv2.CV_32F)
    array([[ 0.,  2.,  0.],
           [ 2., -4.,  2.],
           [ 0.,  2.,  0.]], dtype=float32)
    """
    ksize = operator.index(ksize)
    if ksize % 2 == 0 or not 1 <= ksize <= 31:
        raise ValueError(f"ksize must be odd, from 1 to 31, got {ksize}")
    if ksize <= _LARGEST_DENSE:
        return _run(src, ddepth, laplacian(ksize), dst, None, delta, borderType, scale)
    src, dtype = _image(src)
    kind = _depth(ddepth, dtype)
    second, smooth = derivative_factor(2, ksize), derivative_factor(0, ksize)
    sums = [_run(src, CV_64F, factors, None, None, 0, borderType) for factors in ((smooth, second), (second, smooth))]
    return _engine.correlate(sums[0] + sums[1], (ones(1), ones(1)), axes=(0, 1), out=_target(dst, src, kind), dtype=kind,
                             scale=float(scale), offset=float(delta))
