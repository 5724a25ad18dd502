"""_cv_pyramids.py: images of half and of twice the size, as OpenCV's pyramids have them.

Both are one filter of 5 x 5 taps: over the image, every second row and column of whose result is taken; and over an image with zeros
between its pixels. It runs band by band of rows, so that what is between stays in the caches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from . import _arrays, _engine
from ._arrays import facts_of
from ._cv_borders import copyMakeBorder
from ._cv_image import border_kind, channels_of, copy_pixels, image_of, opened, size_of
from ._cv_words import BORDER_DEFAULT, as_in_opencv

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._types import Array, Border, DType, Index, Shape

_FIVE = np.array([1.0, 4.0, 6.0, 4.0, 1.0])
_EVEN, _ODD = np.array([1.0, 6.0, 1.0]), np.array([4.0, 4.0])  # what of it falls on rows, where every second one is 0
_BAND = 1 << 19  # bytes of a band


def _extents(shape: Shape, dstsize: Sequence[Index], default: Shape, fits: Callable[[int, int], bool], words: str) -> Shape:
    """(height, width) of a result."""
    width, height = size_of(dstsize, "dstsize")
    if width <= 0 or height <= 0:
        return default
    if not fits(height, shape[0]) or not fits(width, shape[1]):
        raise ValueError(f"dstsize must be {words} {shape[1]} x {shape[0]}, got {width} x {height}")
    return height, width


def _bands(low: int, high: int, row_bytes: int) -> list[tuple[int, int]]:
    """(low, high) of bands of rows, for each of which `row_bytes` are between."""
    rows = max(8, _BAND // row_bytes) if row_bytes else max(1, high - low)
    return [(first, min(first + rows, high)) for first in range(low, high, rows)]


def _empty(out: Any, shape: Shape, dtype: DType) -> Any:
    """An array where a result lies."""
    return np.empty(shape, dtype) if isinstance(out, np.ndarray) else _arrays.gpu_library_of(out).empty(shape, dtype, out)


@as_in_opencv
def pyrDown(src: Any, dst: Array | None = None, dstsize: Sequence[Index] = (0, 0), borderType: Index | Border = BORDER_DEFAULT) -> Any:
    """An image of half the size: blurred by 5 x 5 taps, (1, 4, 6, 4, 1)/16 along rows and columns, and every second pixel of that.

    Parameters
    ----------
    {src}
    dst : array, optional
        Where the result goes, if of its shape and type.
    dstsize : (int, int), optional
        Width and height of the result: half of `src`'s, up to 1 more or less; 0: half, rounded up.
    borderType : int, optional
        What lies outside, but not BORDER_CONSTANT.

    Returns
    -------
    array
        Of `src`'s type and library. Integers are rounded half up.

    Examples
    --------
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> cv2.pyrDown(np.array([[0, 0, 0, 16, 16, 16]] * 2, np.uint8))
    array([[ 0,  5, 15]], dtype=uint8)
    """
    src, dtype = image_of(src)
    border = border_kind(borderType)
    if border == "constant":
        raise ValueError("borderType must be BORDER_REPLICATE, REFLECT, REFLECT_101 or WRAP, got BORDER_CONSTANT")
    half = tuple((n + 1) // 2 for n in src.shape[:2])
    size = _extents(src.shape, dstsize, half, lambda n, of: abs(2 * n - of) <= 2, "half, or up to 1 more or less, of")
    src, out, given = opened(src, dst, (*size, *src.shape[2:]), dtype.newbyteorder("="))
    # Rows and columns around pixels behind the image, and what a band of rows cannot wrap to, are read from a copy with a border.
    extended = [border == "wrap" or 2 * n - 1 > of for n, of in zip(size, src.shape)]
    if any(extended):
        src = copyMakeBorder(src, 2 * extended[0], 3 * extended[0], 2 * extended[1], 3 * extended[1], borderType)
    _halve(src, out, [2 * more for more in extended], border)
    return given()


def _halve(src: Any, out: Any, starts: Sequence[int], border: str) -> None:
    """Writes every second row and column of a filtered image, from `starts` on."""
    top, left = starts
    dtype, on_cpu, height = facts_of(out)[1], isinstance(out, np.ndarray), len(src)
    wide = np.dtype(np.float32 if dtype.itemsize <= 2 or dtype.char == "f" else np.float64)
    between, offset = dtype, 0.0
    if dtype == np.uint8 or not on_cpu:
        offset = 2.0**-10 if dtype.kind in "iub" else 0.0  # sums are whole 256ths: halves go up
    elif dtype.kind in "iub":
        between, offset = wide, 0.5
    rounded: dict[str, Any] = {"borders": border, "dtype": between, "scale": 2.0**-8, "offset": offset}

    def write(sums: Any, low: int, high: int) -> None:
        if between is not dtype and dtype.kind in "ib":
            np.floor(sums, out=sums)
        copy_pixels(sums[:, left : left + 2 * out.shape[1] - 1 : 2], out[low:high])

    def by_image(low: int, high: int) -> None:
        """Filters all rows."""
        first, last = max(0, top + 2 * low - 2), min(height, top + 2 * high + 1)
        exact: dict[str, Any] = {"sum": "f64"} if offset and dtype.itemsize > 1 else {}
        sums = _engine.correlate(src[first:last], (_FIVE, _FIVE), axes=(0, 1), **rounded, **exact)
        write(sums[top + 2 * low - first : top + 2 * high - first - 1 : 2], low, high)

    def by_rows(low: int, high: int) -> None:
        """Filters columns for the rows that are needed alone, each from five of the image, and these rows."""
        rows = src[top + 2 * low - 2 :]
        fives = as_strided(rows, (high - low, 5, *rows.shape[1:]), (2 * rows.strides[0], *rows.strides), writeable=False)
        sums = _engine.correlate(fives, (_FIVE,), axes=(1,), extent="valid", dtype=wide)[:, 0]
        write(_engine.correlate(sums, (_FIVE,), axes=(1,), **rounded), low, high)

    # Bytes are filtered faster than rows of five are gathered.
    inner = (1, max(1, min(len(out), (height - 1 - top) // 2))) if on_cpu and dtype != np.uint8 else (0, 0)
    row_bytes = 2 * src.shape[1] * channels_of(out) * between.itemsize
    for way, low, high in ((by_image, 0, inner[0]), (by_rows, *inner), (by_image, inner[1], len(out))):
        for band in _bands(low, high, row_bytes if on_cpu else 0):
            way(*band)


@as_in_opencv
def pyrUp(src: Any, dst: Array | None = None, dstsize: Sequence[Index] = (0, 0), borderType: Index | Border = BORDER_DEFAULT) -> Any:
    """An image of twice the size: a 0 after each pixel and each row, and that filtered by 5 x 5 taps, (1, 4, 6, 4, 1)/8 along rows and
    columns.

    Parameters
    ----------
    {src}
    dst : array, optional
        Where the result goes, if of its shape and type.
    dstsize : (int, int), optional
        Width and height of the result: twice `src`'s, or 1 more or less; 0: twice.
    borderType : int, optional
        BORDER_DEFAULT.

    Returns
    -------
    array
        Of `src`'s type and library. Integers are rounded half up.

    Examples
    --------
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> cv2.pyrUp(np.array([[0, 8, 16]], np.uint8))
    array([[ 2,  4,  8, 12, 15, 16],
           [ 2,  4,  8, 12, 15, 16]], dtype=uint8)
    """
    src, dtype = image_of(src)
    if border_kind(borderType) != "reflect101":
        raise ValueError(f"borderType must be BORDER_DEFAULT, got {borderType}")
    twice = tuple(2 * n for n in src.shape[:2])
    size = _extents(src.shape, dstsize, twice, lambda n, of: abs(n - 2 * of) <= 1, "twice, or 1 more or less than twice,")
    src, out, given = opened(src, dst, (*size, *src.shape[2:]), dtype.newbyteorder("="))
    _double(src, out)
    return given()


def _double(src: Any, out: Any) -> None:
    """Writes a filtered image between whose pixels zeros are: each row and, where it has one, the row behind it."""
    height, width = src.shape[:2]
    dtype, on_cpu = facts_of(out)[1], isinstance(out, np.ndarray)
    rounded: dict[str, Any] = {"axes": (0, 1), "extent": "valid", "scale": 2.0**-6, "offset": 2.0**-8 if dtype.kind in "iub" else 0.0}
    bands = _bands(0, height, (2 * width + 4) * channels_of(out) * dtype.itemsize if on_cpu else 0)
    # Columns from 2 before the image's on, every second one 0. Behind the last one comes that again: its reflection, with a 0 between.
    spaced = _empty(out, (bands[0][1] + 2, 2 * width + 4, *src.shape[2:]), dtype)
    spaced[...] = 0
    columns = min(2 * width, out.shape[1])
    for low, high in bands:
        inside = low > 0 and high < height
        rows = src[low - 1 : high + 1] if inside else src[[min(abs(y), height - 1) for y in range(low - 1, high + 1)]]
        part = spaced[: len(rows), : columns + 4]
        copy_pixels(rows, spaced[: len(rows), 2 : 2 * width + 2 : 2])
        spaced[: len(rows), 0], spaced[: len(rows), 2 * width + 2] = rows[:, min(1, width - 1)], rows[:, width - 1]
        even, odd = (out[2 * low + more : min(2 * high, len(out)) : 2, :columns] for more in (0, 1))
        _engine.correlate(part, (_EVEN, _FIVE), out=even, **rounded)
        if len(odd):
            _engine.correlate(part[1 : len(odd) + 2], (_ODD, _FIVE), out=odd, **rounded)
    # What is more than twice the image repeats: the last column, and the last row but one.
    if out.shape[1] > 2 * width:
        out[:, -1] = out[:, -2]
    if len(out) > 2 * height:
        out[-1] = out[-3]
