"""_files.py: image files, read and written as the program halation does."""

from __future__ import annotations

import operator
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, Union, overload

import numpy as np

from . import _arrays
from ._job import pixel_of
from ._traceback import shorten, warn

try:
    from ._codecs import read as _read, write as _write
except ModuleNotFoundError:
    _read = _write = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from numpy.typing import NDArray

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
_NUMPY = {"u8": "uint8", "u16": "uint16", "i16": "int16", "f16": "float16", "f32": "float32", "f64": "float64"}
_LAYOUTS = ("w", "hw", "hwc", "dhw", "dhwc")
_COLOURS = {"gray": 1, "rgb": 3, "cmyk": 4}


@dataclass(frozen=True)
class Metadata:
    """What an image file carries beside its pixels, as `imread` finds it and `imwrite` keeps it, as far as the format can.

    `icc` is an ICC colour profile, `exif` begins with its TIFF header and says how the picture lies (upright, unless it was read as
    stored), `xmp` is a packet: bytes as their standards have them, empty where there are none. `dots_per_inch` along height and width;
    0 is unknown. `colour` is what the channels without alpha mean: "gray", "rgb", "cmyk" (0 is no ink) or "other"; `alpha`, whether the
    last channel is alpha, not premultiplied; `linear_light`, whether values are proportional to light (OpenEXR) rather than
    sRGB-encoded. `iptc` has the datasets of IPTC-IIM. `resolution_unit` is the unit in which the file counts, "inch", "centimetre" or
    "unnamed", where `dots_per_inch` is per the unit that the file leaves open, as ImageJ does. `tiff_tiles` are height and width of a
    TIFF's tiles, 0 for strips, and `big_tiff` says whether it is BigTIFF; a TIFF that is written keeps both. `geotiff` is a small TIFF with
    the tags of GeoTIFF and GDAL, which is written to a TIFF of the same height and width. `png_chunks` are a PNG's texts and what it says
    of its colours without a profile (gAMA, cHRM, sRGB), which a PNG that is written keeps; `jpeg_comments` are a JPEG's.
    """

    icc: bytes = b""
    exif: bytes = b""
    xmp: bytes = b""
    dots_per_inch: tuple[float, float] = (0.0, 0.0)
    colour: str = "other"
    alpha: bool = False
    linear_light: bool = False
    iptc: bytes = b""
    resolution_unit: str = "inch"
    tiff_tiles: tuple[int, int] = (0, 0)
    big_tiff: bool = False
    geotiff: bytes = b""
    png_chunks: bytes = b""
    jpeg_comments: tuple[bytes, ...] = ()


@overload
def imread(path: Path, *, page: int | None = None, metadata: Literal[False] = False, upright: bool = True) -> NDArray[Any]: ...
@overload
def imread(path: Path, *, page: int | None = None, metadata: Literal[True], upright: bool = True) -> tuple[NDArray[Any], Metadata]: ...
def imread(
    path: Path, *, page: int | None = None, metadata: bool = False, upright: bool = True
) -> NDArray[Any] | tuple[NDArray[Any], Metadata]:
    """Reads an image file: PNG, JPEG, TIFF, BigTIFF, WebP, OpenEXR, BMP, PNM, PFM, GIF, .npy, and AVIF where it was built in.

    The format is known by the first bytes. The picture is upright: an orientation in the file is applied. Palettes and samples
    of 1 to 7 bits become uint8, of 9 to 15 bits uint16 over its whole range; premultiplied alpha becomes straight.

    Parameters
    ----------
    path : str or path-like
    page : int, optional
        Which page of a TIFF, or picture of an animation, counted from 1; the first unless given. Where there are more a warning says
        how many: ``[halation.imread(path, page=n) for n in range(1, pages + 1)]`` reads them all.
    metadata : bool, optional
        Whether to return what the file carries beside its pixels as well.
    upright : bool, optional
        Whether to apply an orientation in the file; otherwise pixels come as they were stored, and the metadata's Exif says how they lie,
        which `imwrite` keeps.

    Returns
    -------
    array
        NumPy's, uint8, uint16, int16, float16, float32 or float64: H x W where there is one channel, else H x W x C with channels gray
        and alpha, RGB (in this order), RGB and alpha, or CMYK; volumes D x H x W (x C). Of .npy, the array that it holds.
    Metadata
        Where `metadata` asks for it.

    Raises
    ------
    OSError
        For missing, empty, truncated and unknown files, FileNotFoundError for missing ones.
    ValueError
        For pages that are not there, and HEIC.
    MemoryError
        For pictures larger than the memory that is free, before any is taken.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import halation
    >>> file = os.path.join(tempfile.mkdtemp(), "photo.png")
    >>> halation.imwrite(file, np.zeros((4, 6, 3), np.uint8))
    >>> photo, facts = halation.imread(file, metadata=True)
    >>> photo.shape, facts.colour
    ((4, 6, 3), 'rgb')
    """
    try:
        check_there("imread")
        name = name_of(path)
        os.stat(name)  # which says by its type what is wrong
        array, facts, pages, pictures = _read(name, "by_rank", 0 if page is None else number_of(page), bool(upright))
        if page is None and max(pages, pictures) > 1:
            several = f"{pages} pages" if pages > 1 else f"{pictures} pictures"
            warn_of_more(name, several, "of which this is the first", max(pages, pictures))
        return (array, Metadata(**facts)) if metadata else array
    except Exception as error:
        shorten(error)
        raise


def imwrite(
    path: Path,
    image: Any,
    *,
    metadata: Metadata | None = None,
    layout: str | None = None,
    format: str | None = None,
    quality: int = 92,
    lossless: bool = True,
) -> None:
    """Writes an image file, which appears once it is complete.

    Pixel values are written as they are, never rescaled; what the format cannot hold is refused.

    Parameters
    ----------
    path : str or path-like
        Its ending says the format: png, jpg, tif, webp, exr, bmp, pnm (pam), ppm, pgm, pfm, npy, and avif where it was built in.
    image : array
        On the CPU: uint8, uint16, int16, float16, float32 or float64. Channels are gray, gray and alpha, RGB (in this order), or RGB
        and alpha.
    metadata : Metadata, optional
        What the file is to carry beside its pixels, such as `imread` returned. What it says of colours counts where the image has as
        many channels.
    layout : {"w", "hw", "hwc", "dhw", "dhwc"}, optional
        The image's axes. By default those of its number of axes; of three, hwc where the last has at most 4 elements, else dhw, a
        volume, which .npy holds.
    format : str, optional
        In place of the ending: "png", "jpeg", "tiff", "webp", "exr", "npy", "bmp", "pnm", "ppm", "pgm", "pfm", "avif".
    quality : int, optional
        Of JPEG, and of lossy WebP and AVIF, 1 to 100.
    lossless : bool, optional
        Of WebP and AVIF.

    Raises
    ------
    ValueError
        For formats that are not known or cannot hold the image, with what could be done.
    TypeError
        For images of other numbers.
    OSError
        For files that cannot be written.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import halation
    >>> file = os.path.join(tempfile.mkdtemp(), "ramp.tif")
    >>> halation.imwrite(file, np.arange(12, dtype=np.float32).reshape(3, 4))
    >>> halation.imread(file)[1]
    array([4., 5., 6., 7.], dtype=float32)
    """
    try:
        check_there("imwrite")
        name = name_of(path)
        array = _pixels(image)
        layout = _layout_of(array, layout)
        if metadata is not None and not isinstance(metadata, Metadata):
            raise TypeError(f"metadata is what imread(path, metadata=True) returns second, got {type(metadata).__name__}")
        facts = _facts_of(metadata or Metadata(), array.shape[-1] if layout[-1] == "c" else 1)
        try:
            _write(name, array, layout, facts, format or "", quality, lossless)
        except ValueError as error:
            raise ValueError(in_numpys_words(str(error), "image.astype(np.{})", "image * {}", "decoding sRGB")) from None
    except Exception as error:
        shorten(error)
        raise


def check_there(name: str) -> None:
    if _read is None:
        raise ImportError(
            f"halation.{name} is not in this build: it was made without the libraries of image formats (libpng, libjpeg, libtiff, "
            "libwebp, giflib, OpenEXR), which were not all found then"
        )


def name_of(path: Path) -> bytes:
    """A path as the library takes it, in bytes; to it "-" is a standard stream."""
    name = os.fsencode(path)
    return b"./-" if name == b"-" else name


def warn_of_more(name: bytes, several: str, which: str, count: int) -> None:
    warn(f"{os.fsdecode(name)} has {several}, {which}; say page=1, or which, from 1 to {count}")


def number_of(page: SupportsIndex) -> int:
    """Of a page, counted from 1; 0 is the library's word for all."""
    try:
        number = operator.index(page)
    except TypeError:
        raise TypeError(f"page must be a whole number, counted from 1, got {page!r}") from None
    if number < 1:
        raise ValueError(f"pages are counted from 1, got {page}")
    return number


def _pixels(image: Any) -> NDArray[Any]:
    """The image as an array that the library can read."""
    if not isinstance(_arrays.library_of(image), _arrays.OnCpu):
        raise TypeError("imwrite takes arrays on the CPU; bring the image there first")
    array = _arrays.on_cpu(image)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if pixel_of(array.dtype) is None:
        hint = "; a mask is written as mask * np.uint8(255)" if array.dtype.kind == "b" else "; convert it by astype"
        raise TypeError(f"imwrite takes uint8, uint16, int16, float16, float32 or float64, got {array.dtype}{hint}")
    if array.size == 0:
        raise ValueError(f"the image is empty: its shape is {array.shape}")
    return array if array.flags.aligned else array.copy()


def _layout_of(array: NDArray[Any], layout: str | None) -> str:
    if layout is None:
        if not 1 <= array.ndim <= 4:
            raise ValueError(f"an image has 1 to 4 axes, got {array.ndim}")
        return ("w", "hw", "hwc" if array.shape[-1] <= 4 else "dhw", "dhwc")[array.ndim - 1]
    if len(known_layout(layout)) != array.ndim:
        raise ValueError(f"layout {layout} has {len(layout)} axes, the image {array.ndim}")
    return layout


def known_layout(layout: str) -> str:
    """A layout that there is."""
    if layout not in _LAYOUTS:
        raise ValueError(f"unknown layout {layout!r}; choose from {', '.join(_LAYOUTS)}")
    return layout


def _facts_of(metadata: Metadata, channels: int) -> dict[str, Any]:
    """What the file is to carry, its colours what so many channels are."""
    facts = dict(vars(metadata))
    if _COLOURS.get(metadata.colour, -2) + metadata.alpha != channels:
        facts["colour"] = {1: "gray", 2: "gray", 3: "rgb", 4: "rgb"}.get(channels, "other")
        facts["alpha"] = channels in (2, 4)
    return facts


def in_numpys_words(sentence: str, dtype: str, scale: str, linear: str) -> str:
    """A refusal with what to write, {} being the type or the factor, in place of the program's options."""
    sentence = re.sub(r"--output-pixel (\w+)", lambda match: dtype.format(_NUMPY[match[1]]), sentence)
    return re.sub(r"--scale (\S+)", lambda match: scale.format(match[1]), sentence).replace("--linear", linear)
