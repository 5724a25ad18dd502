"""gpu_apply.py: `halation apply --device cuda` and `auto` where there is a GPU; leaves with 77 where there is none."""
import json
import os
import random
import re
import unittest

from pictures import npy, png, read_npy, read_png
from program import ProgramTest, main_on_gpu

RANDOM = random.Random(3)
ROWS = [[tuple(RANDOM.randrange(256) for _ in range(4)) for _ in range(61)] for _ in range(47)]


class Gpu(ProgramTest):
    def test_listed(self):
        self.assertRegex(self.run_ok("devices")[0].decode(), r"(?m)^cuda:0 +\S.*GB.*\n +methods: .*direct")

    def test_plans_of_both_devices_are_explained(self):
        text = self.run_ok("explain", "box", "--size", 31, "--method", "box")[0].decode()
        for device in ("cpu", "cuda:0"):
            self.assertRegex(text, rf"plan on {device}\n(?:  [^\n]*\n)*?"
                                   "  box 31x31: box, 7 multiply-adds a sample instead of 961; expected ")
        report = json.loads(self.run_ok("explain", "box", "--size", 31, "--method", "box", "--json")[0])
        self.assertEqual([plan["methods"] for plan in report["plans"]], [["box"], ["box"]])
        self.check_error(["explain", "gaussian", "--method", "box"],
                         "method box: filter 'gaussian' is not a box: its weights differ; "
                         "use automatic, direct or separable", 2)

    def test_arrays_agree_with_the_reference(self):
        values = [RANDOM.uniform(-1, 1) for _ in range(31 * 17 * 5)]
        self.put("in.npy", npy(values, (5, 17, 31), "<f8"))
        for arguments in (["gaussian", "--sigma", "1.5"], ["edges", "--border", "wrap"],
                          ["laplacian", "--extent", "full", "--border", "constant", "--border-value", 2]):
            results = []
            for device in ("reference", "cuda", "cuda:0"):
                self.run_ok("apply", arguments[0], "in.npy", "-o", "out.npy", *arguments[1:], "--device", device)
                results.append(read_npy(self.get("out.npy"))[:2])
            for result, shape in results[1:]:
                self.assertEqual(shape, results[0][1])
                self.assert_close(result, results[0][0])

    def test_photographs_with_alpha_and_linear_light(self):
        self.put("in.png", png(ROWS))
        for more in ([], ["--linear"], ["--gray"], ["--extent", "valid"]):
            pictures = []
            for device in ("reference", "cuda"):
                self.run_ok("apply", "gaussian", "in.png", "-o", "out.png", "--sigma", 2, "--device", device, *more)
                rows = read_png(self.get("out.png"))[0]
                pictures.append([value for row in rows for pixel in row
                                 for value in (pixel if isinstance(pixel, tuple) else (pixel,))])
            self.assertLessEqual(max(abs(a - b) for a, b in zip(*pictures)), 1)

    def test_phases(self):
        self.put("in.png", png(ROWS))
        stdout, stderr = self.run_ok("apply", "box", "in.png", "-o", "out.png", "--device", "cuda", "--json", "--timing")
        report = json.loads(stdout)
        self.assertEqual(report["device"], "cuda:0")
        phases = ["read", "start", "plan", "compute", "allocate", "upload", "download", "write", "total"]
        self.assertEqual(list(report["milliseconds"]), phases)
        self.assertTrue(all(time > 0 for time in report["milliseconds"].values()), report)
        self.assertEqual(re.findall(r"(?m)^(\w+) +[\d.]+ ms$", stderr), phases)
        self.assertTrue(stderr.endswith("device cuda:0\n"), stderr)

    def test_auto_weighs_the_whole_job(self):
        values = [RANDOM.random() for _ in range(512)]
        self.put("in.npy", npy(values * 4096, (1024, 2048), "<f4"))
        # A GPU's start takes as long as many large filters on a CPU: as many as are not joined into one.
        for chain, device in (("disk radius=1", "cpu"), (" | ".join(["disk radius=80"] * 40), "cuda:0")):
            stderr = self.run_ok("apply", chain, "in.npy", "-o", "out.npy", "--border", "replicate", "--device", "auto", "--threads", 1, "--timing")[1]
            self.assertRegex(stderr, rf"device auto: {device}, about [\d.]+ [mu]?s[^\n]*; [^\n]+\n\Z")

    def test_the_ladders_page_says_why_steps_lead_down(self):
        self.run_ok("ladder", "--size", "512x512", "--radius", 1, "--report", "report.html", "--json", "ladder.json")
        page = self.get("report.html").decode()
        kernels = {row["rung"]: row["ms"]["kernel"] for row in json.loads(self.get("ladder.json"))["rungs"] if row["place"] == "gpu" and row["ms"]}
        self.assertRegex(page, r'<p class="lead">The library&#39;s kernel takes [\d.]+ ms, |<p class="lead">The library\'s kernel takes [\d.]+ ms, ')
        down = [name for before, name in zip(kernels, list(kernels)[1:]) if kernels[name] > kernels[before] and name != "library"]
        self.assertEqual(re.findall(r"<p><b>(\w+)</b>, ", page), down)

    def test_no_such_device(self):
        self.put("in.png", png(ROWS))
        done = self.start("apply", "box", "in.png", "-o", "out.png", "--device", "cuda:99")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), r"\Ahalation: no device cuda:99: this machine has \d+ CUDA devices?, counted from 0\n\Z")
        self.assertFalse((self.folder / "out.png").exists())

    def test_waiting_after_each_launch_changes_nothing(self):
        self.put("in.png", png(ROWS))
        results = set()
        for value in ("0", "1"):
            done = self.start("apply", "emboss", "in.png", "-o", "out.png", "--device", "cuda",
                              env={**os.environ, "HALATION_CUDA_SYNC": value})
            self.assertEqual(done.returncode, 0, done.stderr)
            results.add(self.get("out.png"))
        self.assertEqual(len(results), 1)


if __name__ == "__main__":
    main_on_gpu()
