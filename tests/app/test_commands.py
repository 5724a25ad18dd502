"""test_commands.py: `halation filters`, `devices`, `completion`, --help and --version."""
import os
import re
import shutil
import subprocess
import unittest

from pictures import png
from program import ProgramTest, flat, main

COMMANDS = ["apply", "batch", "video", "filters", "explain", "tune", "ladder", "bench", "devices", "interactive", "studio", "completion"]
FILTERS = ["identity", "sharpen", "high_pass", "low_pass", "box", "gaussian", "gaussian_derivative", "sobel", "scharr",
           "prewitt", "laplacian", "laplacian_of_gaussian", "unsharp_mask", "emboss", "motion_blur", "disk", "edges"]


class Help(ProgramTest):
    def test_version(self):
        stdout, stderr = self.run_ok("--version")
        self.assertRegex(stdout.decode(), r"\Ahalation \d+\.\d+\.\d+\n\Z")
        self.assertEqual(stderr, "")

    def test_help_everywhere(self):
        stdout, _ = self.run_ok("--help")
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", stdout.decode())
            for flag in ("--help", "-h"):
                text = self.run_ok(command, flag)[0].decode()
                self.assertIn(f"Usage: halation {command}", text)
                self.assertNotIn("\n\n\n", text)

    def test_help_of_apply_comes_from_the_list_of_filters(self):
        text = self.run_ok("apply", "--help", "all")[0].decode()
        for name in FILTERS:
            for option in re.findall(r"(?m)^--\S+", self.run_ok("filters", name)[0].decode()):
                self.assertIn(f"  {option}", text)
        for option in ("-o,--output", "--weights", "--border ", "--border-value", "--extent", "--anchor", "--correlate",
                       "--output-pixel", "--scale", "--offset", "--rounding", "--sum", "--device", "--threads", "--linear",
                       "--gray", "--layout", "--page", "--quality", "--format", "--view", "--compare", "--timing", "--json",
                       "--explain"):
            self.assertIn(f"  {option}", text)
        for ending in (".png", ".jpg", ".tif", ".webp", ".exr", ".npy", ".bmp", ".pnm", ".ppm", ".pgm", ".pam", ".pfm", ".avif"):
            self.assertIn(ending, text)
        for formula in ("MPix/s = ", "FPS    = ", "GFLOPS = "):
            self.assertIn(formula, text)


    def test_help_of_a_filter_shows_its_options_first_and_no_other_filters(self):
        everything = set(re.findall(r"(?m)^  (--[a-z-]+)", self.run_ok("apply", "--help", "all")[0].decode()))
        of_filters = {option for name in FILTERS for option in re.findall(r"(?m)^--\S+", self.run_ok("filters", name)[0].decode())}
        of_filters.add("--weights")
        self.assertLess(of_filters, everything)
        for command in ("apply", "explain", "tune", "filters"):
            for name in FILTERS + ["custom"]:
                text = self.run_ok(command, name, "--help")[0].decode()
                own = re.findall(r"(?m)^--\S+", self.run_ok("filters", name)[0].decode()) if name != "custom" else ["--weights"]
                shown = re.findall(r"(?m)^  (?:-\w,)?(--[a-z-]+)", text)
                self.assertEqual(shown[:len(own)], own)
                if command in ("explain", "tune"):  # whose --size is the image's as well
                    shown, own = ([option for option in options if option != "--size"] for options in (shown, own))
                self.assertEqual([option for option in shown if option in of_filters], own)
                self.assertLess(text.index(f"\n{name}: "), text.index("\nArguments:"))
                self.assertNotIn("\n\n\n", text)
        wanted = self.run_ok("apply", "sobel", "--help")[0]
        self.assertIn("axis of the derivative", wanted.decode())
        for words in (("--help", "sobel"), ("sobel", "in.png", "--help"), ("sobel", "in.png", "-o", "out.png", "-h")):
            self.assertEqual(self.run_ok("apply", *words)[0], wanted)

    def test_help_of_no_filter_says_so(self):
        for words, remark in ((("apply", "gausian", "--help"), "unknown filter 'gausian'; did you mean 'gaussian'?"),
                              (("apply", "--help", "al"), "unknown filter 'al'; did you mean 'all'?"),
                              (("help", "video", "xyz"), "unknown filter 'xyz'; halation filters lists them")):
            general = self.run_ok(words[1] if words[0] == "help" else words[0], "--help")[0].decode()
            self.assertEqual(self.run_ok(*words)[0].decode(), general.replace("\n\nArguments:", f"\n\n{remark}\n\nArguments:", 1))
        for words in (("explain", "tiling"), ("apply", "gaussian sigma=2")):
            self.assertEqual(self.run_ok(*words, "--help")[0], self.run_ok(words[0], "--help")[0])

    def test_help_is_a_word_as_well(self):
        self.assertEqual(self.run_ok("help")[0], self.run_ok("--help")[0])
        self.assertEqual(self.run_ok("help", "apply")[0], self.run_ok("apply", "--help")[0])
        self.assertEqual(self.run_ok("help", "apply", "sobel")[0], self.run_ok("apply", "sobel", "--help")[0])
        self.assertEqual(self.run_ok("help", "apply", "all")[0], self.run_ok("apply", "--help", "all")[0])

    def test_long_helps_show_what_people_use_and_all_where_asked_for_all(self):
        def options_in(text):
            return set(re.findall(r"(?m)^  (?:-\w,)?(--[a-z-]+)", text))

        long_ones = ("apply", "batch", "video", "explain", "tune", "bench")
        for command in long_ones:
            with self.subTest(command=command):
                short, everything = (self.run_ok(command, *words)[0].decode() for words in (["--help"], ["--help", "all"]))
                self.assertEqual(short.splitlines()[-1], f"halation {command} --help all shows the rest")
                self.assertNotIn("--help all", everything)
                self.assertLess(options_in(short), options_in(everything))
                self.assertIn(len(options_in(short) - {"--help"}), range(8, 11))
                self.assertEqual(self.run_ok(command, "-h", "all")[0].decode(), everything)
        for command in set(COMMANDS) - set(long_ones):
            self.assertEqual(self.run_ok(command, "--help")[0], self.run_ok(command, "--help", "all")[0])
        self.assertEqual(options_in(self.run_ok("apply", "--help")[0].decode()), {
            "--help", "--output", "--border", "--scale", "--output-pixel", "--view", "--linear", "--device", "--compare", "--timing", "--explain"})

    def test_values_along_axes_are_told_in_their_order(self):
        for text in (self.run_ok("apply", "gaussian", "--help")[0], self.run_ok("filters", "gaussian")[0]):
            self.assertEqual(" ".join(text.decode().split()).count("one for all axes, or one each as Y,X (in 3D Z,Y,X)"), 2)
        self.assertIn("\n5x13 taps, anchor 2,6, ", self.run_ok("filters", "gaussian", "--sigma", "0.5,1.5", "--dims", 2)[0].decode())


class FiltersAndDevices(ProgramTest):
    def test_list(self):
        lines = self.run_ok("filters")[0].decode().splitlines()
        self.assertEqual([line.split()[0] for line in lines if not line.startswith(" ")], FILTERS + ["custom"])

    def test_each_is_explained(self):
        for name in FILTERS:
            text = self.run_ok("filters", name)[0].decode()
            self.assertTrue(text.startswith(f"{name}: "), text)
            for label in ("formula", "source", "dimensions"):
                self.assertRegex(text, rf"(?m)^{label} +\S")

    def test_custom_is_explained(self):
        text = self.run_ok("filters", "custom")[0].decode()
        self.assertRegex(text, r"\Acustom: Weights of your own[^\n]*\n\n--weights +the weights; rows apart by ';'")

    def matrix(self, *arguments):
        """The rows of numbers at the end of what is printed."""
        rows = []
        for line in self.run_ok("filters", *arguments)[0].decode().splitlines():
            numbers = line.split()
            if numbers and all(re.fullmatch(r"-?[\d.]+(e-?\d+)?", number) for number in numbers):
                rows.append([float(number) for number in numbers])
        return rows

    def test_weights_are_printed(self):
        self.assertEqual(self.matrix("sobel", "--axis", "y"), [[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
        self.assertEqual(self.matrix("sobel", "--dims", 1), [[-1, 0, 1]])
        self.assertEqual(self.matrix("box", "--size", "1,2", "--dims", 2), [[0.5, 0.5]])
        self.assertEqual(self.matrix("custom", "--weights", "-1 2; 3 -4"), [[-1, 2], [3, -4]])
        self.assertEqual(self.matrix("edges"), [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1], [-1, -2, -1], [0, 0, 0], [1, 2, 1]])
        cube = self.matrix("laplacian", "--dims", 3)
        self.assertEqual([len(row) for row in cube], [3] * 9)
        self.assertEqual(cube[4], [1, -6, 1])
        weights = self.matrix("gaussian", "--sigma", 0.8)
        self.assertEqual((len(weights), len(weights[0])), (7, 7))
        self.assertAlmostEqual(sum(flat(weights)), 1, places=5)

    def test_parameters_are_explained(self):
        text = self.run_ok("filters", "sharpen")[0].decode()
        self.assertRegex(text, r"(?m)^--strength +\S.*in \[0, 1\) \[0\.8\]$")
        self.assertRegex(self.run_ok("filters", "sobel")[0].decode(), r"(?m)^--axis +\S.*x, y or z \[x\]$")
        self.assertRegex(self.run_ok("filters", "gaussian")[0].decode(), r"(?m)^--sigma +\S(.|\n +)*px(.|\n +)*\[1\]$")

    def test_wrong_usage(self):
        self.check_error(["filters", "gausian"], "unknown filter 'gausian'; did you mean 'gaussian'?", 2)
        self.check_error(["filters", "box", "--dims", "4"], "--dims must be a whole number from 1 to 3, got '4'", 2)
        self.check_error(["filters", "emboss", "--dims", "3"], "emboss: dims must be 2, got 3", 2)
        self.check_error(["filters", "box", "--sigma", "2"], "box: no parameter --sigma; it has --size", 2)
        self.check_error(["filters", "--sigma", "2"], "--sigma goes with one filter; name it, as in filters gaussian --sigma 2", 2)
        self.check_error(["filters", "--dims", "2"], "--dims goes with one filter; name it, as in filters gaussian --sigma 2", 2)
        self.check_error(["filters", "custom", "--sigma", "2"], "--sigma goes with one filter; custom has --weights", 2)
        self.check_error(["filters", "filter2D"], "unknown filter 'filter2D'; did you mean 'custom'?", 2)
        self.check_error(["filters", "median"], f"unknown filter 'median'; choose from {', '.join(FILTERS)}, custom", 2)

    def test_devices(self):
        text = self.run_ok("devices")[0].decode()
        for device in ("reference", "cpu"):
            self.assertRegex(text, rf"(?m)^{device} +\S.*\n +methods: .*direct")

    def test_threads_of_the_environment(self):
        def environment(value):
            return {"env": {**os.environ, "HALATION_THREADS": value}}

        self.assertRegex(self.start("devices", **environment("1")).stdout.decode(), r"(?m)^cpu +.*, 1 thread$")
        self.put("in.png", png([[1, 2], [3, 4]]))
        sentence = "HALATION_THREADS must be a whole number from 1 to 1024, got 'two'"
        self.check_error(["apply", "box", "in.png", "-o", "out.png"], sentence, 2, **environment("two"))
        self.assertEqual(self.start("apply", "box", "in.png", "-o", "out.png", "--threads", 1, **environment("two")).returncode, 0)


class Completion(ProgramTest):
    def test_shells_accept_their_scripts(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.run_ok("completion", shell)[0]
            for word in COMMANDS + FILTERS + ["custom", "reflect101"]:
                self.assertIn(word.encode(), script)
            if shutil.which(shell):
                name = self.put(f"script.{shell}", script)
                done = subprocess.run([shell, "-n", name], capture_output=True, cwd=self.folder, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_unknown_shell(self):
        self.check_error(["completion", "tcsh"], "unknown shell 'tcsh'; choose from bash, zsh, fish; did you mean 'bash'?", 2)
        self.check_error(["completion"], "shell is required; see halation completion --help", 2)

    @unittest.skipUnless(shutil.which("bash"), "there is no bash here")
    def test_bash_completes(self):
        self.put("script", self.run_ok("completion", "bash")[0])

        def complete(*words):
            line = 'source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _halation; echo "${COMPREPLY[*]}"'
            done = subprocess.run(["bash", "-c", line, "bash", "halation", *words], capture_output=True, cwd=self.folder,
                                  timeout=60, check=True)
            return done.stdout.decode().split()

        self.assertEqual(complete(""), COMMANDS)
        self.assertEqual(complete("a"), ["apply"])
        self.assertEqual(complete("--v"), ["--version"])
        self.assertEqual(complete("apply", ""), FILTERS + ["custom"])
        self.assertEqual(complete("apply", "gau"), ["gaussian", "gaussian_derivative"])
        self.assertEqual(complete("apply", "--sigma", "2", "gau"), ["gaussian", "gaussian_derivative"])
        self.assertEqual(complete("apply", "gaussian", ""), [])  # files are left to bash
        self.assertEqual(complete("apply", "gaussian", "a.png", "-o", ""), [])
        self.assertEqual(complete("apply", "gaussian", "--border", "re"), ["replicate", "reflect", "reflect101"])
        self.assertEqual(complete("apply", "gaussian", "--bor"), ["--border", "--border-value"])
        self.assertEqual(complete("filters", "so"), ["sobel"])
        self.assertEqual(complete("tune", "so"), ["sobel"])
        self.assertEqual(complete("tune", "sobel", "--f"), ["--forget", "--figures"])
        self.assertEqual(complete("tune", "--device", ""), ["cpu", "cuda"])
        self.assertEqual(complete("apply", "gaussian", "in.png", "--s"), ["--scale", "--sum", "--sigma"])
        self.assertEqual(complete("apply", "sobel", "--a"), ["--anchor", "--accuracy", "--axis"])
        self.assertEqual(complete("apply", "high_pass", "--a"), ["--anchor", "--accuracy"])
        self.assertEqual(complete("apply", "--border", "wrap", "box", "--si"), ["--size"])
        self.assertEqual(complete("apply", "custom", "--w"), ["--weights"])
        self.assertEqual(complete("apply", "--si"), ["--size", "--sigma"])  # of all, while there is none
        self.assertEqual(complete("apply", "sobel", "in.png", "--view", "s"), ["signed", "stretch"])
        self.assertEqual(complete("apply", "sobel", "in.png", "--format", "p"), ["png", "pnm", "ppm", "pgm", "pam", "pfm"])
        self.assertEqual(complete("filters", "sobel", "--axis", ""), ["x", "y", "z"])
        self.assertEqual(complete("completion", ""), ["bash", "zsh", "fish"])

    @unittest.skipUnless(shutil.which("fish"), "there is no fish here")
    def test_fish_completes(self):
        self.put("script", self.run_ok("completion", "fish")[0])

        def complete(line):
            done = subprocess.run(["fish", "-c", f'source script; complete -C "{line}"'], capture_output=True,
                                  cwd=self.folder, timeout=60, check=True)
            return {suggestion.split("\t")[0] for suggestion in done.stdout.decode().splitlines()}

        self.assertEqual(complete("halation "), set(COMMANDS))
        self.assertEqual(complete("halation apply --border re"), {"replicate", "reflect", "reflect101"})
        self.assertLessEqual({"gaussian", "gaussian_derivative"}, complete("halation apply gau"))
        self.assertEqual(complete("halation apply gaussian --s"), {"--scale", "--sum", "--sigma"})
        self.assertEqual(complete("halation apply sobel in.png --a"), {"--anchor", "--axis"})
        self.assertEqual(complete("halation apply --si"), {"--size", "--sigma"})

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh here")
    def test_zsh_offers_the_options_of_one_filter(self):
        self.put("script", self.run_ok("completion", "zsh")[0])

        def offered(*words):
            # What the script hands to zsh's own completion, which needs a terminal.
            line = ("compdef() { }; source ./script; _arguments() { print -l -- $*; }; "
                    f"words=({' '.join(words)} ''); CURRENT=$#words; _halation")
            done = subprocess.run(["zsh", "-f", "-c", line], capture_output=True, cwd=self.folder, timeout=60, check=True)
            return set(re.findall(r"(?m)\)(--[a-z-]+)\[", done.stdout.decode()))

        everything = offered("halation", "apply")
        own = offered("halation", "apply", "gaussian", "in.png")
        self.assertEqual(everything - own, {"--weights", "--strength", "--divisor", "--size", "--order-x", "--order-y", "--order-z",
                                            "--axis", "--neighbours", "--amount", "--angle", "--length"})
        self.assertEqual(own & {"--sigma", "--radius", "--border"}, {"--sigma", "--radius", "--border"})
        self.assertEqual(offered("halation", "filters", "sobel") & (everything - own), {"--axis"})


if __name__ == "__main__":
    main()
