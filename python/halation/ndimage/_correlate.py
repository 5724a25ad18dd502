"""_correlate.py: correlation and convolution with weights of the caller's, and means of windows."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .. import _arrays
from .._arrays import facts_of
from .._remembered import remembered
from ._arguments import (
    axes_of,
    axis_of,
    border_of,
    check_channels,
    each,
    filters_arrays,
    output_of,
    run,
    separable,
    unfiltered,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from .._types import Border, Borders, DType, Factors, Index, Indices, Number, Output, Shape

    Windows: TypeAlias = tuple[Factors, Shape, tuple[str, ...], Shape, Shape | None]

# SciPy leaves out dense weights that are no larger.
_EPSILON = np.finfo(np.float64).eps


def _check_cval(dtype: DType, weights: NDArray[Any], cval: Number) -> None:
    if weights.dtype.kind == "c" and dtype.kind != "c" and np.iscomplexobj(cval):
        raise ValueError("Cannot provide a complex-valued cval when the input is real.")


@filters_arrays
def correlate1d(
    input: Any,
    weights: ArrayLike,
    axis: Index = -1,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> Any:
    """Correlation along one axis.

    ``out[i] = sum_k(weights[k] * input[i + k - len(weights) // 2 - origin])``

    Parameters
    ----------
    {input}
    weights : 1-D array
        Complex weights are conjugated.
    {axis}
    {output}
    {mode}
    {cval}
    {origin}

    Returns
    -------
    {result}

    Examples
    --------
    >>> from halation.ndimage import correlate1d
    >>> correlate1d([2, 8, 0, 4, 1, 9, 9, 0], weights=[1, 3])
    array([ 8, 26,  8, 12,  7, 28, 36,  9])
    """
    return _correlate1d(input, weights, axis, output, mode, cval, origin)


def _correlate1d(input: Any, weights: ArrayLike, axis: Index, output: Output, mode: Any, cval: Number, origin: Any) -> Any:
    ndim, dtype = facts_of(input)
    weights = np.asarray(_arrays.on_cpu(weights))
    is_complex = weights.dtype.kind == "c"
    out, kind = output_of(output, input, dtype, is_complex or dtype.kind == "c")
    _check_cval(dtype, weights, cval)
    weights = weights.conj() if is_complex else np.asarray(weights, dtype=np.float64)
    if weights.ndim != 1 or weights.shape[0] < 1:
        raise RuntimeError("no filter weights given")
    axis = axis_of(axis, ndim)
    taps = weights.shape[0]
    anchor = taps // 2 + operator.index(origin)
    if not 0 <= anchor < taps:
        raise ValueError("Invalid origin; origin must satisfy -(len(weights) // 2) <= origin <= (len(weights)-1) // 2")
    return run(input, (weights,), (axis,), border_of(mode), cval, (anchor,), out, kind)


@filters_arrays
def convolve1d(
    input: Any,
    weights: ArrayLike,
    axis: Index = -1,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> Any:
    """Convolution along one axis.

    Parameters
    ----------
    {input}
    weights : 1-D array
    {axis}
    {output}
    {mode}
    {cval}
    {origin}

    Returns
    -------
    {result}

    Examples
    --------
    >>> from halation.ndimage import convolve1d
    >>> convolve1d([2, 8, 0, 4, 1, 9, 9, 0], weights=[1, 3])
    array([14, 24,  4, 13, 12, 36, 27,  0])
    """
    weights = np.asarray(_arrays.on_cpu(weights))
    if weights.ndim == 0 or weights.shape[0] < 1:
        raise RuntimeError("no filter weights given")
    origin = -operator.index(origin) - (1 - weights.shape[0] % 2)
    weights = weights[::-1].conj() if weights.dtype.kind == "c" else weights[::-1]
    return _correlate1d(input, weights, axis, output, mode, cval, origin)


def _final_weights(weights: NDArray[Any], convolution: bool) -> NDArray[Any]:
    """Those of a correlation, without what SciPy leaves out."""
    if convolution:
        weights = weights[(slice(None, None, -1),) * weights.ndim]
    return np.where(np.abs(weights) > _EPSILON, weights, 0)


@functools.lru_cache(maxsize=256)
def _kept_weights(numbers: bytes, shape: Shape, dtype: DType, convolution: bool) -> NDArray[Any]:
    return _final_weights(np.frombuffer(numbers, dtype).reshape(shape), convolution)


def _correlate_or_convolve(
    input: Any, weights: ArrayLike, output: Output, mode: Any, cval: Number, origin: Any, axes: Any, convolution: bool
) -> Any:
    ndim, dtype = facts_of(input)
    weights = np.asarray(_arrays.on_cpu(weights))
    is_complex = weights.dtype.kind == "c"
    if is_complex:
        if not convolution:
            weights = weights.conj()
        _check_cval(dtype, weights, cval)
    else:
        weights = np.asarray(weights, dtype=np.float64)
    out, kind = output_of(output, input, dtype, is_complex or dtype.kind == "c")
    given_axes, axes = axes, axes_of(axes, ndim)
    if weights.ndim != len(axes):
        raise RuntimeError(f"weights.ndim ({weights.ndim}) must match len(axes) ({len(axes)})")
    if 0 in weights.shape:
        raise RuntimeError("no filter weights given")
    # As in SciPy, axes of the weights go with the array's in rising order; origins go with `axes`, unless those are all axes.
    origins = each(origin, len(axes))
    if len(axes) < ndim:
        origins = [at for _, at in sorted(zip(axes, origins), key=operator.itemgetter(0))]
    axes = tuple(sorted(axes))
    anchors = []
    for at, taps in zip(origins, weights.shape):
        at = operator.index(at)
        anchor = taps - 1 - taps // 2 - at if convolution and taps % 2 else taps // 2 + at
        if convolution and taps % 2 == 0:
            anchor = taps // 2 - at - 1
        if not 0 <= anchor < taps:
            raise ValueError(
                "Invalid origin; origin must satisfy -(weights.shape[k] // 2) <= origin[k] <= (weights.shape[k]-1) // 2"
            )
        anchors.append(anchor)
    if not isinstance(mode, str) and isinstance(mode, Iterable):
        raise RuntimeError("A sequence of modes is not supported")
    if not axes:
        return unfiltered(input * weights[()], out, kind)
    if weights.shape[-1] > 1:
        check_channels(input, given_axes)
    if weights.size <= 4096:
        weights = _kept_weights(weights.tobytes(), weights.shape, weights.dtype, convolution)
    else:
        weights = _final_weights(weights, convolution)
    return run(input, weights, axes, border_of(mode), cval, tuple(anchors), out, kind)


@filters_arrays
def correlate(
    input: Any,
    weights: ArrayLike,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> Any:
    """Correlation with dense weights.

    Parameters
    ----------
    {input}
    weights : array
        With an axis for each of `axes`. Complex weights are conjugated. Those of magnitude 2^-52 and less are taken as 0, as in SciPy.
    {output}
    {mode}
    {cval}
    {origins}
    {axes}

    Returns
    -------
    {result}

    See Also
    --------
    convolve

    Examples
    --------
    >>> import numpy as np
    >>> from halation.ndimage import correlate
    >>> correlate(np.arange(25).reshape(5, 5), [[0, 1, 0], [1, 1, 1], [0, 1, 0]])
    array([[  6,  10,  15,  20,  24],
           [ 26,  30,  35,  40,  44],
           [ 51,  55,  60,  65,  69],
           [ 76,  80,  85,  90,  94],
           [ 96, 100, 105, 110, 114]])
    """
    return _correlate_or_convolve(input, weights, output, mode, cval, origin, axes, False)


@filters_arrays
def convolve(
    input: Any,
    weights: ArrayLike,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> Any:
    """Convolution with dense weights.

    Parameters
    ----------
    {input}
    weights : array
        With an axis for each of `axes`. Those of magnitude 2^-52 and less are taken as 0, as in SciPy.
    {output}
    {mode}
    {cval}
    {origins}
    {axes}

    Returns
    -------
    {result}

    See Also
    --------
    correlate

    Examples
    --------
    >>> import numpy as np
    >>> from halation.ndimage import convolve
    >>> a = np.array([[1, 2, 0, 0], [5, 3, 0, 4], [0, 0, 0, 7], [9, 3, 0, 0]])
    >>> convolve(a, [[1, 1, 1], [1, 1, 0], [1, 0, 0]], mode='constant', cval=0.0)
    array([[11, 10,  7,  4],
           [10,  3, 11, 11],
           [15, 12, 14,  7],
           [12,  3,  7,  0]])
    """
    return _correlate_or_convolve(input, weights, output, mode, cval, origin, axes, True)


def _windows(axes: Shape, sizes: Shape, modes: Sequence[Any], origins: Sequence[Any], divides: bool) -> Windows:
    """(rows, axes, borders, anchors, divisors): rows of equal weights; whole numbers are divided as SciPy divides their sum."""
    anchors = []
    for size, origin in zip(sizes, origins):
        anchor = size // 2 + operator.index(origin)
        if not 0 <= anchor < size:
            raise ValueError("invalid origin")
        anchors.append(anchor)
    rows = tuple(np.full(size, 1 if divides else 1 / size, np.float64) for size in sizes)
    return rows, axes, tuple(map(border_of, modes)), tuple(anchors), sizes if divides else None


@remembered
def _window(axis: int, size: int, mode: Any, origin: Any, divides: bool) -> Windows:
    return _windows((axis,), (size,), (mode,), (origin,), divides)


def _uniform(input: Any, windows: Windows, cval: Number, out: Any, kind: DType) -> Any:
    rows, axes, borders, anchors, divisors = windows
    return separable(input, rows, axes, borders, cval, anchors, out, kind, divisors)


@filters_arrays
def uniform_filter1d(
    input: Any,
    size: Index,
    axis: Index = -1,
    output: Output = None,
    mode: Border = "reflect",
    cval: Number = 0.0,
    origin: Index = 0,
) -> Any:
    """Mean of a window along one axis.

    Parameters
    ----------
    {input}
    size : int
        Elements of the window.
    {axis}
    {output}
    {mode}
    {cval}
    {origin}

    Returns
    -------
    {result}

    Examples
    --------
    >>> from halation.ndimage import uniform_filter1d
    >>> uniform_filter1d([2, 8, 0, 4, 1, 9, 9, 0], size=3)
    array([4, 3, 4, 1, 4, 6, 6, 3])
    """
    ndim, dtype = facts_of(input)
    axis = axis_of(axis, ndim)
    size = operator.index(size)
    if size < 1:
        raise RuntimeError("incorrect filter size")
    out, kind = output_of(output, input, dtype, dtype.kind == "c")
    return _uniform(input, _window(axis, size, mode, origin, kind.kind not in "fc"), cval, out, kind)


@filters_arrays
def uniform_filter(
    input: Any,
    size: Indices = 3,
    output: Output = None,
    mode: Borders = "reflect",
    cval: Number = 0.0,
    origin: Indices = 0,
    *,
    axes: Indices | None = None,
) -> Any:
    """Mean of a window, at a cost that hardly depends on its size.

    Parameters
    ----------
    {input}
    size : int or sequence of int, optional
        Elements of the window along all axes or each.
    {output}
    {modes}
    {cval}
    {origins}
    {axes}

    Returns
    -------
    {result}

    Notes
    -----
    Integers are truncated after each axis, as SciPy does.

    Examples
    --------
    >>> import numpy as np
    >>> from halation.ndimage import uniform_filter
    >>> uniform_filter(np.array([[0., 0, 9], [0, 0, 0], [0, 0, 0]]), size=3).round(6)
    array([[0., 2., 4.],
           [0., 1., 2.],
           [0., 0., 0.]])
    """
    ndim, dtype = facts_of(input)
    out, kind = output_of(output, input, dtype, dtype.kind == "c")
    windows = _windows_of(ndim, axes, size, mode, origin, kind.kind not in "fc")
    if not np.iterable(size):  # one for each axis says that each is meant
        check_channels(input, axes)
    return unfiltered(input, out, kind) if windows is None else _uniform(input, windows, cval, out, kind)


@remembered
def _windows_of(ndim: int, axes: Any, size: Any, mode: Any, origin: Any, divides: bool) -> Windows | None:
    axes = axes_of(axes, ndim)
    jobs = list(zip(axes, each(size, len(axes)), each(mode, len(axes)), each(origin, len(axes))))
    jobs = [(axis, int(n), *rest) for axis, n, *rest in jobs if n > 1]
    if not jobs:
        return None
    filtered, sizes, modes, origins = zip(*jobs)
    return _windows(filtered, sizes, modes, origins, divides)
