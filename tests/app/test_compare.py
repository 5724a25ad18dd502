"""test_compare.py: bench/compare: what it makes of two records."""
import json
import subprocess
import sys

from benchmark import BENCH, SMALL, Bench
from program import main


class Compare(Bench):
    def compare(self, old, new, *arguments):
        """Compares two records of (job, ms, spread in percent)."""
        for name, rows in (("old.json", old), ("new.json", new)):
            self.put(name, json.dumps({"schema": "halation-bench-1", "rows": [
                {"job": job, "status": "verified", "ms": ms, "share_of_copy": 0.5,
                 "quartiles_ms": [ms * (1 - percent / 200), ms * (1 + percent / 200)]} if ms else
                {"job": job, "status": "failed", "reason": "it is wrong"} for job, ms, percent in rows]}).encode())
        done = subprocess.run([sys.executable, BENCH / "compare", "old.json", "new.json", *arguments], cwd=self.folder,
                              capture_output=True, timeout=60, check=False)
        return done.returncode, done.stdout.decode()

    def verdicts(self, old, new):
        text = self.compare(old, new)[1]
        return [line.split()[-1] for line in text.splitlines()[1:-1]]

    def test_noise_and_change(self):
        old = [("a", 1.0, 0.1), ("b", 1.0, 0.1), ("c", 1.0, 0.1), ("d", 1.0, 3.0), ("e", 1.0, 3.0)]
        new = [("a", 1.019, 0.1), ("b", 1.03, 0.1), ("c", 0.97, 0.1), ("d", 1.05, 3.0), ("e", 1.08, 3.0)]
        self.assertEqual(self.verdicts(old, new), ["same", "SLOWER", "faster", "same", "SLOWER"])

    def test_rows_that_come_and_go(self):
        self.assertEqual(self.verdicts([("a", 1, 0), ("b", 1, 0), ("c", None, 0)], [("b", None, 0), ("c", 1, 0), ("d", 1, 0)]),
                         ["LOST", "new", "new", "gone"])

    def test_exit_code(self):
        slower = ([("a", 1, 0)], [("a", 2, 0)])
        self.assertEqual(self.compare(*slower)[0], 0)
        self.assertEqual(self.compare(*slower, "--fail-on-loss")[0], 1)
        self.assertEqual(self.compare([("a", 1, 0)], [("a", None, 0)], "--fail-on-loss")[0], 1)
        self.assertEqual(self.compare([("a", 2, 0)], [("a", 1, 0)], "--fail-on-loss")[0], 0)

    def test_a_record_against_itself(self):
        self.record(SMALL)
        done = subprocess.run([sys.executable, BENCH / "compare", "record.json", "record.json", "--fail-on-loss"],
                              cwd=self.folder, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.decode().splitlines()[-1], "2 same")

    def test_rows_of_several_numbers_of_threads(self):
        self.record(SMALL, threads="1,2")
        done = subprocess.run([sys.executable, BENCH / "compare", "record.json", "record.json"], cwd=self.folder,
                              capture_output=True, timeout=60, check=True)
        names = [line.split("  ")[0] for line in done.stdout.decode().splitlines()[1:-1]]
        self.assertEqual(names, ["small, 1 thread", "small, 2 threads", "hasty, 1 thread", "hasty, 2 threads"])

    def test_what_is_no_record(self):
        self.put("text", b"not JSON")
        self.put("other.json", b"{}")
        for name, sentence in (("none.json", "none.json: No such file or directory"), ("text", "text is no JSON"),
                               ("other.json", "other.json is no record of halation bench: its schema is not halation-bench-1")):
            done = subprocess.run([sys.executable, BENCH / "compare", name, name], cwd=self.folder, capture_output=True,
                                  timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr.decode()), (2, f"compare: {sentence}\n"))


if __name__ == "__main__":
    main()
