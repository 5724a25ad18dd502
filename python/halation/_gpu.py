"""_gpu.py: arrays on a GPU, filtered where they lie; results are arrays of their library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cache, _complex_gpu, _native
from ._families import prepare
from ._weights import is_found_again, weights_and_key

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ._arrays import OnGpu
    from ._options import Options
    from ._types import Shape


def correlate(
    library: OnGpu, array: Any, filters: Any, options: Options, out: Any, dtype: DTypeLike | None, given_stream: int | None = None
) -> Any:
    """`_engine.correlate` for arrays of a `library` on a GPU."""
    filters, weights_key, is_complex = weights_and_key(filters)
    stream = library.stream(array) if given_stream is None else given_stream
    layout = library.layout(array)
    out_layout = None if out is None else library.layout(out)
    if out_layout is not None and overlap(array, out):
        out[...] = correlate(library, array, filters, options, None, out_layout.dtype, stream)
        return out
    key = (layout, dtype, out_layout, weights_key, options)
    entry = _cache.find(key)
    if entry is None:
        out_dtype = out_layout.dtype if out_layout is not None else layout.dtype if dtype is None else np.dtype(dtype)
        for what, kind in (("input", layout.dtype), ("output", out_dtype)):
            if kind.itemsize > (16 if kind.kind == "c" else 8) or not kind.isnative:
                raise TypeError(f"on a GPU {what} must be of 64 bits at most in the machine's byte order, got {kind}")
        if is_complex or layout.dtype.kind == "c" or out_dtype.kind == "c":
            asked = dtype if out_layout is None else out_layout.dtype
            entry = _complex_gpu.prepare(layout, out_layout, asked, filters, is_complex, options)
        else:
            entry = prepare(layout, out_layout, dtype, filters, options)
        if is_found_again(weights_key):
            _cache.keep(key, entry)
    to = library.empty(entry.shape, entry.dtype, array) if out is None else out
    made = entry.run(array, to, stream)
    if made is None:
        raise ValueError("the memory of an array on a GPU must begin at a multiple of its element's size")
    _cache.note(entry, array, out, made)
    return made


def overlap(array: Any, out: Any) -> bool:
    """Whether two arrays may share memory: whether the bytes from the first to the last of each do."""

    def ends(described: tuple[Shape, Shape, str, str, bool, int, int | None]) -> tuple[int, int]:
        shape, strides, kind, _, _, address, _ = described
        reach = [step * (n - 1) for n, step in zip(shape, strides)]
        low = address + sum(r for r in reach if r < 0)
        return low, address + sum(r for r in reach if r > 0) + int(kind[1:])

    a, b = ends(_native.describe(array)), ends(_native.describe(out))
    return a[0] < b[1] and b[0] < a[1]
