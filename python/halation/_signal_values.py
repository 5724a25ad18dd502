"""_signal_values.py: NaN and infinity in either array of a convolution: which sums have them, whatever makes the sums.

A sum has a term for each pair of elements that meet, those of both arrays and what a border of `convolve2d` puts around the first; beyond
the ends nothing is multiplied. So a NaN reaches as far as the other array does, whichever of the two it is in, and no further.

Sums are made of numbers: 0 in place of NaN, 1 or −1 in place of an infinity. Whether a sum has a product that is NaN or infinite is
counted: NaN by anything, an infinity by 0 (NaN), an infinity by a number of either sign. Complex products are those of parts, and a real
array has imaginary parts of 0 where the other is complex.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from ._signal_sums import as_weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    _Part: TypeAlias = tuple[NDArray[Any], float]  # of an array, and of what lies outside

    class Sums(Protocol):
        """The convolution of two arrays, with what lies outside the first: of a call's type and by its method, or as given."""

        def __call__(self, in1: Any, in2: Any, fill: complex, dtype: Any = ..., method: str = ...) -> Any: ...


F64 = np.dtype(np.float64)


def made(in1: Any, in2: Any, sums: Sums, fill: complex = 0.0) -> Any:
    """What `sums` makes of any two arrays; `fill`: what lies outside the first, 0 where nothing does.

    The library spreads NaN and infinity of a real array that it filters, and refuses them in weights. On a GPU this function does so too.
    """
    if not (isinstance(in1, np.ndarray) and isinstance(in2, np.ndarray)):
        try:
            return sums(in1, in2, fill)
        except ValueError:
            check_weights(in2 if math.prod(in2.shape) <= math.prod(in1.shape) else in1)
            raise
    if np.isfinite(fill) and ("c" not in (in1.dtype.kind, in2.dtype.kind) or are_finite(in1, in2)):
        try:
            return sums(in1, in2, fill)
        except ValueError:
            if are_finite(in1, in2):
                raise
    return _convolved(in1, in2, sums, fill)


def are_finite(*arrays: NDArray[Any]) -> bool:
    """Whether arrays have neither NaN nor infinity."""
    return all(array.dtype.kind not in "fc" or bool(np.isfinite(array).all()) for array in arrays)


def check_weights(array: Any, what: str = "the smaller array") -> None:
    """Refuses weights with NaN or infinity, for a GPU."""
    weights = as_weights(array)
    if not are_finite(weights):
        at = tuple(map(int, np.argwhere(~np.isfinite(weights))[0]))
        raise ValueError(
            f"on a GPU {what} holds the weights, which must be finite: got {weights[at]} at {at} of shape {weights.shape}; replace what is "
            "not finite, or give arrays on the CPU"
        )


def _convolved(in1: NDArray[Any], in2: NDArray[Any], sums: Sums, fill: complex) -> Any:
    """Sums of finite numbers, with NaN and infinity added."""
    made = sums(_finite(in1), _finite(in2), _finite(np.array(fill)).item())
    parts = [made] if made.dtype.kind != "c" else [made.real, made.imag]
    first, second = ([(array.real, np.real(fill)), (array.imag, np.imag(fill))] for array in (in1, in2))
    products = [[(first[0], second[0], 1)]]
    if len(parts) == 2:
        products = [[(first[0], second[0], 1), (first[1], second[1], -1)], [(first[0], second[1], 1), (first[1], second[0], 1)]]
    for part, terms in zip(parts, products):
        with np.errstate(invalid="ignore"):  # of infinities of both signs
            part += _marks(part.shape, terms, sums, fill != 0).astype(part.dtype)
    return made


def _finite(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind not in "fc":
        return array
    if array.dtype.kind == "c":
        made = np.empty_like(array)
        made.real, made.imag = _finite(array.real), _finite(array.imag)
        return made
    return np.where(np.isfinite(array), array, np.where(np.isnan(array), 0, np.sign(array))).astype(array.dtype)


def _marks(shape: tuple[int, ...], terms: list[tuple[_Part, _Part, int]], sums: Sums, has_outside: bool) -> NDArray[np.float64]:
    """What to add to sums: 0, NaN or an infinity."""
    met = {"nan": np.zeros(shape, bool), "up": np.zeros(shape, bool), "down": np.zeros(shape, bool)}

    def meet(kind: str, first: Callable[[Any], Any], second: Callable[[Any], Any]) -> None:
        (array, outside), (weights, _) = one, other
        of_array, of_weights = first(array), second(weights)
        around = float(first(np.array(outside))) if has_outside else 0.0
        if of_weights.any() and (around or of_array.any()):
            met[kind] |= sums(of_array.astype(F64), of_weights.astype(F64), around, F64, "automatic") > 0.5

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
