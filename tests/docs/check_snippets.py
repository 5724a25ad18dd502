#!/usr/bin/env python3
"""check_snippets.py: runs the blocks of code that documents and pages of the site show.

    check_snippets.py python                        by this Python, which has the package
    check_snippets.py sh PROGRAM                    with the program halation on the path
    check_snippets.py cpp PREFIX [CMAKE_ARGUMENT…]  with the library installed there
    check_snippets.py --test                        checks the checker

A block ```python, ```sh or ```cpp is run in a folder that holds astronaut.png; a failed `assert` and a command's error are faults.
Python's blocks of a page share their names. C++ without a `main` is put into one; a page that shows a whole CMakeLists.txt is built by it.
Words behind the language say what a block wants: `gpu` or a module's name, without which it is only parsed or, in C++, compiled; `parse`:
never run, because it installs, asks questions or takes minutes. What readers need not see stands in <!-- before: … --> above a block.
"""
import contextlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "site"))

import gallery  # noqa: E402
from reading import blocks  # noqa: E402

LANGUAGES = ("python", "sh", "cpp")
HEAD = "#include <cstdint>\n#include <cstdio>\n#include <vector>\n\n#include <halation/halation.h>\n#include <halation/io.h>\n\n"
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(snippets LANGUAGES CXX)
find_package(halation REQUIRED)
find_package(CUDAToolkit QUIET)
"""
# Names of CUDA's runtime, to compile without its toolkit.
STANDS_IN = Path(__file__).resolve().parent / "cuda_runtime"


class Snippets:
    """What is done to the blocks of one language, and how it went."""

    def __init__(self, root):
        self.root, self.ran, self.parsed, self.faults = Path(root), 0, 0, []

    def pages(self):
        folders = [self.root / "docs", self.root / "site/pages"]
        paths = [self.root / "README.md", self.root / "CONTRIBUTING.md", *(path for folder in folders for path in folder.rglob("*.md"))]
        for path in sorted(paths):
            if path.is_file():
                yield path.relative_to(self.root).as_posix(), list(blocks(path.read_text(encoding="utf-8")))

    def folder(self):
        """A folder to run in, which goes by itself."""
        folder = tempfile.TemporaryDirectory()
        photo = self.root / gallery.PHOTO
        if photo.is_file():
            shutil.copy(photo, folder.name)
        return folder

    def fault(self, place, words):
        self.faults.append(f"{place}: {words}")

    def is_run(self, block, place, has_gpu):
        """Whether all is here that the block wants."""
        wanted = set(block.words)
        modules = wanted - {"gpu", "parse"}
        for word in sorted(modules):
            if not word.isidentifier():
                self.fault(place, f"'{word}' is no name of a module, and not gpu or parse")
                return False
        return "parse" not in wanted and ("gpu" not in wanted or has_gpu()) and all(map(importlib.util.find_spec, modules))

    def count(self, is_run):
        self.ran += is_run
        self.parsed += not is_run


def _python_has_gpu():
    import halation
    return any(each["device"].startswith("cuda") for each in halation.devices())


def check_python(snippets):
    for page, found in snippets.pages():
        names = {"__name__": "__main__"}
        with snippets.folder() as folder:
            os.chdir(folder)
            for block in found:
                if block.language != "python":
                    continue
                place = f"{page}:{block.line}"
                try:
                    # Lines of errors are those of the page.
                    code = compile("\n" * block.line + block.code, page, "exec")
                    is_run = snippets.is_run(block, place, _python_has_gpu)
                    if is_run:
                        with contextlib.redirect_stdout(io.StringIO()):
                            exec(block.before, names)
                            exec(code, names)
                    snippets.count(is_run)
                except Exception:
                    snippets.fault(place, traceback.format_exc().strip().replace("\n", "\n    "))
            os.chdir(snippets.root)


def check_gallery_calls(snippets):
    """What the gallery shows of Python, which it writes itself."""
    import halation
    import numpy as np
    photo = np.zeros((40, 50, 3), np.uint8)
    for name, _ in gallery.filters(snippets.root):
        assert eval(gallery.call(name), {"halation": halation, "photo": photo}).shape == photo.shape
        snippets.ran += 1


def _shell(snippets, place, text, folder, is_run):
    command = ["bash", "-euo", "pipefail", *([] if is_run else ["-n"])]
    done = subprocess.run(command, input=text, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        snippets.fault(place, f"exit {done.returncode}\n    " + (done.stdout + done.stderr).strip().replace("\n", "\n    "))
    snippets.count(is_run)


def check_sh(snippets, program):
    program = Path(program).resolve()
    with tempfile.TemporaryDirectory() as on_path:
        (Path(on_path) / "halation").symlink_to(program)
        os.environ["PATH"] = f"{on_path}:{os.environ['PATH']}"

        def has_gpu():
            return "cuda" in subprocess.run([program, "devices"], capture_output=True, text=True, check=True).stdout
        for page, found in snippets.pages():
            with snippets.folder() as folder:
                for block in found:
                    if block.language == "sh":
                        place = f"{page}:{block.line}"
                        _shell(snippets, place, block.before + "\n" + block.code, folder, snippets.is_run(block, place, has_gpu))
        with snippets.folder() as folder:
            shutil.copy(Path(folder) / "astronaut.png", Path(folder) / "photo.png")
            for name, _ in gallery.filters(snippets.root):
                _shell(snippets, f"gallery, {name}", gallery.command_line(name), folder, True)


def _program(block):
    """A C++ program of a block."""
    if "int main(" in block.code:
        return block.code
    return f"{HEAD}int main() {{\n  using namespace halation;\n{block.before}\n{block.code}}}\n"


def check_cpp(snippets, prefix, arguments):
    prefix = Path(prefix).resolve()
    with snippets.folder() as folder:
        folder = Path(folder)
        has_gpu = not subprocess.run(f"'{prefix}/bin/halation' devices | grep -q cuda", shell=True, check=False).returncode
        lists, programs = [PROJECT], []
        for page, found in snippets.pages():
            whole = next((block for block in found if block.language == "cmake" and "project(" in block.code), None)
            for block in found:
                if block.language != "cpp":
                    continue
                place = f"{page}:{block.line}"
                name = re.sub(r"\W", "_", place)
                if whole:
                    (folder / name).mkdir()
                    source = re.search(r"add_executable\(\w+ (\S+)\)", whole.code)[1]
                    (folder / name / "CMakeLists.txt").write_text(whole.code, encoding="utf-8")
                    (folder / name / source).write_text(block.code, encoding="utf-8")
                    programs.append((place, folder / name, folder / name / Path(source).stem))
                    continue
                (folder / f"{name}.cpp").write_text(_program(block), encoding="utf-8")
                is_run = snippets.is_run(block, place, lambda: has_gpu)
                if is_run:
                    programs.append((place, folder, folder / name))
                else:
                    snippets.parsed += 1
                lists.append(f"add_{'executable' if is_run else 'library'}({name} {'' if is_run else 'OBJECT '}{name}.cpp)\n"
                             f"target_link_libraries({name} PRIVATE halation::io)\n")
                if "gpu" in block.words:
                    lists.append(f"if(CUDAToolkit_FOUND)\n  target_link_libraries({name} PRIVATE CUDA::cudart)\nelse()\n"
                                 f"  target_include_directories({name} PRIVATE {STANDS_IN})\nendif()\n")
        (folder / "CMakeLists.txt").write_text("".join(lists), encoding="utf-8")
        for project in dict.fromkeys([folder, *(project for _, project, _ in programs)]):
            for command in (["cmake", "-S", project, "-B", project, f"-DCMAKE_PREFIX_PATH={prefix}", *arguments],
                            ["cmake", "--build", project, "-j", "2"]):
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    snippets.fault(project.name, "does not build\n" + done.stdout + done.stderr)
                    return
        for place, _, program in programs:
            _shell(snippets, place, str(program), folder, True)


def test():
    """Each page, what language it is checked for, and the counts and faults that come of it."""
    pages = [
        ("python", "```python\nx = 1\n```\n\n```python\nassert x == 1\n```\n", (2, 0), []),
        ("python", "```python parse\nraise ValueError\n```\n```python no_such_module_anywhere\nimport no_such_module_anywhere\n```\n",
         (0, 2), []),
        ("python", "<!-- before: y = 2 -->\n```python\nassert y == 2\n```\n", (1, 0), []),
        ("python", "one\n\n```python\nx = 1\nassert x == 2\n```\n", (0, 0), ["README.md:3: "]),
        ("python", "```python parse\nx = = 1\n```\n", (0, 0), ["README.md:1: "]),
        ("python", "```python gqu!\nx = 1\n```\n", (0, 1), ["README.md:1: 'gqu!' is no name"]),
        ("sh", "```sh\nhalation there\n```\n```sh parse\nrm -r /none | grep\n```\n", (1, 1), []),
        ("sh", "```sh\nfalse\n```\n", (1, 0), ["README.md:1: exit 1"]),
        ("sh", "```sh parse\nif\n```\n", (0, 1), ["README.md:1: exit 2"]),
    ]
    for language, text, counts, faults in pages:
        with tempfile.TemporaryDirectory() as root:
            root = Path(root)
            (root / "README.md").write_text(text, encoding="utf-8")
            snippets = Snippets(root)
            if language == "python":
                check_python(snippets)
            else:
                with snippets.folder() as folder:
                    for block in next(snippets.pages())[1]:
                        place = f"README.md:{block.line}"
                        _shell(snippets, place, "halation() { test there = $1; }\n" + block.code, folder,
                               snippets.is_run(block, place, lambda: False))
            got = (snippets.ran, snippets.parsed)
            assert got == counts, f"{text}: {got}, not {counts}"
            assert len(snippets.faults) == len(faults) and all(map(str.startswith, snippets.faults, faults)), snippets.faults
    print(f"{len(pages)} pages")


def main():
    language, arguments = (sys.argv[1:] or [""])[0], sys.argv[2:]
    if language == "--test" and not arguments:
        test()
        return 0
    if language not in LANGUAGES or (language == "python") != (not arguments):
        print(__doc__, file=sys.stderr)
        return 2
    snippets = Snippets(ROOT)
    if language == "python":
        check_python(snippets)
        check_gallery_calls(snippets)
    elif language == "sh":
        check_sh(snippets, arguments[0])
    else:
        check_cpp(snippets, arguments[0], arguments[1:])
    print(f"{language}: {snippets.ran} run, {snippets.parsed} parsed or compiled")
    for fault in snippets.faults:
        print(fault)
    return 1 if snippets.faults or not snippets.ran else 0


if __name__ == "__main__":
    sys.exit(main())
