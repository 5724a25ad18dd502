"""stubs.py: what the stubs of functions say that are made from the list of filters, or give back arrays of the kind they are given.

Parameters are those of the functions themselves, annotated where they are written; each kind of array is an overload of its own.
"""
import inspect
import re
from pathlib import Path

import halation
from halation import _constructors, _convolve, _cv_words, _named, cv, dask, ndimage, signal

FOLDER = Path(halation.__file__).parent
ARRAY = "NDArray[Any]"
# What a function takes and gives: NumPy's arrays, those of another library, and what NumPy makes arrays of.
OF_ONE = [(ARRAY, ARRAY), ("A", "A"), ("ArrayLike", ARRAY)]
OF_CV = [(ARRAY, ARRAY), ("A", "A"), ("Rows", ARRAY)]
OF_TWO = [(ARRAY, ARRAY), ("A", "A"), ("ArrayLike | Array", "Any")]
KEYWORDS = ["truncate: Real = 4.0", "radius: Indices | None = None"]  # of Gaussians, by way of **kwargs
SHARED = ["*", "axes: Indices | None = None", "channel_axis: Index | None = None", 'border: Borders = "reflect101"', "cval: Real = 0.0",
          "output: Output = None", "alpha: bool = False", 'view: Literal["signed", "abs", "stretch"] | None = None']


def _literal(value):
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _words(p):
    """A parameter as source."""
    if p.kind is p.VAR_KEYWORD:
        return KEYWORDS
    return [f"{p.name}: {p.annotation}" + ("" if p.default is p.empty else f" = {_literal(p.default)}")]


def _parameters(function):
    words, starred = [], False
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.KEYWORD_ONLY and not starred:
            words, starred = [*words, "*"], True
        words += _words(p)
    return words


def _definition(name, parameters, result, *decorators):
    lines = [*(f"@{each}" for each in decorators), f"def {name}(", *(f"    {each}," for each in parameters), f") -> {result}: ..."]
    return lines


def _overloads(name, parameters, inputs, kinds):
    """A definition for each kind of array that the parameters `inputs` may be."""
    lines = []
    for taken, given in kinds:
        each = [re.sub(r": .*", f": {taken}", p) if p.split(":")[0] in inputs else p for p in parameters]
        lines += _definition(name, each, given, "overload")
    return lines


def _own(facts):
    """The parameters of a named filter."""
    words = []
    for p in facts["parameters"]:
        kind = "Index" if p["integer"] else "Real"
        if p["choices"]:
            kind = "Literal[" + ", ".join(f'"{choice}"' for choice in p["choices"]) + "]"
        elif p["per_axis"]:
            kind = "Indices" if p["integer"] else "Reals"
        default = _named._default(p)
        words.append(f"{p['name']}: {kind}{' | None' if default is None else ''} = {_literal(default)}")
    return words


def _file(name, body, types):
    """A stub with the imports that it needs, `types` those of the package."""
    text = "\n".join(body)
    used = [f"from {module} import {', '.join(found)}" for module, names in (
        ("collections.abc", ["Callable", "Mapping", "Sequence"]), ("typing", ["Any", "Final", "Literal", "overload"]),
        ("numpy.typing", ["ArrayLike", "NDArray"]),
        (types, ["A", "Accuracy", "Array", "Border", "Borders", "Extent", "Index", "Indices", "Method", "Number", "Numbers", "Output", "Real",
                 "Reals", "Rounding", "Rows", "Sum", "Tune", "View"]),
    ) if (found := [each for each in names if re.search(rf"(?<![\w.\"]){each}\b(?!\")", text)])]
    head = f'"""{name}: types; made by tests/test_stubs.py (HALATION_WRITE_DOCS=1)."""'
    return "\n".join([head, *used, "", text]) + "\n"


def _all(names):
    return ["__all__ = [", *(f'    "{name}",' for name in names), "]", ""]


def _filters():
    body = _all(_named.FILTERS)
    for name, facts in _named.FILTERS.items():
        body += _overloads(name, ["image: Any", *_own(facts), *SHARED], ["image"], OF_ONE)
    return _file("filters.pyi", body, "._types")


def _constructors_of_filters():
    body = ["from ._filter import Filter", "", "class Constructors:"]
    for name, facts in _named.FILTERS.items():
        if hasattr(_constructors.Constructors, name):
            lines = _definition(name, ["cls", *_own(facts), "*", "dims: Index | None = None"], "Filter", "classmethod")
            body += [f"    {line}" for line in lines]
    return _file("_constructors.pyi", body, "._types")


def _convolutions():
    body = ["from ._filter import Filter", ""]
    for name in ("convolve", "correlate"):
        body += _overloads(name, _parameters(getattr(_convolve, name)), ["image"], OF_ONE)
    return _file("_convolve.pyi", body, "._types")


def _ndimage():
    body = _all(ndimage.__all__)
    for name in ndimage.__all__:
        body += _overloads(name, _parameters(getattr(ndimage, name)), ["input"], OF_ONE)
    return _file("__init__.pyi", body, ".._types")


def _signal():
    body = _all(signal.__all__)
    for name in signal.__all__:
        two = name != "sepfir2d"
        body += _overloads(name, _parameters(getattr(signal, name)), ["in1", "in2"] if two else ["input"], OF_TWO if two else OF_ONE)
    return _file("signal.pyi", body, "._types")


def _cv():
    body = ["from ._cv_words import CV_MAKETYPE as CV_MAKETYPE, Error as Error, error as error", "from ._files import Path", ""]
    body += _all(cv.__all__)
    for name in _cv_words.__all__:
        value = getattr(cv, name)
        if isinstance(value, int):
            body.append(f"{name}: Final = {value}")
        elif name.endswith("C"):
            body += _definition(name, ["channels: Index"], "int")
    for name in cv.__all__:
        function = getattr(cv, name)
        if name == "error":
            continue
        parameters = _parameters(function)
        if name == "magnitude":
            body += _overloads(name, parameters, ["x", "y"], [*OF_CV[:2], ("Array | Rows", "Any")])
        elif name == "spatialGradient":
            body += _overloads(name, parameters, ["src"], [(taken, f"tuple[{given}, {given}]") for taken, given in OF_CV])
        elif parameters[0].startswith("src:"):
            body += _overloads(name, parameters, ["src"], OF_CV)
        else:
            body += _definition(name, parameters, inspect.signature(function).return_annotation)
    return _file("cv.pyi", body, "._types")


def _dask():
    body = ["import dask.array as da", "from numpy.typing import DTypeLike", "", *_all(dask.__all__)]
    for name in dask.__all__:
        parameters = [re.sub("^input: .*", "input: da.Array", p) for p in _parameters(getattr(dask, name))]
        parameters = [re.sub("^output: .*", "output: DTypeLike | None = None", p) for p in parameters]
        body += _definition(name, parameters, "da.Array")
    return _file("dask.pyi", body, "._types")


def _package():
    late = halation._late
    body = ["from ._channels import ChannelWarning as ChannelWarning", "from ._convolve import convolve as convolve, correlate as correlate"]
    body += ["from ._filter import Filter as Filter", "from ._native import devices as devices"]
    body += ["from ._plan import Plan as Plan, plan as plan", "from ._threads import threads as threads"]
    body += [f"from .{late[name]} import {name} as {name}" for name in late]
    body += [f"from . import {name} as {name}" for name in halation._modules]
    return _file("__init__.pyi", ["", *sorted(body), "", "__version__: str", *_all(halation.__all__)], "._types")


def stubs():
    """What each file is to say."""
    return {"filters.pyi": _filters(), "_constructors.pyi": _constructors_of_filters(), "_convolve.pyi": _convolutions(),
            "ndimage/__init__.pyi": _ndimage(), "signal.pyi": _signal(), "cv.pyi": _cv(), "dask.pyi": _dask(), "__init__.pyi": _package()}
