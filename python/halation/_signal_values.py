"""_signal_values.py: NaN and infinity in either array of a convolution: which sums have them, whatever makes the sums.

Sums are made of numbers: 0 in place of NaN, 1 or −1 in place of an infinity. Whether a sum has a product that is NaN or infinite is
counted: NaN by anything, an infinity by 0 (NaN), an infinity by a number of either sign. Complex products are those of parts, and a real
array has imaginary parts of 0 where the other is complex.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    # The convolution of two arrays of numbers, and what lies outside the one that has an outside.
    Sums: TypeAlias = Callable[[Any, Any, complex], Any]
    # The same of f64, which counts products; `None`: nothing lies outside.
    Counts: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64], float], NDArray[np.float64]]
    _Part: TypeAlias = tuple[NDArray[Any], float]  # of an array, and of what lies outside


def are_finite(*arrays: Any) -> bool:
    """Whether arrays of NumPy's have neither NaN nor infinity; others are not looked into."""
    for array in arrays:
        if isinstance(array, np.ndarray) and array.dtype.kind in "fc" and not np.isfinite(array).all():
            return False
    return True


def convolve(in1: NDArray[Any], in2: NDArray[Any], fill: complex | None, sums: Sums, counts: Counts) -> Any:
    """What `sums` makes of both, where they may have NaN or infinities; `fill`: what lies outside, None where sums have no such terms."""
    outside = 0.0 if fill is None else fill
    made = sums(_finite(in1), _finite(in2), _finite(np.array(outside)).item())
    parts = [made] if made.dtype.kind != "c" else [made.real, made.imag]
    first, second = ([(array.real, np.real(outside)), (array.imag, np.imag(outside))] for array in (in1, in2))
    products = [[(first[0], second[0], 1)]]
    if len(parts) == 2:
        products = [[(first[0], second[0], 1), (first[1], second[1], -1)], [(first[0], second[1], 1), (first[1], second[0], 1)]]
    for part, terms in zip(parts, products):
        with np.errstate(invalid="ignore"):  # of infinities of both signs
            part += _marks(part.shape, terms, counts, fill is not None).astype(part.dtype)
    return made


def _finite(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind not in "fc":
        return array
    if array.dtype.kind == "c":
        made = np.empty_like(array)
        made.real, made.imag = _finite(array.real), _finite(array.imag)
        return made
    return np.where(np.isfinite(array), array, np.where(np.isnan(array), 0, np.sign(array))).astype(array.dtype)


def _marks(shape: tuple[int, ...], terms: list[tuple[_Part, _Part, int]], counts: Counts, has_outside: bool) -> NDArray[np.float64]:
    """What to add to sums: 0, NaN or an infinity."""
    met = {"nan": np.zeros(shape, bool), "up": np.zeros(shape, bool), "down": np.zeros(shape, bool)}

    def meet(kind: str, first: Callable[[Any], Any], second: Callable[[Any], Any]) -> None:
        (array, outside), (weights, _) = one, other
        of_array, of_weights = first(array), second(weights)
        around = float(first(np.array(outside))) if has_outside else 0.0
        if of_weights.any() and (around or of_array.any()):
            met[kind] |= counts(of_array.astype(np.float64), of_weights.astype(np.float64), around) > 0.5

    for one, other, sign in terms:
        up, down = ("up", "down") if sign > 0 else ("down", "up")
        meet("nan", np.isnan, _any)
        meet("nan", _any, np.isnan)
        meet("nan", np.isinf, _zero)
        meet("nan", _zero, np.isinf)
        for first, kind_by_up, kind_by_down in ((np.isposinf, up, down), (np.isneginf, down, up)):
            meet(kind_by_up, first, _positive)
            meet(kind_by_down, first, _negative)
            meet(kind_by_up, _positive, first)
            meet(kind_by_down, _negative, first)
    made = np.zeros(shape)
    made[met["up"]], made[met["down"]] = np.inf, -np.inf
    made[met["nan"] | met["up"] & met["down"]] = np.nan
    return made


def _any(array: NDArray[Any]) -> NDArray[np.bool_]:
    return np.ones(array.shape, bool)


def _zero(array: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(array == 0)


def _positive(array: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(array > 0)


def _negative(array: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(array < 0)
