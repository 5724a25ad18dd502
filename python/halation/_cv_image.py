"""_cv_image.py: what the functions of halation.cv are given, checked: images, borders, types, sizes, anchors; and the engine's call."""

from __future__ import annotations

import numbers
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _engine
from ._arrays import facts_of
from ._border import border_of
from ._cv_words import (
    _CN_SHIFT, BORDER_CONSTANT, BORDER_ISOLATED, BORDER_REFLECT, BORDER_REFLECT_101, BORDER_REPLICATE, BORDER_WRAP,
)
from ._job import check_writable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ._types import Border, DType, Index, Real, Shape, Taps

DEPTHS = {depth: np.dtype(name) for depth, name in enumerate(("u1", "i1", "u2", "i2", "i4", "f4", "f8", "f2"))}
_BORDERS = {BORDER_CONSTANT: "constant", BORDER_REPLICATE: "replicate", BORDER_REFLECT: "reflect", BORDER_WRAP: "wrap",
            BORDER_REFLECT_101: "reflect101"}


def border_kind(kind: Any) -> str:
    if isinstance(kind, str):
        return border_of(kind)
    try:
        return _BORDERS[operator.index(kind) & ~BORDER_ISOLATED]
    except KeyError:
        raise ValueError(f"borderType must be BORDER_CONSTANT, REPLICATE, REFLECT, REFLECT_101 or WRAP, got {kind}") from None


def depth_of(ddepth: Index, dtype: DType) -> DType:
    """The dtype of a result."""
    ddepth = operator.index(ddepth)
    if ddepth < 0:
        return dtype.newbyteorder("=")
    ddepth &= (1 << _CN_SHIFT) - 1  # of a type with channels, which the image has
    if ddepth not in DEPTHS:
        raise ValueError(f"ddepth must be -1 or of CV_8U, CV_8S, CV_16U, CV_16S, CV_32S, CV_32F, CV_64F or CV_16F, got {ddepth}")
    return DEPTHS[ddepth]


def image_of(src: Any) -> tuple[Any, DType]:
    """The image as an array of two or three axes, and its dtype."""
    if not hasattr(src, "ndim"):
        src = np.asarray(src)
    ndim, dtype = facts_of(src)
    if dtype.kind not in "biuf":
        raise TypeError(f"src must be of real numbers, got {dtype}")
    if ndim not in (1, 2, 3):
        raise ValueError(f"src must be H x W or H x W x C, got {ndim} axes")
    if 0 in src.shape:
        raise ValueError(f"src is empty: its shape is {tuple(src.shape)}")
    if ndim == 1:
        src = src[None, :]
    elif ndim == 3 and src.shape[2] == 1:
        src = src[:, :, 0]
    return src, dtype


def target_of(dst: Any, shape: Shape, dtype: DType) -> Any:
    """`dst` where a result of this shape and type fits into it. Numbers never do, which code hands over that means another argument."""
    if dst is None or isinstance(dst, numbers.Number):
        return None
    if not hasattr(dst, "shape"):
        raise TypeError(f"dst must be an array, got {type(dst).__name__}")
    return dst if tuple(dst.shape) == tuple(shape) and facts_of(dst)[1] == dtype else None


def opened(src: Any, dst: Any, shape: Shape, dtype: DType) -> tuple[Any, Any, Callable[[], Any]]:
    """(src, out, given): an image and an array for the result, as NumPy's where they lie on the CPU; given() is the caller's of it."""
    library, target = _arrays.library_of(src), target_of(dst, shape, dtype)
    if not isinstance(library, _arrays.OnCpu):
        out = library.empty(shape, dtype, src) if target is None else target
        return src, out, lambda: out
    src = _arrays.on_cpu(src)
    if target is None:
        out = np.empty(shape, dtype)
        return src, out, lambda: library.give(out)
    out = _arrays.on_cpu(target)
    check_writable(out)
    return src, out, lambda: target


def channels_of(image: Any) -> int:
    return image.shape[2] if len(image.shape) == 3 else 1


def copy_pixels(image: Any, out: Any) -> None:
    """Copies pixels that lie apart: few channels one by one, or NumPy would go from pixel to pixel."""
    if 1 < channels_of(image) <= 8:
        for c in range(image.shape[2]):
            out[:, :, c] = image[:, :, c]
    else:
        out[...] = image


def anchors_of(anchor: Sequence[Index], shape: Shape) -> Shape:
    """(y, x) of an anchor given as (x, y), where -1 is the middle."""
    x, y = (operator.index(at) for at in anchor)
    anchors = tuple(n // 2 if at == -1 else at for at, n in zip((y, x), shape))
    if not all(0 <= at < n for at, n in zip(anchors, shape)):
        raise ValueError(f"anchor {tuple(anchor)} must lie in the kernel of {shape[1]} x {shape[0]}, or be -1 for its middle")
    return anchors


def size_of(size: Sequence[Index], name: str = "ksize") -> tuple[int, int]:
    """(width, height) of a window or an image."""
    try:
        width, height = (operator.index(n) for n in size)
    except TypeError:
        raise TypeError(f"{name} must be two whole numbers, (width, height), got {size!r}") from None
    return width, height


def weights_of(values: Any, name: str) -> NDArray[Any]:
    weights = np.asarray(_arrays.on_cpu(values))
    if weights.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be of real numbers, got {weights.dtype}")
    if weights.size == 0:
        raise ValueError(f"{name} is empty: its shape is {weights.shape}")
    return weights


def filtered(
    src: Any, ddepth: Index, filters: Taps, dst: Any, anchors: Shape | None, delta: Real, borderType: Index | Border, scale: Real = 1.0
) -> Any:
    src, dtype = image_of(src)
    kind = depth_of(ddepth, dtype)
    return _engine.correlate(src, filters, axes=(0, 1), borders=border_kind(borderType), anchors=anchors,
                             out=target_of(dst, src.shape, kind), dtype=kind, scale=float(scale), offset=float(delta))


