"""sources.py: extension of Sphinx: files of the repository that documents link to, as pages; a link to one is `source:PATH`.

A file is shown with its words coloured, a folder as the list of its files, each with the purpose that its first line
gives.
"""
import html
import re
from pathlib import Path

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

LINKED = re.compile(r"\]\(source:([^)#]+)")
LEXERS = {".cu": "x.cpp", ".cuh": "x.cpp", ".h": "x.cpp", "CMakeLists.txt": "x.cmake"}
LARGE = 50_000  # characters, from which on colours cost a browser seconds
PURPOSE = re.compile(r"^(?:#!.*\n)?(?://|#|\"\"\")\s*(?:[\w./{},-]+: )?(.+)")


def _page(path):
    return f"source/{path}"


def _lexer(path):
    try:
        return get_lexer_for_filename(LEXERS.get(path.name) or LEXERS.get(path.suffix) or path.name)
    except ClassNotFound:
        return TextLexer()


def _text(path):
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def purpose(path):
    match = PURPOSE.match(_text(path) or "")
    return re.sub(r"\"\"\"$", "", match[1]) if match else ""


def _title(path):
    return f"<h1><code>{html.escape(path)}</code></h1>\n"


def _file(root, path):
    text = _text(root / path)
    if text is None:
        return None
    # By keyboard too, a listing that is wider than the page is scrolled.
    code = highlight(text, _lexer(root / path) if len(text) < LARGE else TextLexer(), HtmlFormatter())
    return _title(path) + code.replace("<pre>", '<pre tabindex="0">', 1)


def _folder(root, path, uri):
    lines = []
    for each in sorted((root / path).iterdir(), key=lambda entry: (entry.is_dir(), entry.name)):
        name = each.relative_to(root).as_posix()
        if each.name.startswith((".", "_")) and each.suffix != ".py" or each.suffix == ".pyc":
            continue
        if each.is_dir():
            lines.append(f"<tr><td><code>{each.name}/</code></td><td></td></tr>")
        elif _text(each) is not None:
            lines.append(f'<tr><td><a href="{uri(name)}"><code>{each.name}</code></a></td>'
                         f"<td>{html.escape(purpose(each))}</td></tr>")
    table = "<table class=\"docutils\"><thead><tr><th>File</th><th>What it is</th></tr></thead><tbody>" + "\n".join(lines)
    return _title(path + "/") + f'<div class="table-wrapper" tabindex="0">{table}</tbody></table></div>'


def _linked(app):
    """Paths that pages link to, and the files of folders among them."""
    root = Path(app.config.repository)
    paths = {match for page in sorted(Path(app.srcdir).rglob("*.md")) for match in LINKED.findall(page.read_text(encoding="utf-8"))}
    for path in sorted(paths):
        if (root / path).is_dir():
            paths |= {each.relative_to(root).as_posix() for each in (root / path).iterdir()
                      if each.is_file() and not each.name.startswith(".")}
    return root, sorted(paths)


def pages(app):
    root, paths = _linked(app)
    for path in paths:
        page = _page(path)
        if (root / path).is_dir():
            body = _folder(root, path, lambda name, page=page: app.builder.get_relative_uri(page, _page(name)))
        else:
            body = _file(root, path)
        if body is not None:
            yield page, {"title": path, "body": body}, "page.html"


def lead_there(app, doctree, docname):
    """Links of the form source:PATH become links to that page."""
    for reference in doctree.findall(nodes.reference):
        target = reference.get("refuri", "")
        if target.startswith("source:"):
            reference["refuri"] = app.builder.get_relative_uri(docname, _page(target.removeprefix("source:").partition("#")[0]))
            reference["classes"] = [name for name in reference["classes"] if name != "external"]
            reference["internal"] = True


def setup(app):
    app.add_config_value("repository", None, "env", types=[str])
    app.connect("html-collect-pages", pages)
    app.connect("doctree-resolved", lead_there)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
