#!/usr/bin/env python3
"""check_imports.py: fails where a Python module imports one that it must not know, or imports within a function to dodge a circle.

    check_imports.py ROOT      checks the tree
    check_imports.py --test    checks the checker, on trees that break each rule
"""
import ast
import sys
import tempfile
from pathlib import Path

import checker

# Modules of each folder, in rows: a module imports from the rows above its own alone, so that there is no circle. A folder's own
# name stands for its __init__.py, and all of tests/ may import anything.
ROWS = {
    "python/halation": [
        # Names of types, for annotations alone.
        ["_types"],
        # What the interpreter and NumPy suffice for, and the C++ module.
        ["_codecs", "_native", "_border", "_figures", "_mapping", "_picture", "_remembered", "_threads", "_traceback"],
        ["_channels", "_named", "_options"],
        ["_constructors"],
        # Arrays of any library, and what a call asks for, checked.
        ["_arrays"],
        ["_weights", "_job"],
        ["_taps"],
        # Families: ways to filter, and which of them a call takes.
        ["_direct"],
        ["_compose"],
        ["_families"],
        # The engine: entries that are kept, complex numbers, arrays on a GPU.
        ["_cache"],
        ["_complex"],
        ["_complex_gpu"],
        ["_gpu"],
        ["_engine"],
        # What people call; none of these knows another.
        ["_alpha", "_cv_words", "_files", "_filter_sums", "_signal_run", "_view", "ndimage._calls"],
        ["_filter", "_signal_integers", "_signal_spectra"],
        ["_chain", "_plan", "_signal_sums"],
        ["_convolve", "_filter_file", "_signal_choice", "_signal_inputs", "_signal_values"],
        ["_cv_image", "ndimage._arguments"],
        ["_cv_borders", "_cv_weights", "ndimage._correlate"],
        ["_cv_derivatives", "_cv_files", "_cv_pyramids", "_cv_smoothing", "ndimage._gaussian"],
        ["ndimage._derivatives"],
        ["cv", "filters", "ndimage", "signal"],
        ["dask"],
        ["halation", "__main__"],
    ],
    "bench/python": [
        ["instruction_set", "package_rows", "peer_process", "record", "scan_calls", "stopwatch"],
        ["package_cpu", "package_gpu", "peer_job", "scan_signal_calls"],
        ["peer_arrays", "peer_halide", "peer_ipp", "peer_opencv", "peer_torch", "peer_vips"],
        ["package", "peers", "scan", "scan_gpu", "studio", "transforms", "whole_jobs", "zarr_volume"],
    ],
}

# Imports within functions that are allowed: of modules that need packages which not every machine has.
LATE = {"bench/python": {("package", "package_cpu"), ("package", "package_gpu")}}


class Module:
    """A module of a folder: its name there, as ROWS has it, and the package that relative imports begin at."""

    def __init__(self, folder, file):
        parts = file.relative_to(folder).with_suffix("").parts
        self.package = parts[:-1]
        self.name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts) or folder.name


def imports_of(tree):
    """(node, whether it stands in a function) of each import."""

    def visit(node, inside):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                yield child, inside
            yield from visit(child, inside or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)))

    return visit(tree, False)


def imported(node, module, folder, known):
    """The modules of the folder that an import names."""
    if isinstance(node, ast.Import):
        names = [(alias.name,) for alias in node.names]
    else:
        names = [(node.module or "", alias.name) for alias in node.names]
    for name in names:
        parts = [part for text in name for part in text.split(".") if part]
        if isinstance(node, ast.ImportFrom) and node.level:
            parts = [*module.package[: len(module.package) - node.level + 1], *parts]
        elif parts[0] == folder.name:
            parts = parts[1:]
        elif (folder / "__init__.py").exists():
            continue
        # The longest name that is a module; the rest are names in it.
        found = next((".".join(parts[:n]) for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in known), None)
        if found is None and (folder / "__init__.py").exists():
            found = folder.name
        if found is not None:
            yield found


def check(root, rows=None, late=None):
    """All complaints about the tree, each "file:line: sentence", and the number of files read."""
    complaints, files = [], 0
    for place, order in (rows or ROWS).items():
        folder = root.resolve() / place
        row_of = {name: row for row, names in enumerate(order) for name in names}
        for file in sorted(folder.rglob("*.py")):
            if "tests" in file.relative_to(folder).parts:
                continue
            files += 1
            module, shown = Module(folder, file), file.relative_to(root.resolve())
            if module.name not in row_of:
                complaints.append(f"{shown}:1: not in the order of modules (ROWS)")
                continue
            for node, inside in imports_of(ast.parse(file.read_text(encoding="utf-8"))):
                for name in imported(node, module, folder, row_of):
                    if row_of[name] >= row_of[module.name]:
                        complaints.append(f"{shown}:{node.lineno}: {module.name} must not import {name}")
                    elif inside and (module.name, name) not in (LATE if late is None else late).get(place, ()):
                        complaints.append(f"{shown}:{node.lineno}: {name} is imported within a function; import it at the top")
    return complaints, files


# Trees of two rows, _low under _high and inner._deep, in a package and in a folder of scripts: the file, its line, whether allowed.
CASES = [
    ("package/_high.py", "from . import _low", True),
    ("package/_high.py", "from ._low import name", True),
    ("package/_high.py", "import package._low", True),
    ("package/_high.py", "import numpy, _low", True),
    ("package/_high.py", "def late():\n    import numpy", True),
    ("package/_high.py", "def late():\n    from . import _low", False),
    ("package/_high.py", "from . import name", False),
    ("package/_high.py", "from .inner import _deep", False),
    ("package/_low.py", "from . import _high", False),
    ("package/_low.py", "from ._high import name", False),
    ("package/_low.py", "from package import _high", False),
    ("package/_low.py", "import package._high as high", False),
    ("package/_low.py", "from . import _low", False),
    ("package/_low.py", "try:\n    from ._high import name\nexcept ImportError:\n    name = None", False),
    ("package/inner/_deep.py", "from .. import _low", True),
    ("package/inner/_deep.py", "from .._low import name", True),
    ("package/inner/_deep.py", "from .._high import name", False),
    ("package/inner/__init__.py", "from ._deep import name", True),
    ("package/tests/_low.py", "from package import _high", True),
    ("package/_other.py", "import numpy", False),
    ("scripts/_high.py", "from _low import name", True),
    ("scripts/_high.py", "def late():\n    import _low", True),
    ("scripts/_high.py", "import numpy.linalg", True),
    ("scripts/_low.py", "import _high", False),
]


def self_test():
    rows = [["_low"], ["_high", "inner._deep"], ["inner"], ["package"]]
    failures = 0
    for file, text, allowed in CASES:
        with tempfile.TemporaryDirectory() as folder:
            root, place = Path(folder), file.split("/")[0]
            for path, content in ((f"{place}/__init__.py" if place == "package" else None, ""), (file, text)):
                if path:
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    (root / path).write_text(content + "\n")
            complaints, _ = check(root, {place: rows}, {"scripts": {("_high", "_low")}})
            if len(complaints) != (0 if allowed else 1):
                failures += 1
                print(f"self-test: {file}: {text!r}: expected {'no complaint' if allowed else 'one'}, got {complaints}")
    print(f"self-test: {len(CASES)} cases, {failures} failed")
    return failures == 0


if __name__ == "__main__":
    sys.exit(checker.main(__doc__, check, self_test))
