#!/usr/bin/env python3
"""stage.py: writes what Sphinx makes the site of: all pages as Markdown with links between them, and their pictures.

    stage.py FOLDER [PROGRAM...]     PROGRAM is the command that makes the gallery's pictures; without it there are none
"""
import shutil
import sys
from pathlib import Path

import charts
import gallery
import headers
from documents import Documents, Wrong

ROOT = Path(__file__).resolve().parent.parent
# Pages that lead on to all of a folder.
BELOW = {"notebook/index": ("*", "cuda/*", "cpu/*"), "performance": ("measured/*",)}


def stage(root, folder):
    """The pages; what is left in `folder` of earlier ones goes."""
    documents = Documents(root)
    shutil.rmtree(folder, ignore_errors=True)
    for path, page in documents.pages.items():
        if not path.endswith(".md"):
            continue
        text = documents.text(path)
        try:
            text = charts.drawn(text)
        except (NameError, KeyError, TypeError) as error:
            raise Wrong(f"{path}: a chart: {type(error).__name__}: {error}") from None
        if page in BELOW:
            text += "\n```{toctree}\n:hidden:\n:glob:\n\n" + "\n".join(BELOW[page]) + "\n```\n"
        _write(folder / f"{page}.md", gallery.page(text, root) if gallery.ASKED in text else text)
        for picture in documents.pictures(path):
            (folder / picture).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / picture, folder / picture)
    of_headers = {path.stem: path.read_text(encoding="utf-8") for path in sorted((root / "include/halation").glob("*.h"))}
    for page, text in headers.pages(of_headers).items():
        _write(folder / f"api/cpp/{page}.md", text)


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder, program = Path(sys.argv[1]), sys.argv[2:]
    try:
        stage(ROOT, folder)
    except Wrong as error:
        print(f"stage.py: {error}", file=sys.stderr)
        return 1
    if program:
        gallery.pictures(ROOT, program, folder / "gallery")
    return 0


if __name__ == "__main__":
    sys.exit(main())
