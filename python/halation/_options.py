"""_options.py: what a call of the engine asks for beside the array and the filter, as one value."""

import functools
from dataclasses import dataclass

from ._border import borders_of


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """The keywords of `_engine.correlate` but for out, dtype and stream; its head says more of each.

    Immutable, and part of keys by identity, which costs nothing to hash: `options_of` gives equal arguments the same object.
    """

    axes: tuple[int, ...] | None = None  # of the array that the filter runs along; None: all
    borders: str | tuple[str, ...] = "reflect101"  # one, or one for each of `axes`, by any name
    cvals: complex | tuple[complex, ...] = 0.0  # what lies outside a constant border, one or one for each of `axes`
    anchors: tuple[int, ...] | None = None  # the tap over the output for each of `axes`; None: the middle
    extent: str = "same"  # or "valid", "full"
    rounding: str = "half_even"  # of integers; or "truncate"
    overflow: str = "saturate"  # of integers; or "wrap"
    scale: float = 1.0  # of sums
    offset: float = 0.0  # added to scaled sums
    divisor: int = 1  # of sums
    sum: str = "automatic"  # or "f64"
    method: str = "automatic"  # of the library
    magnitude: bool = False  # the root of the sum of squares of what several filters give
    threads: int = 0  # at most; 0: as many as there are

    def __post_init__(self) -> None:
        object.__setattr__(self, "borders", borders_of(self.borders))  # from here on by the library's names


options_of = functools.lru_cache(maxsize=1024)(Options)
