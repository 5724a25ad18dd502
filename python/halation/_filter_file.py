"""_filter_file.py: image files of any size filtered into others, as the program halation does."""

from __future__ import annotations

import operator
import os
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _chain, _files
from ._threads import LIMIT
from ._traceback import shorten

try:
    from ._codecs import filter as _filter
except ModuleNotFoundError:
    _filter = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike

    from ._files import Path
    from ._filter import Filter
    from ._types import Accuracy, Borders, Extent, FileLayout, Index, Method, Operation, Real, Reals, Rounding, Sum, Tune, View

_SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def filter_file(
    chain: str | Filter | Sequence[Filter | str],
    input: Path,
    output: Path,
    *,
    border: Borders = "reflect101",
    cval: Reals = 0.0,
    operation: Operation = "convolution",
    extent: Extent = "same",
    dtype: DTypeLike | None = None,
    scale: Real = 1.0,
    offset: Real = 0.0,
    rounding: Rounding = "half_even",
    linear: bool = False,
    gray: bool = False,
    view: View | None = None,
    sum: Sum = "automatic",
    accuracy: Accuracy = "exact",
    method: Method = "automatic",
    tune: Tune = "estimate",
    threads: Index = 0,
    device: str = "cpu",
    memory: Index | str | None = None,
    progress: Callable[[int, int], object] | None = None,
    page: Index | None = None,
    layout: FileLayout | None = None,
    format: str | None = None,
    quality: int = 92,
    lossless: bool = True,
) -> None:
    """Filters an image file of any size into another, by one filter or several, one after the other.

    ``out = round(scale * F_n(... F_2(F_1(in))) + offset)``, as `halation.convolve` filters an array by a chain, page by page. Where both
    files are .npy in C order, TIFF, BigTIFF or OpenEXR, and together more than 8 MiB, they are read, filtered and written side by side,
    strip by strip, in memory that does not grow with the image; all others are read and written whole. Alpha, colour profile, Exif and
    what else `halation.Metadata` has are kept, as far as the output's format can.

    Parameters
    ----------
    chain : str, Filter, or sequence of Filter and str
        "gaussian sigma=2 | edges": the named filters of docs/filters.md with their parameters, apart by '|', and weights, "custom
        weights='0 -1 0; -1 5 -1; 0 -1 0'". Named ones run along all axes of the picture or volume, a `Filter` along its innermost ones.
    input, output : str or path-like
        The output appears once it is complete, by its ending in the format that `halation.imwrite` knows. It may be the input.
    border : str or tuple of str
        What lies outside, for all axes or each of height and width, or depth, height and width, as in `halation.convolve`; of each stage
        around its own input.
    cval : float or tuple of float
        The value outside a constant border.
    operation : {"convolution", "correlation"}
        Named filters are correlations whatever it says.
    extent : {"same", "valid", "full"}
        Which outputs exist, of each stage.
    dtype : dtype, optional
        Of the result: uint8, uint16, int16, float16, float32 or float64; the input's unless given.
    scale, offset : float
        Of the last stage.
    rounding : {"half_even", "truncate"}
        Of integer results, which saturate.
    linear : bool
        Filters in linear light: sRGB is decoded before the first stage and encoded after the last. OpenEXR holds light already.
    gray : bool
        Filters the luma 0.299 R + 0.587 G + 0.114 B; the result is gray.
    view : {"signed", "abs", "stretch"}, optional
        Shows results that the type cannot hold, as in `halation.filters`.
    sum, accuracy, method, tune, threads
        As in `halation.plan`.
    device : str
        Where to compute: "cpu", "cuda:0", "reference". Files pass through host memory.
    memory : int or str, optional
        The most that strips, or the pixels of files that are read whole, may take: bytes, or a text such as "512M" or "1.5G", by powers of
        1024; what the machine has free unless given. It changes no bit of the result, unless it is so little that strips are cut shorter
        than usual: then the last bits of sums may differ.
    progress : callable, optional
        Called as ``progress(done, total)``, in pixels of the input, after each strip that has been written, or each page that has been
        filtered whole, in the thread that called. What it raises ends the run.
    page : int, optional
        The page of a TIFF or picture of an animation, counted from 1; all pages, of an animation the first picture, unless given.
    layout : {"w", "hw", "hwc", "dhw", "dhwc"}, optional
        The axes of a .npy input; by default those of its number of axes: w, hw, dhw, dhwc.
    format, quality, lossless
        As in `halation.imwrite`.

    Raises
    ------
    OSError
        For files that cannot be read or written, FileNotFoundError for an input that is missing.
    ValueError, TypeError
        For what means nothing, and results that the format cannot hold, with what could be done.
    MemoryError
        Where not even one short strip fits in `memory`, or a file that is read whole does not, with what is needed; and where there is too
        little for a thread.

    Notes
    -----
    Whatever it raises, no half-written file stays and an earlier one at `output` is as it was; so after Ctrl-C, which is seen ten times a
    second and ends the run after the strip, or the page, under way; while the last of the result is written it comes out after that. The
    interpreter's lock is released meanwhile. A strip takes some 8 MiB, or 16 times the reach of the filters where that is more, and three or
    so are under way; where memory is short, one, and a shorter one where even that is too much.

    See Also
    --------
    convolve, imread, imwrite

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import halation
    >>> folder = tempfile.mkdtemp()
    >>> before, after = os.path.join(folder, "before.npy"), os.path.join(folder, "after.npy")
    >>> np.save(before, np.arange(12, dtype=np.float32).reshape(3, 4))
    >>> halation.filter_file("custom weights='1 1' | custom weights=0.5", before, after, border="replicate")
    >>> np.load(after)[0]
    array([0.5, 1.5, 2.5, 3. ], dtype=float32)
    """
    try:
        _files.check_there("filter_file")
        if progress is not None and not callable(progress):
            raise TypeError(f"progress is a function of (done, total), got {type(progress).__name__}")
        borders = _chain.borders_in_words(border, cval, None)
        if len(borders) > 3:
            raise ValueError(f"border is one name or one for each of up to 3 axes, got {len(borders)}")
        kind = None if dtype is None else np.dtype(dtype)
        options = _chain.options_in_words(operation, borders, extent, kind, scale, offset, rounding, sum, accuracy, method, tune, threads)
        colour = {"alpha": False, "linear": bool(linear), "gray": bool(gray), "view": view}  # alpha is as the file says
        files = {"memory": 0 if memory is None else _bytes_of(memory), "page": 0 if page is None else _files.number_of(page),
                 "layout": "by_rank" if layout is None else _files.known_layout(layout), "format": format or "", "quality": quality,
                 "lossless": lossless}  # fmt: skip
        stages, source, target = _chain.stages_of(chain), _files.name_of(input), _files.name_of(output)
        os.stat(source)  # which says by its type what is wrong
        try:
            pictures = _filter(source, target, stages, options, colour, files, device, progress, LIMIT.get())
        except ValueError as error:
            if type(error) is not ValueError or "--output-pixel" not in str(error):  # what `progress` raised, among others
                raise
            raise ValueError(_files.in_numpys_words(str(error), "dtype=np.{}", "scale={}", "linear=True")) from None
        if page is None and pictures > 1:
            _files.warn_of_more(source, f"{pictures} pictures", "of which the first was filtered", pictures)
    except Exception as error:
        shorten(error)
        raise


def _bytes_of(memory: Any) -> int:
    """A number of bytes from a whole number or a text such as 512M."""
    if isinstance(memory, str):
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)", memory)
        count = round(float(found[1]) * _SIZES[found[2]]) if found else 0
    else:
        try:
            count = operator.index(memory)
        except TypeError:
            count = 0
    if not 1 <= count < 1 << 63:
        raise ValueError(f"memory is a number of bytes, at least 1, such as 512M or 1.5G, got {memory!r}")
    return count
