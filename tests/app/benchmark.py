"""benchmark.py: quick runs of `halation bench` on the CPU, for the tests of what it does and of bench/compare."""
import json
import pathlib

from program import ProgramTest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
SCHEMA = "halation-bench-matrix-1"
SMALL = [{"name": "small", "extents": [90, 120], "size": 5, "target": {"unit": "share of copy", "least": 1e-9}},
         {"name": "hasty", "extents": [90, 120], "size": 3, "pixel": "u8", "target": {"unit": "us", "least": 1e-6}}]


class Bench(ProgramTest):
    def matrix(self, jobs):
        """Writes a matrix and returns its name."""
        return self.put("matrix.json", json.dumps({"schema": SCHEMA, "jobs": jobs}).encode())

    def record(self, jobs, *arguments, threads="1"):
        """What a quick run on the CPU records."""
        self.run_ok("bench", "--matrix", self.matrix(jobs), "--device", "cpu", "--threads", threads, "--repeats", 3, "--json",
                    "record.json", *(arguments or ("--peers", "none")))
        return json.loads(self.get("record.json"))
