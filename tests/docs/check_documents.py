#!/usr/bin/env python3
"""check_documents.py: fails where a link of a document leads to no file or heading, a page of the site holds a section that there is
not, or a page is longer than it may be.

    check_documents.py ROOT      checks the tree
    check_documents.py --test    checks the checker, on trees that break each rule
"""
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "site"))

from reading import SECTION, anchors, is_of_the_web, links, without_code  # noqa: E402

MOST_LINES = {"docs/performance.md": 150, "docs/notebook": 500}
SKIPPED = {"build", "install", "node_modules"}  # and whatever begins with a dot


def documents(root):
    return sorted(path for path in root.rglob("*.md")
                  if not any(part in SKIPPED or part.startswith(".") for part in path.relative_to(root).parts[:-1]))


def faults(root):
    found = []
    for path in documents(root):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        for page, most in MOST_LINES.items():
            if (name == page or name.startswith(page + "/")) and text.count("\n") > most:
                found.append(f"{name}: {text.count(chr(10))} lines; at most {most}")
        sections = SECTION.finditer(without_code(text))
        for match in sorted([*links(text), *sections], key=lambda each: each.start()):
            target = match[1]
            if is_of_the_web(target):
                continue
            place = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
            file, _, anchor = unquote(target).partition("#")
            there = (path.parent / file).resolve() if file else path
            if not there.is_relative_to(root.resolve()) or not there.exists():
                found.append(f"{place}: {target}: no such file")
            elif anchor and there.suffix == ".md" and anchor not in anchors(there.read_text(encoding="utf-8")):
                found.append(f"{place}: {target}: no such heading")
    return found


def test():
    """Each tree, and what must be found in it."""
    right = "# One\n\n## A *b* `c`: d, e\n\n## Again\n\n## Again\n\n[here](#a-b-c-d-e) ![picture](p.png) [two](docs/two.md#two)\n" \
            "[folder](docs) [twice](#again-1) [web](https://example.org/none#x)\n\n```\n[code](none.md)\n```\n\n" \
            "`[code](none.md)` and [two\nlines](docs/two.md)\n"
    two = "# Two\n\n[up](../README.md#one)\n"
    trees = [
        ({}, []),
        ({"README.md": "# One\n[x](none.md)\n"}, ["README.md:2: none.md: no such file"]),
        ({"docs/two.md": two + "\n![x](../none.png)\n"}, ["docs/two.md:5: ../none.png: no such file"]),
        ({"docs/two.md": two + "[x](../README.md#two)\n"}, ["docs/two.md:4: ../README.md#two: no such heading"]),
        ({"docs/two.md": two + "[x](#again-2)\n"}, ["docs/two.md:4: #again-2: no such heading"]),
        ({"docs/two.md": two + "[x]: none.md\n"}, ["docs/two.md:4: none.md: no such file"]),
        ({"docs/two.md": two + "[x](../../outside.md)\n"}, ["docs/two.md:4: ../../outside.md: no such file"]),
        ({"docs/performance.md": "x\n" * 151}, ["docs/performance.md: 151 lines; at most 150"]),
        ({"docs/notebook/cpu/x.md": "x\n" * 501}, ["docs/notebook/cpu/x.md: 501 lines; at most 500"]),
        ({"build/x.md": "[x](none.md)\n"}, []),
        ({"site/x.md": "<!-- section ../docs/two.md#two -->\n<!-- section ../README.md -->\n\n`<!-- section none.md -->`\n"}, []),
        ({"site/x.md": "x\n<!-- section ../docs/two.md#three -->\n"}, ["site/x.md:2: ../docs/two.md#three: no such heading"]),
        ({"site/x.md": "<!-- section none.md#two -->\n"}, ["site/x.md:1: none.md#two: no such file"]),
    ]
    for files, expected in trees:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "tree"
            for name, text in {"README.md": right, "docs/two.md": two, "p.png": "", **files}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            got = faults(root)
            assert got == expected, f"{files}: {got}, not {expected}"
    print(f"{len(trees)} trees")


def main():
    if sys.argv[1:] == ["--test"]:
        test()
        return 0
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = faults(Path(sys.argv[1]).resolve())
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
