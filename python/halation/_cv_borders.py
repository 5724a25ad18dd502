"""_cv_borders.py: images with as much around them as a border gives."""

from __future__ import annotations

import numbers
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ._cv_image import border_kind, copy_pixels, image_of, opened
from ._cv_words import as_in_opencv
from ._border import sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ._types import Array, Border, DType, Index, Real


def _write_with_border(src: Any, out: Any, top: int, left: int, border: str) -> None:
    """Writes an image into `out` and, around it, what a border gives; "constant" is left to the caller."""
    height, width = src.shape[:2]
    rows = out[top : top + height]
    rows[:, left : left + width] = src
    if border == "constant":
        return
    for low, high in ((-left, 0), (width, out.shape[1] - left)):
        if low < high:
            copy_pixels(rows[:, _index(left + sources(low, high, width, border), out)], rows[:, left + low : left + high])
    for low, high in ((-top, 0), (height, out.shape[0] - top)):
        if low < high:
            out[top + low : top + high] = out[_index(top + sources(low, high, height, border), out)]


def _index(found: NDArray[np.intp], out: Any) -> slice | list[int]:
    """Rows or columns as a slice where they follow each other on the CPU, of which NumPy makes a view; else as a list."""
    step = int(found[1] - found[0]) if found.size > 1 else 1
    if isinstance(out, np.ndarray) and step and (np.diff(found) == step).all():
        end = int(found[-1]) + step
        return slice(int(found[0]), end if end >= 0 else None, step)
    listed: list[int] = found.tolist()
    return listed


def _scalar(value: Any) -> list[float]:
    """The four numbers of a Scalar."""
    values = [value] if isinstance(value, numbers.Real) else list(value)
    if len(values) > 4 or not all(isinstance(one, numbers.Real) for one in values):
        raise TypeError(f"value must be a number or up to four, got {value!r}")
    return [float(one) for one in values] + [0.0] * (4 - len(values))


def _as_type(value: float, dtype: DType) -> float:
    """A number as one of a type: rounded, and the nearest that there is."""
    if dtype.kind == "b":
        return bool(value)
    if dtype.kind == "f":
        return value
    info = np.iinfo(dtype)
    return info.min if value != value else int(round(min(max(value, info.min), info.max)))


@as_in_opencv
def copyMakeBorder(
    src: Any,
    top: Index,
    bottom: Index,
    left: Index,
    right: Index,
    borderType: Index | Border,
    dst: Array | None = None,
    value: Real | Sequence[Real] = 0,
) -> Any:
    """An image with a border around it.

    Parameters
    ----------
    {src}
    top, bottom, left, right : int
        Pixels of the border on each side.
    borderType : int
        What it is.
    dst : array, optional
        Where the result goes, if of its shape and type; may hold `src`.
    value : float or sequence of up to four, optional
        For BORDER_CONSTANT, a number for each channel; those that are missing, and after a single number all but the first, are 0.
        Of more than four channels all four must be equal.

    Returns
    -------
    array
        Of `src`'s type and library.

    Examples
    --------
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> cv2.copyMakeBorder(np.array([[1, 2, 3]], np.uint8), 0, 1, 2, 2, cv2.BORDER_REFLECT_101)
    array([[3, 2, 1, 2, 3, 2, 1],
           [3, 2, 1, 2, 3, 2, 1]], dtype=uint8)
    """
    sides = top, bottom, left, right = tuple(operator.index(side) for side in (top, bottom, left, right))
    if min(sides) < 0:
        raise ValueError(f"top, bottom, left and right must be at least 0, got {sides}")
    src, dtype = image_of(src)
    dtype, border, values = dtype.newbyteorder("="), border_kind(borderType), _scalar(value)
    height, width, *channels = src.shape
    if border == "constant" and channels and channels[0] > 4 and len(set(values)) > 1:
        raise ValueError(f"an image of {channels[0]} channels takes four equal numbers as value, got {value!r}")
    src, out, given = opened(src, dst, (top + height + bottom, left + width + right, *channels), dtype)
    _write_with_border(src, out, top, left, border)
    if border == "constant":
        planes = [out[..., c] for c in range(channels[0])] if channels and len(set(values)) > 1 else [out]
        for plane, one in zip(planes, values):
            one = _as_type(one, dtype)
            plane[:top], plane[top + height :] = one, one
            plane[top : top + height, :left], plane[top : top + height, left + width :] = one, one
    return given()
