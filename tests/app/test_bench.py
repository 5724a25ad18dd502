"""test_bench.py: `halation bench` on the CPU: its table, record, report, peers and refusals."""
import fcntl
import importlib.util
import json
import math
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unittest
import unittest.mock

import program
from benchmark import SCHEMA, SMALL, Bench
from pages import check_whole, leads, parsed
from program import main, read_all

class Results(Bench):
    def test_jobs_for_the_cpu_that_are_built_in(self):
        names = self.run_ok("bench", "--device", "cpu", "--list")[0].decode().splitlines()
        self.assertGreater(len(names), 40)
        self.assertTrue(all(name.startswith("cpu ") for name in names))
        self.run_ok("bench", "--device", "cpu", "--peers", "none", "--repeats", 3, "--threads", "1,2", "--json", "record.json",
                    "--jobs", "cpu f32 3x3 one 512x512", "cpu u8 box 3")
        rows = json.loads(self.get("record.json"))["rows"]
        self.assertEqual([(row["job"], row["threads"], row["status"]) for row in rows],
                         [(name, threads, "verified") for name in ("cpu u8 box 3", "cpu f32 3x3 one 512x512")
                          for threads in (1, 2)])

    def test_rates_follow_from_times(self):
        jobs = [{"name": "f32", "extents": [50, 60], "size": 5},
                {"name": "colour", "extents": [50, 60], "channels": 3, "batch": 4, "pixel": "u8", "output": "i16",
                 "filter": "sobel"},
                {"name": "volume", "extents": [20, 30, 40], "pixel": "f64", "border": "wrap"}]
        sizes = {"f32": (3000, 24000), "colour": (12000, 108000), "volume": (24000, 384000)}
        for row in self.record(jobs)["rows"]:
            pixels, size = sizes[row["job"]]
            seconds = row["ms"] * 1e-3
            self.assertAlmostEqual(row["gpix_per_s"] * seconds * 1e9 / pixels, 1)
            self.assertAlmostEqual(row["gb_per_s"] * seconds * 1e9 / size, 1)
            self.assertAlmostEqual(row["share_of_copy"] * row["ms"] / row["copy_ms"], 1)
            self.assertLessEqual(row["quartiles_ms"][0], row["ms"])
            self.assertLessEqual(row["ms"], row["quartiles_ms"][1])
            self.assertEqual(row["repeats"], 3)
            self.assertLessEqual(row["error"]["largest"], row["error"]["allowed"])
            self.assertEqual(row["error"]["wrong"], 0)
            self.assertGreater(row["error"]["outputs"], 1000)

    def test_record_names_its_circumstances(self):
        record = self.record(SMALL)
        self.assertEqual(record["schema"], "halation-bench-1")
        self.assertEqual(record["device"], "cpu")
        self.assertEqual(record["void"], [])
        self.assertEqual(record["command"], "halation bench --matrix matrix.json --device cpu --threads 1 --peers none "
                                            "--repeats 3 --json record.json")
        self.assertRegex(record["date"], r"^\d{4}-\d\d-\d\d$")
        self.assertGreaterEqual(record["cores"], 1)
        self.assertEqual(record["instruction_set"], re.search(r"(?m)^cpu +(\w+),", self.run_ok("devices")[0].decode())[1])
        self.assertIn("commit", record)
        self.assertEqual(record["rows"][0]["fields"], SMALL[0])

    def test_instruction_set_by_name(self):
        record = self.record(SMALL[:1], "--peers", "none", "--target", "SCALAR")
        self.assertEqual(record["instruction_set"], "SCALAR")

    def test_targets(self):
        rows = self.record(SMALL)["rows"]
        self.assertEqual([row["target"]["verdict"] for row in rows], ["aim", "missed"])
        self.assertAlmostEqual(rows[0]["target"]["reached"], rows[0]["share_of_copy"])
        self.assertAlmostEqual(rows[1]["target"]["reached"], rows[1]["ms"] * 1e3)

    def test_table(self):
        text = self.run_ok("bench", "--matrix", self.matrix(SMALL), "--device", "cpu", "--peers", "none", "--repeats",
                           3, "--threads", "2,1")[0].decode()
        for threads in (2, 1):
            self.assertRegex(text, rf"(?m)^small +{threads} +[\d.]+ +[\d.]+% +[\d.]+ +\d+% +aim +- +-$")
            self.assertRegex(text, rf"(?m)^hasty +{threads} .* MISSED \(0\.00000 us\) +- +-$")
        self.assertIn("targets: 2 reached the aim, 0 the least, 2 missed: hasty, 2 threads (", text)
        self.assertRegex(text, r"hasty, 1 thread\s+\(")

    def test_threads(self):
        rows = self.record(SMALL[:1], threads="3,0,1,3")["rows"]
        counts = [row["threads"] for row in rows]
        self.assertEqual(counts, list(dict.fromkeys([3, os.cpu_count(), 1])))
        self.assertTrue(all(row["status"] == "verified" for row in rows))
        rows = json.loads(self.run_ok("bench", "--matrix", "matrix.json", "--device", "cpu", "--peers", "none", "--json",
                                      "-")[0])["rows"]
        self.assertEqual([row["threads"] for row in rows], list(dict.fromkeys([1, os.cpu_count()])))

    def test_filters_that_a_matrix_describes(self):
        self.record([{"name": "wide", "extents": [90, 120], "filter": "gaussian", "sigma": 2},
                     {"name": "cut", "extents": [90, 120], "filter": "gaussian", "sigma": 2, "size": 5},
                     {"name": "even", "extents": [90, 120], "filter": "symmetric", "size": 6}],
                    *PythonPeers.python(self, 'open("lines", "w").write(sys.stdin.read())'))
        wide, cut, even = [json.loads(line) for line in self.get("lines").splitlines()[1:]]
        weights = [math.exp(-0.5 * (i / 2) ** 2) for i in range(-8, 9)]
        for job, count in ((wide, 17), (cut, 5)):
            self.assertEqual((job["sigma"], job["taps"]), (2, [1, count, count]))
            kept = weights[8 - count // 2:9 + count // 2]
            self.assert_close(job["factors"][2], [weight / sum(kept) for weight in kept], 1e-6)
        factor = even["factors"][1]
        self.assertEqual(len(factor), 6)
        self.assertEqual(factor, factor[::-1])
        self.assertEqual(len(set(factor)), 3)
        self.assertNotIn("sigma", even)

    def test_jobs_by_name(self):
        jobs = [{"name": "a {size}", "extents": [40, 40], "on": "cuda", "each": {"size": [3, 5]}},
                {"name": "b", "extents": [40, 40], "on": "cpu"}]
        self.assertEqual([row["job"] for row in self.record(jobs)["rows"]], ["b"])
        rows = self.record(jobs, "--peers", "none", "--jobs", "a *")["rows"]
        self.assertEqual([row["job"] for row in rows], ["a 3", "a 5"])
        listed = self.run_ok("bench", "--matrix", "matrix.json", "--device", "cpu", "--jobs", "?", "a 5", "--list")[0]
        self.assertEqual(listed, b"a 5\nb\n")

    def test_what_a_plan_refuses_is_no_failure(self):
        jobs = [{"name": "no", "extents": [40, 40], "size": 3, "method": "banded"}, *SMALL]
        done = self.start("bench", "--matrix", self.matrix(jobs), "--device", "cpu", "--threads", 1, "--peers", "none", "--json",
                          "r.json")
        rows = json.loads(self.get("r.json"))["rows"]
        self.assertEqual([row["status"] for row in rows[1:]], ["verified", "verified"])
        self.assertNotEqual(rows[0]["status"], "verified")
        self.assertIn("banded", rows[0]["reason"])
        self.assertEqual(done.returncode, 0 if rows[0]["status"] == "not run" else 1)

    def test_progress(self):
        done = self.start("bench", "--matrix", self.matrix(SMALL), "--device", "cpu", "--peers", "none", "--progress",
                          "--threads", "1,2")
        self.assertRegex(done.stderr.decode(), r"\Asmall, 1 thread: [\d.]+ ms, \d+% of copy\nsmall, 2 threads: .*\n"
                                               r"hasty, 1 thread: .*\nhasty, 2 threads: .*\n\Z")

    def progress_on_terminal(self, *arguments, terminal="xterm"):
        """What a run writes on a standard error that is a terminal of 60 columns."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        done = subprocess.run([program.HALATION, "bench", "--matrix", self.matrix(SMALL), "--device", "cpu", "--peers", "none",
                               "--threads", "1,2", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave,
                              cwd=self.folder, timeout=120, check=False, env={**os.environ, "TERM": terminal})
        os.close(slave)
        self.assertEqual(done.returncode, 0)
        return read_all(master)

    def test_progress_on_a_terminal_is_one_line_that_goes(self):
        said = self.progress_on_terminal()
        self.assertEqual(said, "".join(f"\r{number} of 4: {label}: halation\x1b[K" for number, label in enumerate(
            ["small, 1 thread", "small, 2 threads", "hasty, 1 thread", "hasty, 2 threads"], 1)) + "\r\x1b[K")
        self.assertRegex(self.progress_on_terminal("--progress"),
                         r"\Asmall, 1 thread: .* of copy\r\nsmall, 2 .*\r\nh.*\r\nh.*\r\n\Z")
        self.assertEqual(self.progress_on_terminal("--quiet"), "")
        self.assertEqual(self.progress_on_terminal(terminal="dumb"), "")
        long = [{**SMALL[0], "name": "a job of a very long name that no line of any common terminal can hold" * 2}]
        with unittest.mock.patch(f"{__name__}.SMALL", long):
            for line in self.progress_on_terminal().replace("\x1b[K", "").split("\r"):
                self.assertLess(len(line), 60)

    def test_json_on_standard_output(self):
        text = self.run_ok("bench", "--matrix", self.matrix(SMALL), "--device", "cpu", "--peers", "none", "--threads", 1,
                           "--json", "-")[0]
        self.assertEqual([row["job"] for row in json.loads(text)["rows"]], ["small", "hasty"])


class PythonPeers(Bench):
    def python(self, script):
        """A stand-in for python3: it gets the name of peers.py, and the jobs on standard input."""
        self.put("python", f"#!{sys.executable}\nimport json, sys\n{script}\n".encode())
        (self.folder / "python").chmod(0o755)
        return ("--peers", "python", "--python", "./python")

    def test_rows_are_merged(self):
        record = self.record(SMALL, *self.python("""
print(json.dumps({"peer": "Here", "version": "7"}))
print(json.dumps({"peer": "Gone", "version": "not found: nothing"}))
header = json.loads(sys.stdin.readline())
assert header == {"device": "cpu", "repeats": 3, "seconds": 60}, header
for line in sys.stdin:
    job = json.loads(line)
    fast = {"job": job["job"], "peer": "Here", "version": "7", "how": "f()", "border": "wrap"}
    fast["threads"] = job["threads"]
    print(json.dumps({**fast, "status": "verified", "times_s": [3.0, 1.0, 2.0], "copies_s": [0.5, 0.25]}))
    print(json.dumps({**fast, "peer": "Odd", "status": "differs", "reason": "it is " + job["pixel"]}))
"""))
        self.assertEqual(record["peers"], [{"peer": "Here", "version": "7"}, {"peer": "Gone", "version": "not found: nothing"}])
        for row, pixel in zip(record["rows"], ("f32", "u8")):
            here, odd = row["peers"]
            self.assertEqual((here["ms"], here["quartiles_ms"], here["how"]), (2000, [1500, 2500], "f()"))
            self.assertEqual(here["copies_ms"], [500, 250])
            self.assertAlmostEqual(here["over_peer"] * row["ms"], 2000)
            self.assertEqual(row["best_peer"], {"peer": "Here", "over": here["over_peer"]})
            self.assertEqual((odd["status"], odd["reason"]), ("differs", f"it is {pixel}"))
            self.assertNotIn("ms", odd)

    def test_rounds(self):
        # Near is as fast as halation in the first round, which nobody is by luck, Far never; Near slows down from round to round.
        python = self.python("""
header = json.loads(sys.stdin.readline())
open("headers", "a").write(json.dumps(header) + "\\n")
calls = len(open("headers").readlines())
for line in sys.stdin:
    row = {"job": json.loads(line)["job"], "threads": 1, "version": "7", "how": "f", "border": "wrap", "status": "verified"}
    print(json.dumps({**row, "peer": "Near", "times_s": [1e-9 * calls]}))
    if calls == 1:
        print(json.dumps({**row, "peer": "Far", "times_s": [1.0]}))
""")
        row = self.record(SMALL[:1], *python, "--rounds", 3)["rows"][0]
        self.assertEqual([json.loads(line).get("peers") for line in self.get("headers").splitlines()], [None] + 3 * [["Near"]])
        self.assertEqual(row["rounds"], 3)
        self.assertEqual(row["repeats"], 3)
        near, far = row["peers"]
        self.assertAlmostEqual(near["ms"], 3e-6)  # the median of 2, 3 and 4 ns
        self.assertEqual(far["ms"], 1000)

    def test_progress_of_peers(self):
        python = self.python("""
sys.stdin.readline()
for line in sys.stdin:
    row = {"job": json.loads(line)["job"], "threads": 1, "peer": "Here", "version": "7", "how": "f", "border": "wrap"}
    print(json.dumps({**row, "status": "verified", "times_s": [0.5]}))
    print(json.dumps({**row, "peer": "Odd", "status": "failed", "reason": "no"}))
""")
        done = self.start("bench", "--matrix", self.matrix(SMALL[:1]), "--device", "cpu", "--threads", 1, "--progress", *python)
        self.assertRegex(done.stderr.decode(), r"\Asmall, 1 thread: [\d.]+ ms, \d+% of copy\nsmall, 1 thread: Here 500\.0 ms\n"
                                               r"small, 1 thread: Odd failed\n\Z")

    def test_rows_go_to_their_number_of_threads(self):
        target = {"unit": "times the best peer", "least": 2, "aim": 1e9}
        record = self.record([{**SMALL[0], "target": target},
                              {**SMALL[0], "name": "copied", "target": {**target, "least": 1e9, "or_share_of_copy": 1e-9}}],
                             *self.python("""
sys.stdin.readline()
for line in sys.stdin:
    job = json.loads(line)
    row = {"job": job["job"], "threads": job["threads"], "peer": "Here", "version": "7", "how": "f", "border": "wrap"}
    print(json.dumps({**row, "status": "verified", "times_s": [float(job["threads"])]}))
"""), threads="1,2")
        self.assertEqual([row["peers"][0]["ms"] for row in record["rows"]], [1000, 2000, 1000, 2000])
        for row in record["rows"]:
            self.assertAlmostEqual(row["target"]["reached"] * row["ms"], row["peers"][0]["ms"])
        self.assertEqual([row["target"]["verdict"] for row in record["rows"]], ["least", "least", "aim", "aim"])

    def test_a_target_without_a_peer_is_not_judged(self):
        jobs = [{**SMALL[0], "target": {"unit": "times the best peer", "least": 2}}]
        self.assertNotIn("target", self.record(jobs)["rows"][0])
        text = self.run_ok("bench", "--matrix", "matrix.json", "--device", "cpu", "--peers", "none", "--threads", 1)[0].decode()
        self.assertRegex(text, r"(?m)^small .* - +- +-$")
        self.assertIn("1 of 1 targets cannot be judged: what they compare with was not timed", text)
        self.assertNotIn("unknown", text)
        self.assertNotIn("targets: ", text)

    def test_a_peer_that_takes_too_long_says_so_in_its_row(self):
        python = self.python("""
header = json.loads(sys.stdin.readline())
assert header["seconds"] == 7, header
for line in sys.stdin:
    print(json.dumps({"job": json.loads(line)["job"], "threads": 1, "peer": "Slow", "version": "7", "how": "", "border": "",
                      "status": "took too long", "reason": "over 7 s"}))
""")
        record = self.record(SMALL[:1], "--peer-seconds", 7, *python)
        peer = record["rows"][0]["peers"][0]
        self.assertEqual((peer["status"], peer["reason"]), ("took too long", "over 7 s"))
        text = self.run_ok("bench", "--matrix", "matrix.json", "--device", "cpu", "--threads", 1, "--peer-seconds", 7, *python)[0]
        self.assertRegex(text.decode(), r"(?m)^small .* aim +Slow took too long +-$")
        self.assertIn("Slow on small, 1 thread: took too long, over 7 s", text.decode().replace("\n  ", " "))

    def test_a_peer_in_a_process_of_its_own(self):
        # The program itself: it has OpenCV, or says that its build has none.
        record = self.record(SMALL[:1], "--peers", "opencv")
        self.assertEqual([peer["peer"] for peer in record["peers"]], ["OpenCV C++"])
        if "no OpenCV" not in record["peers"][0]["version"]:
            self.assertEqual(record["rows"][0]["peers"][0]["status"], "verified")
            self.assertEqual(len(record["rows"][0]["peers"][0]["copies_ms"]), 2)

    def test_how_a_peer_speaks(self):
        for text in (self.run_ok("bench", "--help")[0], self.run_ok("completion", "bash")[0]):
            self.assertNotIn(b"as-peer", text)
        done = self.start("bench", "--as-peer", "npp", stdin=b'{"device": "cuda", "repeats": 3}\n')
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([answer["peer"] for answer in answers], ["NPP"])

    def test_what_it_gets_of_a_job(self):
        self.record([{"name": "sobel", "extents": [40, 50], "filter": "sobel", "pixel": "u8", "output": "i16"}],
                    *self.python('open("lines", "w").write(sys.stdin.read())'))
        job = json.loads(self.get("lines").splitlines()[1])
        # As a convolution: the positive side is the one that comes first.
        self.assertEqual(job["weights"], [1, 0, -1, 2, 0, -2, 1, 0, -1])
        self.assertEqual((job["extents"], job["taps"], job["output"]), ([1, 40, 50], [1, 3, 3], "i16"))

    def test_a_python_that_fails_does_not_spoil_the_run(self):
        for script, reason in (("raise ValueError('no luck')", "ended early: ValueError: no luck"),
                               ("print('hello')", "ended early: it printed 'hello'"),
                               ("print('{\"job\": \"small\"}')", "ended early: it printed '{\"job\": \"small\"}'")):
            record = self.record(SMALL, *self.python(script))
            self.assertEqual(record["peers"], [{"peer": "Python", "version": reason}])
            self.assertEqual([row["status"] for row in record["rows"]], ["verified", "verified"])
        record = self.record(SMALL, "--peers", "python", "--python", "no/such/python")
        self.assertRegex(record["peers"][0]["version"], r"^ended early: .*no/such/python")

    @unittest.skipUnless(importlib.util.find_spec("numpy") and importlib.util.find_spec("scipy"), "there is no SciPy here")
    def test_scipy_computes_the_same(self):
        jobs = [{"name": f"{border} {size}", "extents": [120, 130], "size": size, "border": border}
                for border in ("constant", "replicate", "reflect", "reflect101", "wrap") for size in (4, 5)]
        jobs += [{"name": "signal", "extents": [9000], "size": 17},
                 {"name": "volume", "extents": [30, 40, 50], "filter": "separable", "size": 5},
                 {"name": "box", "extents": [120, 130], "channels": 3, "batch": 2, "filter": "box", "size": 9},
                 {"name": "sobel", "extents": [120, 130], "filter": "sobel", "pixel": "u8", "output": "i16"}]
        record = self.record(jobs, "--peers", "python", "--python", sys.executable)
        for row in record["rows"]:
            scipy = [peer for peer in row["peers"] if peer["peer"] == "SciPy"]
            self.assertEqual([peer["status"] for peer in scipy], ["verified"], row)


class Report(Bench):
    def page(self, jobs, *peers):
        self.run_ok("bench", "--matrix", self.matrix(jobs), "--device", "cpu", "--threads", 1, "--repeats", 3, "--report", "r.html",
                    *(peers or ("--peers", "none")))
        text = self.get("r.html").decode()
        return text, parsed(text)

    def test_page_is_whole_and_needs_nothing_beside_it(self):
        self.put("python", f"""#!{sys.executable}
import json, sys
sys.stdin.readline()
for line in sys.stdin:
    print(json.dumps({{"job": json.loads(line)["job"], "threads": 1, "copies_s": [1e-3, 2e-3], "peer": "Here<1>", "version": "7", "how": "f", "border": "wrap",
                      "status": "verified", "times_s": [1e-4]}}))
""".encode())
        (self.folder / "python").chmod(0o755)
        sweep = {"name": "{pixel} c{channels} {size}", "extents": [60, 70],
                 "each": {"pixel": ["u8", "f32"], "channels": [1, 3], "size": [3, 5, 7]}}
        text, page = self.page([sweep, {"name": "a<b>&c", "extents": [50, 60], "target": SMALL[0]["target"]}],
                               "--peers", "python", "--python", "./python")
        check_whole(self, text)
        charts = page.findall(".//svg")
        self.assertEqual([chart.get("aria-labelledby").split()[0] for chart in charts],
                         ["bars-title", "peers0-title", "peers1-title", "share0-title", "share1-title"])
        for chart in charts[1:]:
            self.assertEqual(len(chart.findall("path")), 4)  # a line and a leader for each of two pixels
            self.assertEqual(len(chart.findall("circle")), 6)
        self.assertEqual(len(charts[0].findall("rect")), 1)
        words = "".join(page.itertext())
        for word in ("a<b>&c", "Here<1>", "60x70, 3 channels, reflect101"):
            self.assertIn(word, words)
        self.assertRegex(leads(page)[-1], r"^Ahead of every peer in \d+ of 13 jobs$")
        self.assertEqual([summary.find("h2").text for summary in page.findall(".//details/summary")], ["Figures"])

    def test_without_peers_and_sweeps_there_are_tables_alone(self):
        _, page = self.page(SMALL)
        self.assertEqual(page.findall(".//svg"), [])
        self.assertEqual([row.find("th").text for row in page.findall(".//tbody/tr")], ["small", "hasty"])


class BadInput(Bench):
    def check_refused(self, arguments, sentence, code=2):
        self.check_error(["bench", "--device", "cpu", *arguments], sentence, code)

    def test_wrong_usage(self):
        self.check_refused(["--repeats", "0"], "--repeats must be a whole number from 1 to 1001, got '0'")
        self.check_refused(["--rounds", "-1"], "--rounds must be a whole number from 0 to 1001, got '-1'")
        self.check_refused(["--peer-seconds", "0"], "--peer-seconds must be a whole number from 1 to 86400, got '0'")
        self.check_refused(["--progress", "--quiet"], "bench: --progress and --quiet are not for one run")
        self.check_refused(["--threads", "1,-2"], "--threads must be a whole number from 0 to 1024, got '-2'")
        self.check_error(["bench", "--target", "SCALAR"], "bench: --target is for --device cpu", 2)
        usable = self.start("bench", "--device", "cpu", "--target", "MMX").stderr.decode()
        self.assertRegex(usable, r"^halation: HALATION_TARGET must be an instruction set of this machine and build \((\w+, )*SCALAR\), "
                                 r"got 'MMX'\n$")
        self.check_refused(["--threads", "two"], "--threads must be a whole number from 0 to 1024, got 'two'")
        self.check_refused(["--peers", "mkl"], "unknown peer 'mkl'; choose from npp, cufft, cudnn, opencv, python, none")
        self.check_refused(["--peers", "npp"], "bench: the peer npp runs on GPUs, the jobs on the CPU")
        self.check_refused(["--jobs", "nothing*"], "no job is called 'nothing*'; --jobs takes names, * for any characters "
                                                   "(halation bench --list)")
        self.check_error(["bench", "--device", "tpu"], "unknown device 'tpu'; choose from auto, cpu, cuda; did you mean 'cpu'?", 2)
        self.check_refused(["--json", "none/out"], "none/out: folder none does not exist", 1)
        self.check_refused(["--report", "none/out"], "none/out: folder none does not exist", 1)
        self.check_refused(["--report", "page.json"], "--report writes a page of HTML, to a file such as report.html, got 'page.json'")
        for name in ("page.html", "photo.Tif"):
            self.check_refused(["--json", name], f"--json writes JSON, to a file such as report.json, got '{name}'")
        for name in ("PAGE.HTML", "v1.5", "page.", "page.xhtml"):
            self.check_refused(["--report", f"none/{name}"], f"none/{name}: folder none does not exist", 1)
        self.check_refused(["--matrix", "none.json"], "none.json: no such file", 1)
        self.put("m.json", b"{}")
        (self.folder / "link.json").symlink_to("m.json")
        for name in ("./m.json", "link.json"):
            self.check_refused(["--matrix", "m.json", "--json", name], f"{name} is the file that is read; --json and --report need files of their own")

    def test_a_matrix_that_is_none(self):
        for text, sentence in (("", "no JSON: byte 1 is unexpected"), ("{\"jobs\": [", "no JSON: byte 11 is unexpected"),
                               ("[]", "the matrix must be an object, got []"),
                               ("{}", f"'schema' must be \"{SCHEMA}\""),
                               (f'{{"schema": "{SCHEMA}"}}', "'jobs' must be a list of jobs"),
                               (f'{{"schema": "{SCHEMA}", "jobs": []}}', "'jobs' must be a list of jobs"),
                               (f'{{"schema": "{SCHEMA}", "jobs": [4]}}', "job 1 has no name"),
                               (f'{{"schema": "{SCHEMA}", "sizes": []}}',
                                "the matrix has a field 'sizes', which is none of about, jobs, schema")):
            self.check_refused(["--matrix", self.put("m.json", text.encode())], f"m.json: {sentence}")

    def test_wrong_jobs(self):
        extents = "extents must be [width], [height, width] or [depth, height, width]"
        number = "must be a whole number from 1 to"
        for fields, sentence in (
                ({}, extents), ({"extents": []}, f"{extents}, got []"), ({"extents": [0, 4]}, f"extents {number} 1099511627776, got 0"),
                ({"extents": [4, 4.5]}, f"extents {number} 1099511627776, got 4.5"),
                ({"extents": [9], "channels": "3"}, f'channels {number} 1024, got "3"'),
                ({"extents": [9], "size": 0}, f"size {number} 4194303, got 0"),
                ({"extents": [9], "pixel": "f33"}, "unknown pixel 'f33'; choose from u8, u16, i16, f16, f32, f64, i8, u32, i32, u64, i64, c64, c128; did you mean 'f32'?"),
                ({"extents": [9], "pixel": 8}, "pixel must be a text, got 8"),
                ({"extents": [9], "filter": "median"},
                 "unknown filter 'median'; choose from dense, integer, gaussian, separable, symmetric, box, sobel"),
                ({"extents": [9], "sigma": 2}, "'sigma' is of a gaussian, the filter is dense"),
                ({"extents": [9], "filter": "gaussian", "sigma": 0}, "sigma must be a number above 0, got 0"),
                ({"extents": [9], "filter": "gaussian", "sigma": "2"}, 'sigma must be a number above 0, got "2"'),
                ({"extents": [9], "filter": "gaussian", "sigma": 501}, "sigma must be at most 500, got 501"),
                ({"extents": [9], "target": {"least": 1, "or_share_of_copy": 1}},
                 "target: 'or_share_of_copy' stands beside another unit than 'share of copy'"),
                ({"extents": [9], "target": {"unit": "times the best peer", "least": 1, "or_share_of_copy": -1}},
                 "or_share_of_copy must be a number above 0, got -1"),
                ({"extents": [9], "filter": "sobel", "size": 5}, "sobel has size 3, got 5"),
                ({"extents": [9], "on": "tpu"}, "unknown device 'tpu'; choose from cpu, cuda"),
                ({"extents": [9], "target": {"unit": "fps", "least": 1}},
                 "unknown unit 'fps'; choose from share of copy, GPix/s, us, share of job, times the best peer"),
                ({"extents": [9], "target": {}}, "least must be a number above 0, got nothing"),
                ({"extents": [9], "target": {"unit": "share of job", "least": 1}},
                 "target: 'than' names the other job of the unit 'share of job', and stands there alone"),
                ({"extents": [9], "target": {"unit": "share of job", "least": 1, "than": "x"}},
                 "there is no job 'x' to compare with"),
                ({"extents": [9], "each": {"size": []}}, "'each' must give 'size' a list of values"),
                ({"extents": [9], "size": 3, "each": {"size": [5]}}, "'size' is given both by itself and in 'each'")):
            self.check_refused(["--matrix", self.matrix([{"name": "a", **fields}])], f"matrix.json: job 'a': {sentence}")
        self.check_refused(["--matrix", self.matrix([{"name": "a", "extents": [9]}] * 2)],
                           "matrix.json: two jobs are called 'a'")
        self.check_refused(["--matrix", self.matrix([{"name": "a", "extents": [9], "each": {"size": [3, 5]}}])],
                           "matrix.json: two jobs are called 'a'")

    def test_images_larger_than_memory(self):
        done = self.start("bench", "--device", "cpu", "--peers", "none", "--matrix",
                          self.matrix([{"name": "vast", "extents": [4000000, 4000000]}]))
        self.assertRegex(done.stdout.decode(), r"(?m)^vast, 1 thread +not run: .*GB")


if __name__ == "__main__":
    main()
