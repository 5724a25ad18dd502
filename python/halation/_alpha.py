"""_alpha.py: named filters over images whose last channel is alpha, as the program filters photographs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _native
from ._job import check_writable, pixel_of
from ._threads import LIMIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._types import DType, Shape


def run(name: str, image: Any, arguments: dict[str, list[float]], axes: Shape, border: str, cval: float, output: Any) -> Any:
    """`arguments` as the library takes them; `axes` those of the filter, from 0, without the last, which is the channels."""
    library = _arrays.library_of(image)
    if not isinstance(library, _arrays.OnCpu):
        raise TypeError(f"{name}: alpha is for arrays on the CPU")
    array = _arrays.on_cpu(image)
    out = None if output is None or isinstance(output, (type, np.dtype, str)) else _arrays.on_cpu(output)
    kind = out.dtype if out is not None else array.dtype if output is None else np.dtype(output)
    for what, dtype in (("image", array.dtype), ("output", kind)):
        if pixel_of(dtype) is None:
            raise TypeError(f"{name}: with alpha the {what} is uint8, uint16, int16, float16, float32 or float64, got {dtype}")
    if array.shape[-1] < 2:
        raise ValueError(f"{name}: alpha needs a colour beside it, got an image of {array.shape[-1]} channels")
    if out is not None:
        if out.shape != array.shape:
            raise ValueError(f"{name}: output must have shape {array.shape}, got {out.shape}")
        check_writable(out)
    made = _filtered(name, array, arguments, axes, border, cval, kind)
    if out is None:
        return library.give(made)
    out[...] = made
    return output


def _filtered(
    name: str, array: NDArray[Any], arguments: dict[str, list[float]], axes: Shape, border: str, cval: float, kind: DType
) -> NDArray[Any]:
    if array.size == 0:
        return np.empty(array.shape, kind)
    inner = range(-1 - len(axes), -1)
    moved = np.moveaxis(array, axes, inner)
    # batch, depth, height, width, channels
    space = (1,) * (3 - len(axes)) + moved.shape[-1 - len(axes) : -1]
    five = moved.reshape((-1, *space, array.shape[-1]))
    if not five.flags.aligned:
        five = five.copy()
    made = np.empty(five.shape, kind)
    _native.filter_with_alpha(name, arguments, len(axes), five, made, (border, cval), LIMIT.get())
    return np.ascontiguousarray(np.moveaxis(made.reshape(moved.shape), inner, axes))
