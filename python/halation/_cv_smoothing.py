"""_cv_smoothing.py: OpenCV's filters by weights of the caller's, Gaussians and boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._cv_image import anchors_of, border_kind, filtered, image_of, size_of, weights_of
from ._cv_weights import fixed_gaussian, gaussian, ones
from ._cv_words import ALGO_HINT_DEFAULT, BORDER_DEFAULT, as_in_opencv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._types import Array, Border, Index, Real, Rows


@as_in_opencv
def filter2D(
    src: Any,
    ddepth: Index,
    kernel: Array | Rows,
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    delta: Real = 0,
    borderType: Index | Border = BORDER_DEFAULT,
) -> Any:
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
    kernel = weights_of(kernel, "kernel")
    if kernel.ndim == 1:
        kernel = kernel[np.newaxis]
    if kernel.ndim != 2:
        raise ValueError(f"kernel must have two axes, got {kernel.ndim}")
    return filtered(src, ddepth, kernel, dst, anchors_of(anchor, kernel.shape), delta, borderType)


@as_in_opencv
def sepFilter2D(
    src: Any,
    ddepth: Index,
    kernelX: Array | Rows,
    kernelY: Array | Rows,
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    delta: Real = 0,
    borderType: Index | Border = BORDER_DEFAULT,
) -> Any:
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
        factor = weights_of(values, name)
        if factor.size != max(factor.shape, default=1):
            raise ValueError(f"{name} must be one row or column, got shape {factor.shape}")
        factors.append(factor.reshape(-1))
    return filtered(src, ddepth, tuple(factors), dst, anchors_of(anchor, tuple(map(len, factors))), delta, borderType)


@as_in_opencv
def GaussianBlur(
    src: Any,
    ksize: Sequence[Index],
    sigmaX: Real,
    dst: Array | None = None,
    sigmaY: Real = 0,
    borderType: Index | Border = BORDER_DEFAULT,
    hint: Index = ALGO_HINT_DEFAULT,
) -> Any:
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
    width, height = size_of(ksize)
    src, dtype = image_of(src)
    sigma_x = max(float(sigmaX), 0.0)
    sigma_y = float(sigmaY) if sigmaY > 0 else sigma_x
    spread = 3 if dtype == np.uint8 else 4
    sizes = [round(sigma * spread * 2 + 1) | 1 if n <= 0 < sigma else n for n, sigma in ((height, sigma_y), (width, sigma_x))]
    if border_kind(borderType) != "constant":  # an axis of one pixel is not filtered, whatever its ksize
        sizes = [1 if n == 1 else size for n, size in zip(src.shape, sizes)]
    if not all(n > 0 and n % 2 for n in sizes):
        raise ValueError(f"ksize must be odd, or 0 with a sigma above 0, got {tuple(ksize)} and {sigmaX}, {sigmaY}")
    bits = {"u1": 8, "u2": 16}.get(dtype.str[1:])
    factors = tuple(fixed_gaussian(n, sigma, bits) if bits else gaussian(n, sigma) for n, sigma in zip(sizes, (sigma_y, sigma_x)))
    return filtered(src, -1, factors, dst, None, 0, borderType)


@as_in_opencv
def boxFilter(
    src: Any,
    ddepth: Index,
    ksize: Sequence[Index],
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    normalize: bool = True,
    borderType: Index | Border = BORDER_DEFAULT,
) -> Any:
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
    width, height = size_of(ksize)
    if width < 1 or height < 1:
        raise ValueError(f"ksize must be at least 1 x 1, got {tuple(ksize)}")
    scale = 1 / (width * height) if normalize else 1.0
    return filtered(src, ddepth, (ones(height), ones(width)), dst, anchors_of(anchor, (height, width)), 0, borderType, scale)


@as_in_opencv
def blur(
    src: Any,
    ksize: Sequence[Index],
    dst: Array | None = None,
    anchor: Sequence[Index] = (-1, -1),
    borderType: Index | Border = BORDER_DEFAULT,
) -> Any:
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
