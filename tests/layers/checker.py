"""checker.py: what both checkers of layers do with their arguments."""
import sys
from pathlib import Path


def main(usage, check, self_test):
    """The exit status of `check`, which gives (complaints, how many files it read), on the tree named, or of `self_test`."""
    if sys.argv[1:] == ["--test"]:
        return 0 if self_test() else 1
    if len(sys.argv) != 2:
        print(usage, file=sys.stderr)
        return 2
    complaints, files = check(Path(sys.argv[1]))
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{files} files, {len(complaints)} complaints")
    return 1 if complaints or files == 0 else 0
