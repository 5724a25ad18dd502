"""_chain.py: filters one after the other, rounded once, at the end: what callers give for a chain in the library's words, and chains over arrays.

A chain is a text, "gaussian sigma=2 | edges", or a sequence of filters and texts. The library computes it (halation/chain.h): what lies
between the stages is float32, and stages are joined where the result is the same and it takes less time.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _channels, _native
from ._border import borders_of
from ._filter import Filter
from ._job import check_writable, pixel_of
from ._mapping import MOST_CHANNELS, place_filter
from ._threads import LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._types import DType, Shape

_PIXELS = "uint8, uint16, int16, float16, float32 or float64"


def is_chain(filter_: Any) -> bool:
    """Whether what a caller gives for a filter is a chain: a text, or a list or tuple with a Filter or a text in it."""
    kind = type(filter_)
    return kind is str or (kind is list or kind is tuple) and any(isinstance(one, (Filter, str)) for one in filter_)


def stages_of(chain: Any) -> list[Any]:
    """The stages of a chain as the library takes them; filters lie along the innermost of depth, height and width."""
    given = chain if isinstance(chain, (list, tuple)) else [chain]
    stages: list[Any] = []
    for one in given:
        if isinstance(one, str):
            stages.append(one)
        elif isinstance(one, Filter):
            if one.ndim > 3:
                raise ValueError(f"a filter of a chain runs along 1 to 3 axes, got one along {one.ndim}")
            axes = tuple(range(one.ndim))
            slots = {axis: 4 - one.ndim + axis for axis in axes}
            stages.append((place_filter(one.taps, axes, one.anchor, slots), one.is_correlation))
        else:
            hint = "; weights are Filter(weights)" if isinstance(one, (list, tuple, np.ndarray)) else ""
            raise TypeError(f"a stage of a chain is a Filter or a text such as 'gaussian sigma=2', got {type(one).__name__}{hint}")
    return stages


def check_no_anchor(anchor: object) -> None:
    """Refuses an anchor beside a chain."""
    if anchor is not None:
        raise ValueError("anchor goes with one filter, got a chain; a stage has its own by Filter.with_anchor")


def borders_in_words(border: Any, cval: Any, axes: int | None) -> tuple[tuple[str, float], ...]:
    """Borders with their values, for each of so many axes; None: one for all, or as many as are given."""
    names = borders_of(border)
    given = [len(value) for value in (names, cval) if isinstance(value, (tuple, list))]
    count = axes or max(given, default=1)
    for what, value in (("border", names), ("cval", cval)):
        if isinstance(value, (tuple, list)) and len(value) != count:
            raise ValueError(f"{what} must be one or as many as axes ({count}), got {len(value)}")
    each = names if isinstance(names, tuple) else (names,) * count
    values = cval if isinstance(cval, (tuple, list)) else (cval,) * count
    return tuple(zip(each, (float(value) for value in values)))


def options_in_words(
    operation: str, borders: tuple[tuple[str, float], ...], extent: str, output: DType | None, scale: Any, offset: Any, rounding: str,
    sum_: str, accuracy: str, method: str, tune: str, threads: Any,
) -> dict[str, Any]:  # fmt: skip
    """What is asked of a chain, as the library takes it."""
    pixel = None if output is None else pixel_of(output)
    if output is not None and pixel is None:
        raise TypeError(f"a chain gives {_PIXELS}, got {output}")
    return {"operation": operation, "borders": borders, "extent": extent, "output": pixel, "scale": float(scale), "offset": float(offset),
            "rounding": rounding, "sum": sum_, "accuracy": accuracy, "method": method, "tune": tune, "threads": operator.index(threads)}


def run(
    operation: str, image: Any, chain: Any, axes: Any, channel_axis: Any, border: Any, cval: Any, anchor: Any, extent: str, output: Any,
    scale: Any, offset: Any, rounding: str, sum_: str, accuracy: str, method: str, tune: str, threads: Any, device: str, stream: int | None,
    alpha: bool, linear: bool, gray: bool, view: str | None,
) -> Any:  # fmt: skip
    """A chain over an array; `device` is where it lies, or "reference"."""
    check_no_anchor(anchor)
    library = _arrays.library_of(image)
    array = _arrays.on_cpu(image) if isinstance(library, _arrays.OnCpu) else image
    shape, dtype = tuple(array.shape), _arrays.facts_of(array)[1]
    if (alpha or gray) and channel_axis is None:
        channel_axis = -1
    stages = stages_of(chain)
    axes = _axes_of(chain, shape, axes, channel_axis)
    out, kind = _output_of(output, dtype)
    for what, each in (("takes", dtype), ("gives", kind)):
        if pixel_of(each.newbyteorder("=")) is None:
            raise TypeError(f"a chain {what} {_PIXELS}, got {each}; {'convert it by astype' if what == 'takes' else 'say which by output='}")
    options = options_in_words(operation, borders_in_words(border, cval, len(axes)), extent, kind.newbyteorder("="), scale, offset,
                               rounding, sum_, accuracy, method, tune, threads)  # fmt: skip
    colour = {"alpha": bool(alpha), "linear": bool(linear), "gray": bool(gray), "view": view}
    if 0 in shape:
        raise ValueError(f"a chain needs an array with elements, got shape {shape}")

    channel = _channel_of(shape, axes, channel_axis)
    rest = [axis for axis in range(len(shape)) if axis not in axes and axis != channel]
    last = [] if channel is None else [channel]
    if stream is not None and isinstance(library, _arrays.OnGpu):
        _native.synchronise(array, stream)  # the array's library copies on its own
    space = (*(1,) * (3 - len(axes)), *(shape[axis] for axis in axes))
    five = (math.prod(shape[axis] for axis in rest), *space, math.prod(shape[axis] for axis in last))
    moved = _transposed(array, [*rest, *axes, *last]).reshape(five)
    if isinstance(library, _arrays.OnCpu):
        if not moved.dtype.isnative or not moved.flags.aligned:
            moved = moved.astype(moved.dtype.newbyteorder("="))
        filtered = _native.filter_chain(stages, len(axes), moved, options, colour, device, LIMIT.get())
        made: Any = filtered.array()
    else:
        _native.synchronise(moved, library.stream(array))
        filtered = _native.filter_chain(stages, len(axes), moved, options, colour, device, LIMIT.get())
        made = library.empty(tuple(filtered.shape), kind, array)
        filtered.copy_to(made)

    if gray and not alpha:
        last = []  # one channel, which needs no axis
    extents = (*(shape[axis] for axis in rest), *filtered.shape[4 - len(axes) : 4], *[filtered.shape[4]] * len(last))
    made = _transposed(made.reshape(extents), np.argsort([*rest, *axes, *last]).tolist())
    if out is None:
        return library.give(np.ascontiguousarray(made)) if isinstance(library, _arrays.OnCpu) else made
    if tuple(out.shape) != tuple(made.shape):
        raise ValueError(f"output must have shape {tuple(made.shape)}, got {tuple(out.shape)}")
    out[...] = made
    if stream is not None and isinstance(library, _arrays.OnGpu):
        _native.synchronise(array, library.stream(array))
    return output


def _axes_of(chain: Any, shape: Shape, axes: Any, channel_axis: Any) -> tuple[int, ...]:
    """The axes along which a chain runs, from 0: as many as its filters have; what is named in a text has as many as there are."""
    ndim = len(shape)
    lengths = [one.ndim for one in (chain if isinstance(chain, (list, tuple)) else [chain]) if isinstance(one, Filter)]
    if axes is None:
        beside = ndim if channel_axis is None else len(_channels.axes_beside(channel_axis, None, ndim))
        if not lengths and not 1 <= beside <= 3:
            raise ValueError(f"a chain runs along 1 to 3 axes, the array has {beside}: say which by axes=, as axes=(-2, -1) for a stack of images")
        axes = _channels.axes_for(shape, (2,) * (lengths[0] if lengths else beside), None, channel_axis, exact=True)
    else:
        axes = _channels.axes_for(shape, (), axes, channel_axis)
    given = tuple([operator.index(axis) for axis in axes])
    if not all(-ndim <= axis < ndim for axis in given):
        raise ValueError(f"axes must lie in [{-ndim}, {ndim}) for an array of {ndim} axes, got {given}")
    found = tuple([axis % ndim for axis in given])
    if len(set(found)) != len(found):
        raise ValueError(f"axes must be unique, got {found}")
    if not 1 <= len(found) <= 3:
        raise ValueError(f"a chain runs along 1 to 3 axes, got {len(found)}")
    for length in lengths:
        if length != len(found):
            raise ValueError(f"a filter along {len(found)} axes is needed, got one along {length}")
    return found


def _output_of(output: Any, dtype: DType) -> tuple[Any, DType]:
    """(The array for the result or None, its type)."""
    if output is None:
        return None, dtype
    if isinstance(output, (type, np.dtype, str)):
        return None, np.dtype(output)
    if not isinstance(_arrays.library_of(output), _arrays.OnCpu):
        return output, _arrays.facts_of(output)[1]
    out = _arrays.on_cpu(output)
    check_writable(out)
    return out, out.dtype


def _channel_of(shape: Shape, axes: tuple[int, ...], channel_axis: Any) -> int | None:
    """The axis of the channels, be it one that nobody called so: a short last one lies side by side."""
    if channel_axis is not None:
        return _channels.channel_of(channel_axis, len(shape))
    last = len(shape) - 1
    return last if last not in axes and shape[last] <= MOST_CHANNELS else None


def _transposed(array: Any, order: Sequence[int]) -> Any:
    """An array of any library with its axes in another order, where it lies."""
    if list(order) == sorted(order):
        return array
    return array.permute(order) if hasattr(array, "permute") else array.transpose(order)
