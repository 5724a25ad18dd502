"""_gpu.py: arrays on a GPU that the library does not take as they are: by conversions of the array's own library."""

import numpy as np

from . import _engine

FLOAT_OF = {"c8": np.dtype(np.float32), "c16": np.dtype(np.float64)}


def is_direct(layout, there, dtype, filters, words):
    """Whether the library filters arrays of these types as they are."""
    out_dtype = there.dtype if there is not None else layout.dtype if dtype is None else np.dtype(dtype)
    if _engine.pixel_of(layout.dtype) is None or _engine.pixel_of(out_dtype) is None:
        return False
    return _engine.direct_terms(_engine.Job(layout.shape, filters, words), layout.dtype, out_dtype) is not None


def correlate(library, array, layout, filters, words, out, there, dtype, stream):
    """`_engine.correlate` by way of other types; whole numbers by truncation alone."""
    out_dtype = there.dtype if there is not None else layout.dtype if dtype is None else np.dtype(dtype)
    if layout.dtype.kind == "c" or out_dtype.kind == "c":
        raise TypeError("complex numbers are filtered on the CPU; on a GPU filter real and imaginary parts by themselves")
    if out_dtype.kind in "biu" and words[5] != "truncate":
        raise TypeError(f"on a GPU results are rounded to u8, u16 and i16 from such pixels, got {layout.dtype} to {out_dtype}")
    divisor = words[9]
    plain = words[:5] + ("half_even", "saturate") + words[7:9] + (1,) + words[10:]
    sums = _engine.correlate_words(library.astype(array, _engine.F64), filters, plain, None, None, stream, library, stream)
    if divisor != 1:
        sums = sums / divisor
    made = library.astype(sums, out_dtype)
    if out is None:
        return made
    out[...] = made
    return out
