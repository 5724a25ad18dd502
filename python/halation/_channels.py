"""_channels.py: which axis of an array is its channels, and a warning where a filter runs along what looks like them."""

import contextlib
import operator
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import Any, SupportsIndex

from . import _traceback

_LEAST_SIDE = 16  # pixels: smaller arrays of three axes are seldom photographs
_quiet = ContextVar("halation.channels", default=False)


class ChannelWarning(UserWarning):
    """An array that looks like a photograph, H x W x 3 or H x W x 4, is filtered along its channels, and nobody said so.

    Given once for each place in the caller's code. Say ``channel_axis=-1``, or `axes`, to have what you want and no warning.
    """


def channel_of(channel_axis: SupportsIndex, ndim: int) -> int:
    """The axis of the channels, from 0."""
    try:
        axis = operator.index(channel_axis)
    except TypeError:
        raise TypeError(f"channel_axis must be a whole number, got {channel_axis!r}") from None
    if not -ndim <= axis < ndim:
        raise ValueError(f"channel_axis must lie in [{-ndim}, {ndim}) for an array of {ndim} axes, got {axis}")
    return axis % ndim


def axes_beside(channel_axis: SupportsIndex, axes: Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """The axes of an array without its channels; `axes` where these are given, which must leave the channels alone."""
    channel = channel_of(channel_axis, ndim)
    if axes is None:
        return tuple([axis for axis in range(ndim) if axis != channel])
    if any(axis % ndim == channel for axis in axes):
        raise ValueError(f"no filter runs along the channels: channel_axis is {channel_axis}, and axes are {tuple(axes)}")
    return tuple(axes)


def axes_for(
    shape: tuple[int, ...],
    lengths: tuple[int, ...],
    axes: Any,
    channel_axis: SupportsIndex | None,
    exact: bool = False,
) -> tuple[int, ...]:
    """The axes of arrays of a shape along which a filter of so many taps along each of its own runs.

    Where none are given, those that are left of the array's without its channels: with `exact` they must be as many as the filter's,
    else the last ones are taken.
    """
    ndim, dims = len(shape), len(lengths)
    if axes is not None:
        axes = tuple(axes) if isinstance(axes, (tuple, list)) else (axes,)
        return axes if channel_axis is None else axes_beside(channel_axis, axes, ndim)
    beside = tuple(range(ndim)) if channel_axis is None else axes_beside(channel_axis, None, ndim)
    left = f"{len(beside)}" if channel_axis is None else f"{len(beside)} beside their channels"
    if dims > len(beside):
        raise ValueError(f"weights have {dims} axes, the arrays {left}")
    if exact and dims < len(beside):
        raise ValueError(
            f"weights have {dims} axes, the arrays {left}: say along which the filter runs by axes=, as axes=(-2, -1) for a stack of "
            "images, or channel_axis=-1 for H x W x C"
        )
    if channel_axis is None and lengths[-1] > 1 and look_like_channels(shape):
        warn(shape, "say channel_axis=-1, or axes= if that is meant")
    return beside[len(beside) - dims :]


def look_like_channels(shape: tuple[int, ...]) -> bool:
    """Whether the last of three axes is what channels of a photograph would be."""
    return len(shape) == 3 and shape[2] in (3, 4) and shape[0] >= _LEAST_SIDE and shape[1] >= _LEAST_SIDE


def warn(shape: tuple[int, ...], instead: str) -> None:
    """Warns at the caller's line; `instead` says what to write."""
    if _quiet.get():
        return
    _traceback.warn(f"an array H x W x {shape[2]} is filtered along its last axis, which looks like channels; {instead}", ChannelWarning)


@contextlib.contextmanager
def unwarned() -> Iterator[None]:
    """In its body nothing is said: the caller has been told."""
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)
