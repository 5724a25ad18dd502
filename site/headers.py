"""headers.py: pages of the C++ interface, one a public header, from what stands in it.

A header is read as it is written: a comment `///` belongs to the declarations below it, up to a blank line; each is shown as it
stands there, without private members. A comment `//` among them is a paragraph. Names in `code` lead to their declarations.
"""
import re
from dataclasses import dataclass, field

NAME = re.compile(r"\b(?:enum class|class|struct|union|using)\s+(\w+)|\b(operator\S+|~?\w+)\s*\(|\b(\w+)\s*(?:\[\])?\s*(?:=|\{|;)")
# Declared already, or elsewhere.
NOT_SHOWN = re.compile(r"(?:class|struct) \w+;$|static_assert|[^(]*\b\w+::(?:operator\b|~?\w+\()")
WORD = re.compile(r"(?<!`)`([A-Za-z_][\w:]*)(\([^`]*\))?`(?!`)")


@dataclass
class Declaration:
    """Declarations under one comment."""
    names: list = field(default_factory=list)
    comment: list = field(default_factory=list)
    code: list = field(default_factory=list)


def purpose(text):
    """What the header's first line says of it."""
    return re.match(r"// [\w./]+: (.*)", text)[1]


def _name_of(lines):
    """What a declaration declares."""
    text = re.sub(r"^(?:template\s*<[^>]*>\s*)+", "", " ".join(line.strip() for line in lines))
    text = re.sub(r"\b(?:inline|constexpr|explicit|static|const)\s+", "", text)
    match = NAME.search(text)
    return next(name for name in match.groups() if name) if match else None


def declarations(text):
    """The header's declarations inside namespace halation, and paragraphs between them (of no names)."""
    body = text.partition("namespace halation {\n")[2].rpartition("}  // namespace halation")[0]
    found, current, lines, depth = [], Declaration(), [], 0
    for line in body.splitlines():
        if not lines and not line.strip():
            if current.comment or current.code:
                found.append(current)
            current = Declaration()
        elif not lines and line.startswith("//"):
            if current.code:  # a new comment right below a declaration
                found.append(current)
                current = Declaration()
            current.comment.append(re.sub(r"^///? ?", "", line))
        elif not lines and line.startswith("#"):
            continue
        else:
            lines.append(line)
            bare = re.sub(r"//.*$", "", line)
            depth += bare.count("{") + bare.count("(") - bare.count("}") - bare.count(")")
            if depth == 0 and re.search(r"[;}]\s*$", bare):
                name = _name_of(lines)
                if name and not NOT_SHOWN.match(lines[0]):
                    current.names += [] if name in current.names else [name]
                    current.code += lines
                lines = []
    if current.comment or current.code:
        found.append(current)
    return [each for each in found if each.code or each.comment]


def _public(lines):
    """A declaration without its private members."""
    shown, hidden = [], False
    for line in lines:
        if re.match(r"\s*private:$", line):
            hidden = True
        elif hidden and re.match(r"\};", line) or re.match(r"\s*public:$", line) and hidden:
            hidden = False
        if not hidden:
            shown.append(line)
    while len(shown) > 1 and not shown[-2].strip():
        del shown[-2]
    return shown


def _linked(text, places, page):
    """`text` with names of declarations as links to them; `places` is {name: {page: anchor}}."""
    def link(match):
        found = places.get(match[1].partition("::")[0], {})
        if page not in found and len(found) != 1:  # of the names of several headers this page's is meant
            return match[0]
        there = page if page in found else next(iter(found))
        anchor = found[there]
        return f"[{match[0]}]({'' if there == page else there + '.md'}#{anchor})"
    return "\n".join(line if line.startswith("    ") else WORD.sub(link, line) for line in text.splitlines())


def _anchor(names):
    """As headings of these names are called."""
    return re.sub(r"[^\w\- ]", "", ", ".join(names).lower()).replace(" ", "-")


def _merged(found):
    """Declarations with those of one name, that stand apart in the header, under one heading."""
    groups = []
    for each in found:
        same = next((group for group in groups if each.names and group[0].names == each.names), None)
        if same:
            same.append(each)
        else:
            groups.append([each])
    return groups


def pages(headers):
    """{page: Markdown} of {page: text of a header}, an index among them; pages stand in one folder."""
    groups = {page: _merged(declarations(text)) for page, text in headers.items()}
    places = {}
    for page, each in groups.items():
        for group in each:
            for name in group[0].names:
                places.setdefault(name, {})[page] = _anchor(group[0].names)
    made = {}
    for page, text in headers.items():
        parts = [f"# halation/{page}.h\n", purpose(text)[:1].upper() + purpose(text)[1:] + "\n",
                 f"```cpp\n#include <halation/{page}.h>\n```\n"]
        for group in groups[page]:
            if group[0].names:
                parts.append("## " + ", ".join(f"`{name}`" for name in group[0].names) + "\n")
            for each in group:
                parts.append(_linked("\n".join(each.comment), places, page) + "\n")
                if each.code:
                    parts.append("```cpp\n" + "\n".join(_public(each.code)).strip("\n") + "\n```\n")
        made[page] = "\n".join(parts)
    rows = ["| Header | What it declares |", "|---|---|"]
    for page, text in headers.items():
        names = ", ".join(f"[`{name}`]({page}.md#{_anchor(group[0].names)})" for group in groups[page] for name in group[0].names)
        rows.append(f"| [`{page}.h`]({page}.md) | {purpose(text)[:1].upper() + purpose(text)[1:]}<br>{names} |")
    made["index"] = (
        "# The C++ interface\n\nOne page a public header; what stands there is the header's own text. The library [by "
        "examples](../../library.md) comes first.\n\n" + "\n".join(rows) +
        "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(headers) + "\n```\n")
    return made
