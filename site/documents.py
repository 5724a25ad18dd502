"""documents.py: which page of the site a document of the repository becomes, and its text with links that lead from page to page.

Pages have names without an ending, "recipes/sound". Most documents are a page each. Some are given in sections, by the pages that
ask for them (`<!-- section FILE#heading -->`). All other files that documents name are shown as they are: a link to one becomes
`source:PATH`, and sources.py makes a page of it.
"""
import os
import re
from pathlib import Path
from urllib.parse import unquote

from reading import SECTION, headings, is_of_the_web, links, section, without_fences

OWN = "site/pages"
NAMED = {"CHANGELOG.md": "changelog", "CONTRIBUTING.md": "contributing", "examples/README.md": "photograph",
         "include/halation": "api/cpp/index"}
# The page that stands for a document whose sections others hold.
IN_SECTIONS = {"README.md": "index", "docs/ladder.md": "ladder/index"}
PICTURES = {".png", ".jpg", ".svg"}
# The comments around what `make tables` writes; a table's have lines of their own.
FIGURE = re.compile(r"^<!-- (?:=.*?|\.) -->\n|<!-- (?:=.*?|\.) -->", re.MULTILINE)
UNSEEN = re.compile(r"^<!-- before: .*? -->\n", re.DOTALL | re.MULTILINE)


class Wrong(Exception):
    """What the site cannot be made of, in one sentence."""


class Documents:
    def __init__(self, root):
        self.root = Path(root)
        self.pages = dict(NAMED)  # {path in the repository: page}
        for path in sorted((self.root / "docs").rglob("*.md")):
            self._add(path, "docs")
        for path in sorted((self.root / OWN).rglob("*.md")):
            self._add(path, OWN)
        for path in sorted((self.root / "include/halation").glob("*.h")):
            self.pages[self._name(path)] = f"api/cpp/{path.stem}"
        self.held = {}  # {(path, anchor): page} of documents in sections
        for path, page in self.pages.items():
            if path.startswith(OWN):
                self._note_sections(path, page)
        self._check_sections()

    def _name(self, path):
        return path.relative_to(self.root).as_posix()

    def _add(self, path, folder):
        name = self._name(path)
        if name not in IN_SECTIONS:
            page = path.relative_to(self.root / folder).with_suffix("").as_posix()
            self.pages[name] = re.sub(r"(^|/)README$", r"\1index", page)

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def _asked(self, path, match):
        """(document, anchor) of a section that a page asks for."""
        file, _, anchor = match[1].partition("#")
        return os.path.normpath(os.path.join(os.path.dirname(path), file)), anchor

    def _note_sections(self, path, page):
        for match in SECTION.finditer(without_fences(self.read(path))):
            document, anchor = self._asked(path, match)
            if document not in IN_SECTIONS:
                raise Wrong(f"{path}: {document} is a page of its own and no document in sections")
            for heading in headings(self._section(path, document, anchor)):
                self.held.setdefault((document, heading.anchor), page)

    def _section(self, path, document, anchor):
        try:
            return section(self.read(document), anchor)
        except KeyError:
            raise Wrong(f"{path}: {document} has no heading #{anchor}") from None

    def _check_sections(self):
        """Every section of the ladder is on a page of the course."""
        for heading in headings(self.read("docs/ladder.md"))[1:]:
            if ("docs/ladder.md", heading.anchor) not in self.held and heading.title != "Up the rungs":
                raise Wrong(f"docs/ladder.md: no page of {OWN}/ladder holds its section #{heading.anchor}")

    def _place(self, path, target):
        """What a link of the document `path` leads to: (page or None, file, anchor)."""
        file, _, anchor = unquote(target).partition("#")
        there = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if there in IN_SECTIONS:
            return self.held.get((there, anchor), IN_SECTIONS[there]), there, anchor if (there, anchor) in self.held else ""
        return self.pages.get(there), there, anchor

    def _rewired(self, text, path, page):
        """`text`, of the document `path`, with links that lead from `page`."""
        parts, done = [], 0
        for match in links(text):
            if is_of_the_web(match[1]):
                continue
            there, file, anchor = self._place(path, match[1])
            here = os.path.dirname(page)
            if there is not None:
                target = ("" if there == page else os.path.relpath(f"{there}.md", here or ".")) + (f"#{anchor}" if anchor else "")
                target = target or f"{os.path.basename(page)}.md"
            elif Path(file).suffix in PICTURES and text[match.start()] == "!":
                target = os.path.relpath(file, here or ".")
            elif (self.root / file).exists():
                target = f"source:{file}"
            else:
                raise Wrong(f"{path}: {match[1]}: no such file")
            parts += [text[done:match.start(1)], target]
            done = match.end(1)
        return "".join(parts) + text[done:]

    def text(self, path):
        """The page that a document becomes, in Markdown."""
        page = self.pages[path]
        own = self.read(path)
        text = self._rewired(own, path, page)
        top = 2 if text.startswith("# ") else 1  # a page without a title of its own has that of what it holds

        def held(match):
            document, anchor = self._asked(path, match)
            part = self._section(path, document, anchor)
            levels = [heading.level for heading in headings(part)]
            part = self._rewired(part, document, page)
            return _relevelled(part, top - min(levels)) if levels else part
        return UNSEEN.sub("", FIGURE.sub("", SECTION.sub(held, text)))

    def pictures(self, path):
        """The pictures that a document, or a section that it holds, shows."""
        documents = {path, *(self._asked(path, match)[0] for match in SECTION.finditer(without_fences(self.read(path))))}
        for document in sorted(documents):
            text = self.read(document)
            for match in links(text):
                if text[match.start()] == "!" and not is_of_the_web(match[1]):
                    yield os.path.normpath(os.path.join(os.path.dirname(document), match[1]))


def _relevelled(text, by):
    """`text` with headings that many levels deeper."""
    for heading in reversed(headings(text)):
        text = text[:heading.start] + "#" * (heading.level + by) + text[heading.start + heading.level:]
    return text
