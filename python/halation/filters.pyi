"""filters.pyi: types of the named filters; made by tests/test_filters.py (HALATION_WRITE_DOCS=1)."""
from collections.abc import Sequence
from typing import Any, Literal

__all__: list[str]

def identity(
    image: Any,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def sharpen(
    image: Any,
    strength: float = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def high_pass(
    image: Any,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def low_pass(
    image: Any,
    divisor: float | None = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def box(
    image: Any,
    size: int | Sequence[int] = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def gaussian(
    image: Any,
    sigma: float | Sequence[float] = ...,
    radius: int | Sequence[int] | None = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def gaussian_derivative(
    image: Any,
    sigma: float | Sequence[float] = ...,
    radius: int | Sequence[int] | None = ...,
    order_x: int = ...,
    order_y: int = ...,
    order_z: int = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def sobel(
    image: Any,
    axis: Literal["x", "y", "z"] = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def scharr(
    image: Any,
    axis: Literal["x", "y", "z"] = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def prewitt(
    image: Any,
    axis: Literal["x", "y", "z"] = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def laplacian(
    image: Any,
    neighbours: int = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def laplacian_of_gaussian(
    image: Any,
    sigma: float | Sequence[float] = ...,
    radius: int | Sequence[int] | None = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def unsharp_mask(
    image: Any,
    sigma: float | Sequence[float] = ...,
    amount: float = ...,
    radius: int | Sequence[int] | None = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def emboss(
    image: Any,
    angle: float = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def motion_blur(
    image: Any,
    length: float = ...,
    angle: float = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def disk(
    image: Any,
    radius: float = ...,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
def edges(
    image: Any,
    *,
    axes: int | Sequence[int] | None = ...,
    border: str = ...,
    cval: float = ...,
    output: Any = ...,
    alpha: bool = ...,
    view: Literal["signed", "abs", "stretch"] | None = ...,
) -> Any: ...
