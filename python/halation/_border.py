"""_border.py: what lies outside an array, by any of its names: the library's, SciPy's, and OpenCV's.

    name         outside a b c d        SciPy                                              OpenCV
    constant     v v v | ... | v v v    constant, grid-constant, fill, pad                 BORDER_CONSTANT
    replicate    a a a | ... | d d d    nearest                                            BORDER_REPLICATE
    reflect      c b a | ... | d c b    reflect, grid-mirror, symm, symmetric              BORDER_REFLECT
    reflect101   d c b | ... | c b a    mirror                                             BORDER_REFLECT_101, reflect_101, BORDER_DEFAULT
    wrap         b c d | ... | a b c    wrap, grid-wrap, circular                          BORDER_WRAP

Each of them means the same wherever the package takes a border. What NumPy's `pad`
calls reflect is reflect101 here. OpenCV's numbers are `halation.cv`'s alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BORDERS = ("constant", "replicate", "reflect", "reflect101", "wrap")
SYNONYMS = {
    "grid-constant": "constant",
    "fill": "constant",
    "pad": "constant",
    "nearest": "replicate",
    "grid-mirror": "reflect",
    "symm": "reflect",
    "symmetric": "reflect",
    "mirror": "reflect101",
    "grid-wrap": "wrap",
    "circular": "wrap",
    "BORDER_CONSTANT": "constant",
    "BORDER_REPLICATE": "replicate",
    "BORDER_REFLECT": "reflect",
    "BORDER_REFLECT_101": "reflect101",
    "BORDER_REFLECT101": "reflect101",
    "BORDER_DEFAULT": "reflect101",
    "reflect_101": "reflect101",
    "BORDER_WRAP": "wrap",
}
_NAMES = dict(zip(BORDERS, BORDERS)) | SYNONYMS
CHOICES = f"{', '.join(BORDERS)}; synonyms: {', '.join(SYNONYMS)}"


def border_of(name: Any) -> str:
    """The library's name of a border."""
    try:
        return _NAMES[name]
    except (KeyError, TypeError):
        raise ValueError(f"unknown border {name!r}; choose from {CHOICES}") from None


def borders_of(names: Any) -> str | tuple[str, ...]:
    """The library's names of one border, or of a tuple of one for each axis."""
    return tuple(map(border_of, names)) if isinstance(names, (tuple, list)) else border_of(names)


def sources(low: int, high: int, n: int, border: str) -> NDArray[np.intp]:
    """The elements that stand for coordinates [low, high) of an axis of n elements; -1 for the constant."""
    c = np.arange(low, high)
    outside = (c < 0) | (c >= n)
    if border == "constant":
        return np.where(outside, -1, c)
    if border == "replicate":
        return np.clip(c, 0, n - 1)
    if border == "wrap":
        return c % n
    if border == "reflect":
        c = c % (2 * n)
        return np.where(c < n, c, 2 * n - 1 - c)
    if n == 1:
        return np.zeros_like(c)
    c = c % (2 * n - 2)
    return np.where(c < n, c, 2 * n - 2 - c)
