"""records.py: the records of bench/results, read once, and how their numbers are written."""
import functools
import json
import math
from pathlib import Path

RESULTS = Path(__file__).resolve().parent.parent / "results"


@functools.lru_cache(maxsize=None)
def record(name):
    """The record bench/results/NAME.json."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def digits(value, count=3):
    """`count` significant digits, whole numbers from 1,000 on: 0.0083, 6.75, 511, 1,971."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    value = float(f"{value:.{count - 1}e}")
    if value == 0:
        return "0"
    return f"{value:,.{max(0, count - 1 - math.floor(math.log10(abs(value))))}f}"


def percent(value):
    return f"{value:.0%}"


def times(value):
    """How many times as fast: two decimals below 10, one below 100."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def joined(values):
    """Several values of one cell, a value that all share written once."""
    return values[0] if len(set(values)) == 1 else " / ".join(values)


def table(headings, rows):
    """A Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
