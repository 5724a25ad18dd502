"""_cache.py: what was prepared for earlier calls, kept; and real arrays of NumPy's, filtered by it."""

from __future__ import annotations

import contextlib
import contextvars
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ._families import prepare
from ._job import check_writable
from ._mapping import Layout
from ._threads import LIMIT
from ._weights import is_found_again, weights_and_key

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from numpy.typing import DTypeLike, NDArray

    from ._options import Options
    from ._types import Entry, Filters

    Step: TypeAlias = tuple[Any, Any, Any, Any]

MOST_ENTRIES = 256  # most of them plans
MOST_BYTES = 128 << 20  # of weights, and of spectra and roots of transforms
entries: OrderedDict[Hashable, Entry] = OrderedDict()
# While it holds a list: what ran, as (entry, array, out, result).
STEPS: contextvars.ContextVar[list[Step] | None] = contextvars.ContextVar("steps", default=None)


def find(key: Hashable) -> Entry | None:
    """The entry kept for a key, or None."""
    entry = entries.get(key)
    if entry is not None:
        try:
            entries.move_to_end(key)
        except KeyError:  # another thread has just dropped it
            pass
    return entry


def keep(key: Hashable, entry: Entry) -> None:
    """Puts an entry into the cache, and drops those that were not asked for longest where that is too much."""
    if entry.kept_bytes > MOST_BYTES // 2:
        return
    entries[key] = entry
    while len(entries) > MOST_ENTRIES or sum([one.kept_bytes for one in list(entries.values())]) > MOST_BYTES:
        entries.popitem(last=False)


def correlate(
    array: NDArray[Any], filters: Any, options: Options, out: NDArray[Any] | None = None, dtype: DTypeLike | None = None
) -> NDArray[Any]:
    """`correlate_weights` for filters as callers have them."""
    filters, key, _ = weights_and_key(filters)
    return correlate_weights(array, filters, key, options, out, dtype)


def correlate_weights(
    array: NDArray[Any], filters: Filters, weights_key: Hashable, options: Options, out: NDArray[Any] | None, dtype: DTypeLike | None
) -> NDArray[Any]:
    """`_engine.correlate` for real arrays of NumPy's and real weights, as `weights_and_key` gives these."""
    if out is None:
        key: Hashable = (array.shape, array.strides, array.dtype, dtype, None, None, weights_key, options, LIMIT.get())
    else:
        key = (array.shape, array.strides, array.dtype, out.dtype, out.shape, out.strides, weights_key, options, LIMIT.get())
        if np.may_share_memory(array, out):
            check_writable(out)
            out[...] = correlate_weights(array, filters, weights_key, options, None, out.dtype)
            return out
    entry = find(key)
    if entry is None:
        layout = Layout(array.shape, array.strides, array.dtype, "cpu")
        out_layout = None if out is None else Layout(out.shape, out.strides, out.dtype, "cpu")
        entry = prepare(layout, out_layout, dtype, filters, options)
        if is_found_again(weights_key):
            keep(key, entry)
    made: NDArray[Any] | None = entry.run(array, out, 0)
    note(entry, array, out, made)
    if made is not None:
        return made
    made = correlate_weights(array.copy(order="C"), filters, weights_key, options, None, entry.dtype)
    if out is None:
        return made
    out[...] = made
    return out


@contextlib.contextmanager
def noting(steps: list[Step]) -> Iterator[list[Step]]:
    """While it is entered, what runs is noted in this list."""
    token = STEPS.set(steps)
    try:
        yield steps
    finally:
        STEPS.reset(token)


def note(entry: Entry | None, array: Any, out: Any, made: Any) -> None:
    """Notes what ran where that is asked for: an entry, from an array to `made`; into `out`, or a new array where it is None."""
    steps = STEPS.get()
    if steps is not None:
        steps.append((entry, array, out, made))


def note_more() -> None:
    """What runs now is more than passes of the engine: a list that notes it stands for no chain of these."""
    note(None, None, None, None)
