"""test_package.py: examples in the documentation, the program, types."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import halation
import halation.ndimage

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(halation.__path__, "halation.")
    if ".tests" not in info.name and not info.name.endswith(("__main__", "dask"))
)


@pytest.mark.parametrize("name", ["halation", *MODULES])
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_function_has_an_example():
    for name in halation.ndimage.__all__:
        assert ">>>" in getattr(halation.ndimage, name).__doc__, name
        assert "{" not in getattr(halation.ndimage, name).__doc__.split("Examples")[0], name


def test_program():
    made = subprocess.run([sys.executable, "-m", "halation", "--version"], capture_output=True, text=True, check=False)
    if (Path(halation.__file__).parent / "bin" / "halation").exists():
        assert made.returncode == 0 and halation.__version__ in made.stdout
    else:
        assert made.returncode == 1 and "built without the program" in made.stderr


def test_typed():
    folder = Path(halation.__file__).parent
    assert (folder / "py.typed").exists()
    stub = folder / "_native.pyi"
    if not stub.exists():
        pytest.skip("a development copy has no stubs")
    assert "class Plan" in stub.read_text()


def test_signatures():
    """Those of SciPy's functions, argument by argument."""
    import inspect

    theirs = pytest.importorskip("scipy.ndimage")
    from scipy.ndimage import _filters

    assert theirs
    for name in halation.ndimage.__all__:
        there = inspect.signature(getattr(_filters, name)).parameters
        here = inspect.signature(getattr(halation.ndimage, name)).parameters
        assert list(here) == list(there), name
        for parameter in here.values():
            assert (parameter.kind, parameter.default) == (there[parameter.name].kind, there[parameter.name].default), (
                name,
                parameter,
            )
