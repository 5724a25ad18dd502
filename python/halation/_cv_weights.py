"""_cv_weights.py: the weights behind OpenCV's names, and its functions that give them."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ._cv_image import DEPTHS, opened
from ._cv_words import CV_32F, CV_64F, as_in_opencv

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._types import Array, DType, Index, Real

SCHARR = {0: np.array([3.0, 10.0, 3.0]), 1: np.array([-1.0, 0.0, 1.0])}

# Kernels of no given sigma, in 1/256.
_SMALL_GAUSSIANS = {1: (256,), 3: (64, 128, 64), 5: (16, 64, 96, 64, 16), 7: (8, 28, 56, 72, 56, 28, 8),
                    9: (4, 13, 30, 51, 60, 51, 30, 13, 4)}


@functools.lru_cache(maxsize=256)
def gaussian(size: int, sigma: float) -> NDArray[np.float64]:
    """Weights of a Gaussian; of the spread that OpenCV takes for the size where sigma is 0 or less."""
    if sigma <= 0 and size in _SMALL_GAUSSIANS:
        factor = np.array(_SMALL_GAUSSIANS[size]) / 256
    else:
        if sigma <= 0:
            sigma = 0.3 * ((size - 1) * 0.5 - 1) + 0.8
        with np.errstate(over="ignore"):  # of a tiny sigma all but the middle is 0
            factor = np.exp(-0.5 * ((np.arange(size) - (size - 1) / 2) / sigma) ** 2)
        if not factor.any():  # an even size has two middles, and no tap there
            factor[size // 2 - 1 : size // 2 + 1] = 1
        factor /= factor.sum()
    factor.flags.writeable = False
    return factor


@functools.lru_cache(maxsize=256)
def fixed_gaussian(size: int, sigma: float, bits: int) -> NDArray[np.float64]:
    """Weights in whole 2**-bits that sum to 1: what rounding takes from one goes to the next, as in OpenCV."""
    factor, half, lost = gaussian(size, sigma) * 2.0**bits, size // 2, 0.0
    whole = np.zeros(size)
    for i in range(half):
        whole[i] = whole[-1 - i] = np.rint(factor[i] + lost)
        lost += factor[i] - whole[i]
    whole[half] = 2.0**bits - whole.sum()
    whole *= 2.0**-bits
    whole.flags.writeable = False
    return whole


@functools.lru_cache(maxsize=64)
def ones(count: int) -> NDArray[np.float64]:
    """A factor of ones."""
    factor = np.ones(count)
    factor.flags.writeable = False
    return factor


@functools.lru_cache(maxsize=256)
def derivative_factor(order: int, size: int) -> NDArray[np.float64]:
    """Differences `order` times of binomial weights: `size` of them, or 3 of size 1."""
    if size == 1 and order > 0:
        size = 3
    if size <= order:
        raise ValueError(f"ksize must be larger than the order of the derivative, got {size} for order {order}")
    factor = np.ones(1)
    for step in [[1, 1]] * (size - order - 1) + [[-1, 1]] * order:
        factor = np.convolve(factor, step)
    factor.flags.writeable = False
    return factor


@functools.lru_cache(maxsize=32)
def laplacian(size: int) -> NDArray[np.float64]:
    """Dense weights of a small Laplacian."""
    if size == 1:
        return np.array([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]])
    second, smooth = derivative_factor(2, size), derivative_factor(0, size)
    return np.outer(smooth, second) + np.outer(second, smooth)


def _kind(ktype: Index) -> DType:
    if ktype not in (CV_32F, CV_64F):
        raise ValueError(f"ktype must be CV_32F or CV_64F, got {ktype}")
    return DEPTHS[ktype]


def derivative_factors(dx: Index, dy: Index, ksize: Index) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The factors along y and x of a derivative of a size, checked; Scharr's where that is 0 or less."""
    dx, dy, ksize = operator.index(dx), operator.index(dy), operator.index(ksize)
    if ksize <= 0:
        if (dx, dy) not in ((1, 0), (0, 1)):
            raise ValueError(f"Scharr takes dx 1 and dy 0, or dx 0 and dy 1, got {dx} and {dy}")
        return SCHARR[dy], SCHARR[dx]
    if dx < 0 or dy < 0 or dx + dy == 0:
        raise ValueError(f"dx and dy must be at least 0 and one of them above, got {dx} and {dy}")
    if ksize % 2 == 0 or ksize > 31:
        raise ValueError(f"ksize must be odd, from 1 to 31, or FILTER_SCHARR, got {ksize}")
    return derivative_factor(dy, ksize), derivative_factor(dx, ksize)


@as_in_opencv
def getGaussianKernel(ksize: Index, sigma: Real, ktype: Index = CV_64F) -> NDArray[Any]:
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
    return gaussian(ksize, float(sigma)).astype(_kind(ktype)).reshape(-1, 1)


@as_in_opencv
def getDerivKernels(
    dx: Index, dy: Index, ksize: Index, kx: Array | None = None, ky: Array | None = None, normalize: bool = False, ktype: Index = CV_32F
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The weights of `Sobel` and `Scharr` along rows and along columns, for `sepFilter2D`.

    Parameters
    ----------
    dx, dy : int
        Orders of the derivative along rows and columns.
    ksize : int
        Size of the kernel, odd, up to 31; 1: three taps along the derivative, one across; 0 and less (FILTER_SCHARR): Scharr's.
    kx, ky : array, optional
        Where the weights go, if of their shape and type.
    normalize : bool, optional
        Weights divided by a power of 2: Sobel's that smooth then sum to 1, Scharr's to 1/2. Otherwise they are whole numbers.
    ktype : int, optional
        CV_32F or CV_64F.

    Returns
    -------
    array, array
        The weights along rows and along columns, each of shape (N, 1).

    Examples
    --------
    >>> import halation.cv as cv2
    >>> along_rows, along_columns = cv2.getDerivKernels(1, 0, 3, normalize=True)
    >>> along_rows.T, along_columns.T
    (array([[-0.5,  0. ,  0.5]], dtype=float32), array([[0.25, 0.5 , 0.25]], dtype=float32))
    """
    factors = reversed(derivative_factors(dx, dy, ksize))
    made = []
    for order, factor, dst in zip(map(operator.index, (dx, dy)), factors, (kx, ky)):
        if normalize and operator.index(ksize) > 0:
            factor = factor * 2.0 ** (order + 1 - factor.size)
        elif normalize and order == 0:
            factor = factor / 32  # half of what they sum to, as in OpenCV
        factor, out, given = opened(factor.reshape(-1, 1), dst, (factor.size, 1), _kind(ktype))
        out[...] = factor
        made.append(given())
    return tuple(made)
