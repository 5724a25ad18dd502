"""_convolve.py: one call from array and filter to filtered array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _channels, _engine
from ._filter import Filter, taps_of
from ._options import options_of
from ._plan import plan
from ._traceback import shorten

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._types import Accuracy, Borders, Extent, Index, Indices, Method, Numbers, Output, Real, Rounding, Sum, Tune


def convolve(
    image: Any,
    filter: Filter | ArrayLike | tuple[ArrayLike, ...],
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Numbers = 0.0,
    anchor: Indices | None = None,
    extent: Extent = "same",
    output: Output = None,
    scale: Real = 1.0,
    offset: Real = 0.0,
    rounding: Rounding = "half_even",
    sum: Sum = "automatic",
    accuracy: Accuracy = "exact",
    method: Method = "automatic",
    tune: Tune = "estimate",
    threads: Index = 0,
    device: str | None = None,
    stream: int | None = None,
) -> Any:
    """Convolves an array with a filter: ``out[p] = round(scale * sum_k(w[k] * in[p - (k - anchor)]) + offset)``.

    Parameters
    ----------
    image : array
        Of any library (NumPy, CuPy, PyTorch, ...), any numbers and axes, where it lies. Never changed.
    filter : Filter, array or tuple of 1-D arrays
        A filter, dense weights with an axis for each of `axes`, or the factors of a separable filter, one for each of `axes`.
    axes : int or tuple of int, optional
        The axes that the filter runs along; all but `channel_axis` unless given, which must be as many as the filter's.
    channel_axis : int, optional
        The axis of the channels, which are filtered one by one: -1 for H x W x C.
    border : str or tuple of str
        What lies outside, for all axes or each: "constant", "replicate" (a a a | a b c), "reflect" (c b a | a b c), "reflect101" (d c
        b | a b c d), "wrap", or SciPy's and OpenCV's names for them.
    cval : number or tuple of numbers
        The value outside a constant border.
    anchor : int or tuple of int, optional
        The tap that lies over the output, from 0; the filter's own, or half of the taps, rounded down, unless given.
    extent : {"same", "valid", "full"}
        Which outputs exist.
    output : array or dtype, optional
        Where the result goes, or what it is an array of; the image's type by default. It may be the image.
    scale, offset : float
    rounding : {"half_even", "truncate"}
        Of integer results, which saturate.
    sum : {"automatic", "f64"}
        The precision of sums, as in `halation.plan`.
    accuracy, method, tune, threads
        As in `halation.plan`.
    device : str, optional
        Where the image lies unless given. It is never moved: "reference" is another way for arrays on the CPU.
    stream : int, optional
        The address of a CUDA stream; the caller's current one unless given.

    Returns
    -------
    array
        `output`, or a new array of the image's library.

    Raises
    ------
    ValueError, TypeError, RuntimeError, MemoryError
        With a sentence that says what was wrong and what would be right.

    See Also
    --------
    correlate, plan, Filter

    Examples
    --------
    >>> import numpy as np
    >>> import halation
    >>> halation.convolve(np.array([0, 0, 9, 0, 0.]), [1, 2, 3], border="constant")
    array([ 0.,  9., 18., 27.,  0.])
    >>> photo = np.zeros((4, 5, 3), np.uint8)
    >>> photo[2, 2] = 64
    >>> halation.convolve(photo, halation.Filter.separable([1, 2, 1], [1, 2, 1]) / 16, channel_axis=-1)[..., 0]
    array([[ 0,  0,  0,  0,  0],
           [ 0,  4,  8,  4,  0],
           [ 0,  8, 16,  8,  0],
           [ 0,  8, 16,  8,  0]], dtype=uint8)
    """
    try:
        return _run("convolution", image, filter, axes, channel_axis, border, cval, anchor, extent, output, scale, offset, rounding, sum,
                    accuracy, method, tune, threads, device, stream)  # fmt: skip
    except Exception as error:
        shorten(error)
        raise


def correlate(
    image: Any,
    filter: Filter | ArrayLike | tuple[ArrayLike, ...],
    *,
    axes: Indices | None = None,
    channel_axis: Index | None = None,
    border: Borders = "reflect101",
    cval: Numbers = 0.0,
    anchor: Indices | None = None,
    extent: Extent = "same",
    output: Output = None,
    scale: Real = 1.0,
    offset: Real = 0.0,
    rounding: Rounding = "half_even",
    sum: Sum = "automatic",
    accuracy: Accuracy = "exact",
    method: Method = "automatic",
    tune: Tune = "estimate",
    threads: Index = 0,
    device: str | None = None,
    stream: int | None = None,
) -> Any:
    """Correlates an array with a filter: ``out[p] = round(scale * sum_k(w[k] * in[p + (k - anchor)]) + offset)``.

    Parameters and errors are those of `convolve`. Complex weights are used as they are, not conjugated.

    Returns
    -------
    array
        `output`, or a new array of the image's library.

    Examples
    --------
    >>> import numpy as np
    >>> import halation
    >>> halation.correlate(np.array([0, 0, 9, 0, 0.]), [1, 2, 3], border="constant")
    array([ 0., 27., 18.,  9.,  0.])
    """
    try:
        return _run("correlation", image, filter, axes, channel_axis, border, cval, anchor, extent, output, scale, offset, rounding, sum,
                    accuracy, method, tune, threads, device, stream)  # fmt: skip
    except Exception as error:
        shorten(error)
        raise


def _run(operation, image, filter, axes, channel_axis, border, cval, anchor, extent, output, scale, offset, rounding, sum,
         accuracy, method, tune, threads, device, stream):  # fmt: skip
    if not hasattr(image, "ndim"):
        image = np.asarray(image)
    shape = tuple(image.shape)
    weights, anchors = taps_of(filter, anchor, operation)
    lengths = tuple(map(len, weights)) if isinstance(weights, tuple) else weights.shape
    axes = _channels.axes_for(shape, lengths, axes, channel_axis, exact=True)
    out, kind = (None, np.dtype(output)) if isinstance(output, (type, np.dtype, str)) else (output, None)
    if device is not None:
        _check_device(image, device)
    if (accuracy, tune) != ("exact", "estimate") or device == "reference":
        if out is not None:
            kind = _arrays.facts_of(out)[1]
        made = plan(shape, _arrays.facts_of(image)[1], weights, axes=axes,
                    operation="correlation", border=border, cval=cval, anchor=anchors, extent=extent, output=kind, scale=scale,
                    offset=offset, rounding=rounding, sum=sum, accuracy=accuracy, method=method, tune=tune, threads=threads,
                    device=device or _place_of(image))  # fmt: skip
        return made.run(image, out, stream)
    options = options_of(
        axes,
        tuple(border) if isinstance(border, list) else border,
        tuple(cval) if isinstance(cval, list) else cval,
        anchors,
        extent,
        rounding,
        "saturate",
        float(scale),
        float(offset),
        1,
        sum,
        method,
        False,
        threads,
    )
    return _engine.correlate_by(options, image, weights, out, kind, stream)


def _place_of(image):
    """The device that an array lies on."""
    library = _arrays.library_of(image)
    return "cpu" if isinstance(library, _arrays.OnCpu) else library.layout(image).device


def _check_device(image, device):
    there = _place_of(image)
    if device != there and (device, there) != ("reference", "cpu"):
        ways = "'cpu' or 'reference'" if there == "cpu" else f"'{there}'"
        raise ValueError(f"the array lies on {there}, where device is {ways}, got '{device}'; arrays are not moved: give one there")
