#!/usr/bin/env python3
"""check.py: mypy and basedpyright over the installed package, the examples of the documents, calls they must take, and calls they must refuse.

    check.py SOURCE WORK      SOURCE: the repository; WORK: a folder to write to

Runs by the Python that has the package and both checkers. What each line of refused.py is refused for stands behind it; comments that are
needed no longer fail both.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RULES = {"typeCheckingMode": "standard", "enableTypeIgnoreComments": False, "reportUnnecessaryTypeIgnoreComment": "error"}
UNTYPED = "halation.tests"  # as mypy.ini says


def examples(source, folder):
    """The documents' Python as files, one a page: later blocks go on from earlier ones. Each line keeps its number."""
    for page in (source / "README.md", source / "docs" / "python.md"):
        lines = [""] * page.read_text().count("\n")
        for block in BLOCK.finditer(page.read_text()):
            first = page.read_text()[: block.start(1)].count("\n")
            lines[first : first + block[1].count("\n")] = block[1].splitlines()
        if not any(lines):
            sys.exit(f"types: {page.name} has no Python any more")
        file = folder / f"{page.stem}_md.py"
        file.write_text("\n".join(lines) + "\n")
        yield file


def run(*command):
    print("types:", *command[:3], "...", flush=True)
    return subprocess.run([sys.executable, "-m", *map(str, command)], cwd=HERE).returncode == 0


def is_complete():
    """Whether all that users see of the package has types."""
    print("types: basedpyright --verifytypes halation ...", flush=True)
    here = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}  # it asks the first Python on the path
    command = [sys.executable, "-m", "basedpyright", "--verifytypes", "halation", "--ignoreexternal", "--outputjson"]
    said = json.loads(subprocess.run(command, cwd=HERE, env=here, capture_output=True).stdout)["typeCompleteness"]
    names = [symbol["name"] for symbol in said["symbols"]]
    unknown = [symbol["name"] for symbol in said["symbols"] if not symbol["isTypeKnown"] and not symbol["name"].startswith(UNTYPED)]
    for name in unknown:
        print(f"{name}: its type is not known", flush=True)
    if "halation.Filter" not in names:
        print(f"halation has {len(names)} names: it was not found")
    return not unknown and "halation.Filter" in names


def main():
    source, work = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    work.mkdir(parents=True, exist_ok=True)
    files = [*examples(source, work), HERE / "accepted.py", HERE / "refused.py"]
    (work / "pyright.json").write_text(json.dumps({**RULES, "include": [str(file) for file in files]}))
    mypy = ["mypy", "--strict", "--config-file", HERE / "mypy.ini", "--cache-dir", work / "mypy"]
    passed = [
        run(*mypy, "-p", "halation"),
        run(*mypy, *files),
        run("basedpyright", "--pythonpath", sys.executable, "-p", work / "pyright.json"),
        is_complete(),
    ]
    if not all(passed):
        sys.exit("types: what is typed wrong stands above")


if __name__ == "__main__":
    main()
