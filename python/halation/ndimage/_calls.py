"""_calls.py: a call like an earlier one runs what that one prepared, without asking again what its arguments mean.

Calls are alike where their arrays have the same shapes, strides and types and all else is equal and of the same types
(native/calls.cpp). Only those are remembered that came down to passes of the engine, one into the other, from the input to the
result.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .. import _cache, _gpu, _native
from .._threads import LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from .._arrays import OnGpu
    from .._types import Entry

    KeyOf: TypeAlias = Callable[[object, tuple[object, ...], dict[str, Any], object], Hashable | None]

MOST_CALLS = 256
MOST_BYTES = 1 << 18  # that all passes of a call keep
_programs: OrderedDict[Hashable, tuple[tuple[Entry, int | str | None], ...]] = OrderedDict()


def keys_of(function: Callable[..., Any]) -> KeyOf | None:
    """What tells calls of a function from others, after its input; none for one that calls a function of the caller's."""
    names = list(inspect.signature(function).parameters)[1:]
    return None if "extra_arguments" in names else _native.CallKeys(names).of


def call(
    function: Callable[..., Any], key_of: KeyOf | None, library: OnGpu | None, input: Any, args: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """function(input, *args, **keywords) for an array of NumPy's, or of a library on a GPU."""
    if key_of is None or _cache.STEPS.get() is not None:
        return function(input, *args, **keywords)
    key = key_of(input, args, keywords, LIMIT.get())
    if key is None:
        return function(input, *args, **keywords)
    program = _programs.get(key)
    if program is None:
        return _recorded(key, function, input, args, keywords)
    made = input
    stream = 0 if library is None else library.stream(input)
    for entry, place in program:
        out = None if place is None else keywords[place] if isinstance(place, str) else args[place]
        if out is not None and _may_not_be_written(library, input, out):
            return function(input, *args, **keywords)
        if out is None and library is not None:
            out = library.empty(entry.shape, entry.dtype, input)
        made = entry.run(made, out, stream)
        if made is None:
            break
    return function(input, *args, **keywords) if made is input or made is None else made


def _may_not_be_written(library: OnGpu | None, input: Any, out: Any) -> bool:
    """Whether an output is read-only, which is refused elsewhere, or shares memory with the input, which takes a temporary."""
    if library is not None:
        return _gpu.overlap(input, out)
    return np.may_share_memory(input, out) or not out.flags.writeable


def _recorded(key: Hashable, function: Callable[..., Any], input: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Calls the function, and remembers what it came down to: nothing where that is no chain of passes."""
    with _cache.noting([]) as steps:
        result = function(input, *args, **keywords)
    given = input
    program: list[tuple[Entry, int | str | None]] = []
    for entry, array, out, made in steps:
        place = None if out is None else _place_of(out, args, keywords)
        if array is not given or made is None or out is not None and (place is None or made is not result):
            break
        program.append((entry, place))
        given = made
    is_chain = len(program) == len(steps) and given is result
    if not is_chain or sum([entry.kept_bytes for entry, _ in program]) > MOST_BYTES:
        program = []
    _programs[key] = tuple(program)
    if len(_programs) > MOST_CALLS:
        _programs.popitem(last=False)
    return result


def _place_of(out: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> int | str | None:
    """Where an argument stands: its index or its name; None where it is none."""
    places: list[tuple[int | str, Any]] = [*enumerate(args), *keywords.items()]
    for place, value in places:
        if value is out:
            return place
    return None
