"""halation: convolution as fast as memory can be read.

`halation.convolve` and `halation.correlate` filter an array by a `Filter`, any weights, or a chain of filters, "gaussian sigma=2 |
edges"; `halation.filter_file` filters image files of any size; `halation.gaussian` and its like are the named filters; `halation.plan`
prepares a filter once, for many arrays. `halation.ndimage`, `halation.signal` and `halation.cv` take
the place of the linear filters of SciPy and OpenCV, `halation.dask` filters Dask arrays. ``with halation.threads(2):`` limits the CPU
threads of all calls. ``dir(halation)`` lists all of it.
"""

import importlib
import os

from ._channels import ChannelWarning
from ._convolve import convolve, correlate
from ._filter import Filter
from ._named import FILTERS as _list
from ._native import devices
from ._plan import Plan, plan
from ._threads import threads

__version__ = "0.1.0"
# What is loaded when first asked for: submodules, and other names with where they stand.
_modules = ("cv", "dask", "filters", "ndimage", "signal")
_late = {"Metadata": "_files", "filter_file": "_filter_file", "imread": "_files", "imwrite": "_files", **dict.fromkeys(_list, "filters")}
__all__ = ["ChannelWarning", "Filter", "Plan", "convolve", "correlate", "devices", "plan", "threads", *_late]


def __getattr__(name):
    if name in _late:
        value = getattr(importlib.import_module("." + _late[name], __name__), name)
        globals()[name] = value
        return value
    if name in _modules:
        try:
            return importlib.import_module("." + name, __name__)
        except ModuleNotFoundError as error:
            if error.name != __name__ + "." + name:
                raise
    raise AttributeError(f"module 'halation' has no attribute '{name}'")


def __dir__():
    return sorted([*__all__, *_modules, "__version__", "__doc__"])


def _load_numpys():
    """What of NumPy calls load late: a module that another thread was loading at a fork never loads in the child."""
    importlib.import_module("numpy.polynomial")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_load_numpys)
