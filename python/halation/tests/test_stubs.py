"""Stubs say what the functions are, and cannot fall behind them."""
import os
from typing import get_args

import pytest

pytest.importorskip("dask.array")  # of whose functions there is a stub too

from halation import _border, _types
from halation.tests.stubs import FOLDER, stubs


@pytest.mark.parametrize("name", sorted(stubs()))
def test_stubs(name):
    file, wanted = FOLDER / name, stubs()[name]
    if os.environ.get("HALATION_WRITE_DOCS"):
        file.write_text(wanted)
    assert file.read_text() == wanted, "HALATION_WRITE_DOCS=1 writes it anew"


def test_borders():
    assert set(get_args(_types.Border)) == {*_border.BORDERS, *_border.SYNONYMS}
