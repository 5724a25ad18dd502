"""_types.py: what arguments and results are, for annotations; nothing imports it at run time."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray


class Array(Protocol):
    """An array of any library."""

    @property
    def shape(self) -> Any: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> Any: ...


A = TypeVar("A", bound=Array)

Real: TypeAlias = float | np.floating[Any] | np.integer[Any]
Reals: TypeAlias = Real | Sequence[Real] | NDArray[Any]  # for all axes, or each
Number: TypeAlias = complex | np.number[Any]
Numbers: TypeAlias = Number | Sequence[Number]
Index: TypeAlias = SupportsIndex
Indices: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
# Numbers in lists, of an image or its filter.
Rows: TypeAlias = Sequence[Real] | Sequence[Sequence[Real]] | Sequence[Sequence[Sequence[Real]]] | memoryview
Shape: TypeAlias = tuple[int, ...]
Output: TypeAlias = type[Any] | np.dtype[Any] | str | Array | None  # where a result goes, or what it is an array of
DType: TypeAlias = np.dtype[Any]
Factors: TypeAlias = tuple[NDArray[Any], ...]
Taps: TypeAlias = NDArray[Any] | Factors  # dense weights, or factors
Filters: TypeAlias = Taps | list[Taps]  # several for a magnitude


class Entry(Protocol):
    """What a family makes of a call (_families.py)."""

    @property
    def shape(self) -> Shape: ...
    @property
    def dtype(self) -> DType: ...
    @property
    def kept_bytes(self) -> int: ...
    def run(self, array: Any, out: Any, stream: int) -> Any: ...



# _border.py has these names; tests/test_stubs.py holds them equal.
Border: TypeAlias = Literal[
    "constant", "replicate", "reflect", "reflect101", "wrap",
    "grid-constant", "fill", "pad", "nearest", "grid-mirror", "symm", "symmetric", "mirror", "grid-wrap", "circular",
    "BORDER_CONSTANT", "BORDER_REPLICATE", "BORDER_REFLECT", "BORDER_REFLECT_101", "BORDER_REFLECT101", "BORDER_DEFAULT",
    "reflect_101", "BORDER_WRAP",
]  # fmt: skip
Borders: TypeAlias = Border | Sequence[Border]
Extent: TypeAlias = Literal["same", "valid", "full"]
Operation: TypeAlias = Literal["convolution", "correlation"]
Rounding: TypeAlias = Literal["half_even", "truncate"]
Sum: TypeAlias = Literal["automatic", "f64"]
Accuracy: TypeAlias = Literal["exact", "fast"]
Method: TypeAlias = Literal["automatic", "direct", "separable", "box", "fft", "multirate"]
Tune: TypeAlias = Literal["estimate", "measure"]
View: TypeAlias = Literal["signed", "abs", "stretch"]
FileLayout: TypeAlias = Literal["w", "hw", "hwc", "dhw", "dhwc"]
