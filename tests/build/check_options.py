#!/usr/bin/env python3
"""check_options.py: what `make` builds with and without a GPU, by its dry runs and by what CMake says. Usage: check_options.py MAKE CMAKE ROOT"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MAKE, CMAKE = sys.argv[1:3]
ROOT = Path(sys.argv[3])
NOT_FOUND = "HALATION_NVCC-NOTFOUND"


def dry_run(target, *variables):
    return subprocess.run([MAKE, "--dry-run", target, *variables], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout


class Make(unittest.TestCase):
    def test_cuda_is_what_is_asked_for(self):
        for target in ("demo", "test", "install"):
            for asked, given in (("", "AUTO"), ("0", "0"), ("1", "1"), ("/usr/local/cuda", "AUTO")):
                with self.subTest(target=target, asked=asked):
                    self.assertIn(f"-DHALATION_CUDA={given}", dry_run(target, f"CUDA={asked}"))

    def test_the_benchmark_is_no_part_of_the_demo(self):
        self.assertIn("-DHALATION_APP_BENCH=OFF", dry_run("demo"))

    def test_what_is_installed_has_the_benchmark(self):
        """The preset's value, whatever a demo said before."""
        commands = dry_run("install")
        self.assertIn("cmake --preset release", commands)
        self.assertNotIn("-DHALATION_APP_BENCH", commands)

    def test_what_goes_to_other_machines_has_all_instruction_sets(self):
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        sets = {preset["name"]: preset.get("cacheVariables", {}).get("HALATION_INSTRUCTION_SETS", "native") for preset in presets}
        self.assertEqual([sets[name] for name in ("release", "package", "ci")], ["native", "all", "all"])
        self.assertIn("cmake.define.HALATION_INSTRUCTION_SETS=all", (ROOT / "python/wheels/build").read_text())
        self.assertIn("-DHALATION_INSTRUCTION_SETS=all", dry_run("bench"))

    def test_the_demo_says_at_the_end_how_to_call_the_program_from_anywhere(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "halation")
            program.write_text("#!/bin/sh\n")
            program.chmod(0o755)
            said = subprocess.run([ROOT / "examples/demo.sh", program.name, "out"], cwd=folder, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
                                  capture_output=True, text=True, timeout=60, check=True).stdout
            self.assertEqual(said.splitlines()[-2:], ["To call halation from anywhere: make install, or", f"  alias halation={program.resolve()}"])


class Cuda(unittest.TestCase):
    """What cmake/with_cuda.cmake says."""

    def said(self, wish, gpus="", nvcc="/opt/cuda/bin/nvcc", *more):
        return subprocess.run([CMAKE, f"-DHALATION_CUDA={wish}", f"-DHALATION_GPUS={gpus}", f"-DHALATION_NVCC={nvcc}", *more, "-P",
                               ROOT / "cmake/with_cuda.cmake"], capture_output=True, text=True, timeout=60)

    def test_it_is_left_out_without_a_gpu_unless_asked_for(self):
        self.assertEqual(self.said("AUTO").stdout, "-- CUDA: left out, because no GPU is here (HALATION_CUDA=ON builds it)\n")
        for wish in ("ON", "1"):
            self.assertEqual(self.said(wish).stdout,
                             "-- CUDA: built for sm_90 and as PTX for every GPU since sm_75, by /opt/cuda/bin/nvcc\n")

    def test_it_is_built_for_the_gpu_that_is_here(self):
        self.assertEqual(self.said("AUTO", "/dev/nvidia0").stdout, "-- CUDA: built for the GPU that is here, by /opt/cuda/bin/nvcc\n")
        self.assertEqual(self.said("AUTO", "/dev/nvidia0", "/opt/cuda/bin/nvcc", "-DCMAKE_CUDA_ARCHITECTURES=75;90").stdout,
                         "-- CUDA: built for 75;90, by /opt/cuda/bin/nvcc\n")

    def test_without_its_compiler_it_is_left_out_or_refused(self):
        self.assertEqual(self.said("AUTO", "/dev/nvidia0", NOT_FOUND).stdout,
                         "-- CUDA: left out, because its compiler, nvcc, is not here, though a GPU is\n")
        refused = self.said("ON", "", NOT_FOUND)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("HALATION_CUDA=ON needs CUDA's compiler, nvcc, on the PATH or in", refused.stderr)

    def test_off_says_nothing(self):
        for wish in ("OFF", "0"):
            self.assertEqual(self.said(wish, "/dev/nvidia0").stdout, "")

    def test_other_wishes_are_refused(self):
        refused = self.said("maybe")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("HALATION_CUDA must be AUTO, ON or OFF, got 'maybe'", refused.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
