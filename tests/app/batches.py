"""batches.py: runs of `halation batch` and what is asked of each, for the tests of it."""
import re

from pictures import png
from program import ProgramTest

FAILED, WRONG_USAGE = 1, 2
PHOTO = png([[(10 * x + y, 20 * y, 255 - x) for x in range(12)] for y in range(8)])
SIZE = r"(?:\d+\.\d [kMG]B|\d+ bytes)"
SUMMARY = rf"(\d+) done, (\d+) skipped, (\d+) failed in \d+\.\d s: \d+\.\d files/s, \d+\.\d MPix/s, {SIZE} read, {SIZE} written"


class BatchTest(ProgramTest):
    def put(self, name, data):
        """Writes a file, with its folders, and returns its name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return name

    def below(self, folder):
        """The files of a folder and their contents, without the notes of how they were made."""
        start = self.folder / folder
        return {str(path.relative_to(start)): path.read_bytes() for path in start.rglob("*") if path.is_file() and path.name != ".halation-batch"}

    def batch(self, *arguments, counts=None, remarks=(), **more):
        """Runs a batch whose files are all filtered; `counts` are those done, skipped and failed, `remarks` the lines behind them."""
        done = self.start("batch", *arguments, **more)
        said = done.stderr.decode()
        self.assertEqual(done.returncode, 0, said)
        found = re.fullmatch(SUMMARY + r"\n" + "".join(re.escape(line) + r"\n" for line in remarks), said)
        self.assertIsNotNone(found, said)
        if counts is not None:
            self.assertEqual(tuple(int(count) for count in found.groups()), counts)
        return done.stdout

    def batch_with_failures(self, failures, all_files, *arguments, skipped=0, remarks=(), **more):
        """Runs a batch of which some fail: a line each, in any order, the summary, `remarks`, and how many in the last line."""
        done = self.start("batch", *arguments, **more)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(done.returncode, FAILED, lines)
        self.assertEqual(lines[-1], f"halation: batch: {len(failures)} of {all_files} files could not be filtered")
        lines, said_last = lines[:-1 - len(remarks)], lines[-1 - len(remarks):-1]
        self.assertEqual(said_last, list(remarks))
        found = re.fullmatch(SUMMARY, lines[-1])
        self.assertIsNotNone(found, lines)
        self.assertEqual(tuple(int(count) for count in found.groups()), (all_files - skipped - len(failures), skipped, len(failures)))
        self.assertEqual(len(lines), len(failures) + 1)
        for line, failure in zip(sorted(lines[:-1]), sorted(failures)):
            self.assertRegex(line, rf"\Abatch: {failure}\Z")
        return done.stdout

    def refused(self, code, sentence, *arguments):
        with self.subTest(arguments=arguments):
            self.check_error(("batch", *arguments), sentence, code)
