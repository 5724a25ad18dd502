"""reading.py: what a document in Markdown says: its links, headings, sections and blocks of code."""
import re
from dataclasses import dataclass

FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2[`~]*$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^()\s<>]+(?:\([^()\s]*\)[^()\s<>]*)?)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]^]+\]:\s+<?(\S+?)>?\s*$", re.MULTILINE)
HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*$", re.MULTILINE)
ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
# A page of the site holds a section of another document: the text from its heading on, or what stands before the first section.
SECTION = re.compile(r"^<!-- section (\S+) -->$", re.MULTILINE)
BLOCK = re.compile(r"(?:^<!-- before: (?P<before>.*?) -->\n)?^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=indent)```$",
                   re.DOTALL | re.MULTILINE)


def _blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def without_fences(text):
    return FENCE.sub(_blank, text)


def without_code(text):
    """`text` with as many characters and lines, but nothing of its code."""
    return CODE.sub(_blank, without_fences(text))


def links(text):
    """Matches whose first group is what a link or a picture leads to, in their order."""
    prose = without_code(text)
    return sorted([*LINK.finditer(prose), *REFERENCE.finditer(prose)], key=lambda each: each.start())


def is_of_the_web(target):
    return re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE) is not None


@dataclass
class Heading:
    level: int
    title: str
    anchor: str  # as GitHub makes it of the title
    start: int
    end: int


def headings(text):
    found, counts = [], {}
    for match in HEADING.finditer(without_fences(text)):
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|<!--.*?-->|[*`]", lambda part: part[1] or "", match[2])
        slug = re.sub(r"[^\w\- ]", "", words.lower().strip()).replace(" ", "-")
        count = counts.get(slug, 0)
        counts[slug] = count + 1
        found.append(Heading(len(match[1]), match[2], f"{slug}-{count}" if count else slug, match.start(), match.end()))
    return found


def anchors(text):
    """What links may name in a document."""
    return {*ANCHOR.findall(text), *(heading.anchor for heading in headings(text))}


def section(text, anchor):
    """The text of a section, its heading and those below it; of "" what stands between the title and the first section."""
    all_of = headings(text)
    if not anchor:
        start = all_of[0].end if all_of and all_of[0].level == 1 else 0
        return text[start:next((each.start for each in all_of if each.level > 1), len(text))].strip() + "\n"
    for heading in all_of:
        if heading.anchor == anchor:
            end = next((each.start for each in all_of if each.start > heading.start and each.level <= heading.level), len(text))
            return text[heading.start:end].strip() + "\n"
    raise KeyError(anchor)


@dataclass
class Block:
    language: str
    words: list  # what stands behind the language
    code: str
    before: str  # code that the reader does not see: <!-- before: … --> on the lines above
    line: int


def blocks(text):
    """The blocks of code between fences."""
    for match in BLOCK.finditer(text):
        language, *words = match["info"].split() or [""]
        indent = match["indent"]
        code = "".join(line.removeprefix(indent) for line in match["code"].splitlines(keepends=True))
        yield Block(language, words, code, match["before"] or "", text.count("\n", 0, match.start("info")) + 1)
