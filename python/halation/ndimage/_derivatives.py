"""_derivatives.py: edges, Laplacians and gradient magnitudes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _arrays, _cache, _gpu
from .._arrays import facts_of
from .._job import pixel_of
from .._remembered import remembered
from ._arguments import (
    axes_of,
    axis_of,
    border_of,
    check_channels,
    each,
    empty_like,
    filters_arrays,
    output_of,
    run,
    separable,
    unfiltered,
)
from ._correlate import correlate1d
from ._gaussian import _gaussian_filter, factor_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from .._types import Borders, DType, Factors, Index, Indices, Number, Output, Reals, Shape

_DIFFERENCE = np.array([-1.0, 0.0, 1.0])
_SECOND_DIFFERENCE = np.array([1.0, -2.0, 1.0])
_ITSELF = np.array([0.0, 1.0, 0.0])
# Axes whose second differences are summed as one filter: on the CPU weights of 0 cost nothing, on a GPU as much as others.
_MOST_OF_CPU, _MOST_OF_GPU = 6, 4


def _edges(input: Any, axis: Index, output: Output, mode: Any, cval: Number, smooth: tuple[float, float, float]) -> Any:
    ndim, dtype = facts_of(input)
    out, kind = output_of(output, input, dtype)
    if dtype.kind == "c" and kind.kind != "c":
        raise RuntimeError("output must have complex dtype")
    factors, axes, borders, anchors = _edge_factors(ndim, axis, mode, smooth)
    check_channels(input, None, "filter its channels one by one, or by the filter of that name of halation.filters")
    return separable(input, factors, axes, borders, cval, anchors, out, kind)


@remembered
def _edge_factors(ndim: int, axis: Index, mode: Any, smooth: tuple[float, float, float]) -> tuple[Factors, Shape, tuple[str, ...], Shape]:
    axis = axis_of(axis, ndim)
    modes = each(mode, ndim)
    axes = (axis, *(other for other in range(ndim) if other != axis))
    factors = (_DIFFERENCE,) + (np.array(smooth),) * (ndim - 1)
    return factors, axes, tuple(border_of(modes[a]) for a in axes), (1,) * ndim


@filters_arrays
def prewitt(input: Any, axis: Index = -1, output: Output = None, mode: Borders = "reflect", cval: Number = 0.0) -> Any:
    """Prewitt filter: the difference of neighbours along one axis, summed over three along each other.

    Parameters
    ----------
    {input}
    {axis}
    {output}
    {modes}
    {cval}

    Returns
    -------
    {result}

    Examples
    --------
    >>> from halation.ndimage import prewitt
    >>> prewitt([[0, 0, 5, 5]] * 3)[0]
    array([ 0, 15, 15,  0])
    """
    return _edges(input, axis, output, mode, cval, (1.0, 1.0, 1.0))


@filters_arrays
def sobel(input: Any, axis: Index = -1, output: Output = None, mode: Borders = "reflect", cval: Number = 0.0) -> Any:
    """Sobel filter: the difference of neighbours along one axis, summed with weights 1 2 1 along each other.

    Parameters
    ----------
    {input}
    {axis}
    {output}
    {modes}
    {cval}

    Returns
    -------
    {result}

    Examples
    --------
    >>> from halation.ndimage import sobel
    >>> sobel([[0, 0, 5, 5]] * 3)[0]
    array([ 0, 20, 20,  0])
    """
    return _edges(input, axis, output, mode, cval, (1.0, 2.0, 1.0))


@filters_arrays
def generic_laplace(
    input: Any,
    derivative2: Callable[..., Any],
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Indices | None = None,
) -> Any:
    """Laplacian by a function for second derivatives.

    Parameters
    ----------
    {input}
    derivative2 : callable
        ``derivative2(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)``
    {output}
    {modes}
    {cval}
    {extra}
    {axes}

    Returns
    -------
    {result}

    Examples
    --------
    >>> from halation.ndimage import correlate1d, generic_laplace
    >>> def second(input, axis, output, mode, cval):
    ...     return correlate1d(input, [1, -2, 1], axis, output, mode, cval)
    >>> generic_laplace([[0, 0, 0], [0, 1, 0], [0, 0, 0]], second)
    array([[ 0,  1,  0],
           [ 1, -4,  1],
           [ 0,  1,  0]])
    """
    check_channels(input, axes)
    return _generic_laplace(input, derivative2, output, mode, cval, extra_arguments, extra_keywords, axes)


def _generic_laplace(
    input: Any,
    derivative2: Callable[..., Any],
    output: Output,
    mode: Any,
    cval: Number,
    extra_arguments: Sequence[Any],
    extra_keywords: Mapping[str, Any] | None,
    axes: Any,
) -> Any:
    ndim, dtype = facts_of(input)
    out, kind = output_of(output, input, dtype)
    axes = axes_of(axes, ndim)
    if not axes:
        return unfiltered(input, out, kind)
    if kind.char == "e":  # what lies between is f32
        made = _generic_laplace(input, derivative2, np.float32, mode, cval, extra_arguments, extra_keywords, axes)
        return unfiltered(made, out, kind)
    keywords = extra_keywords or {}
    out = empty_like(input, kind) if out is None else out
    given, input = out, _apart(input, out, len(axes))
    modes = each(mode, len(axes))
    derivative2(input, axes[0], out, modes[0], cval, *extra_arguments, **keywords)
    for axis, one in zip(axes[1:], modes[1:]):
        out += derivative2(input, axis, kind, one, cval, *extra_arguments, **keywords)
    return given


def _apart(input: Any, out: Any, passes: int) -> Any:
    """The input, or a copy where the first of several passes would write over it."""
    if passes == 1:
        return input
    if type(input) is np.ndarray:
        return input.copy() if np.may_share_memory(input, out) else input
    library = _arrays.gpu_library_of(input)
    return library.astype(input, library.layout(input).dtype) if _gpu.overlap(input, out) else input


@filters_arrays
def laplace(
    input: Any, output: Output = None, mode: Borders = "reflect", cval: Number = 0.0, *, axes: Indices | None = None
) -> Any:
    """Laplacian: second differences 1 -2 1 along each axis, added: one filter of three taps along each, most of them 0.

    Parameters
    ----------
    {input}
    {output}
    {modes}
    {cval}
    {axes}

    Returns
    -------
    {result}

    Examples
    --------
    >>> from halation.ndimage import laplace
    >>> laplace([[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    array([[ 0,  1,  0],
           [ 1, -4,  1],
           [ 0,  1,  0]])
    """
    ndim, dtype = facts_of(input)
    out, kind = output_of(output, input, dtype)
    if dtype.kind == "c" and kind.kind != "c":
        raise RuntimeError("output must have complex dtype")
    wanted = axes_of(axes, ndim)
    check_channels(input, axes)
    most = _MOST_OF_CPU if type(input) is np.ndarray else _MOST_OF_GPU
    if 1 < len(wanted) <= most and _adds_up(dtype, kind, cval):
        weights, borders = _laplacian(len(wanted), mode)
        return run(input, weights, wanted, borders, cval, (1,) * len(wanted), out, kind)

    def second(array: Any, axis: Index, where: Any, one: Any, value: Any) -> Any:
        if len(wanted) == 1 or kind.kind not in "fc":
            return correlate1d(array, _SECOND_DIFFERENCE, axis, where, one, value)
        # As far as NaN reaches by one filter.
        factors = tuple(_SECOND_DIFFERENCE if along == axis else _ITSELF for along in wanted)
        borders = tuple(map(border_of, each(mode, len(wanted))))
        return separable(array, factors, wanted, borders, value, (1,) * len(wanted), *output_of(where, array, dtype))

    if len(wanted) == 1:
        return second(input, wanted[0], kind if out is None else out, each(mode, 1)[0], cval)
    return _generic_laplace(input, second, output, mode, cval, (), None, axes)


@remembered
def _laplacian(dims: int, mode: Any) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Second differences along each axis, added, and borders."""
    weights = np.zeros((3,) * dims)
    for i in range(dims):
        weights[tuple(slice(None) if j == i else 1 for j in range(dims))] += _SECOND_DIFFERENCE
    return weights, tuple(border_of(one) for one in each(mode, dims))


def _adds_up(dtype: DType, kind: DType, cval: Any) -> bool:
    """Whether one sum over all axes gives what results along each axis, put into the output's type, add up to."""
    if kind.kind in "fc":
        return True
    # Wrapped numbers add up to the wrapped sum, as long as no single one passes the register that it is converted in.
    return dtype.kind in "iu" and kind.kind in "iu" and dtype.itemsize <= 2 and cval == np.rint(cval) and abs(cval) < 2**24


@filters_arrays
def gaussian_laplace(
    input: Any,
    sigma: Reals,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
    **kwargs: Any,
) -> Any:
    """Laplacian by second derivatives of a Gaussian.

    Parameters
    ----------
    {input}
    sigma : float or sequence of float
        Standard deviation, for all axes or each.
    {output}
    {modes}
    {cval}
    {axes}
    **kwargs
        For `gaussian_filter`: `truncate`, `radius`.

    Returns
    -------
    {result}

    Examples
    --------
    >>> import numpy as np
    >>> from halation.ndimage import gaussian_laplace
    >>> gaussian_laplace(np.array([0., 0., 1., 0., 0.]), sigma=1).round(4)
    array([ 0.1974,  0.002 , -0.3989,  0.002 ,  0.1974])
    """
    ndim, _ = facts_of(input)
    wanted = axes_of(axes, ndim)
    sigmas = each(sigma, len(wanted))
    check_channels(input, axes)
    if len(wanted) < ndim:
        of_axis = dict(zip(wanted, sigmas))
        sigmas = [of_axis.get(axis, 0) for axis in range(ndim)]

    def second(array: Any, axis: int, where: Any, one: Any, value: Any, sigmas: Any, **keywords: Any) -> Any:
        orders = [2 if other == axis else 0 for other in range(ndim)]
        return _gaussian_filter(array, sigmas, orders, where, one, value, **keywords)

    return _generic_laplace(input, second, output, mode, cval, (sigmas,), kwargs, axes)


@filters_arrays
def generic_gradient_magnitude(
    input: Any,
    derivative: Callable[..., Any],
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
    *,
    axes: Indices | None = None,
) -> Any:
    """Gradient magnitude by a function for derivatives.

    Parameters
    ----------
    {input}
    derivative : callable
        ``derivative(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)``; what it returns is changed in place.
    {output}
    {modes}
    {cval}
    {extra}
    {axes}

    Returns
    -------
    {result}

    Examples
    --------
    >>> from halation.ndimage import generic_gradient_magnitude, sobel
    >>> generic_gradient_magnitude([[0., 0., 3.], [0., 0., 3.], [0., 0., 3.]], sobel)[0]
    array([ 0., 12., 12.])
    """
    check_channels(input, axes)
    return _generic_gradient_magnitude(input, derivative, output, mode, cval, extra_arguments, extra_keywords, axes)


def _generic_gradient_magnitude(
    input: Any,
    derivative: Callable[..., Any],
    output: Output,
    mode: Any,
    cval: Number,
    extra_arguments: Sequence[Any],
    extra_keywords: Mapping[str, Any] | None,
    axes: Any,
) -> Any:
    ndim, dtype = facts_of(input)
    out, kind = output_of(output, input, dtype)
    axes = axes_of(axes, ndim)
    if not axes:
        return unfiltered(input, out, kind)
    if kind.char == "e":  # what lies between is f32
        made = _generic_gradient_magnitude(input, derivative, np.float32, mode, cval, extra_arguments, extra_keywords, axes)
        return unfiltered(made, out, kind)
    keywords = extra_keywords or {}
    out = empty_like(input, kind) if out is None else out
    given, input = out, _apart(input, out, len(axes))
    modes = each(mode, len(axes))
    derivative(input, axes[0], out, modes[0], cval, *extra_arguments, **keywords)
    _cache.note_more()  # squares and the root, along a single axis too
    out *= out
    for axis, one in zip(axes[1:], modes[1:]):
        along = derivative(input, axis, kind, one, cval, *extra_arguments, **keywords)
        along *= along
        out += along
    if type(out) is np.ndarray:
        np.sqrt(out, out) if out.dtype.kind in "fc" else np.sqrt(out, out, casting="unsafe")
    else:
        _arrays.gpu_library_of(out).sqrt(out)
    return given


@filters_arrays
def gaussian_gradient_magnitude(
    input: Any,
    sigma: Reals,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    *,
    axes: Indices | None = None,
    **kwargs: Any,
) -> Any:
    """Gradient magnitude by derivatives of a Gaussian.

    Parameters
    ----------
    {input}
    sigma : float or sequence of float
        Standard deviation, for all axes or each.
    {output}
    {modes}
    {cval}
    {axes}
    **kwargs
        For `gaussian_filter`: `truncate`, `radius`.

    Returns
    -------
    {result}

    Examples
    --------
    >>> import numpy as np
    >>> from halation.ndimage import gaussian_gradient_magnitude
    >>> gaussian_gradient_magnitude(np.array([0., 0., 1., 1., 1.]), sigma=1, mode='nearest').round(4)
    array([0.1218, 0.3638, 0.3638, 0.1218, 0.0138])
    """
    ndim, dtype = facts_of(input)
    out, kind = output_of(output, input, dtype)
    check_channels(input, axes)
    if axes is None and kind.kind == "f" and None not in (pixel_of(dtype), pixel_of(kind)):
        one_pass = _gradient_filters(ndim, sigma, mode, tuple(kwargs.items()))
        if one_pass is not None and (one_pass[1] != "constant" or cval == 0) and not _is_long_for_gpu(input, one_pass[0]):
            filters, border = one_pass
            return run(input, filters, tuple(range(ndim)), border, cval, None, out, kind, magnitude=True)

    def first(array: Any, axis: int, where: Any, one: Any, value: Any, sigma: Any, **keywords: Any) -> Any:
        orders = [1 if other == axis else 0 for other in range(ndim)]
        return _gaussian_filter(array, sigma, orders, where, one, value, **keywords)

    return _generic_gradient_magnitude(input, first, output, mode, cval, (sigma,), kwargs, axes)


def _is_long_for_gpu(input: Any, filters: list[Factors]) -> bool:
    """Whether rows of weights are long and outputs few: one pass leaves most of a GPU idle, and each axis by itself does not."""
    taps = max([len(factor) for factor in filters[0]])
    return type(input) is not np.ndarray and taps > 128 and math.prod(input.shape) <= 1 << 16


@remembered
def _gradient_filters(ndim: int, sigma: Any, mode: Any, keywords: tuple[tuple[str, Any], ...]) -> tuple[list[Factors], str] | None:
    """(filters, border) of one pass; None where it takes several."""
    sigmas, modes, others = each(sigma, ndim), each(mode, ndim), dict(keywords)
    truncate, radii = others.pop("truncate", 4.0), each(others.pop("radius", None), ndim)
    if not 1 < ndim <= 3 or others or len(set(modes)) > 1 or not all(one > 1e-15 for one in sigmas):
        return None
    filters = [tuple(factor_of(sigmas[i], int(i == axis), truncate, radii[i]) for i in range(ndim)) for axis in range(ndim)]
    return filters, border_of(modes[0])
