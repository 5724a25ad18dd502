#!/usr/bin/env python3
"""check_includes.py: fails where a folder includes from one that it must not know.

    check_includes.py ROOT      checks the tree
    check_includes.py --test    checks the checker, on trees that break each rule
"""
import re
import sys
import tempfile
from pathlib import Path

import checker

# What each folder may include beside itself and the public headers. Read downwards: nothing reaches to a later line.
MAY_INCLUDE = {
    "include": set(),
    "src/core": set(),
    "src/filters": {"src/core"},
    "src/reference": {"src/core"},
    "src/cpu": {"src/core"},
    "src/cuda": {"src/core"},
    "src/model": {"src/core"},
    "src/plan": {"src/core", "src/filters", "src/reference", "src/cpu", "src/cuda", "src/model"},
    "src/pipeline": {"src/core", "src/filters", "src/model", "src/plan"},
    "src/io": {"src/core"},
    "app": {"src/core", "src/filters", "src/model", "src/plan", "src/pipeline", "src/io", "ladder", "bench"},
    "ladder": set(),
    "python": set(),
    "bench": {"ladder"},
}

# Single files that a folder may include from one it must not know otherwise: rungs meet the GPU through the same names as the backend.
MAY_INCLUDE_FILES = {"ladder": {"src/cuda/device/runtime.h"}, "bench": {"src/cuda/device/runtime.h"}}

# Rooms (sub-folders) that all others of their folder may include, and which of each other these may. The others (a family of kernels,
# a subcommand) are included by no room. Files of the folder itself may include every room.
SHARED_ROOMS = {
    "src/cuda": {"device": set(), "parts": {"device"}},
    "src/cpu": {"tiles": {"parts"}, "parts": {"tiles"}},
    "src/plan": {"analysis": set()},
    "src/pipeline": {"chain": set(), "colour": {"chain"}},
    "src/io": {"metadata": set()},
    "app": {"report": set(), "filtering": {"report"}, "command_line": {"report", "filtering"}, "rungs": {"report"}},
}
# Files of the folder itself that rooms which are not shared may include; of folders that are not named here all rooms may include all.
FILES_FOR_ROOMS = {"src/cuda": {"families.h", "row_layout.h"}, "src/cpu": {"families.h", "expected.h", "packed.h", "rates.h"}}

# Libraries that stay in the folders or files named, so that everything else builds without them, or sooner (CLI11).
CONFINED = {
    re.compile(r"hwy/"): {"src/core/numbers.cpp", "src/cpu", "python", "src/pipeline/strips/past_caches.cpp", "src/pipeline/strips/shared_ring.cpp"},
    re.compile(r"CLI/"): {"app/command_line/command.cpp"},
    re.compile(r"httplib"): {"app/studio/server/server.cpp"},
    re.compile(r"cuda|cu[a-z]+\.h$|cooperative_groups|nv/|cub/|thrust/|mma\.h"): {"src/cuda", "ladder", "bench"},
}

SOURCES = {".h", ".hpp", ".inc", ".cpp", ".cc", ".cu", ".cuh"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def folder_of(path):
    """The folder of MAY_INCLUDE that holds a path relative to the root; None outside all of them."""
    return next((folder for folder in MAY_INCLUDE if path.is_relative_to(folder)), None)


def find_included(root, source, name):
    """The file of the tree that `source` means by `name`, relative to the root; None for a file from elsewhere."""
    for base in (source.parent, root / "src", root / "include", root):
        candidate = (base / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(root):
            return candidate.relative_to(root)
    return None


def room_of(path, folder):
    """The room of `folder` that holds a path relative to the root; "" for what lies in the folder itself."""
    inside = path.relative_to(folder).parts
    return inside[0] if len(inside) > 1 else ""


def room_complaint(folder, source, target):
    """What is wrong with an include from one file of a folder to another, or None."""
    here, there = room_of(source, folder), room_of(target, folder)
    shared = SHARED_ROOMS.get(folder)
    if shared is None or here in ("", there):
        return None
    if there == "":
        files = FILES_FOR_ROOMS.get(folder)
        allowed = files is None or (here not in shared and target.name in files)
    else:
        allowed = there in shared.get(here, shared)
    return None if allowed else f"{folder}/{here} must not include {target.relative_to(folder)}"


def complaint(root, source, bracket, name):
    """What is wrong with one include, or None."""
    here = folder_of(source.relative_to(root))
    # <name> never means a file of src/; only the public headers are reached that way.
    target = find_included(root, source, name) if bracket == '"' or name.startswith("halation/") else None
    if target is not None:
        there = folder_of(target)
        if there == here:
            return room_complaint(here, source.relative_to(root), target)
        if there == "include" or there in MAY_INCLUDE[here]:
            return None
        if target.as_posix() in MAY_INCLUDE_FILES.get(here, set()):
            return None
        return f"{here} must not include from {there or target.parent}"
    if here == "include" and not re.fullmatch(r"[a-z_]+", name):
        return "public headers include the C++ standard library only"
    for library, homes in CONFINED.items():
        if library.match(name) and not any(source.relative_to(root).is_relative_to(home) for home in homes):
            return f"{name} belongs in {' '.join(sorted(homes))}"
    return None


def check(root):
    """All complaints about the tree, each "file:line: sentence", and the number of files read."""
    root = root.resolve()
    complaints, files = [], 0
    unknown = [p for p in sorted((root / "src").glob("*")) if p.is_dir() and folder_of(p.relative_to(root)) is None]
    complaints += [f"{p.relative_to(root)}: not in the order of folders (MAY_INCLUDE)" for p in unknown]
    for folder in MAY_INCLUDE:
        for source in sorted((root / folder).rglob("*")):
            if source.suffix not in SOURCES:
                continue
            files += 1
            text = source.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                wrong = complaint(root, source, *match.groups())
                if wrong:
                    line = text.count("\n", 0, match.start()) + 1
                    complaints.append(f"{source.relative_to(root)}:{line}: {wrong}")
    return complaints, files


# Each case: the file that includes, the line, the file included (made too), and whether it is allowed.
CASES = [
    ("src/cpu/a.cpp", '#include "core/job.h"', "src/core/job.h", True),
    ("src/cpu/a.cpp", '#include "b.h"', "src/cpu/b.h", True),
    ("src/cpu/a.cpp", '#include <hwy/highway.h>', None, True),
    ("src/cpu/a.cpp", '#include "halation/image.h"', "include/halation/image.h", True),
    ("src/cpu/a.cpp", '  #  include "plan/check.h"', "src/plan/check.h", False),
    ("src/cpu/a.cpp", '#include "reference/reference.h"', "src/reference/reference.h", False),
    ("src/cpu/a.cpp", '#include "../reference/reference.h"', "src/reference/reference.h", False),
    ("src/cuda/a.cu", '#include "cpu/rows.h"', "src/cpu/rows.h", False),
    ("src/cuda/a.cu", "#include <cuda_runtime.h>", None, True),
    ("src/cuda/streaming/a.cu", '#include "cuda/parts/lines.cuh"', "src/cuda/parts/lines.cuh", True),
    ("src/cuda/streaming/a.cu", '#include "cuda/streaming/b.h"', "src/cuda/streaming/b.h", True),
    ("src/cuda/streaming/a.cu", '#include "cuda/families.h"', "src/cuda/families.h", True),
    ("src/cuda/streaming/a.cu", '#include "cuda/cuda.h"', "src/cuda/cuda.h", False),
    ("src/cuda/streaming/a.cu", '#include "cuda/long_rows/b.h"', "src/cuda/long_rows/b.h", False),
    ("src/cuda/compose/a.cpp", '#include "cuda/shared_tile/b.h"', "src/cuda/shared_tile/b.h", False),
    ("src/cuda/parts/a.h", '#include "cuda/families.h"', "src/cuda/families.h", False),
    ("src/cuda/parts/a.h", '#include "cuda/streaming/b.h"', "src/cuda/streaming/b.h", False),
    ("src/cuda/device/a.h", '#include "cuda/parts/b.h"', "src/cuda/parts/b.h", False),
    ("src/cuda/families.cpp", '#include "cuda/streaming/b.h"', "src/cuda/streaming/b.h", True),
    ("src/cpu/int8/sums16/a.cpp", '#include "cpu/int8/filter.h"', "src/cpu/int8/filter.h", True),
    ("src/cpu/int8/sums16/a.cpp", '#include "cpu/tiles/b.h"', "src/cpu/tiles/b.h", True),
    ("src/cpu/compose/a.cpp", '#include "cpu/float_lines/b.h"', "src/cpu/float_lines/b.h", False),
    ("src/core/a.h", '#include "filters/list.h"', "src/filters/list.h", False),
    ("src/core/a.h", "#include <hwy/highway.h>", None, False),
    ("src/plan/a.cpp", "#include <cuda_runtime.h>", None, False),
    ("src/plan/a.cpp", '#include "cpu/cpu.h"', "src/cpu/cpu.h", True),
    ("src/plan/a.cpp", '#include "pipeline/colour/colour.h"', "src/pipeline/colour/colour.h", False),
    ("src/pipeline/a.cpp", '#include "plan/check.h"', "src/plan/check.h", True),
    ("src/pipeline/a.cpp", '#include "io/codec.h"', "src/io/codec.h", False),
    ("src/io/a.cpp", '#include "plan/check.h"', "src/plan/check.h", False),
    ("src/io/a.cpp", "#include <png.h>", None, True),
    ("src/io/a.cpp", '#include "tests/data.h"', "tests/data.h", False),
    ("app/a.cpp", '#include "io/codec.h"', "src/io/codec.h", True),
    ("app/a.cpp", '#include "cpu/cpu.h"', "src/cpu/cpu.h", False),
    ("app/ladder/a.cpp", '#include "app/report/b.h"', "app/report/b.h", True),
    ("app/ladder/a.cpp", '#include "app/notice.h"', "app/notice.h", True),
    ("app/ladder/a.cpp", '#include "ladder/ladder.h"', "ladder/ladder.h", True),
    ("app/ladder/a.cpp", '#include "b.h"', "app/ladder/b.h", True),
    ("app/ladder/a.cpp", '#include "app/bench/b.h"', "app/bench/b.h", False),
    ("app/ladder/a.cpp", '#include "../bench/b.h"', "app/bench/b.h", False),
    ("app/report/a.cpp", '#include "app/ladder/b.h"', "app/ladder/b.h", False),
    ("app/report/a.cpp", '#include "app/command_line/b.h"', "app/command_line/b.h", False),
    ("app/command_line/a.cpp", '#include "app/report/b.h"', "app/report/b.h", True),
    ("app/ladder/a.cpp", '#include "app/rungs/b.h"', "app/rungs/b.h", True),
    ("app/studio/a.cpp", '#include "app/rungs/b.h"', "app/rungs/b.h", True),
    ("app/studio/a.cpp", '#include "app/ladder/b.h"', "app/ladder/b.h", False),
    ("app/rungs/a.cpp", '#include "app/report/b.h"', "app/report/b.h", True),
    ("app/rungs/a.cpp", '#include "app/ladder/b.h"', "app/ladder/b.h", False),
    ("app/rungs/a.cpp", '#include "app/command_line/b.h"', "app/command_line/b.h", False),
    ("app/a.cpp", '#include "app/ladder/b.h"', "app/ladder/b.h", True),
    ("app/command_line/command.cpp", "#include <CLI/CLI.hpp>", None, True),
    ("app/command_line/command.h", "#include <CLI/CLI.hpp>", None, False),
    ("app/apply.cpp", "#include <CLI/CLI.hpp>", None, False),
    ("ladder/a.cu", "#include <halation/convolve.h>", "include/halation/convolve.h", True),
    ("ladder/a.cu", '#include "core/job.h"', "src/core/job.h", False),
    ("ladder/a.cu", '#include "cuda/device/runtime.h"', "src/cuda/device/runtime.h", True),
    ("ladder/a.cu", '#include "cuda/device/memory.h"', "src/cuda/device/memory.h", False),
    ("app/a.cpp", '#include "ladder/ladder.h"', "ladder/ladder.h", True),
    ("src/plan/a.cpp", '#include "ladder/ladder.h"', "ladder/ladder.h", False),
    ("app/a.cpp", '#include "bench/contest.h"', "bench/contest.h", True),
    ("bench/a.cpp", '#include "ladder/repeats.h"', "ladder/repeats.h", True),
    ("bench/a.cpp", '#include "cuda/device/runtime.h"', "src/cuda/device/runtime.h", True),
    ("ladder/a.cpp", '#include "bench/contest.h"', "bench/contest.h", False),
    ("python/a.cpp", '#include "plan/check.h"', "src/plan/check.h", False),
    ("python/native/a.cpp", "#include <hwy/highway.h>", None, True),
    ("bench/a.cpp", '#include "../src/cpu/cpu.h"', "src/cpu/cpu.h", False),
    ("include/halation/a.h", "#include <cstdint>", None, True),
    ("include/halation/a.h", "#include <hwy/highway.h>", None, False),
    ("include/halation/a.h", "#include <cuda_runtime.h>", None, False),
    ("include/halation/a.h", '#include "core/job.h"', "src/core/job.h", False),
]


def self_test():
    failures = 0
    for file, line, included, allowed in CASES:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for path, text in ((included, "#pragma once\n"), (file, f"// a file\n{line}\n")):
                if path:
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    (root / path).write_text(text)
            complaints, _ = check(root)
            places = [c.split(": ")[0] for c in complaints]
            if places != ([] if allowed else [f"{file}:2"]):
                failures += 1
                print(f"self-test: {file}: {line}: expected {'no complaint' if allowed else 'one'}, got {complaints}")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "src/misc").mkdir(parents=True)
        if not check(Path(folder))[0]:
            failures += 1
            print("self-test: an unknown folder under src/ passed")
    print(f"self-test: {len(CASES) + 1} cases, {failures} failed")
    return failures == 0


if __name__ == "__main__":
    sys.exit(checker.main(__doc__, check, self_test))
