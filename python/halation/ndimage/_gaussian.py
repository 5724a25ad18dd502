"""_gaussian.py: Gaussians and their derivatives."""

from __future__ import annotations

import functools
import numbers
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import facts_of
from .._remembered import remembered
from ._arguments import axes_of, border_of, check_channels, each, filters_arrays, output_of, separable, unfiltered
from ._correlate import _correlate1d

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._types import Border, Borders, Factors, Index, Indices, Number, Output, Real, Reals, Shape


@functools.lru_cache(maxsize=256)
def gaussian_factor(sigma: float, order: int, radius: int) -> NDArray[np.float64]:
    """Weights of a correlation with the `order`-th derivative of a Gaussian, which sums to 1 over its 2 * radius + 1 taps.

    The derivative of order n is a polynomial times the Gaussian: q0 = 1, and q(n+1) = q(n)' - x / sigma**2 * q(n).
    """
    x = np.arange(-radius, radius + 1)
    gaussian = np.exp(-0.5 / (sigma * sigma) * x**2)
    gaussian /= gaussian.sum()
    polynomial = np.polynomial.Polynomial([1.0])
    factor = np.polynomial.Polynomial([0.0, -1.0 / (sigma * sigma)])
    for _ in range(order):
        polynomial = polynomial.deriv() + factor * polynomial
    weights: NDArray[np.float64] = (polynomial(x.astype(np.float64)) * gaussian)[::-1].copy()
    weights.flags.writeable = False
    return weights


def factor_of(sigma: Any, order: Any, truncate: Real, radius: Any) -> NDArray[np.float64]:
    """The factor for parameters as the caller gave them."""
    if isinstance(sigma, (str, bytes)):  # which Python's float would read
        raise TypeError(f"sigma must be a number, got {sigma!r}")
    sigma = float(sigma)
    if radius is None:
        radius = int(truncate * sigma + 0.5)
    if not isinstance(radius, numbers.Integral) or radius < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    if order < 0:
        raise ValueError("order must be non-negative")
    return gaussian_factor(sigma, 0 if order == 0 else operator.index(order), int(radius))


@filters_arrays
def gaussian_filter1d(
    input: Any,
    sigma: Real,
    axis: Index = -1,
    order: Index = 0,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    truncate: Real = 4.0,
    *,
    radius: Index | None = None,
) -> Any:
    """Gaussian, or a derivative of it, along one axis.

    Parameters
    ----------
    {input}
    sigma : float
        Standard deviation.
    {axis}
    order : int, optional
        0 for the Gaussian, n for its n-th derivative.
    {output}
    {mode}
    {cval}
    {truncate}
    radius : int, optional
        Radius in elements; `truncate` is not used then.

    Returns
    -------
    {result}

    Examples
    --------
    >>> from halation.ndimage import gaussian_filter1d
    >>> gaussian_filter1d([1.0, 2.0, 3.0, 4.0, 5.0], 1).round(6)
    array([1.427041, 2.067822, 3.      , 3.932178, 4.572959])
    """
    return _correlate1d(input, factor_of(sigma, order, truncate, radius), axis, output, mode, cval, 0)


@filters_arrays
def gaussian_filter(
    input: Any,
    sigma: Reals,
    order: Indices = 0,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    truncate: Real = 4.0,
    *,
    radius: Indices | None = None,
    axes: Indices | None = None,
) -> Any:
    """Gaussian, or derivatives of it, along several axes.

    Parameters
    ----------
    {input}
    sigma : float or sequence of float
        Standard deviation, for all axes or each; an axis with 0 is not filtered.
    order : int or sequence of int, optional
        0 for the Gaussian, n for its n-th derivative.
    {output}
    {modes}
    {cval}
    {truncate}
    radius : int or sequence of int, optional
        Radius in elements; `truncate` is not used then.
    {axes}

    Returns
    -------
    {result}

    Notes
    -----
    Integers are truncated after each axis, as SciPy does; give ``output=np.float32`` to keep fractions.

    Examples
    --------
    >>> import numpy as np
    >>> from halation.ndimage import gaussian_filter
    >>> gaussian_filter(np.arange(0, 50, 2).reshape(5, 5), sigma=1)
    array([[ 4,  6,  8,  9, 11],
           [10, 12, 14, 15, 17],
           [20, 22, 24, 25, 27],
           [29, 31, 33, 34, 36],
           [35, 37, 39, 40, 42]])
    """
    if not np.iterable(sigma):  # one for each axis says that each is meant
        check_channels(input, axes)
    return _gaussian_filter(input, sigma, order, output, mode, cval, truncate, radius=radius, axes=axes)


def _gaussian_filter(
    input: Any,
    sigma: Any,
    order: Any = 0,
    output: Output = None,
    mode: Any = "reflect",
    cval: Number = 0.0,
    truncate: Real = 4.0,
    *,
    radius: Any = None,
    axes: Any = None,
) -> Any:
    ndim, dtype = facts_of(input)
    out, kind = output_of(output, input, dtype)
    jobs = _gaussians(ndim, axes, sigma, order, mode, truncate, radius)
    if jobs is None:
        return unfiltered(input, out, kind)
    if dtype.kind == "c" and kind.kind != "c":
        raise RuntimeError("output must have complex dtype")
    factors, axes, borders, anchors = jobs
    return separable(input, factors, axes, borders, cval, anchors, out, kind)


@remembered
def _gaussians(
    ndim: int, axes: Any, sigma: Any, order: Any, mode: Any, truncate: Real, radius: Any
) -> tuple[Factors, Shape, tuple[str, ...], Shape] | None:
    """(factors, axes, borders, anchors); None where no axis is filtered."""
    axes = axes_of(axes, ndim)
    count = len(axes)
    jobs = list(zip(axes, each(order, count), each(sigma, count), each(mode, count), each(radius, count)))
    jobs = [job for job in jobs if job[2] > 1e-15]
    if not jobs:
        return None
    factors = tuple(factor_of(s, o, truncate, r) for _, o, s, _, r in jobs)
    anchors = tuple(len(factor) // 2 for factor in factors)
    return factors, tuple(job[0] for job in jobs), tuple(border_of(job[3]) for job in jobs), anchors
