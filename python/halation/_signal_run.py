"""_signal_run.py: one convolution of halation.signal by the engine, which correlates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _engine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._types import DType, Shape


def run(
    array: Any,
    weights: NDArray[Any] | tuple[NDArray[Any], ...],
    axes: Shape,
    extent: str,
    dtype: DType,
    border: str = "constant",
    fill: Any = 0.0,
    **options: Any,
) -> Any:
    """The array convolved along `axes` by dense weights or a product of factors, `fill` outside where the border is constant; other
    options as the engine's."""
    flipped: Any
    if isinstance(weights, tuple):
        flipped = tuple([factor[::-1] for factor in weights])
    else:
        flipped = weights[(slice(None, None, -1),) * weights.ndim]
    return _engine.correlate(array, flipped, axes=axes, borders=border, cvals=fill, extent=extent, dtype=dtype, **options)
