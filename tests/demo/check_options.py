#!/usr/bin/env python3
"""check_options.py: what `make demo` builds with and without a GPU, as its dry run says. Usage: check_options.py MAKE ROOT"""
import subprocess
import sys
import unittest

MAKE, ROOT = sys.argv[1:3]
NO_GPU = "no GPU here, so the CUDA backend is left out (CUDA=1 builds it)"


class Demo(unittest.TestCase):
    def commands(self, target, *variables):
        return subprocess.run([MAKE, "--dry-run", target, *variables], cwd=ROOT, capture_output=True, text=True, timeout=60,
                              check=True).stdout

    def test_cuda_is_built_where_a_gpu_is(self):
        for gpu, asked, built in (("", "", False), ("", "0", False), ("", "1", True), ("", "/usr/local/cuda", False),
                                  ("/dev/nvidia0", "", True), ("/dev/nvidia0", "0", False), ("/dev/nvidia0", "1", True)):
            with self.subTest(gpu=gpu, asked=asked):
                commands = self.commands("demo", f"gpu={gpu}", f"CUDA={asked}")
                self.assertIn(f"-DHALATION_CUDA={int(built)}", commands)
                self.assertEqual(commands.count(NO_GPU), 1 if not gpu and asked not in ("0", "1") else 0)

    def test_the_benchmark_is_no_part_of_it(self):
        self.assertIn("-DHALATION_APP_BENCH=OFF", self.commands("demo"))

    def test_what_is_installed_has_both(self):
        """The preset's values, whatever a demo said before."""
        commands = self.commands("install", "gpu=")
        self.assertIn("cmake --preset release", commands)
        self.assertNotIn("-DHALATION_", commands)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
