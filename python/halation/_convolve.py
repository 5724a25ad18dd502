"""_convolve.py: one call from array and filter to filtered array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _chain, _channels, _engine
from ._filter import Filter, filter_of, taps_of
from ._options import options_of
from ._plan import plan
from ._traceback import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ._types import Accuracy, Borders, Extent, Index, Indices, Method, Numbers, Output, Real, Rounding, Sum, Tune, View


def convolve(
    image: Any,
    filter: Filter | str | Sequence[Any] | ArrayLike | tuple[ArrayLike, ...],
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
    alpha: bool = False,
    linear: bool = False,
    gray: bool = False,
    view: View | None = None,
    sum: Sum = "automatic",
    accuracy: Accuracy = "exact",
    method: Method = "automatic",
    tune: Tune = "estimate",
    threads: Index = 0,
    device: str | None = None,
    stream: int | None = None,
) -> Any:
    """Convolves an array with a filter: ``out[p] = round(scale * sum_k(w[k] * in[p - (k - anchor)]) + offset)``.

    With a chain, filters one after the other: ``out = round(scale * F_n(... F_2(F_1(in))) + offset)``. What lies between its stages is
    float32 (float64 where the image or the result is, or `sum` asks for it), neither rounded nor clipped.

    Parameters
    ----------
    image : array
        Of any library (NumPy, CuPy, PyTorch, ...), any numbers and axes, where it lies. Never changed.
    filter : Filter, array, tuple of 1-D arrays, or chain
        A filter, dense weights with an axis for each of `axes`, or the factors of a separable filter, one for each of `axes`. A chain is a
        text, "gaussian sigma=2 | edges" (the named filters of docs/filters.md with their parameters, apart by '|', and weights, "custom
        weights='0 -1 0; -1 5 -1; 0 -1 0'"), or a list or tuple of `Filter` and such texts.
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
    alpha : bool
        Whether the last channel is straight alpha. Colours are filtered premultiplied by it, so that transparent pixels do not bleed
        (halation/colour.h has the formulas). `channel_axis` is -1 unless given.
    linear : bool
        Filters in linear light: sRGB, integers of their whole range and floats from 0 to 1, is decoded before the first filter and encoded
        after the last.
    gray : bool
        Filters the luma 0.299 R + 0.587 G + 0.114 B. The result has no axis of channels, or with `alpha` two channels. `channel_axis` is -1
        unless given.
    view : {"signed", "abs", "stretch"}, optional
        Shows results that the output's type cannot hold, as in `halation.filters`.
    sum : {"automatic", "f64"}
        The precision of sums, as in `halation.plan`.
    accuracy, method, tune, threads
        As in `halation.plan`.
    device : str, optional
        Where the image lies unless given. It is never moved: "reference" is another way for arrays on the CPU.
    stream : int, optional
        The address of a CUDA stream on which the image becomes valid and the result will; the caller's current one unless given. A chain's
        result is complete when the call returns.

    Returns
    -------
    array
        `output`, or a new array of the image's library.

    Raises
    ------
    ValueError, TypeError, RuntimeError, MemoryError
        With a sentence that says what was wrong and what would be right.

    Notes
    -----
    Of a chain each stage has the border of its own input, the image that the stage before gives; `border`, `cval`, `extent`, `sum`,
    `accuracy` and `method` hold for every stage, `output`, `scale`, `offset`, `rounding` and `view` for the last. What is named in a text
    runs along all of `axes`, which are three at most; a `Filter` has an axis for each. Two linear stages become one, whose weights are the
    convolution of theirs, where the image is the same at its borders too and it should take less time. Chains, and `alpha`, `linear`,
    `gray` and `view`, take and give uint8, uint16, int16, float16, float32 and float64, in host memory, chains alone also on a GPU, where the
    call returns when the result is there. A call costs the stages' plans, which are made anew, some 50 microseconds each, their passes, and
    an array between each two stages.

    See Also
    --------
    correlate, plan, Filter, filter_file

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

    A chain, of which nothing is rounded or clipped on the way:

    >>> halation.convolve(np.array([[100, 200, 250]], np.uint8), "custom weights=2 | custom weights='1 1' | custom weights=0.25")
    array([[150, 225, 225]], dtype=uint8)
    >>> halation.convolve(photo, ["gaussian sigma=0.5", halation.Filter.unsharp_mask(amount=0.5)], channel_axis=-1).shape
    (4, 5, 3)
    """
    try:
        return _run("convolution", image, filter, axes, channel_axis, border, cval, anchor, extent, output, scale, offset, rounding, alpha,
                    linear, gray, view, sum, accuracy, method, tune, threads, device, stream)  # fmt: skip
    except Exception as error:
        shorten(error)
        raise


def correlate(
    image: Any,
    filter: Filter | str | Sequence[Any] | ArrayLike | tuple[ArrayLike, ...],
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
    alpha: bool = False,
    linear: bool = False,
    gray: bool = False,
    view: View | None = None,
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
        return _run("correlation", image, filter, axes, channel_axis, border, cval, anchor, extent, output, scale, offset, rounding, alpha,
                    linear, gray, view, sum, accuracy, method, tune, threads, device, stream)  # fmt: skip
    except Exception as error:
        shorten(error)
        raise


def _run(operation, image, filter, axes, channel_axis, border, cval, anchor, extent, output, scale, offset, rounding, alpha, linear,
         gray, view, sum, accuracy, method, tune, threads, device, stream):  # fmt: skip
    if not hasattr(image, "ndim"):
        image = np.asarray(image)
    is_chain = _chain.is_chain(filter)
    if is_chain or alpha or linear or gray or view is not None:
        if device is not None:
            _check_device(image, device)
        chain, at = (filter, anchor) if is_chain else (filter_of(filter, anchor), None)
        return _chain.run(operation, image, chain, axes, channel_axis, border, cval, at, extent, output, scale, offset, rounding, sum, accuracy,
                          method, tune, threads, device or _place_of(image), stream, alpha, linear, gray, view)  # fmt: skip
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
