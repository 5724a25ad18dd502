"""_cv_words.py: OpenCV's constants, types and errors, and what its functions share."""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
from collections.abc import Callable
from typing import Any, SupportsIndex, TypeVar, cast

from ._traceback import as_cause, shorten

_Function = TypeVar("_Function", bound=Callable[..., Any])

BORDER_CONSTANT, BORDER_REPLICATE, BORDER_REFLECT, BORDER_WRAP, BORDER_REFLECT_101, BORDER_TRANSPARENT = range(6)
BORDER_REFLECT101 = BORDER_DEFAULT = BORDER_REFLECT_101
BORDER_ISOLATED = 16
CV_8U, CV_8S, CV_16U, CV_16S, CV_32S, CV_32F, CV_64F, CV_16F = range(8)
_CN_SHIFT = 5  # as in OpenCV 5; 3 in OpenCV 4
FILTER_SCHARR = -1
IMREAD_UNCHANGED, IMREAD_GRAYSCALE, IMREAD_COLOR, IMREAD_ANYDEPTH, IMREAD_ANYCOLOR = -1, 0, 1, 2, 4
IMREAD_COLOR_BGR, IMREAD_COLOR_RGB, IMREAD_IGNORE_ORIENTATION = IMREAD_COLOR, 256, 128
IMWRITE_JPEG_QUALITY, IMWRITE_JPEG_OPTIMIZE, IMWRITE_PNG_COMPRESSION, IMWRITE_PNG_STRATEGY = 1, 3, 16, 17
IMWRITE_WEBP_QUALITY, IMWRITE_WEBP_LOSSLESS_MODE, IMWRITE_TIFF_COMPRESSION, IMWRITE_TIFF_PREDICTOR = 64, 65, 259, 317
IMWRITE_AVIF_QUALITY, IMWRITE_AVIF_SPEED = 512, 514
ALGO_HINT_DEFAULT, ALGO_HINT_ACCURATE, ALGO_HINT_APPROX = range(3)


class Error:
    """Codes of errors."""

    StsBadArg = -5
    StsAssert = -215


class error(ValueError, TypeError):
    """What the functions of this module raise."""

    code: int
    err: str
    msg: str
    func: str
    file: str
    line: int

    def __init__(self, message: str = "", code: int = Error.StsAssert, func: str = "") -> None:
        super().__init__(message)
        self.code, self.err, self.msg, self.func, self.file, self.line = code, message, message, func, "", -1


def CV_MAKETYPE(depth: SupportsIndex, channels: SupportsIndex) -> int:
    """A depth and a number of channels as one number: ``CV_MAKETYPE(CV_8U, 3)`` is CV_8UC3."""
    return operator.index(depth) + (operator.index(channels) - 1 << _CN_SHIFT)


for _name in ("CV_8U", "CV_8S", "CV_16U", "CV_16S", "CV_32S", "CV_32F", "CV_64F", "CV_16F"):
    _depth_of_name = globals()[_name]
    globals()[_name + "C"] = functools.partial(CV_MAKETYPE, _depth_of_name)
    globals().update((f"{_name}C{channels}", CV_MAKETYPE(_depth_of_name, channels)) for channels in range(1, 5))

# What `halation.cv` has from here.
__all__ = [name for name in list(globals()) if name.isupper() and name[0] != "_" or name.startswith("CV_")] + ["Error", "error"]

_COMMON = {
    "src": "src : array\n        The image.",
    "ddepth": "ddepth : int\n        CV_8U to CV_64F or CV_16F: the type of the result; -1: that of `src`.",
    "dst": "dst : array, optional\n        Where the result goes, if of its shape and type; may be `src`.",
    "anchor": "anchor : (int, int), optional\n        x and y of the tap over the output; -1: the middle.",
    "delta": "delta : float, optional\n        Added before rounding.",
    "scale": "scale, delta : float, optional\n        Factor of the result, and what is added before rounding.",
    "border": "borderType : int, optional\n        What lies outside.",
    "result": "array\n        Of `src`'s shape and library.",
    "same": "array\n        Of `src`'s shape, type and library.",
}

# What OpenCV takes None for where there is no default: sizes, and 0 for numbers.
_SIZES = {("GaussianBlur", "ksize"), ("blur", "ksize"), ("boxFilter", "ksize")}
_NUMBERS = {"ddepth", "ksize", "sigma", "sigmaX", "dx", "dy", "top", "bottom", "left", "right", "borderType"}


def _zero(function: str, parameter: str) -> Any:
    return (0, 0) if (function, parameter) in _SIZES else 0 if parameter in _NUMBERS else None


def as_in_opencv(function: _Function) -> _Function:
    """Puts what functions share into a description, takes None for any default, and raises `error`."""
    words = function.__doc__ or ""
    for name, text in _COMMON.items():
        words = words.replace("{" + name + "}", text)
    function.__doc__ = words
    parameters = inspect.signature(function).parameters.values()
    of_none = {p.name: _zero(function.__name__, p.name) if p.default is p.empty else p.default for p in parameters}

    @functools.wraps(function)
    def called(*args: Any, **keywords: Any) -> Any:
        try:
            if any(value is None for value in args):
                defaults = tuple(of_none.values())[: len(args)]
                args = tuple([default if value is None else value for value, default in itertools.zip_longest(args, defaults)])
            for name, value in keywords.items():
                if value is None:
                    keywords[name] = of_none.get(name)
            return function(*args, **keywords)
        except error as of_another:
            of_another.func = function.__name__
            shorten(of_another)
            raise
        except (ValueError, TypeError) as why:
            code = Error.StsBadArg if isinstance(why, TypeError) else Error.StsAssert
            raise error(str(why), code, function.__name__) from as_cause(why)

    return cast(_Function, called)
