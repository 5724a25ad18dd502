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

from typing import Any

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
