"""halation.ndimage: the linear filters of scipy.ndimage, with their signatures and results, many times quicker.

``import halation.ndimage as ndimage`` in place of ``from scipy import ndimage`` runs existing code for these functions. What
differs is listed in docs/python.md.
"""

from ._correlate import convolve, convolve1d, correlate, correlate1d, uniform_filter, uniform_filter1d
from ._derivatives import (
    gaussian_gradient_magnitude,
    gaussian_laplace,
    generic_gradient_magnitude,
    generic_laplace,
    laplace,
    prewitt,
    sobel,
)
from ._gaussian import gaussian_filter, gaussian_filter1d

__all__ = [
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "generic_gradient_magnitude",
    "generic_laplace",
    "laplace",
    "prewitt",
    "sobel",
    "uniform_filter",
    "uniform_filter1d",
]
