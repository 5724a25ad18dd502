"""_view.py: results as pictures: `view=` of halation.filters, as the program's --view (halation/display.h has the formulas)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _engine
from ._arrays import facts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._types import DType, Filters, Taps

VIEWS = ("signed", "abs", "stretch")
ONE_TAP = (np.ones(1),)


def check(name: str, view: str, dtype: DType) -> None:
    """Refuses views that there are not, and arrays that have none."""
    if view not in VIEWS:
        raise ValueError(f"{name}: unknown view {view!r}; choose from signed, abs, stretch")
    if dtype.kind == "c":
        raise TypeError(f"{name}: a view needs real numbers, got {dtype}")


def range_of(dtype: DType) -> tuple[float, float]:
    """The least and the largest number of a picture of a type: all of an integer's, 0 to 1 of floats and bool."""
    return (np.iinfo(dtype).min, np.iinfo(dtype).max) if dtype.kind in "iu" else (0, 1)


def middle_of(dtype: DType) -> float:
    low, high = range_of(dtype)
    return (low + high + 1) / 2 if dtype.kind in "iu" else 0.5


def _signs_of(weights: Taps) -> tuple[float, float]:
    """Sums of the positive and of the negative weights of a filter, dense or a tuple of factors."""
    up, down = 1.0, 0.0
    for factor in weights if isinstance(weights, tuple) else (weights,):
        more, less = float(factor[factor > 0].sum()), float(factor[factor < 0].sum())
        up, down = up * more + down * less, up * less + down * more
    return up, down


def largest_result(filters: Filters, dtype: DType, constants: Sequence[float] = ()) -> float:
    """The largest magnitude that filters give of any image of a type, `constants` around it; of several the root of squares."""
    low, high = range_of(dtype)
    low, high = min([low, *constants]), max([high, *constants])
    ends = []
    for weights in filters if isinstance(filters, list) else [filters]:
        up, down = _signs_of(weights)
        ends.append(max(abs(up * low + down * high), abs(up * high + down * low)))
    return float(np.hypot.reduce(ends))


def shown(
    name: str, image: Any, dtype: DType, view: str, output: Any, largest: float, filtered: Callable[[Any], Any], alpha: bool = False
) -> Any:
    """The result as a picture: `filtered(dtype)` gives it in floats, with `alpha` the last channel in [0, 1], and `largest` is what
    `largest_result` says. Goes where `output` says."""
    library = _arrays.library_of(image)
    kind = np.dtype(output) if isinstance(output, (type, np.dtype, str)) else None
    out = None if kind is not None else output
    if out is not None:
        kind = facts_of(out)[1]
    kind = dtype if kind is None else kind
    check(name, view, kind)
    wide = np.float64 if max(dtype.itemsize, kind.itemsize) > (4 if "f" in (dtype.kind, kind.kind) else 2) else np.float32
    result = filtered(wide)
    if isinstance(library, _arrays.OnCpu):
        result = _arrays.on_cpu(result)
        made = np.empty(result.shape, kind) if out is None else _arrays.on_cpu(out)
        if made.shape != result.shape:
            raise ValueError(f"{name}: output must have shape {result.shape}, got {made.shape}")
        colours: tuple[Any, Any] = (result[..., :-1], made[..., :-1]) if alpha else (result, made)
    elif alpha or view == "stretch":
        raise TypeError(f"{name}: view='stretch' and alpha are for arrays on the CPU")
    low, high = range_of(kind)
    scale, offset = 1.0, 0.0
    if view == "signed":
        offset = middle_of(kind)
        scale = (high - offset) / largest if largest > 0 else 0.0
    elif view == "stretch":
        finite = np.isfinite(colours[0])
        least = np.min(colours[0], where=finite, initial=np.inf)
        most = np.max(colours[0], where=finite, initial=-np.inf)
        scale = (high - low) / (float(most) - float(least)) if least < most else 0.0
        offset = low - scale * float(least) if least < most else middle_of(kind)
    if not isinstance(library, _arrays.OnCpu):
        return _rounded(result, out, kind, scale, offset, view == "abs")
    if result.size > 0:
        _rounded(*colours, kind, scale, offset, view == "abs")
        if alpha:
            _rounded(result[..., -1:], made[..., -1:], kind, high, 0.0, False)
    return library.give(made) if out is None else out


def _rounded(result: Any, out: Any, kind: DType, scale: float, offset: float, magnitude: bool) -> Any:
    return _engine.correlate(result, [ONE_TAP] if magnitude else ONE_TAP, axes=(0,), out=out, dtype=None if out is not None else kind,
                             magnitude=magnitude, scale=float(scale), offset=float(offset), sum="f64")
