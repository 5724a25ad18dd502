"""installed.py: the program that the site was made with, and the picture that it is shown."""
import os
import subprocess
import sys
from pathlib import Path

PHOTO = Path(__file__).parents[2] / "examples" / "astronaut.png"
HALATION = [sys.executable, "-m", "halation"]


class Studio:
    """`halation studio` with these arguments; it must end well."""

    def __init__(self, *arguments):
        self._process = subprocess.Popen([*HALATION, "studio", "--no-browser", *arguments], stdout=subprocess.PIPE, text=True,
                                         env={**os.environ, "HALATION_CACHE": ""})
        self.address = self._process.stdout.readline().split()[2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        assert self._process.wait(60) == 0
