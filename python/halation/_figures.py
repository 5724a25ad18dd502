"""_figures.py: what steps take, as measured on a machine: the text figures/zen4.txt, a line a figure."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Figures(NamedTuple):
    """Seconds, and how many times as long; see the text."""

    call: float
    product: float
    integer_product: float
    integer_row: float
    counts: float
    counted: float
    part: float
    summed: float
    summed_row: float
    transformed: float
    of_volumes: float
    of_complex: float
    times_volumes: float
    times_pictures: float
    pair: float
    pair_sample: float
    numpy: float
    numpy_axis: float
    numpy_real: float
    numpy_complex: float
    numpy_apart: float
    numpy_product: float
    numpy_byte: float


def _read(name: str) -> Figures:
    lines = Path(__file__).with_name("figures").joinpath(f"{name}.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(";") for line in lines if line and not line.startswith("#"))
    return Figures(**{figure.strip(): float(value) for figure, value in pairs})


TAKES = _read("zen4")
