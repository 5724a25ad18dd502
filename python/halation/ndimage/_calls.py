"""_calls.py: a call like an earlier one runs what that one prepared, without asking again what its arguments mean.

Calls are alike where their arrays have the same shapes, strides and types and all else is equal and of the same types
(native/calls.cpp). Only those are remembered that came down to passes of the engine, one into the other, from the input to the
result.
"""

import inspect
from collections import OrderedDict

import numpy as np

from .. import _cache, _native
from .._threads import LIMIT

MOST_CALLS = 256
MOST_WEIGHTS_BYTES = 1 << 16  # of all passes of a call
_programs = OrderedDict()


def keys_of(function):
    """What tells calls of a function from others, after its input; none for one that calls a function of the caller's."""
    names = list(inspect.signature(function).parameters)[1:]
    return None if "extra_arguments" in names else _native.CallKeys(names).of


def call(function, key_of, input, args, keywords):
    """function(input, *args, **keywords) for an array of NumPy's."""
    if key_of is None or _cache.STEPS.get() is not None:
        return function(input, *args, **keywords)
    key = key_of(input, args, keywords, LIMIT.get())
    if key is None:
        return function(input, *args, **keywords)
    program = _programs.get(key)
    if program is None:
        return _recorded(key, function, input, args, keywords)
    made = input
    for entry, place in program:
        out = None if place is None else keywords[place] if type(place) is str else args[place]
        if out is not None and (np.may_share_memory(input, out) or not out.flags.writeable):
            return function(input, *args, **keywords)
        made = entry.run(made, out, 0)
        if made is None:
            break
    return function(input, *args, **keywords) if made is input or made is None else made


def _recorded(key, function, input, args, keywords):
    """Calls the function, and remembers what it came down to: nothing where that is no chain of passes."""
    with _cache.noting([]) as steps:
        result = function(input, *args, **keywords)
    given, program = input, []
    for entry, array, out, made in steps:
        place = None if out is None else _place_of(out, args, keywords)
        if array is not given or made is None or out is not None and (place is None or made is not result):
            break
        program.append((entry, place))
        given = made
    is_chain = len(program) == len(steps) and given is result
    if not is_chain or sum([entry.weights_bytes for entry, _ in program]) > MOST_WEIGHTS_BYTES:
        program = []
    _programs[key] = tuple(program)
    if len(_programs) > MOST_CALLS:
        _programs.popitem(last=False)
    return result


def _place_of(out, args, keywords):
    """Where an argument stands: its index or its name; None where it is none."""
    for place, value in [*enumerate(args), *keywords.items()]:
        if value is out:
            return place
    return None
