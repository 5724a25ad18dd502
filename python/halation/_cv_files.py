"""_cv_files.py: image files as OpenCV has them: channels in the order BGR, types and channels by flags."""

from __future__ import annotations

import operator
import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _files
from ._cv_image import copy_pixels, image_of
from ._cv_words import (
    IMREAD_ANYCOLOR, IMREAD_ANYDEPTH, IMREAD_COLOR, IMREAD_COLOR_BGR, IMREAD_COLOR_RGB, IMREAD_IGNORE_ORIENTATION, IMREAD_UNCHANGED,
    IMWRITE_AVIF_QUALITY, IMWRITE_AVIF_SPEED, IMWRITE_JPEG_OPTIMIZE, IMWRITE_JPEG_QUALITY, IMWRITE_PNG_COMPRESSION,
    IMWRITE_PNG_STRATEGY, IMWRITE_TIFF_COMPRESSION, IMWRITE_TIFF_PREDICTOR, IMWRITE_WEBP_LOSSLESS_MODE, IMWRITE_WEBP_QUALITY,
    as_in_opencv,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ._files import Path
    from ._types import Array, Index, Rows

_AS_STORED = IMREAD_COLOR | IMREAD_ANYDEPTH | IMREAD_ANYCOLOR
_FLAGS = _AS_STORED | IMREAD_COLOR_RGB | IMREAD_IGNORE_ORIENTATION
_GRAY = (9798, 19235, 3735)  # of R, G and B, in 1/32768
_STRIP = 1 << 16  # pixels that become gray at a time

# Types of formats that do not hold every one.
_TYPES = {".exr": ("f4", "f2"), ".pfm": ("f4",), **dict.fromkeys((".jpg", ".jpeg", ".bmp", ".webp"), ("u1",)),
          **dict.fromkeys((".png", ".pgm", ".ppm", ".pnm", ".pam", ".avif"), ("u1", "u2"))}
# Parameters that change a file's size and what it takes to write it, but no pixel.
_OF_SIZE = (IMWRITE_AVIF_SPEED, IMWRITE_JPEG_OPTIMIZE, IMWRITE_PNG_COMPRESSION, IMWRITE_PNG_STRATEGY, IMWRITE_TIFF_COMPRESSION,
            IMWRITE_TIFF_PREDICTOR)


@as_in_opencv
def imread(filename: Path, flags: Index = IMREAD_COLOR_BGR) -> NDArray[Any] | None:
    """Reads an image file.

    Parameters
    ----------
    filename : str or path-like
        A file of the formats that `halation.imread` reads, known by its first bytes.
    flags : int, optional
        IMREAD_COLOR: three channels of uint8; IMREAD_GRAYSCALE: one; IMREAD_ANYDEPTH: of the file's type; IMREAD_ANYCOLOR: as many as
        the file has, without alpha; IMREAD_COLOR_RGB: in that order; IMREAD_UNCHANGED, or the first three together: types and channels
        as stored. The picture is upright, but with IMREAD_UNCHANGED, and with IMREAD_IGNORE_ORIENTATION beside the others, as stored.

    Returns
    -------
    array or None
        H x W, or H x W x C with channels in the order BGR or BGRA. None where the file cannot be read; a RuntimeWarning says why.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> file = os.path.join(tempfile.mkdtemp(), "blue.png")
    >>> cv2.imwrite(file, np.full((2, 2, 3), (255, 0, 0), np.uint8))
    True
    >>> cv2.imread(file)[0, 0], cv2.imread(file, cv2.IMREAD_GRAYSCALE)[0, 0]
    (array([255,   0,   0], dtype=uint8), np.uint8(29))
    """
    flags = operator.index(flags)
    if flags != IMREAD_UNCHANGED and flags & ~_FLAGS:
        raise ValueError("halation.cv.imread has IMREAD_UNCHANGED, COLOR, COLOR_RGB, GRAYSCALE, ANYDEPTH, ANYCOLOR and "
                         f"IGNORE_ORIENTATION, got {flags}; OpenCV's is cv2.imread")
    try:
        image, facts = _files.imread("" if filename is None else filename, page=1, metadata=True, upright=not flags & IMREAD_IGNORE_ORIENTATION)
        if image.ndim not in (2, 3) or image.ndim == 3 and image.shape[2] > 4:
            raise ValueError(f"{os.fsdecode(filename)} holds no image, but an array of shape {image.shape}")
    except (OSError, ValueError) as error:
        warnings.warn(f"imread: {error}", RuntimeWarning, stacklevel=3)
        return None
    return _by_flags(*_colours(image, facts), flags)


def _colours(image: NDArray[Any], facts: _files.Metadata) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """(gray or RGB, alpha or None) of a picture."""
    if image.ndim == 2:
        return image, None
    # A channel that nothing is said of is alpha to OpenCV, which writes it so.
    alpha = None
    if facts.alpha or facts.colour == "other" and image.shape[2] in (2, 4):
        image, alpha = image[..., :-1], image[..., -1]
    if facts.colour == "cmyk":
        most = np.iinfo(image.dtype).max
        white = most - image.astype(np.float64)
        image = np.rint(white[..., :3] * white[..., 3:] / most).astype(image.dtype)
    return (image[..., 0] if image.shape[2] < 3 else image), alpha


def _by_flags(image: NDArray[Any], alpha: NDArray[Any] | None, flags: int) -> NDArray[Any]:
    """What flags ask for of gray or RGB."""
    unchanged = flags == IMREAD_UNCHANGED or flags & _AS_STORED == _AS_STORED
    is_gray, plain = image.ndim == 2, image.ndim == 2 and alpha is None
    if not unchanged and not flags & IMREAD_ANYDEPTH:
        image = _as_bytes(image)
    elif image.dtype == np.float16:  # which OpenCV has as float32
        image, alpha = image.astype(np.float32), None if alpha is None else alpha.astype(np.float32)
    if plain if unchanged else not flags & (IMREAD_COLOR | IMREAD_COLOR_RGB) and (plain or not flags & IMREAD_ANYCOLOR):
        return image if is_gray else _gray(image)
    alpha = alpha if unchanged else None
    made = np.empty((*image.shape[:2], 3 + (alpha is not None)), image.dtype)
    colours = image[..., None].repeat(3, -1) if is_gray else image
    copy_pixels(colours if flags != IMREAD_UNCHANGED and flags & IMREAD_COLOR_RGB else colours[..., ::-1], made[..., :3])
    if alpha is not None:
        made[..., 3] = alpha
    return made


def _as_bytes(image: NDArray[Any]) -> NDArray[Any]:
    """The high bytes of 16 bits; floats rounded, and as near as bytes go."""
    if image.dtype.kind == "f":
        return _saturated(image)
    return image if image.dtype == np.uint8 else (np.maximum(image, 0) >> 8).astype(np.uint8)


def _saturated(image: NDArray[Any]) -> NDArray[np.uint8]:
    """As bytes, as near as these go."""
    if image.dtype.kind == "f":
        image = np.nan_to_num(np.rint(image), nan=0.0)
    made: NDArray[np.uint8] = np.clip(image, 0, 255).astype(np.uint8)
    return made


def _gray(image: NDArray[Any]) -> NDArray[Any]:
    """RGB as gray, in whole numbers rounded half up, as OpenCV's `cvtColor` does."""
    made = np.empty(image.shape[:2], image.dtype)
    whole = image.dtype.kind in "iu"
    wide = np.int64 if whole else image.dtype
    rows = max(1, _STRIP // image.shape[1])
    for low in range(0, len(image), rows):
        band = image[low : low + rows]
        sums = sum(np.multiply(band[..., c], weight if whole else weight / 32768, dtype=wide) for c, weight in enumerate(_GRAY))
        made[low : low + rows] = sums + 16384 >> 15 if whole else sums
    return made


@as_in_opencv
def imwrite(filename: Path, img: Array | Rows, params: Sequence[Index] = ()) -> bool:
    """Writes an image file, which appears once it is complete.

    Parameters
    ----------
    filename : str or path-like
        Its ending says the format, of those that `halation.imwrite` writes.
    img : array
        H x W, or H x W x C with channels in the order BGR or BGRA. Of types that the format does not hold it becomes uint8, rounded and
        as near as that goes (float32 for OpenEXR and PFM). JPEG leaves alpha out.
    params : sequence of int, optional
        Pairs: IMWRITE_JPEG_QUALITY (95), IMWRITE_AVIF_QUALITY (95), IMWRITE_WEBP_QUALITY (above 100, or not given: without loss),
        IMWRITE_WEBP_LOSSLESS_MODE; those for compression without loss are taken and change nothing.

    Returns
    -------
    bool
        Whether it was written; if not, a RuntimeWarning says why.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import halation.cv as cv2
    >>> folder = tempfile.mkdtemp()
    >>> cv2.imwrite(os.path.join(folder, "gray.jpg"), np.zeros((2, 2), np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 80])
    True
    """
    image, _ = image_of(img)
    image = _arrays.on_cpu(image) if isinstance(_arrays.library_of(image), _arrays.OnCpu) else image
    if image.ndim == 3 and image.shape[2] not in (3, 4):
        raise ValueError(f"img must have 1, 3 or 4 channels, got {image.shape[2]}")
    ending = os.path.splitext(os.fsdecode(filename))[1].lower()
    options = _options(ending, params)
    if isinstance(image, np.ndarray):
        image = _stored(image, ending)
    try:
        _files.imwrite(filename, image, layout="hw" if image.ndim == 2 else "hwc", **options)
    except OSError as error:
        warnings.warn(f"imwrite: {error}", RuntimeWarning, stacklevel=3)
        return False
    return True


def _stored(image: NDArray[Any], ending: str) -> NDArray[Any]:
    """An image in a type that the format holds, in the order RGB."""
    types = _TYPES.get(ending)
    if image.dtype.kind == "b":
        image = image.view(np.uint8)
    if types and image.dtype.str[1:] not in types:
        image = image.astype(types[0]) if types[0] == "f4" else _saturated(image)
    if image.ndim == 2:
        return image
    colours = image[..., :3] if ending in (".jpg", ".jpeg") else image
    made = np.empty(colours.shape, image.dtype)
    copy_pixels(image[..., 2::-1], made[..., :3])
    made[..., 3:] = colours[..., 3:]
    return made


def _options(ending: str, params: Sequence[Index]) -> dict[str, Any]:
    """What parameters mean to `_files.imwrite`."""
    numbers = [operator.index(number) for number in params]
    if len(numbers) % 2:
        raise ValueError(f"params must be pairs of a parameter and its value, got {len(numbers)} numbers")
    given = dict(zip(numbers[::2], numbers[1::2]))
    known = {IMWRITE_JPEG_QUALITY, IMWRITE_WEBP_QUALITY, IMWRITE_WEBP_LOSSLESS_MODE, IMWRITE_AVIF_QUALITY, *_OF_SIZE}
    for parameter in given:
        if parameter not in known:
            raise ValueError(f"halation.cv.imwrite has no parameter {parameter}; OpenCV's is cv2.imwrite")
    if ending in (".jpg", ".jpeg"):
        return {"quality": min(max(given.get(IMWRITE_JPEG_QUALITY, 95), 1), 100)}
    if ending == ".avif":
        quality = min(max(given.get(IMWRITE_AVIF_QUALITY, 95), 1), 100)
        return {"quality": quality, "lossless": quality == 100}
    quality = given.get(IMWRITE_WEBP_QUALITY, 101)
    if ending == ".webp" and quality <= 100 and not given.get(IMWRITE_WEBP_LOSSLESS_MODE):
        return {"quality": max(quality, 1), "lossless": False}
    return {}
