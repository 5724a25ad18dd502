"""test_tune.py: `halation tune` and the file that times and figures are kept in, from one process to the next."""
import json
import os
import re

from program import ProgramTest, main

TIME = r"[\d.]+ [mu]?s"
METHODS = ["direct", "separable", "low_rank", "box", "fft", "multirate"]


def fnv_1a(data):
    """The sum with which a file of timings ends."""
    made = 0xcbf29ce484222325
    for byte in data:
        made = (made ^ byte) * 0x100000001b3 % 2**64
    return made


class Tune(ProgramTest):
    """Each test has a cache of its own, `timings` in its folder, on the CPU alone."""

    def tuned(self, *arguments, cache="timings", **more):
        done = self.start(*arguments, env={**os.environ, "HALATION_CACHE": cache}, **more)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        return done.stdout.decode()

    def small(self, *arguments, **more):
        return self.tuned("tune", "gaussian", "--size", "64x90", "--device", "cpu", *arguments, **more)

    def explained(self, *arguments, **more):
        report = json.loads(self.tuned("explain", "gaussian", "--size", "64x90", "--json", *arguments, **more))
        return report["plans"][0]["ranking"][0]

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_times_the_methods_of_a_job_and_keeps_them(self):
        title, *methods, place = self.small("--pixel", "u8").splitlines()
        self.assertEqual(title, "gaussian 9x9 over 64x90 u8 on cpu")
        self.assertEqual(sorted(line.split()[0] for line in methods), sorted(METHODS))
        for line in methods[:3]:
            self.assertRegex(line, rf"^  (direct|separable|fft) +expected {TIME} +measured {TIME}")
        self.assertRegex("\n".join(methods[3:]), r"(?m)^  box +its weights differ$")
        self.assertRegex("\n".join(methods[3:]), r"(?m)^  multirate +accuracy is exact$")
        self.assertEqual(place, "kept in timings")
        self.assertEqual(self.files(), ["timings", "timings.lock"])
        # Another process knows them: it times nothing, and writes nothing.
        before = self.get("timings")
        for tune in ("estimate", "measure"):
            ranking = self.explained("--pixel", "u8", "--tune", tune)
            self.assertEqual(sum("measured_seconds" in method for method in ranking), 3)
        fastest = min((method for method in ranking if "measured_seconds" in method), key=lambda method: method["measured_seconds"])
        self.assertEqual(ranking[0], fastest)
        self.assertEqual(self.get("timings"), before)
        self.assertFalse(any("measured_seconds" in method for method in self.explained("--pixel", "u16")))

    def test_plans_that_measure_keep_times(self):
        first = self.explained("--tune", "measure")
        before = self.get("timings")
        times = re.findall(r"(?m)^time ", before.decode())
        self.assertEqual(len(times), sum("measured_seconds" in method for method in first))
        self.assertEqual(self.explained("--tune", "measure"), first)
        self.assertEqual(self.get("timings"), before)

    def test_times_anew(self):
        """What was kept is measured again: no method takes the hours that the file says."""
        self.small()
        kept = self.get("timings").decode()
        text = re.sub(r"(?m)^time \S+", "time 12345.5", kept.partition("end ")[0])
        self.put("timings", f"{text}end {fnv_1a(text.encode()):016x}\n".encode())
        self.assertEqual(self.explained()[0]["measured_seconds"], 12345.5)
        self.small()
        self.assertEqual(len(kept.splitlines()), len(self.get("timings").splitlines()))
        self.assertNotIn(b"12345.5", self.get("timings"))

    def test_options_of_the_job(self):
        text = self.tuned("tune", "box", "--size", 5, "--size", "8x40x50", "--pixel", "f32", "--channels", 2, "--border", "wrap",
                          "--accuracy", "fast", "--device", "cpu", "--threads", 1)
        self.assertTrue(text.startswith("box 5x5x5 over 8x40x50x2 f32 on cpu\n"), text)
        self.assertRegex(text, rf"(?m)^  box +expected {TIME} +measured {TIME}$")
        text = self.tuned("tune", "edges", "--size", "30x40", "--device", "cpu")
        self.assertEqual(re.findall(r"(?m)^\w+ \S+ over .*$", text), ["edges 3x3 over 30x40 f32 on cpu"] * 2)

    def test_without_a_cache(self):
        self.assertTrue(self.small(cache="").endswith("\nnot kept: HALATION_CACHE is empty, or no folder for it is known\n"))
        self.explained("--tune", "measure", cache="")
        self.assertEqual(self.files(), [])
        self.put("file", b"")
        self.assertTrue(self.small(cache="file/timings").endswith("\nnot kept: file/timings cannot be written\n"))
        self.explained("--tune", "measure", cache="file/timings")
        self.assertEqual(self.files(), ["file"])

    def test_where_the_cache_is(self):
        environment = {name: value for name, value in os.environ.items() if name not in ("HALATION_CACHE", "XDG_CACHE_HOME")}
        for more, place in (({"HOME": str(self.folder)}, ".cache/halation/timings"),
                            ({"HOME": "/nowhere", "XDG_CACHE_HOME": str(self.folder / "xdg")}, "xdg/halation/timings")):
            done = self.start("tune", "box", "--size", "30x40", "--device", "cpu", env={**environment, **more})
            self.assertIn(f"\nkept in {self.folder / place}\n", done.stdout.decode())
            self.assertTrue((self.folder / place).is_file())

    def test_damage_is_mended(self):
        self.put("timings", b"a photograph")
        self.explained("--tune", "measure")
        self.assertEqual(self.get("timings"), b"a photograph")
        self.put("timings", b"halation timings garbage")
        self.explained("--tune", "measure")
        self.assertTrue(self.get("timings").startswith(b"halation timings 2 of "))
        self.put("timings", self.get("timings")[:-3])
        self.assertFalse(any("measured_seconds" in method for method in self.explained()))

    def test_forget(self):
        self.assertEqual(self.tuned("tune", "--forget"), "nothing was kept in timings\n")
        self.small()
        self.assertEqual(self.tuned("tune", "--forget"), "removed timings\n")
        self.assertEqual(self.files(), [])
        self.assertEqual(self.tuned("tune", "--forget", cache=""),
                         "nothing is kept: HALATION_CACHE is empty, or no folder for it is known\n")
        (self.folder / "timings").mkdir()
        (self.folder / "timings/full").touch()
        self.check_error(["tune", "--forget"], "timings: no file of times, or it cannot be removed", 1, env={**os.environ, "HALATION_CACHE": "timings"})

    def test_replaces_the_figures_of_a_file(self):
        self.put("figures", b"# of a machine\nlines.row; 41\nall_cached_bytes; 8e6\n")
        text = self.tuned("tune", "--device", "cpu", "--jobs", 2, "--figures", "figures", timeout=1700)
        self.assertRegex(text, r"\A\ncpu: measured / expected, median of \d+ times of 2 jobs in ")
        self.assertTrue(text.endswith("\nwritten to figures\n"))
        comment, row, cached, *found = self.get("figures").decode().splitlines()
        self.assertEqual((comment, cached), ("# of a machine", "all_cached_bytes; 8e6"))
        self.assertRegex(row, r"^lines\.row; [\d.e+-]+$")
        self.assertGreater(len(found), 50)
        self.assertEqual(self.files(), ["figures"])

    def test_figures_of_no_file(self):
        words = ["tune", "--device", "cpu", "--jobs", 1, "--figures"]
        self.put("wrong", b"lines.row; -3\n")
        for name, why, code in (("none", "none: no such file", 1),
                                ("wrong", 'wrong: figures: "lines.row; -3": "-3" is no figure: a number of 0 and more', 2)):
            self.check_error([*words, name], why, code)
        self.assertEqual(self.get("wrong"), b"lines.row; -3\n")

    def test_figures(self):
        text = self.tuned("tune", "--device", "cpu", timeout=1700)  # sanitizers take their time
        self.assertRegex(text, r"\A\ncpu: measured / expected, median of \d+ times of \d+ jobs in [\d.]+ m?i?n?s?\nfamily +times +before +now\n")
        rows = {match[1]: match.groups()[1:] for match in re.finditer(r"(?m)^(\S[\w ]*?\w)  +(\d+) +([\d.]+) +([\d.]+)$", text)}
        for family in ("float lines", "fixed point", "running box", "axis by axis", "fft", "multirate"):
            self.assertIn(family, rows)
            self.assertGreater(int(rows[family][0]), 3)
        self.assertTrue(text.endswith("\nkept in timings\n"))
        self.assertRegex(self.get("timings"), rb"(?m)^figure lines\.row; [\d.e+-]+$")
        # Plans expect by them.
        known = {each["method"]: each.get("expected_seconds") for each in self.explained("--pixel", "f32")}
        without = {each["method"]: each.get("expected_seconds") for each in self.explained("--pixel", "f32", cache="")}
        self.assertNotEqual(known, without)

    def test_bad_input(self):
        see = "; see halation tune --help"
        for arguments, sentence in (
                (["gausian"], "unknown filter 'gausian'; did you mean 'gaussian'?"),
                (["--sigma", 2], f"tune: --sigma goes with a filter{see}"),
                (["--size", "9x9"], f"tune: --size goes with a filter{see}"),
                (["--pixel", "u8"], f"tune: --pixel goes with a filter{see}"),
                (["box", "--jobs", 3], f"tune: --jobs goes without a filter{see}"),
                (["box", "--figures", "x"], f"tune: --figures goes without a filter{see}"),
                (["--figures", "x"], f"tune: --figures needs --device: a file has the figures of one device{see}"),
                (["--jobs", 0, "--device", "cpu"], "--jobs must be a whole number from 1 to 100000, got '0'"),
                (["--forget", "box"], f"tune: --forget goes alone{see}"),
                (["--forget", "--device", "cpu"], f"tune: --forget goes alone{see}"),
                (["box", "--device", "reference"], f"tune: --device must be cpu or cuda, got reference{see}"),
                (["box", "--device", "gpu"], "unknown device 'gpu'; choose from cpu, reference, cuda, cuda:0, cuda:1, …; did you mean 'cuda'?"),
                (["box", "--threads", -1], "--threads must be a whole number from 0 to 1024, got '-1'"),
                (["box", "--size", "9x"], "--size: each extent must be a whole number from 1 to 2147483648, got ''"),
                (["gaussian", "--size", 9], "gaussian: no parameter --size; the image's is typed HEIGHTxWIDTH, got '9'"),
                (["box", "--pixel", "u9"], "unknown pixel 'u9'; choose from u8, u16, i16, f16, f32, f64, i8, u32, i32, u64, i64, c64, c128; did you mean 'u8'?"),
                (["box", "4x4"], f"unexpected '4x4'{see}"),
                (["box", "--fish"], f"unknown option --fish{see}")):
            self.check_error(["tune", *arguments], sentence, 2)
        if "cuda:0" not in self.run_ok("devices")[0].decode():
            done = self.start("tune", "box", "--size", "9x9", "--device", "cuda")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr.decode(), r"\Ahalation: [^\n]+; use cpu\n\Z")


if __name__ == "__main__":
    main()
