"""_picture.py: weights as a picture in notebooks: a PNG within the page's text, which needs no network and no other package."""

from __future__ import annotations

import binascii
import functools
import html
import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ._types import Shape, Taps

_MOST_PIXELS = 128  # of the weights shown along an axis; of longer filters every n-th
_SHOWN = 256  # pixels of the page along the longer side


def of_weights(taps: Taps, anchor: Shape, words: str) -> str:
    """HTML of a filter: what it is in words, and a plane of its weights, blue below 0, white at 0, red above.

    `taps` are dense weights or a tuple of factors; of three axes and more the plane through the anchor is shown.
    """
    shape = tuple(len(row) for row in taps) if isinstance(taps, tuple) else taps.shape
    where: list[slice | int] = [slice(None, None, -(-n // _MOST_PIXELS)) for n in shape]
    where[:-2] = anchor[:-2]
    note = "" if len(shape) <= 2 else f"<br>weights at {', '.join(map(str, anchor[:-2]))} of the first {len(shape) - 2} axes"
    if isinstance(taps, tuple):
        plane = functools.reduce(np.multiply.outer, [row[at] for row, at in zip(taps, where)])
    else:
        plane = taps[tuple(where)]
    if plane.ndim == 1:
        plane = np.repeat(plane[np.newaxis], max(1, len(plane) // 8), axis=0)
    height, width = plane.shape
    scale = _SHOWN / max(height, width)
    picture = binascii.b2a_base64(_png(_colours(plane)), newline=False).decode()
    size = f"width:{max(1, round(width * scale))}px;height:{max(1, round(height * scale))}px"
    return (
        f'<div><code>{html.escape(words)}</code>{note}<br><img alt="weights" style="{size};image-rendering:pixelated;'
        f'border:1px solid #888" src="data:image/png;base64,{picture}"></div>'
    )


def table(head: str, facts: Mapping[str, str]) -> str:
    """HTML of facts in words, by name."""
    lines = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(words)}</td></tr>" for name, words in facts.items())
    return f'<table style="text-align:left"><caption>{html.escape(head)}</caption>{lines}</table>'


def _colours(plane: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Weights as RGB, the largest magnitude at full colour."""
    largest = float(np.abs(plane).max(initial=0.0))
    share = plane / largest if largest > 0 else np.zeros(plane.shape)
    fade = np.rint(255 * (1 - np.abs(share)))[..., np.newaxis]
    full = np.full((*plane.shape, 1), 255.0)
    rgb = np.where(share[..., np.newaxis] < 0, np.concatenate([fade, fade, full], -1), np.concatenate([full, fade, fade], -1))
    return rgb.astype(np.uint8)


def _png(rgb: NDArray[np.uint8]) -> bytes:
    height, width, _ = rgb.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each begins with its prediction: none
    rows[:, 1:] = rgb.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)) + chunk(b"IEND", b"")
