#!/usr/bin/env python3
"""write.py: writes the measured tables and figures of the documents from the records in bench/results.

    write.py            writes them anew
    write.py --check    fails where a document says something else than the records do

A document asks for a table, or for a figure within a line, by an expression between two comments of HTML:

    <!-- = cpu_behind() -->        <!-- = gpix("naive", 1) -->229<!-- . -->
    <!-- . -->

Expressions call the functions that the modules beside this file list in FIGURES. README.md, all of docs/ and the pages of site/ are
read. In README.md, docs/performance.md, docs/measured/ and docs/ladder.md nothing else stands that was measured here; a figure without
a record is a dated note of the notebook (docs/notebook).
"""
import argparse
import re
import sys
from pathlib import Path

import build_tables
import choice_tables
import contest_tables
import ladder_tables
import package_tables
import width_tables

ROOT = Path(__file__).resolve().parent.parent.parent
MODULES = (build_tables, choice_tables, contest_tables, ladder_tables, package_tables, width_tables)
NAMES = {function.__name__: function for module in MODULES for function in module.FIGURES}
NAMES |= contest_tables.NAMES | ladder_tables.NAMES
NAMES["__builtins__"] = {}

ASKED = re.compile(r"<!-- = (.+?) -->(.*?)<!-- \. -->", re.DOTALL)
OPENS, CLOSES = re.compile(r"<!-- = "), re.compile(r"<!-- \. -->")


class Wrong(Exception):
    """What a document asks that cannot be written, in one sentence."""


def written(text, place):
    """`text` with what the records say where it asks for it."""
    if not len(OPENS.findall(text)) == len(CLOSES.findall(text)) == len(ASKED.findall(text)):
        raise Wrong(f"{place}: `<!-- = … -->` and `<!-- . -->` do not pair")

    def said(match):
        expression = match[1]
        try:
            value = eval(expression, NAMES)  # noqa: S307: of the project's own documents
        except Exception as error:
            raise Wrong(f"{place}: {expression}: {type(error).__name__}: {error}") from None
        whole_line = text[: match.start()].rpartition("\n")[2].strip() == ""
        if whole_line != ("\n" in match[2]):
            # A line that begins with a comment is HTML to the end, so that a figure there would not be text.
            raise Wrong(f"{place}: {expression}: a table's comments have lines of their own, a figure's stand behind other words")
        return f"<!-- = {expression} -->" + (f"\n{value}\n" if whole_line else value) + "<!-- . -->"

    return ASKED.sub(said, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="writes nothing; fails where a document differs from the records")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree whose documents are read")
    arguments = parser.parse_args()
    stale = []
    try:
        pages = sorted(path for folder in ("docs", "site") for path in (arguments.root / folder).rglob("*.md"))
        for path in [arguments.root / "README.md", *pages]:
            document = path.relative_to(arguments.root).as_posix()
            before = path.read_text(encoding="utf-8")
            after = written(before, document)
            if after != before:
                stale.append(document)
                if not arguments.check:
                    path.write_text(after, encoding="utf-8")
    except Wrong as error:
        print(f"write.py: {error}", file=sys.stderr)
        return 2
    for document in stale:
        print(f"{document}: {'differs from bench/results; make tables writes it' if arguments.check else 'written'}")
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
