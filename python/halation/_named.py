"""_named.py: the library's list of named filters: their parameters as Python has them, and their weights."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from . import _native
from ._remembered import remembered
from ._traceback import shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ._types import Shape, Taps

    Values: TypeAlias = tuple[tuple[str, tuple[float, ...]], ...]

FILTERS = {facts["name"]: facts for facts in _native.named_filters()}


def _numbers(name: str, parameter: dict[str, Any], value: Any) -> list[float]:
    """A parameter's value as the library takes it: a list of numbers."""
    if isinstance(value, str):
        if value not in parameter["choices"]:
            allowed = parameter["allowed"] if parameter["choices"] else "a number"
            raise ValueError(f"{name}: {parameter['name']} must be {allowed}, got '{value}'")
        return [float(parameter["choices"].index(value))]
    try:
        return [float(one) for one in value] if np.iterable(value) else [float(value)]
    except (TypeError, ValueError):
        raise TypeError(f"{name}: {parameter['name']} must be {parameter['allowed']}, got {value!r}") from None


def values_of(name: str, arguments: Mapping[str, Any]) -> Values:
    """The arguments that were given, as the library takes them, hashable: ((name, numbers), ...)."""
    return tuple([(p["name"], tuple(_numbers(name, p, arguments[p["name"]]))) for p in FILTERS[name]["parameters"]
                  if arguments[p["name"]] is not None])


@remembered
def made(name: str, dims: int, values: Values) -> tuple[list[tuple[Taps, Shape, bool]], bool]:
    """What the library makes of a name along so many axes: [(dense weights or tuple of factors, anchor, whether it is always a
    correlation), ...], and whether the magnitude of several is meant."""
    filters, is_magnitude = _native.make_filter(name, {key: list(numbers) for key, numbers in values}, dims)
    described: list[tuple[Taps, Shape, bool]] = []
    for one in filters:
        if "factors" in one:
            weights: Taps = tuple([np.array(factor) for factor in one["factors"][3 - dims:]])
        else:
            weights = np.array(one["weights"]).reshape(one["size"][3 - dims:])
        described.append((weights, tuple(one["anchor"][3 - dims:]), one["is_correlation"]))
    return described, is_magnitude


def _default(parameter: dict[str, Any]) -> Any:
    """A parameter's default as Python has it; None where it follows from others."""
    value = parameter["default"]
    if value is None:
        return None
    if parameter["choices"]:
        return parameter["choices"][int(value)]
    return int(value) if parameter["integer"] else value


def _kind(parameter: dict[str, Any]) -> str:
    """What a parameter takes, as documentation has it."""
    if parameter["choices"]:
        return "{" + ", ".join(f"'{choice}'" for choice in parameter["choices"]) + "}"
    kind = "int" if parameter["integer"] else "float"
    return f"{kind} or sequence of {kind}" if parameter["per_axis"] else kind


def wrapped(text: str, indent: str) -> str:
    """Text in lines of documentation."""
    return textwrap.fill(text, 110, initial_indent=indent, subsequent_indent=indent)


def parameters_in_words(facts: dict[str, Any]) -> list[str]:
    """The lines of documentation of a filter's own parameters."""
    lines = []
    for p in facts["parameters"]:
        lines.append(f"{p['name']} : {_kind(p)}, optional")
        unit = f" {p['unit']}" if p["unit"] else ""
        allowed = "" if p["choices"] else f", {p['allowed']}{unit}"
        order = "; of several values the order is z, y, x, as of array's axes" if p["per_axis"] else ""
        lines.append(wrapped(p["meaning"][:1].upper() + p["meaning"][1:] + allowed + order + ".", "    "))
    return lines


def head_in_words(facts: dict[str, Any]) -> list[str]:
    """The lines of documentation that say what a filter is."""
    return [facts["summary"] + ".", "", wrapped(f"Weights: {facts['formula']}.".replace("..", "."), ""), ""]


def function(facts: dict[str, Any], first: Sequence[str], shared: Sequence[str], call: str, module: str, **scope: Any) -> Any:
    """A function of a filter's own parameters, written out so that a call costs no more than one written by hand.

    `first` are the parameters before the filter's own, `shared` those behind, as source; `call` is what it returns, as source with
    {name} and {given}, a dictionary of the filter's own arguments; `scope` are the names in it.
    """
    own = [f"{p['name']}={_default(p)!r}" for p in facts["parameters"]]
    given = "{" + ", ".join(f"'{p['name']}': {p['name']}" for p in facts["parameters"]) + "}"
    scope.update(__name__=module, shorten=shorten)
    body = call.replace("{name}", repr(facts["name"])).replace("{given}", given)
    lines = [f"def {facts['name']}({', '.join([*first, *own, *shared])}):", "    try:", f"        return {body}",
             "    except Exception as error:", "        shorten(error)", "        raise"]
    exec(compile("\n".join(lines), f"<{scope['__name__']}>", "exec"), scope)
    return scope[facts["name"]]
