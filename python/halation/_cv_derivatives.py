"""_cv_derivatives.py: OpenCV's derivatives, and the magnitude of two of them."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _engine
from ._arrays import facts_of
from ._cv_image import depth_of, filtered, image_of, opened, target_of
from ._cv_weights import derivative_factor, derivative_factors, laplacian, ones
from ._cv_words import BORDER_DEFAULT, CV_16S, CV_64F, FILTER_SCHARR, as_in_opencv

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._types import Array, Border, Index, Real

_LARGEST_DENSE = 7  # beyond this a Laplacian takes two separable passes
_STRIP = 1 << 14  # elements of a magnitude whose squares stay in the caches


@as_in_opencv
def Sobel(
    src: Any,
    ddepth: Index,
    dx: Index,
    dy: Index,
    dst: Array | None = None,
    ksize: Index = 3,
    scale: Real = 1,
    delta: Real = 0,
    borderType: Index | Border = BORDER_DEFAULT,
) -> Any:
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
    return filtered(src, ddepth, derivative_factors(dx, dy, ksize), dst, None, delta, borderType, scale)


@as_in_opencv
def Scharr(
    src: Any,
    ddepth: Index,
    dx: Index,
    dy: Index,
    dst: Array | None = None,
    scale: Real = 1,
    delta: Real = 0,
    borderType: Index | Border = BORDER_DEFAULT,
) -> Any:
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
    return filtered(src, ddepth, derivative_factors(dx, dy, FILTER_SCHARR), dst, None, delta, borderType, scale)


@as_in_opencv
def Laplacian(
    src: Any,
    ddepth: Index,
    dst: Array | None = None,
    ksize: Index = 1,
    scale: Real = 1,
    delta: Real = 0,
    borderType: Index | Border = BORDER_DEFAULT,
) -> Any:
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
        return filtered(src, ddepth, laplacian(ksize), dst, None, delta, borderType, scale)
    src, dtype = image_of(src)
    kind = depth_of(ddepth, dtype)
    second, smooth = derivative_factor(2, ksize), derivative_factor(0, ksize)
    sums = [filtered(src, CV_64F, factors, None, None, 0, borderType) for factors in ((smooth, second), (second, smooth))]
    return _engine.correlate(sums[0] + sums[1], (ones(1), ones(1)), axes=(0, 1), out=target_of(dst, src.shape, kind), dtype=kind,
                             scale=float(scale), offset=float(delta))


@as_in_opencv
def spatialGradient(
    src: Any, dx: Array | None = None, dy: Array | None = None, ksize: Index = 3, borderType: Index | Border = BORDER_DEFAULT
) -> Any:
    """Both first derivatives by Sobel's kernels of 3 x 3.

    Parameters
    ----------
    src : array
        The image, of uint8.
    dx, dy : array, optional
        Where the derivatives along rows and columns go, if of `src`'s shape and int16.
    ksize : int, optional
        3.
    {border}

    Returns
    -------
    array, array
        The derivatives along rows and along columns, of int16, `src`'s shape and library.

    Examples
    --------
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> dx, dy = cv2.spatialGradient(np.array([[0, 0, 10, 10]] * 3, np.uint8))
    >>> dx[1], dy[1]
    (array([ 0, 40, 40,  0], dtype=int16), array([0, 0, 0, 0], dtype=int16))
    """
    src, dtype = image_of(src)
    if dtype != np.uint8:
        raise TypeError(f"src must be of uint8, got {dtype}; Sobel takes all types")
    if operator.index(ksize) != 3:
        raise ValueError(f"ksize must be 3, got {ksize}; Sobel takes other sizes")
    return tuple(
        filtered(src, CV_16S, derivative_factors(*order, 3), dst, None, 0, borderType) for order, dst in (((1, 0), dx), ((0, 1), dy))
    )


@as_in_opencv
def magnitude(x: Any, y: Any, magnitude: Array | None = None) -> Any:
    """Lengths of vectors: ``sqrt(x**2 + y**2)``.

    Parameters
    ----------
    x, y : array
        Their coordinates, of float32 or float64: two arrays of one shape and type.
    magnitude : array, optional
        Where the result goes, if of their shape and type; may be `x` or `y`.

    Returns
    -------
    array
        Of their shape, type and library.

    Examples
    --------
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> cv2.magnitude(np.array([[3.0, 5.0]]), np.array([[4.0, -12.0]]))
    array([[ 5., 13.]])
    """
    x, y = (values if hasattr(values, "ndim") else np.asarray(values) for values in (x, y))
    kinds = [facts_of(values)[1] for values in (x, y)]
    if kinds[0] not in (np.float32, np.float64) or kinds[0] != kinds[1]:
        raise TypeError(f"x and y must both be of float32 or both of float64, got {kinds[0]} and {kinds[1]}")
    if tuple(x.shape) != tuple(y.shape):
        raise ValueError(f"x and y must have one shape, got {tuple(x.shape)} and {tuple(y.shape)}")
    if x.ndim == 3 and x.shape[2] == 1:
        x, y = x[:, :, 0], y[:, :, 0]
    x, out, given = opened(x, magnitude, tuple(x.shape), kinds[0].newbyteorder("="))
    if isinstance(out, np.ndarray):
        _write_lengths(x, _arrays.on_cpu(y), out)
    else:
        out[...] = _arrays.gpu_library_of(x).sqrt(x * x + y * y)
    return given()


def _write_lengths(x: NDArray[Any], y: NDArray[Any], out: NDArray[Any]) -> None:
    """Lengths of vectors, part by part: whole arrays of squares would not stay in the caches."""
    if any(np.may_share_memory(out, values) and values is not out for values in (x, y)):
        x, y = x.copy(), y.copy()
    if all(values.flags.c_contiguous for values in (x, y, out)):
        x, y, out = (values.reshape(-1) for values in (x, y, out))
    elif x.ndim == 0:
        x, y, out = (values.reshape(1) for values in (x, y, out))
    rows = max(1, _STRIP * len(x) // max(x.size, 1))
    squares = [np.empty((rows, *x.shape[1:]), x.dtype) for _ in "xy"]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for low in range(0, len(x), rows):
            part = slice(low, low + rows)
            of_x, of_y = (square[: len(x) - low] for square in squares)
            np.multiply(x[part], x[part], out=of_x)
            np.multiply(y[part], y[part], out=of_y)
            np.add(of_x, of_y, out=of_x)
            np.sqrt(of_x, out=out[part])
