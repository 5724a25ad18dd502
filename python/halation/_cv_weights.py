"""_cv_weights.py: the weights behind OpenCV's names."""
import functools

import numpy as np

SCHARR = {0: np.array([3.0, 10.0, 3.0]), 1: np.array([-1.0, 0.0, 1.0])}

# Kernels of no given sigma, in 1/256.
_SMALL_GAUSSIANS = {1: (256,), 3: (64, 128, 64), 5: (16, 64, 96, 64, 16), 7: (8, 28, 56, 72, 56, 28, 8),
                    9: (4, 13, 30, 51, 60, 51, 30, 13, 4)}


@functools.lru_cache(maxsize=256)
def gaussian(size, sigma):
    """Weights of a Gaussian; of the spread that OpenCV takes for the size where sigma is 0 or less."""
    if sigma <= 0 and size in _SMALL_GAUSSIANS:
        factor = np.array(_SMALL_GAUSSIANS[size]) / 256
    else:
        if sigma <= 0:
            sigma = 0.3 * ((size - 1) * 0.5 - 1) + 0.8
        factor = np.exp(-0.5 * ((np.arange(size) - (size - 1) / 2) / sigma) ** 2)
        factor /= factor.sum()
    factor.flags.writeable = False
    return factor


@functools.lru_cache(maxsize=256)
def fixed_gaussian(size, sigma, bits):
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
def ones(count):
    """A factor of ones."""
    factor = np.ones(count)
    factor.flags.writeable = False
    return factor


@functools.lru_cache(maxsize=256)
def derivative_factor(order, size):
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
def laplacian(size):
    """Dense weights of a small Laplacian."""
    if size == 1:
        return np.array([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]])
    second, smooth = derivative_factor(2, size), derivative_factor(0, size)
    return np.outer(smooth, second) + np.outer(second, smooth)
