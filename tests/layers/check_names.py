#!/usr/bin/env python3
"""check_names.py: fails where code names one of several alike that only its own record may name.

    check_names.py ROOT      checks the tree
    check_names.py --test    checks the checker

A method, a pixel or a border that is named in many files is added in many files.
"""
import re
import sys
import tempfile
from pathlib import Path

import checker

FOLDERS = ("src", "app", "python/native")

# What is named, where it is looked for, and the files that may name it (CONTRIBUTING.md lists them).
NAMES = {
    "a method": (
        re.compile(r"\bMethod::(?!automatic\b)\w+"),
        ("src/core", "src/cpu", "src/cuda", "src/plan", "src/pipeline", "src/reference", "src/filters"),
        {"src/core/names.cpp", *(f"src/plan/methods/{name}.cpp" for name in ("banded", "box", "direct", "fft", "low_rank", "multirate", "separable"))},
    ),
    "a pixel": (
        re.compile(r"\bPixel::i16\b"),
        FOLDERS,
        {
            # Named by what it is for: sums of u8, formats that have it, an element of two bytes.
            "src/cpu/int8/sums32/weights.cpp", "src/cuda/parts/pixels.cuh", "src/cuda/warp_strip/warp_strip.cu",
            "src/cuda/warp_strip/warp_strip.cuh", "src/io/tiff/stack_description.cpp", "src/io/tiff/tiff_stored.cpp",
            "src/io/tiff/tiff_writing.cpp", "src/pipeline/colour/display.cpp",
        },
    ),
    "a border": (
        re.compile(r"\bMode::wrap\b"),
        FOLDERS,
        {
            "src/core/border_index.h", "src/core/names.cpp", "src/cuda/parts/border.h",
            # What filters make of it: a short axis as a matrix, two filters as one, the order in a menu.
            "src/plan/analysis/fold.cpp", "src/pipeline/chain/join.cpp", "app/studio/answers/answers.cpp",
        },
    ),
}
SOURCES = {".h", ".cpp", ".cu", ".cuh"}


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def check(root):
    complaints, files = [], 0
    for what, (pattern, folders, allowed) in NAMES.items():
        named = set()
        for folder in folders:
            for path in sorted((root / folder).rglob("*")):
                if path.suffix not in SOURCES:
                    continue
                files += 1
                found = pattern.search(without_comments(path.read_text(encoding="utf-8")))
                if found:
                    name = path.relative_to(root).as_posix()
                    named.add(name)
                    if name not in allowed:
                        complaints.append(f"{name} names {what}, {found.group()}; only {', '.join(sorted(allowed))} may")
        complaints += [f"{name} may name {what} but does not" for name in sorted(allowed - named)]
    return complaints, files


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        samples = {"a method": "Method::box", "a pixel": "Pixel::i16", "a border": "Border::Mode::wrap"}
        for name in sorted(set().union(*(allowed for _, _, allowed in NAMES.values()))):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            named = [samples[what] for what, (_, _, allowed) in NAMES.items() if name in allowed]
            (root / name).write_text(f"const auto all = std::tuple({', '.join(named)});\n", encoding="utf-8")
        if check(root)[0]:
            print("complains of what is allowed")
            return False
        (root / "src/plan/choose.cpp").write_text("// Method::fft\nbool is_automatic(Method m) { return m == Method::automatic; }\n", encoding="utf-8")
        if check(root)[0]:
            print("complains of a comment, or of automatic")
            return False
        (root / "src/plan/choose.cpp").write_text("bool is(Method m) { return m == Method::fft; }\nbool is(Pixel p) { return p == Pixel::i16; }\n", encoding="utf-8")
        (root / "src/plan/methods/box.cpp").unlink()
        if len(check(root)[0]) != 3:
            print("does not complain of names in another file, or of a file that is gone")
            return False
    return True


if __name__ == "__main__":
    sys.exit(checker.main(__doc__, check, self_test))
