#!/usr/bin/env python3
"""check_figures.py: fails where a source holds a number that looks measured.

    check_figures.py ROOT      checks the tree
    check_figures.py --test    checks the checker

What machines take stands in the texts of src/*/figures/. In sources a number with an exponent is a power of ten, which changes units,
and in what makes prices a number with a fraction is a half, or a thousandth and the like; others are listed here, each with its reason.
"""
import math
import re
import sys
import tempfile
from pathlib import Path

import checker

FOLDERS = ("src/core", "src/cpu", "src/cuda", "src/plan", "src/pipeline", "src/reference", "app", "python/native", "python/halation")
SOURCES = {".h", ".cpp", ".cu", ".cuh", ".py"}
PRICES = re.compile(r"LaunchShape|\b(nano)?seconds\b|\brates\b")
NUMBER = re.compile(r"(?<![\w.])((?:\d+\.?\d*|\.\d+)[eE][+-]?\d+|\d*\.\d+)(?=[fFlL]?(?![\w.]))")

# Numbers of a file, and why they stand there.
ALLOWED = {
    "src/core/stopwatch.h": ({"999.5e-6", "999.5e-3", "999.5"}, "below which a time has three digits in its unit"),
    "src/cpu/compose/axis_by_axis.cpp": ({"4e9"}, "bytes of scratch that are asked for at most"),
    "src/cpu/cpu.cpp": ({"0.02"}, "a slope, so that more work never seems quicker"),
    "src/cpu/fft/lengths.cpp": ({"0.36", "1.25"}, "the scratch of tiles beside the image"),
    "src/cuda/device/gpu.cu": ({"1.5e6", "4e6", "300e9"}, "what a GPU counts as whose driver does not say its clock, cache or memory"),
    "src/cuda/parts/pixels.cuh": ({"3e38"}, "near the largest f32"),
    "src/cuda/fft/own_box.cuh": ({"2.2250738585072014e-308", "1.1754943508222875e-38"}, "the least normal numbers"),
    "src/cuda/running_box/y.cu": ({"0.65"}, "by how many warps a ring's strips are cut, beside its price"),
    "src/plan/choose.cpp": ({"200e-6", "20e-6"}, "a job so short is not looked at again: planning would take longer"),
    "src/plan/methods/fft.cpp": ({"1.1"}, "by how much it has to be quicker, not to be taken for what is not known better"),
    "src/reference/reference.cpp": ({"0.4e9"}, "multiply-adds of plain loops a second, on any machine"),
    "src/plan/timings/tune.cpp": ({"0.2"}, "seconds that timing takes at most"),
}


def without_comments(text, is_python):
    if is_python:
        text = re.sub(r'"""(?:\\.|[^\\])*?"""', "", text, flags=re.DOTALL)
        return re.sub(r"#[^\n]*", "", text)
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', "", text, flags=re.DOTALL)


def looks_measured(number, is_price):
    value = float(number)
    if value in (0, math.inf):
        return False
    decade = math.log10(value)
    if abs(decade - round(decade)) < 1e-9:
        return False
    return "e" in number.lower() or (is_price and value * 4 != round(value * 4))


def check(root):
    complaints, files, seen = [], 0, set()
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCES or "tests" in path.relative_to(root).parts:
                continue
            files += 1
            name = path.relative_to(root).as_posix()
            text = without_comments(path.read_text(encoding="utf-8"), path.suffix == ".py")
            is_price = name.startswith(("src/cpu", "src/cuda", "src/plan")) and PRICES.search(text) is not None
            for number in NUMBER.findall(text):
                if number in ALLOWED.get(name, ((), ""))[0]:
                    seen.add((name, number))
                elif looks_measured(number, is_price):
                    complaints.append(f"{name}: {number} looks measured; such figures stand in src/*/figures/")
    for name, (numbers, _) in ALLOWED.items():
        complaints += [f"{name} may have {number} but does not" for number in sorted(numbers) if (name, number) not in seen]
    return complaints, files


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, (numbers, _) in ALLOWED.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("".join(f"double a{i} = {number};\n" for i, number in enumerate(sorted(numbers))), encoding="utf-8")
        fine = root / "src/cuda/fine.cu"
        fine.write_text("LaunchShape f(double seconds) { return 1e-3 * 0.5 * seconds; }  // 3.7e-9\n", encoding="utf-8")
        if check(root)[0]:
            print("complains of units, halves, or a comment")
            return False
        fine.write_text("double a_row() { return 3.7e-9; }\n", encoding="utf-8")
        (root / "src/cpu/price.cpp").write_text("double price(double seconds) { return 0.37 * seconds; }\n", encoding="utf-8")
        (root / "src/cuda/device/gpu.cu").write_text("double a = 1.5e6, b = 4e6;\n", encoding="utf-8")
        if len(check(root)[0]) != 3:
            print("does not complain of a time, a share of one, or a number that is gone")
            return False
    return True


if __name__ == "__main__":
    sys.exit(checker.main(__doc__, check, self_test))
