#!/usr/bin/env python3
"""check_road.py: follows the roads that docs/architecture.md names from the public header to an inner loop; fails where a file is not
entered by the word that it says, or where one has more than eight files.

    check_road.py ROOT      checks the tree
    check_road.py --test    checks the checker, on roads that break each rule
"""
import re
import sys
import tempfile
from pathlib import Path

import checker

MOST_FILES = 8
HEAD = "### From the header to the inner loop"
STEP = re.compile(r"\[[^\]]+\]\(\.\./([^)]+)\)(?:\s+`(\w+)`)?")
TRUNK = ("include/halation/", "src/plan/convolve.cpp", "src/plan/plan.cpp")  # where every road begins


def roads_of(text):
    """(name, steps) of each road, a step being (file, word by which it is entered)."""
    section = text[text.index(HEAD) + len(HEAD) :].split("\n#", 1)[0]
    items = [" ".join(item.split()) for item in re.split(r"^- ", section, flags=re.M)[1:]]
    return [(item.split(":", 1)[0], STEP.findall(item)) for item in items]


def complaints_of(root, name, steps):
    if len(steps) > MOST_FILES:
        yield f"{name}: {len(steps)} files, {MOST_FILES} are allowed"
    for i, begin in enumerate(TRUNK):
        if len(steps) <= i or not steps[i][0].startswith(begin):
            yield f"{name}: step {i + 1} must be {begin}"
    texts = [(root / file).read_text(encoding="utf-8") if (root / file).is_file() else None for file, _ in steps]
    for (file, word), before, here in zip(steps, [None, *texts], texts):
        if here is None:
            yield f"{name}: there is no {file}"
        elif before is not None and not word:
            yield f"{name}: {file} is entered by no word"
        elif before is not None:
            for where, text in (("the file before it", before), (file, here)):
                if not re.search(rf"\b{word}\b", text):
                    yield f"{name}: {word}, by which {file} is entered, does not stand in {where}"


def check(root):
    roads = roads_of((root / "docs/architecture.md").read_text(encoding="utf-8"))
    complaints = [complaint for name, steps in roads for complaint in complaints_of(root, name, steps)]
    if len(roads) < 3:
        complaints.append(f"docs/architecture.md names {len(roads)} roads, 3 are asked for")
    return complaints, sum(len(steps) for _, steps in roads)


def self_test():
    good = ["include/halation/convolve.h", "src/plan/convolve.cpp", "src/plan/plan.cpp", "src/a.cpp"]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for file in (*good, *(f"src/{i}.cpp" for i in range(9))):
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text("run();" if file != "src/8.cpp" else "walk();")

        def said(files, words=None):
            steps = [(file, "" if i == 0 else (words or {}).get(file, "run")) for i, file in enumerate(files)]
            return list(complaints_of(root, "a road", steps))

        return (
            said(good) == []
            and said([*good, "src/gone.cpp"]) == ["a road: there is no src/gone.cpp"]
            and said([*good, "src/8.cpp"]) == ["a road: run, by which src/8.cpp is entered, does not stand in src/8.cpp"]
            and said(good, {"src/a.cpp": ""}) == ["a road: src/a.cpp is entered by no word"]
            and said(good[:2]) == ["a road: step 3 must be src/plan/plan.cpp"]
            and said([*good, *(f"src/{i}.cpp" for i in range(5))]) == ["a road: 9 files, 8 are allowed"]
            and roads_of(f"{HEAD}\n\n- x: [a](../b/c.h), [d](../e.cpp)\n  `f`\n\n## Other\n- y: [g](../h)") == [("x", [("b/c.h", ""), ("e.cpp", "f")])]
        )


if __name__ == "__main__":
    sys.exit(checker.main(__doc__, check, self_test))
