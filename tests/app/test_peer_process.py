"""test_peer_process.py: how bench/python/peer_process.py runs packages, and stops them; its packages are scripts."""
import json
import pathlib
import signal
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "python"))
import peer_process
from program import main

# Answers each job; those whose name it knows otherwise.
SCRIPT = """
import json, os, signal, sys
print("welcome to a package")
print(json.dumps({"peer": "Here", "version": "7"}), flush=True)
header = json.loads(sys.stdin.readline())
for line in sys.stdin:
    job = json.loads(line)["job"]
    fields = {"job": job, "threads": 2, "peer": "Here", "version": "7"}
    print(json.dumps({"starts": "Here", **fields}), flush=True)
    row = {**fields, "how": "f", "border": "wrap", "status": "verified", "times_s": [1.0]}
    if job == "half":
        print(json.dumps({"so_far": {**row, "how": "slow"}}), flush=True)
    if job in ("half", "hang"):
        os.kill(os.getpid(), signal.SIGSTOP)
    if job == "crash":
        sys.exit("no luck")
    if job != "none":
        print(json.dumps(row), flush=True)
"""


class Supervised(unittest.TestCase):
    def said(self, jobs, seconds, script=SCRIPT):
        lines = [json.dumps({"job": job}) + "\n" for job in jobs]
        said = []
        header = {"device": "cpu", "repeats": 1} | ({"seconds": seconds} if seconds else {})
        peer_process.supervise([sys.executable, "-c", script], "Asked", header, lines, lambda **line: said.append(line))
        return said

    def rows(self, said):
        return [(line["job"], line["status"], line.get("reason") or line["how"]) for line in said if "status" in line]

    def test_lines_are_handed_on(self):
        for seconds in (None, 100):
            said = self.said(["a", "none", "b"], seconds)
            self.assertEqual(said[0], {"peer": "Here", "version": "7"})
            self.assertEqual([line["job"] for line in said if "starts" in line], ["a", "none", "b"])
            self.assertEqual(self.rows(said), [("a", "verified", "f"), ("b", "verified", "f")])

    def test_a_job_that_takes_too_long_is_stopped_and_the_next_goes_on(self):
        said = self.said(["a", "hang", "half", "b"], 3)
        self.assertEqual(self.rows(said), [("a", "verified", "f"), ("hang", "took too long", "over 3 s"),
                                           ("half", "verified", "slow"), ("b", "verified", "f")])
        self.assertEqual([line for line in said if "job" not in line], [{"peer": "Here", "version": "7"}])
        late = next(line for line in said if line.get("status") == "took too long")
        self.assertEqual((late["threads"], late["peer"], late["version"]), (2, "Asked", "7"))

    def test_one_that_ends_early_says_why(self):
        said = self.said(["a", "crash", "b"], 100)
        self.assertEqual(self.rows(said), [("a", "verified", "f")])
        self.assertEqual(said[-1], {"peer": "Asked", "version": "ended early: no luck"})

    def test_one_that_never_starts(self):
        start_s, peer_process.START_S = peer_process.START_S, 0
        self.addCleanup(setattr, peer_process, "START_S", start_s)
        said = self.said(["a"], 0.2, f"import os; os.kill(os.getpid(), {int(signal.SIGSTOP)})")
        self.assertEqual(said, [{"peer": "Asked", "version": "took too long to start, over 0.2 s"}])


if __name__ == "__main__":
    main()
