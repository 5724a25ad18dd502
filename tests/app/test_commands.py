"""test_commands.py: `halation filters`, `devices`, `interactive`, `completion`, --help and --version."""
import re
import shutil
import subprocess
import unittest

from pictures import npy, png, read_npy, read_png
from program import ProgramTest, filtered, flat, main

COMMANDS = ["apply", "filters", "explain", "ladder", "bench", "devices", "interactive", "completion"]
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
        text = self.run_ok("apply", "--help")[0].decode()
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
        everything = set(re.findall(r"(?m)^  (--[a-z-]+)", self.run_ok("apply", "--help")[0].decode()))
        of_filters = {option for name in FILTERS for option in re.findall(r"(?m)^--\S+", self.run_ok("filters", name)[0].decode())}
        of_filters.add("--weights")
        self.assertLess(of_filters, everything)
        for command in ("apply", "explain", "filters"):
            for name in FILTERS + ["custom"]:
                text = self.run_ok(command, name, "--help")[0].decode()
                own = re.findall(r"(?m)^--\S+", self.run_ok("filters", name)[0].decode()) if name != "custom" else ["--weights"]
                shown = re.findall(r"(?m)^  (?:-\w,)?(--[a-z-]+)", text)
                self.assertEqual(shown[:len(own)], own)
                if command == "explain":  # whose --size is the image's as well
                    shown, own = ([option for option in options if option != "--size"] for options in (shown, own))
                self.assertEqual([option for option in shown if option in of_filters], own)
                self.assertLess(text.index(f"\n{name}: "), text.index("\nArguments:"))
                self.assertNotIn("\n\n\n", text)
        wanted = self.run_ok("apply", "sobel", "--help")[0]
        self.assertIn("axis of the derivative", wanted.decode())
        for words in (("--help", "sobel"), ("sobel", "in.png", "--help"), ("sobel", "in.png", "-o", "out.png", "-h")):
            self.assertEqual(self.run_ok("apply", *words)[0], wanted)
        self.assertEqual(self.run_ok("apply", "gausian", "--help")[0], self.run_ok("apply", "--help")[0])


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
        self.assertRegex(self.run_ok("filters", "gaussian")[0].decode(), r"(?m)^--sigma +\S.*px.*\[1\]$")

    def test_wrong_usage(self):
        self.check_error(["filters", "gausian"], "unknown filter 'gausian'; did you mean 'gaussian'?", 2)
        self.check_error(["filters", "box", "--dims", "4"], "--dims must be a whole number from 1 to 3, got '4'", 2)
        self.check_error(["filters", "emboss", "--dims", "3"], "emboss: dims must be 2, got 3", 2)
        self.check_error(["filters", "box", "--sigma", "2"], "box: no parameter --sigma; it has --size", 2)
        self.check_error(["filters", "custom"], "custom: weights are missing; give them by --weights", 2)

    def test_devices(self):
        text = self.run_ok("devices")[0].decode()
        for device in ("reference", "cpu"):
            self.assertRegex(text, rf"(?m)^{device} +\S.*\n +methods: .*direct")


class Interactive(ProgramTest):
    ROWS = [[(17 * x + 31 * y) % 200 for x in range(8)] for y in range(6)]

    def talk(self, *answers, image="photo.png", ends=True):
        """Runs a conversation to its end; returns what was said on both outputs."""
        self.put("photo.png", png(self.ROWS))
        text = "\n".join(answers) + ("\n" if ends else "")
        stdout, stderr = self.run_ok("interactive", *([image] if image else []), stdin=text.encode())
        return stdout.decode(), stderr

    def result(self, name):
        return [[pixel[0] for pixel in row] for row in read_png(self.get(name))[0]]

    def blurred(self, weights, scale=1):
        return [[min(255, max(0, round(scale * value))) for value in row]
                for row in filtered(self.ROWS, weights, correlate=True)]

    def test_again_and_again_on_the_image_in_memory(self):
        said, errors = self.talk("sharpen", "0.5", "box", "3", "high_pass", "q")
        self.assertEqual(errors, "")
        side = -0.5 / 4.5
        self.assertEqual(self.result("photo_sharpen.png"), self.blurred([[side] * 3, [side, 8.5 / 4.5, side], [side] * 3]))
        self.assertEqual(self.result("photo_box.png"), self.blurred([[1 / 9] * 3] * 3))
        self.assertEqual(self.result("photo_high_pass.png"), self.blurred([[-1] * 3, [-1, 8, -1], [-1] * 3]))
        runs = re.findall(r"wrote (\S+)\n(first run|later run, image already in memory):\n(read)?", said)
        self.assertEqual(runs, [("photo_sharpen.png", "first run", "read"),
                                ("photo_box.png", "later run, image already in memory", ""),
                                ("photo_high_pass.png", "later run, image already in memory", "")])
        self.assertEqual(len(re.findall(r"\d+\.\d FPS", said)), 3)
        self.assertEqual(len(re.findall(r"(?m)^total +\d+\.\d+ ms$", said)), 3)

    def test_image_is_asked_for(self):
        said, errors = self.talk("none.png", "", "photo.png", "identity", "q", image=None)
        self.assertEqual(errors, "halation: none.png: no such file\nhalation: the name of an image is needed\n")
        self.assertEqual(self.result("photo_identity.png"), self.ROWS)
        self.assertIn("photo.png: 6x8 u8", said)

    def test_empty_answers_take_what_stands_in_brackets(self):
        (self.folder / "examples").mkdir()
        self.put("examples/astronaut.png", png(self.ROWS))
        said, errors = self.talk("", "", "", "q", image=None)
        self.assertEqual(errors, "")
        for default in ("[examples/astronaut.png]", "[sharpen]", "[0.8]"):
            self.assertIn(default, said)
        side = -0.8 / 1.8
        self.assertEqual(self.result("astronaut_sharpen.png"), self.blurred([[side] * 3, [side, 8.2 / 1.8, side], [side] * 3]))

    def test_last_filter_becomes_the_default(self):
        said, _ = self.talk("sobel", "y", "", "x", "q")
        self.assertIn("[sobel]", said)
        self.assertEqual(self.result("photo_sobel.png"), self.blurred([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]))

    def test_bad_answers_are_asked_again(self):
        _, errors = self.talk("sharpn", "sharpen", "1", "much", "0", "q")
        self.assertEqual(errors, "halation: unknown filter 'sharpn'; did you mean 'sharpen'?\n"
                                 "halation: sharpen: strength must be in [0, 1), got 1\n"
                                 "halation: sharpen: strength must be a finite number, got 'much'\n")
        self.assertEqual(self.result("photo_sharpen.png"), self.ROWS)

    def test_another_image(self):
        self.put("other.npy", npy([1, 2, 4, 8], (2, 2), "<f8"))
        said, errors = self.talk("identity", "image", "missing.npy", "other.npy", "identity", "q")
        self.assertEqual(errors, "halation: missing.npy: no such file\n")
        self.assertEqual(read_npy(self.get("other_identity.npy"))[:2], ([1, 2, 4, 8], (2, 2)))
        self.assertEqual(said.count("first run"), 2)

    def test_q_and_the_end_of_input_leave_everywhere(self):
        for answers in (["q"], ["box", "q"], []):
            self.talk(*answers)
            self.talk(*answers[:-1], ends=False)
            self.talk(*answers, image=None)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["photo.png"])

    def test_result_keeps_the_kind_of_file(self):
        self.put("photo.data", png(self.ROWS))
        said, _ = self.talk("identity", "q", image="photo.data")
        self.assertIn("wrote photo_identity.png", said)

    def test_device_and_threads(self):
        self.put("photo.png", png(self.ROWS))
        self.run_ok("interactive", "photo.png", "--device", "reference", "--threads", 1, stdin=b"identity\n")
        self.assertEqual(self.result("photo_identity.png"), self.ROWS)

    def test_wrong_usage(self):
        self.check_error(["interactive", "--threads", "many"], "--threads must be a whole number from 0 to 1024, got 'many'", 2)
        done = self.start("interactive", "none.png")
        self.assertEqual((done.returncode, done.stderr), (1, b"halation: none.png: no such file\n"))


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
        self.check_error(["completion", "tcsh"], "unknown shell 'tcsh'; choose from bash, zsh, fish", 2)
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
        self.assertEqual(complete("apply", "gaussian", "in.png", "--s"), ["--scale", "--sum", "--sigma"])
        self.assertEqual(complete("apply", "sobel", "--a"), ["--anchor", "--axis"])
        self.assertEqual(complete("apply", "high_pass", "--a"), ["--anchor"])
        self.assertEqual(complete("apply", "--border", "wrap", "box", "--si"), ["--size"])
        self.assertEqual(complete("apply", "custom", "--w"), ["--weights"])
        self.assertEqual(complete("apply", "--si"), ["--size", "--sigma"])  # of all, while there is none
        self.assertEqual(complete("apply", "sobel", "in.png", "--view", "s"), ["signed", "stretch"])
        self.assertEqual(complete("apply", "sobel", "in.png", "--format", "p"), ["png", "pnm", "pfm"])
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
