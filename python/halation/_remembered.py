"""_remembered.py: results of functions of hashable arguments, kept."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

_P = ParamSpec("_P")
_R = TypeVar("_R")


def remembered(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The results of a function of hashable arguments, kept; of others (lists, arrays) made anew.

    Arguments that are equal and of different types (3 and 3.0, 1 and True) are different ones: some are refused.
    """
    plain = cast(Callable[..., _R], function)
    flat = functools.lru_cache(maxsize=256, typed=True)(plain)

    @functools.lru_cache(maxsize=256)
    def nested(_: Any, args: Any) -> _R:
        return plain(*args)

    @functools.wraps(function)
    def call(*args: Any) -> _R:
        try:
            if tuple not in map(type, args):
                return flat(*args)
            hash(args)
        except TypeError:
            return plain(*args)
        return nested(_types_of(args), args)

    return cast(Callable[_P, _R], call)


def _types_of(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([_types_of(value) if type(value) is tuple else type(value) for value in values])
