"""_filter.py: filters as values: their weights, what these allow, and filters made of others."""

from __future__ import annotations

import itertools
import math
import numbers
import types
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np

from . import _filter_sums, _picture
from ._constructors import Constructors
from ._taps import MOST_WEIGHTS, anchor_in, brief, by, checked, finite, flipped, have_axes, have_factors, rank_of, slabs, weight_at
from ._traceback import one_frame
from ._weights import multiplied_out, taps_and_key

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._types import Indices, Real, Shape, Taps

_MOST_RANKED = 1 << 16  # weights whose rank a repr computes


class _MakeSeparable(Protocol):
    def __call__(self, *factors: ArrayLike, anchor: Indices | None = None) -> Filter: ...


class _Separable:
    """``Filter.separable(...)`` makes a filter, ``filter.separable`` tells whether it is one."""

    @overload
    def __get__(self, filter_: None, owner: type[Filter]) -> _MakeSeparable: ...
    @overload
    def __get__(self, filter_: Filter, owner: type[Filter]) -> bool: ...
    def __get__(self, filter_: Filter | None, owner: type[Filter]) -> _MakeSeparable | bool:
        return types.MethodType(_separable, owner) if filter_ is None else filter_.rank in (0, 1)


class Filter(Constructors):
    """Weights with an anchor: what `halation.convolve`, `halation.correlate` and `halation.plan` compute with. Immutable.

    ``Filter(weights)`` has dense weights, of any number of axes. ``Filter.separable(y, x)`` is the product of rows of weights, one for
    each axis in the order of arrays, z, y, x; of any filter, ``filter.separable`` tells whether it is such a product.
    ``Filter.gaussian(sigma=2)`` and its like are the library's named filters: all of docs/filters.md but `edges`, which is no single
    filter (``halation.edges(image)`` filters by it). They are along as many axes as `dims` says, or as values are given for each
    axis, else two.

    Two filters make a third: ``a + b`` and ``a - b``, whose anchors lie over each other; ``a @ b``, or ``b.then(a)``, does what `b`
    and then `a` do, away from borders: the convolution of the two. ``2 * a`` and ``a / 2`` scale. Filters are equal where their
    weights, anchors and directions are. They pickle.

    Parameters
    ----------
    weights : array
        Real and finite, with at least one axis.
    anchor : int or tuple of int, optional
        The tap that lies over the output, from 0, for all axes or each; half of the taps, rounded down, unless given.

    Raises
    ------
    TypeError, ValueError
        For what is no such weights, and anchors outside of them.

    Examples
    --------
    >>> import halation
    >>> from halation import Filter
    >>> Filter([[0, -1, 0], [-1, 5, -1], [0, -1, 0]])
    <halation.Filter 3x3, rank 2, sum 1>
    >>> Filter.separable([1, 2, 1], [1, 0, -1])
    <halation.Filter 3x3, separable, sum 0>
    >>> soft = Filter.gaussian(sigma=2)
    >>> soft
    <halation.Filter gaussian 17x17, separable, sum 1>
    >>> sharp = Filter.identity() + 0.5 * (Filter.identity() - soft)
    >>> sharp.shape, round(sharp.sum, 9)
    ((17, 17), 1.0)
    >>> soft @ soft == soft.then(soft)
    True
    """

    _taps: Taps
    _anchor: Shape
    _name: str
    _is_correlation: bool
    _cached: dict[str, Any]
    __slots__ = ("_taps", "_anchor", "_name", "_is_correlation", "_cached", "__weakref__")
    __array_ufunc__ = None  # so that NumPy's numbers leave products to this class

    separable: _Separable = _Separable()

    @one_frame
    def __init__(self, weights: ArrayLike, *, anchor: Indices | None = None) -> None:
        if isinstance(weights, Filter):
            raise TypeError("weights are an array; this is a Filter, which needs no other: with_anchor gives it another anchor")
        self._set(have_axes(checked(weights)), anchor)

    def _set(self, taps: Taps, anchor: Indices | None = None, name: str = "", is_correlation: bool = False) -> None:
        """`taps`: dense weights, or a tuple of factors."""
        for row in taps if isinstance(taps, tuple) else (taps,):
            row.flags.writeable = False
        self._taps, self._name, self._is_correlation, self._cached = taps, name, is_correlation, {}
        self._anchor = tuple(n // 2 for n in self.shape) if anchor is None else anchor_in(self.shape, anchor)

    # What it is.

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights as an array, read-only; those of a separable filter multiplied out."""
        if isinstance(self._taps, tuple):
            if math.prod(self.shape) > MOST_WEIGHTS:
                raise ValueError(f"{by(self.shape)} weights are too many to be multiplied out; `factors` has them as rows")
            dense = np.array(multiplied_out(self._taps))
            dense.flags.writeable = False
            return dense
        return self._taps

    @property
    def factors(self) -> tuple[NDArray[np.float64], ...] | None:
        """The rows of weights, one for each axis, of which the filter was made; None where it was made of dense weights."""
        return self._taps if isinstance(self._taps, tuple) else None

    @property
    def shape(self) -> Shape:
        """Taps along each axis."""
        return tuple(len(row) for row in self._taps) if isinstance(self._taps, tuple) else self._taps.shape

    @property
    def ndim(self) -> int:
        """How many axes it runs along."""
        return len(self._taps) if isinstance(self._taps, tuple) else self._taps.ndim

    @property
    def taps(self) -> Taps:
        """The factors, or the weights where there are none: what `halation.plan` takes."""
        return self._taps

    @property
    def anchor(self) -> Shape:
        """The tap that lies over the output, from 0, for each axis."""
        return self._anchor

    @property
    def name(self) -> str:
        """Of a named filter, its name; else ''."""
        return self._name

    @property
    def is_correlation(self) -> bool:
        """Whether `convolve` correlates too, as with all named filters: derivatives are positive where brightness rises."""
        return self._is_correlation

    @property
    def sum(self) -> float:
        """What the weights sum to: what becomes of a flat area of 1."""
        if isinstance(self._taps, tuple):
            return math.prod(math.fsum(row) for row in self._taps)
        return math.fsum(self._taps.flat)

    @property
    def rank(self) -> int:
        """Of how few separable filters it is the sum, to rounding: 0 for weights that are all zero, 1 for a separable filter.

        Of three axes and more at least so many (the largest rank of the weights unfolded along one axis); 1 is exact. Costs a
        singular value decomposition of dense weights, once.
        """
        if "rank" not in self._cached:
            self._cached["rank"] = rank_of(self._taps)
        rank: int = self._cached["rank"]
        return rank

    # Others made of it.

    @one_frame
    def with_anchor(self, anchor: Indices) -> Filter:
        """The same weights with another anchor: a whole number for all axes or one for each."""
        return _make(self._taps, anchor_in(self.shape, anchor), self._name, self._is_correlation)

    @one_frame
    def as_correlation(self) -> Filter:
        """The same weights applied as a correlation by `halation.convolve` too, as all named filters are."""
        return _make(self._taps, self._anchor, self._name, True)

    @one_frame
    def then(self, other: Filter) -> Filter:
        """The filter that does what this one and then `other` do: the convolution of the two, ``other @ self``.

        It agrees with filtering twice where neither reaches past the border. Of separable filters it is separable.
        """
        _check_other("then", self, other)
        return _made_of(_filter_sums.composed(self, other))

    @one_frame
    def __matmul__(self, other: Filter) -> Filter:
        if not isinstance(other, Filter):
            return NotImplemented
        _check_other("@", self, other)
        return _made_of(_filter_sums.composed(other, self))

    @one_frame
    def __add__(self, other: Filter) -> Filter:
        if not isinstance(other, Filter):
            return NotImplemented
        _check_other("+", self, other)
        return _made_of(_filter_sums.added(self, other, 1.0))

    @one_frame
    def __sub__(self, other: Filter) -> Filter:
        if not isinstance(other, Filter):
            return NotImplemented
        _check_other("-", self, other)
        return _made_of(_filter_sums.added(self, other, -1.0))

    @one_frame
    def __mul__(self, number: Real) -> Filter:
        if not _is_number(number):
            return NotImplemented
        return _made_of(_filter_sums.scaled(self, float(number)))

    __rmul__ = __mul__

    @one_frame
    def __truediv__(self, number: Real) -> Filter:
        if not _is_number(number):
            return NotImplemented
        if number == 0:
            raise ZeroDivisionError("a filter is divided by a number other than 0")
        return _made_of(_filter_sums.divided(self, float(number)))

    def __neg__(self) -> Filter:
        return _made_of(_filter_sums.scaled(self, -1.0))

    def __pos__(self) -> Filter:
        return self

    # As a value.

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Filter):
            return NotImplemented
        if self is other:
            return True
        if (self.shape, self._anchor, self._is_correlation) != (other.shape, other._anchor, other._is_correlation):
            return False
        ours, theirs = self._taps, other._taps
        if not (isinstance(ours, tuple) and isinstance(theirs, tuple)):
            return np.array_equal(multiplied_out(ours), multiplied_out(theirs))
        return all(map(np.array_equal, ours, theirs)) or all(map(np.array_equal, slabs(ours), slabs(theirs)))

    def __hash__(self) -> int:
        """Of the weights in the corners, which filters that are equal have in common, dense or not."""
        if "hash" not in self._cached:
            corners = tuple(weight_at(self._taps, at) for at in itertools.islice(itertools.product((0, -1), repeat=self.ndim), 8))
            self._cached["hash"] = hash((self.shape, self._anchor, self._is_correlation, corners))
        made: int = self._cached["hash"]
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (self._taps, self._anchor, self._name, self._is_correlation)

    def __copy__(self) -> Filter:
        return self

    def __deepcopy__(self, memo: object) -> Filter:
        return self

    def __repr__(self) -> str:
        return f"<halation.Filter {self.in_words()}>"

    def in_words(self) -> str:
        """What matters of it, as reprs have it."""
        words = f"{self._name} {by(self.shape)}".strip()
        if self.factors is not None:
            words += ", separable"
        elif math.prod(self.shape) <= _MOST_RANKED and self.ndim > 1:
            words += f", rank {self.rank}"
        words += f", sum {brief(self.sum)}"
        if self._anchor != tuple(n // 2 for n in self.shape):
            words += f", anchor {self._anchor}"
        return words

    def _repr_html_(self) -> str:
        return _picture.of_weights(self._taps, self._anchor, f"halation.Filter {self.in_words()}")

    @classmethod
    def _of_list(cls, name: str, taps: Taps, anchor: Shape, is_correlation: bool) -> Filter:
        return _make(taps, anchor, name, is_correlation)

    def for_correlation(self, operation: str) -> tuple[Taps, Shape]:
        """(weights as the engine takes them, anchors) of a correlation that does what the operation of this filter does."""
        if self._is_correlation or operation == "correlation":
            return self._taps, self._anchor
        if "flipped" not in self._cached:
            if isinstance(self._taps, tuple):
                self._cached["flipped"] = flipped(self._taps, self._anchor)
            else:  # nobody changes them: a view, for a million weights are 8 MB
                anchors = tuple(n - 1 - at for n, at in zip(self._taps.shape, self._anchor))
                self._cached["flipped"] = (np.flip(self._taps), anchors)
        found: tuple[Taps, Shape] = self._cached["flipped"]
        return found


def filter_of(weights: Any, anchor: Indices | None) -> Filter:
    """The filter of what callers give for one: a Filter, dense weights, or a tuple of factors."""
    if isinstance(weights, Filter):
        return weights if anchor is None else weights.with_anchor(anchor)
    return Filter.separable(*weights, anchor=anchor) if have_factors(weights) else Filter(weights, anchor=anchor)


def taps_of(
    weights: Any, anchor: Indices | None, operation: str
) -> tuple[Taps, Shape]:
    """What callers give for a filter as (dense weights or factors, anchors) of a correlation that does what the operation does."""
    if isinstance(weights, Filter):
        return (weights if anchor is None else weights.with_anchor(anchor)).for_correlation(operation)
    taps, _, _ = taps_and_key(weights) if have_factors(weights) else taps_and_key(have_axes(weights if isinstance(weights, np.ndarray) else np.asarray(weights)))
    shape = tuple(map(len, taps)) if isinstance(taps, tuple) else taps.shape
    anchors = tuple([n // 2 for n in shape]) if anchor is None else anchor_in(shape, anchor)
    return (taps, anchors) if operation == "correlation" else flipped(taps, anchors)


def _make(taps: Taps, anchor: Shape, name: str = "", is_correlation: bool = False) -> Filter:
    """A filter of weights that are known to be such."""
    made = object.__new__(Filter)
    made._set(taps, anchor, name, is_correlation)
    return made


@one_frame
def _separable(owner: type[Filter], *factors: ArrayLike, anchor: Indices | None = None) -> Filter:
    """The product of rows of weights, one for each axis in the order of arrays, z, y, x: ``Filter.separable([1, 2, 1], [1, 0, -1])``.

    Parameters
    ----------
    *factors : 1-D array
        Real and finite.
    anchor : int or tuple of int, optional
        The tap that lies over the output, from 0, for all axes or each; half of the taps, rounded down, unless given.

    Returns
    -------
    Filter
    """
    if not factors:
        raise ValueError("a separable filter needs a row of weights for each axis, such as Filter.separable([1, 2, 1], [1, 0, -1])")
    rows = []
    for row in map(checked, factors):
        if row.ndim != 1:
            raise ValueError(f"a factor of a filter must be one row of weights, got shape {row.shape}")
        rows.append(row)
    made = object.__new__(owner)
    made._set(tuple(rows), anchor)
    return made


def _made_of(parts: tuple[Taps, Shape, bool]) -> Filter:
    taps, anchor, is_correlation = parts
    return _make(taps, anchor, "", is_correlation)


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) or isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "biuf"


def _check_other(sign: str, one: Filter, other: object) -> None:
    if not isinstance(other, Filter):
        raise TypeError(f"{sign} takes a Filter, got {type(other).__name__}")
    if one.ndim != other.ndim:
        raise ValueError(f"{sign} takes filters of as many axes, got {one.ndim} and {other.ndim}")
