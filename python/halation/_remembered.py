"""_remembered.py: results of functions of hashable arguments, kept."""

import functools


def remembered(function):
    """The results of a function of hashable arguments, kept; of others (lists, arrays) made anew.

    Arguments that are equal and of different types (3 and 3.0, 1 and True) are different ones: some are refused.
    """
    flat = functools.lru_cache(maxsize=256, typed=True)(function)

    @functools.lru_cache(maxsize=256)
    def nested(_, args):
        return function(*args)

    @functools.wraps(function)
    def call(*args):
        try:
            if tuple not in map(type, args):
                return flat(*args)
            hash(args)
        except TypeError:
            return function(*args)
        return nested(_types_of(args), args)

    return call


def _types_of(values):
    return tuple([_types_of(value) if type(value) is tuple else type(value) for value in values])
