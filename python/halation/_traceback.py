"""_traceback.py: of a traceback of the caller's mistake, one frame is the package's: that of the function that was called; and warnings
at the caller's line.

    def public(...):
        try:
            ...
        except Exception as error:
            shorten(error)
            raise

which costs nothing where nothing is raised; `one_frame` does so around functions that do not themselves, for some 50 ns.
HALATION_TRACEBACK=full in the environment keeps all frames, for work on the package.
"""

import ast
import functools
import inspect
import os
import sys
import warnings
from collections.abc import Callable
from types import FrameType, FunctionType, TracebackType
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Error = TypeVar("_Error", bound=BaseException)

_full = os.environ.get("HALATION_TRACEBACK") == "full"
_package, _tests = f"{__package__}", f"{__package__}.tests"


def is_ours(module: str) -> bool:
    """Whether a module, by its name, is the package's, its tests aside."""
    return (module == _package or module.startswith(_package + ".")) and not module.startswith(_tests)


def warn(sentence: str, category: type[Warning] = UserWarning) -> None:
    """Warns at the caller's line, behind all frames of the package's."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and is_ours(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, category, stacklevel=level)


def shorten(error: BaseException) -> None:
    """Takes the package's frames behind the first out of an error's traceback, and all of what it was raised from.

    Frames of functions of the caller's, which the package had called, stay.
    """
    if _full:
        return
    first = error.__traceback__
    if first is not None:
        first.tb_next = _beyond(first.tb_next)
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        as_cause(cause)


def as_cause(error: _Error) -> _Error:
    """An error from which another is raised, without the package's frames, which those of the other one tell."""
    if not _full:
        error.__traceback__ = _beyond(error.__traceback__)
    return error


def _beyond(entry: TracebackType | None) -> TracebackType | None:
    """The first entry of a traceback that is not the package's."""
    while entry is not None and is_ours(entry.tb_frame.f_globals.get("__name__", "")):
        entry = entry.tb_next
    return entry


def one_frame(function: _Function) -> _Function:
    """A function around another with the same parameters: of the other's mistakes the caller sees that one's frame alone."""
    plain = cast(FunctionType, function)
    code, name = plain.__code__, plain.__name__
    names = code.co_varnames[: code.co_argcount]
    by_name = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if code.co_flags & inspect.CO_VARARGS else ""
    taken = [*names, *([f"*{rest}"] if rest or by_name else []), *by_name]
    given = [*names, *([f"*{rest}"] if rest else []), *(f"{each}={each}" for each in by_name)]
    tree = ast.parse(
        f"def {name}({', '.join(taken)}):\n try:\n  return function({', '.join(given)})\n"
        " except Exception as error:\n  shorten(error)\n  raise"
    )
    for node in ast.walk(tree):  # in tracebacks the line of the definition, which stands behind the decorator's
        if isinstance(node, (ast.stmt, ast.expr, ast.arg, ast.keyword, ast.excepthandler)):
            node.lineno = node.end_lineno = code.co_firstlineno + 1
            node.col_offset = node.end_col_offset = 0
    scope: dict[str, Any] = {"__name__": plain.__module__, "function": function, "shorten": shorten}
    exec(compile(tree, code.co_filename, "exec"), scope)
    around: FunctionType = scope[name]
    around.__defaults__, around.__kwdefaults__ = plain.__defaults__, plain.__kwdefaults__
    return cast(_Function, functools.update_wrapper(around, function))
