"""_constructors.py: ``Filter.gaussian(sigma=2)`` and its like, from the library's list of named filters.

Their types stand in _constructors.pyi beside this file, made from the same list.
"""

import operator

from . import _named


class Constructors:
    """What makes filters by name. A class below it has _of_list(name, taps, anchor, is_correlation)."""

    __slots__ = ()

    @classmethod
    def _named(cls, name, arguments, dims):
        """One filter of the list along so many axes; None: as many as values were given for each axis, else two."""
        values = _named.values_of(name, arguments)
        if dims is None:
            each = [len(numbers) for _, numbers in values if len(numbers) > 1]
            dims = each[0] if each else 2
        try:
            dims = operator.index(dims)
        except TypeError:
            raise TypeError(f"{name}: dims must be 1, 2 or 3, got {dims!r}") from None
        allowed = _named.FILTERS[name]["dims"]
        if dims not in allowed:
            raise ValueError(f"{name}: dims must be {' or '.join(map(str, allowed))}, got {dims}")
        ((weights, anchor, is_correlation),), _ = _named.made(name, dims, values)
        return cls._of_list(name, weights, anchor, is_correlation)


def _description(facts):
    lines = _named.head_in_words(facts) + ["Parameters", "----------", *_named.parameters_in_words(facts), "dims : int, optional"]
    lines += ["    How many axes it runs along, the order of array's axes being z, y, x.", "", "Returns", "-------", "Filter"]
    return "\n".join(lines)


for _name, _facts in _named.FILTERS.items():
    if not _named.made(_name, _facts["dims"][-1], ())[1]:  # the magnitude of several filters
        _make = _named.function(_facts, ["cls"], ["*", "dims=None"], "cls._named({name}, {given}, dims)", __name__)
        _make.__doc__, _make.__qualname__ = _description(_facts), f"Filter.{_name}"
        setattr(Constructors, _name, classmethod(_make))
