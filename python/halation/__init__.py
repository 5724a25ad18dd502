"""halation: convolution as fast as memory can be read.

`halation.ndimage` takes the place of the linear filters of `scipy.ndimage`; `halation.plan` prepares a filter once, for many
arrays; ``with halation.threads(2):`` limits the CPU threads of all calls.
"""

import importlib
import os

from ._plan import Plan, plan
from ._native import devices
from ._threads import threads

__version__ = "0.1.0"
__all__ = ["Plan", "plan", "devices", "threads"]
_modules = ("cv", "dask", "filters", "ndimage", "signal")  # loaded when first asked for


def __getattr__(name):
    if name in _modules:
        try:
            return importlib.import_module("." + name, __name__)
        except ModuleNotFoundError as error:
            if error.name != __name__ + "." + name:
                raise
    raise AttributeError(f"module 'halation' has no attribute '{name}'")


def __dir__():
    return sorted(__all__)


def _load_numpys():
    """What of NumPy calls load late: a module that another thread was loading at a fork never loads in the child."""
    importlib.import_module("numpy.polynomial")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_load_numpys)
