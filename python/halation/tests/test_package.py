"""test_package.py: examples in the documentation, what a call costs, the program, types."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
import timeit
from pathlib import Path

import numpy as np
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


def microseconds(call):
    """Of one call, the quickest of many hundred: what others do on the machine is none of it."""
    return min(timeit.repeat(call, number=50, repeat=200)) / 50 * 1e6


def test_overhead():
    image = np.random.default_rng(1).random((16, 16), np.float32)
    weights = np.random.default_rng(2).random((3, 3))
    out = np.empty_like(image)
    plan = halation.plan(image.shape, image.dtype, weights)
    assert microseconds(lambda: plan.run(image)) < 5
    assert microseconds(lambda: plan.run(image, out)) < 5
    for call in (
        lambda: halation.ndimage.correlate(image, weights),
        lambda: halation.ndimage.gaussian_filter(image, 1.0),
        lambda: halation.ndimage.uniform_filter(image, 3),
        lambda: halation.ndimage.sobel(image),
    ):
        assert microseconds(call) < 20


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
