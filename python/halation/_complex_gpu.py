"""_complex_gpu.py: complex arrays, weights and results on a GPU, by filters of real numbers over the arrays' memory.

An element is two numbers side by side, so that an array has one more axis of two parts at its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import gpu_library_of
from ._complex import around, as_dense, check_real, imag_of, kind_of_result, over_axes, parts_alike, real_of
from ._families import prepare as prepare_real
from ._job import Job
from ._mapping import packed

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from ._mapping import Layout
    from ._options import Options
    from ._types import DType, Entry, Filters

    # What runs: an entry, of which part of the input (None: all of it), and to which part of the output.
    Run = tuple[Entry, int | None, int | None]


def prepare(
    layout: Layout, out_layout: Layout | None, asked: DTypeLike | None, filters: Filters, is_complex: bool, options: Options
) -> Entry:
    """The entry for a call where the array, the weights or the result are complex."""
    from_complex = layout.dtype.kind == "c"
    kind = kind_of_result(layout.dtype, options, asked) if from_complex or is_complex else np.dtype(asked)
    dense = as_dense(filters)
    shape = Job(layout.shape, dense, around(options, 0.0)).out_shape
    if out_layout is None:
        out_layout = packed(shape, kind, layout.device)
    elif out_layout.shape != shape:
        raise ValueError(f"output must have shape {shape}, got {out_layout.shape}")
    of = _Preparation(layout, out_layout)
    weights = dense if isinstance(dense, np.ndarray) and dense.dtype.kind == "c" else None
    if not from_complex:
        check_real(options.cvals)
        if weights is None:
            return Apart(of, [of.run(dense, options, None, 0)], is_real=True)
        return Apart(of, [of.run(weights.real, options, None, 0), of.run(weights.imag, options, None, 1)])
    if weights is not None:
        return Mixed(of, weights, options)
    return Apart(of, of.runs(dense, options))


class _Preparation:
    """Entries of real numbers between the parts of two layouts."""

    def __init__(self, layout: Layout, out_layout: Layout) -> None:
        self.layout, self.out_layout = layout, out_layout

    def run(self, weights: Filters, options: Options, part: int | None, out_part: int | None) -> Run:
        layout = _of_parts(self.layout, part) if self.layout.dtype.kind == "c" else self.layout
        return prepare_real(layout, _of_parts(self.out_layout, out_part), None, weights, options), part, out_part

    def runs(self, weights: Filters, options: Options) -> list[Run]:
        """Both parts of a complex array by real weights: at once, or one after the other where a constant outside is not the same for both."""
        cvals = options.cvals
        if parts_alike(options.borders, cvals):
            return [self.run(weights, over_axes(options, len(self.layout.shape), real_of(cvals)), None, None)]
        return [self.run(weights, around(options, each), part, part) for part, each in enumerate((real_of(cvals), imag_of(cvals)))]


def _of_parts(layout: Layout, part: int | None) -> Layout:
    """One part of a complex array, or both as one more axis."""
    dtype = _part_of(layout.dtype)
    if part is not None:
        return layout._replace(dtype=dtype)
    return layout._replace(shape=(*layout.shape, 2), strides=(*layout.strides, dtype.itemsize), dtype=dtype)


def _part_of(kind: DType) -> DType:
    """The type of the parts of a complex one."""
    return np.dtype(f"f{kind.itemsize // 2}")


class Apart:
    """Runs that each make parts of the result by themselves."""

    def __init__(self, of: _Preparation, runs: list[Run], is_real: bool = False) -> None:
        self.shape, self.dtype = of.out_layout.shape, of.out_layout.dtype
        self.kept_bytes = _kept_by(runs)
        self._runs, self._is_real = runs, is_real
        self._from_complex = of.layout.dtype.kind == "c"

    def run(self, array: Any, out: Any, stream: int) -> Any:
        if 0 in self.shape:
            return out
        library = gpu_library_of(array)  # entries are for arrays of any
        given, to = library.parts(array) if self._from_complex else array, library.parts(out)
        if not _have_run(self._runs, given, to, stream):
            return None
        if self._is_real:
            to[..., 1] = 0
        return out


class Mixed:
    """(a + bi)(c + di) = ac − bd + (ad + bc)i, by sums of both parts, or of each where a constant outside is not the same for both."""

    def __init__(self, of: _Preparation, dense: NDArray[Any], options: Options) -> None:
        self.shape, self.dtype = of.out_layout.shape, of.out_layout.dtype
        sums = _Preparation(of.layout, packed(self.shape, self.dtype, of.layout.device))
        self._runs = [sums.runs(weights, options) for weights in (dense.real, dense.imag)]
        self.kept_bytes = sum(map(_kept_by, self._runs))

    def run(self, array: Any, out: Any, stream: int) -> Any:
        if 0 in self.shape:
            return out
        library, made = gpu_library_of(array), []
        given, to = library.parts(array), library.parts(out)
        for runs in self._runs:
            sums = library.parts(library.empty(self.shape, self.dtype, array))
            if not _have_run(runs, given, sums, stream):
                return None
            made.append(sums)
        by_real, by_imag = made
        library.subtract(by_real[..., 0], by_imag[..., 1], out=to[..., 0])
        library.add(by_real[..., 1], by_imag[..., 0], out=to[..., 1])
        return out


def _kept_by(runs: list[Run]) -> int:
    return sum([entry.kept_bytes for entry, _, _ in runs])


def _have_run(runs: list[Run], given: Any, to: Any, stream: int) -> bool:
    """Runs all; False where the memory of an array begins at an address that is no multiple of its element's size."""
    return all(entry.run(_part(given, part), _part(to, out_part), stream) is not None for entry, part, out_part in runs)


def _part(parts: Any, part: int | None) -> Any:
    return parts if part is None else parts[..., part]
