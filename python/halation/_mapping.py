"""_mapping.py: how n-D arrays become the library's five extents: batch, depth, height, width, channels."""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from ._types import DType, Shape, Taps

    _Group: TypeAlias = tuple[int, int, int, int | None]

# A last axis that is not filtered and no longer than this becomes channels, side by side; a longer one a row of its own.
MOST_CHANNELS = 32
LEAST_ROW = 16  # elements of a row that are worth reading one across memory for it
SLOTS = ("batch", "depth", "height", "width", "channels")
SPACE = (1, 2, 3)


class Layout(NamedTuple):
    """Where the elements of an array lie."""

    shape: Shape
    strides: Shape  # bytes
    dtype: DType
    device: str


class Place(NamedTuple):
    """The five extents of an array pair, and what does not fit into them."""

    shape: Shape  # five extents of the input
    in_strides: Shape
    out_strides: Shape
    in_offsets: list[int]  # of each run
    out_offsets: list[int]
    slots: dict[int, int]  # filtered axis of the arrays -> slot


def packed_strides(shape: Shape, item_bytes: int) -> Shape:
    """Strides in bytes of a packed array, last axis first."""
    strides, step = [0] * len(shape), item_bytes
    for i in range(len(shape) - 1, -1, -1):
        strides[i] = step
        step *= shape[i]
    return tuple(strides)


def packed(shape: Shape, dtype: DType, device: str = "cpu") -> Layout:
    """The layout of a packed array."""
    return Layout(shape, packed_strides(shape, dtype.itemsize), dtype, device)


def _groups(shape: Shape, in_strides: Shape, out_strides: Shape, filtered: Shape) -> list[_Group]:
    """(extent, input stride, output stride, filtered axis or None), outermost first; other axes are joined where they can be.

    Axes of one element come first, whatever their strides: rows along them would be of one element.
    """
    groups: list[_Group] = []
    for axis in sorted(range(len(shape)), key=lambda i: (shape[i] > 1, -abs(out_strides[i]))):
        n, step_in, step_out = shape[axis], in_strides[axis], out_strides[axis]
        if axis in filtered:
            groups.append((n, step_in, step_out, axis))
        elif n > 1:
            if groups and groups[-1][3] is None and groups[-1][1] == step_in * n and groups[-1][2] == step_out * n:
                n *= groups.pop()[0]
            groups.append((n, step_in, step_out, None))
    return groups


def _with_long_row(groups: list[_Group]) -> list[_Group]:
    """The same, where the innermost is short and filtered, with the longest innermost: rows are worth vectors then."""
    longest = max(groups, key=lambda group: group[0])
    if groups[-1][3] is None or groups[-1][0] >= LEAST_ROW or longest[0] < 4 * LEAST_ROW:
        return groups
    if longest[3] is None and len([group for group in groups if group[3] is not None]) == 3:
        return groups
    return [group for group in groups if group is not longest] + [longest]


def place(shape: Shape, in_strides: Shape, out_strides: Shape, filtered: Shape, has_long_rows: bool = False) -> Place:
    """Places arrays of up to three filtered axes.

    Filtered axes keep the order in which they lie in the output's memory: the innermost is the width. With `has_long_rows` a long axis
    is where that is short, wherever it lies. What remains goes to channels, to the height where no filter needs it, whose rows are cut
    for threads, to batch and depth; what is left after that is run one by one.
    """
    groups = _groups(shape, in_strides, out_strides, filtered) or [(1, in_strides[-1], out_strides[-1], None)]
    if has_long_rows:
        groups = _with_long_row(groups)
    slots = {}
    space = [g for g in groups if g[3] is not None]
    rest = [g for g in groups if g[3] is None]
    if groups[-1][3] is None:
        last = rest.pop()
        if len(space) == 3 or last[0] <= MOST_CHANNELS:
            slots[4] = last
            if not space and rest:  # rows of one element are none
                space.append(rest.pop())
        else:
            space.append(last)
    for slot, group in zip(SPACE[3 - len(space) :], space):
        slots[slot] = group
    free = [slot for slot in (2, 0, 1, 4) if slot not in slots]
    rest.sort(key=lambda g: -g[0])
    for slot, group in zip(free, rest):
        slots[slot] = group
    left = rest[len(free) :]
    none = (1, 0, 0, None)
    five = [slots.get(slot, none) for slot in range(5)]
    in_offsets, out_offsets = [], []
    for index in itertools.product(*(range(g[0]) for g in left)):
        in_offsets.append(sum(map(operator.mul, index, (g[1] for g in left))))
        out_offsets.append(sum(map(operator.mul, index, (g[2] for g in left))))
    return Place(
        tuple(g[0] for g in five),
        tuple(g[1] for g in five),
        tuple(g[2] for g in five),
        in_offsets,
        out_offsets,
        {g[3]: slot for slot, g in slots.items() if g[3] is not None},
    )


def place_filter(filter_: Taps, axes: Shape, anchors: Shape, slots: dict[int, int]) -> tuple[Shape, Shape, Taps]:
    """A filter along `axes` of the arrays as (size, anchor, weights or factors) along depth, height and width.

    `filter_` is a tuple of factors, one an axis, or dense weights; axes without a slot have one tap.
    """
    size, anchor = [1, 1, 1], [0, 0, 0]
    lengths = [len(factor) for factor in filter_] if isinstance(filter_, tuple) else filter_.shape
    for axis, taps, at in zip(axes, lengths, anchors):
        if axis in slots:
            size[slots[axis] - 1] = taps
            anchor[slots[axis] - 1] = at
    if isinstance(filter_, tuple):
        factors, gain = [np.ones(1)] * 3, 1.0
        for axis, factor in zip(axes, filter_):
            if axis in slots:
                factors[slots[axis] - 1] = factor
            else:
                gain *= factor[0]
        if gain != 1.0:
            longest = max(range(3), key=size.__getitem__)
            factors[longest] = factors[longest] * gain
        return tuple(size), tuple(anchor), tuple(np.ascontiguousarray(factor) for factor in factors)
    order = sorted(range(len(axes)), key=lambda i: slots.get(axes[i], 0))
    turned = filter_.transpose(order)
    backwards = np.flip(turned)
    row = backwards.reshape(-1)[::-1] if backwards.flags.c_contiguous else np.ascontiguousarray(turned).reshape(-1)
    return tuple(size), tuple(anchor), row
