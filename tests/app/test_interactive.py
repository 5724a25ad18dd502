"""test_interactive.py: `halation interactive`, answered by a pipe, and on a terminal."""
import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import termios
import time
import unittest

import program
from pictures import npy, png, read_npy, read_png
from program import ProgramTest, filtered, main, read_all

ROWS = [[(17 * x + 31 * y) % 200 for x in range(8)] for y in range(6)]
BOX = [[1 / 9] * 3] * 3


def sharpen(strength):
    side = -strength / 9
    rows = [[side] * 3 for _ in range(3)]
    rows[1][1] += 1
    return [[weight / (1 - strength) for weight in row] for row in rows]


def clipped(rows, weights):
    return [[min(255, max(0, round(value))) for value in row] for row in filtered(rows, weights, correlate=True)]


class Talk(ProgramTest):
    def talk(self, *answers, image="photo.png", ends=True, errors=""):
        """Holds a conversation to its end, with these lines on stderr, of what failed, and one that counts them; returns what was said."""
        self.put("photo.png", png(ROWS))
        text = "\n".join(answers) + ("\n" if ends else "")
        done = self.start("interactive", *([image] if image else []), stdin=text.encode())
        count = errors.count("\n")
        last = f"halation: interactive: {count} of what was asked for could not be done\n" if count else ""
        self.assertEqual((done.returncode, done.stderr.decode()), (1 if count else 0, errors + last))
        return done.stdout.decode()

    def result(self, name):
        return [[pixel[0] for pixel in row] for row in read_png(self.get(name))[0]]

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


class Filters(Talk):
    def test_again_and_again_on_the_image_in_memory(self):
        said = self.talk("sharpen", "0.5", "", "box", "3", "", "high_pass", "", "q")
        self.assertEqual(self.result("photo_sharpen.png"), clipped(ROWS, sharpen(0.5)))
        self.assertEqual(self.result("photo_box.png"), clipped(ROWS, BOX))
        self.assertEqual(self.result("photo_high_pass.png"), clipped(ROWS, [[-1] * 3, [-1, 8, -1], [-1] * 3]))
        runs = re.findall(r"(first run|later run, image already in memory):\n(read)?", said)
        self.assertEqual(runs, [("first run", "read"), ("later run, image already in memory", ""),
                                ("later run, image already in memory", "")])
        self.assertEqual(len(re.findall(
            r"(?m)^total +\d+\.\d+ ms\n[\d.]+ MPix/s, [\d.]+ FPS, [\d.]+ GFLOPS\ndevice auto: ", said)), 3)
        self.assertEqual(len(re.findall(r"wrote photo_\w+\.png \(\d+\.\d+ ms\)\n", said)), 3)

    def test_every_parameter_is_asked_for(self):
        said = self.talk("gaussian_derivative", "", "1", "0", "1", "", "", "q")
        questions = ("sigma [1]: ", "radius: ", "order_x [1]: ", "order_y [0]: ", "order_z [0]: ")
        order = [said.index(question) for question in questions]
        self.assertEqual(order, sorted(order))
        self.run_ok("apply", "gaussian_derivative", "photo.png", "-o", "same.png", "--radius", 1, "--order-x", 0, "--order-y", 1)
        self.assertEqual(self.result("photo_gaussian_derivative.png"), self.result("same.png"))

    def test_empty_answers_take_what_stands_in_brackets(self):
        (self.folder / "examples").mkdir()
        self.put("examples/astronaut.png", png(ROWS))
        said = self.talk("", "", "", "", "q", image=None)
        for default in ("[examples/astronaut.png]", "[sharpen]", "[0.8]", "[examples/astronaut_sharpen.png]"):
            self.assertIn(default, said)
        self.assertEqual(self.result("examples/astronaut_sharpen.png"), clipped(ROWS, sharpen(0.8)))

    def test_last_filter_becomes_the_default(self):
        said = self.talk("sobel", "y", "no", "", "x", "", "q")
        self.assertIn("filter [sobel]: ", said)
        self.assertEqual(self.result("photo_sobel.png"), clipped(ROWS, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]))

    def test_weights_of_ones_own(self):
        self.talk("custom", "0 1; 0", "0 0 0; 0 2 0; 0 0 0", "", "q",
                  errors="halation: weights: row 2 has 1 numbers, row 1 has 2\n")
        self.assertEqual(self.result("photo_custom.png"), [[min(255, 2 * value) for value in row] for row in ROWS])

    def test_bad_answers_are_asked_again(self):
        self.talk("sharpn", "sharpen", "1", "much", "0", "none/out.png", "-", "", "q", errors=(
            "halation: unknown filter 'sharpn'; did you mean 'sharpen'?\n"
            "halation: sharpen: strength must be in [0, 1), got 1\n"
            "halation: sharpen: strength must be a finite number, got 'much'\n"
            "halation: none/out.png: folder none does not exist\n"
            "halation: standard output holds the questions; name a file\n"))
        self.assertEqual(self.result("photo_sharpen.png"), ROWS)

    def test_going_on_from_result_or_original(self):
        said = self.talk("result", "box", "", "", "result", "sharpen", "0.5", "", "box", "", "", "original", "box", "", "again.png",
                         errors="halation: there is no result yet\n")
        blurred = clipped(ROWS, BOX)
        self.assertEqual(self.result("photo_box.png"), blurred)
        self.assertEqual(self.result("photo_box_sharpen.png"), clipped(blurred, sharpen(0.5)))
        self.assertEqual(self.result("photo_box_box.png"), clipped(blurred, BOX))
        self.assertEqual(self.result("again.png"), blurred)
        self.assertIn("filter for photo_box [box]: ", said)

    def test_view(self):
        said = self.talk("sobel", "x", "", "view signed", "sobel", "x", "signed.png", "view", "", "view grey", "view", "none",
                         "sobel", "x", "plain.png", errors="halation: unknown view 'grey'; choose from signed, abs, stretch\n")
        values = filtered(ROWS, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], correlate=True)
        self.assertEqual(self.result("signed.png"), [[round(128 + 127 * value / 1020) for value in row] for row in values])
        self.assertEqual(self.get("plain.png"), self.get("photo_sobel.png"))
        below = 100 * sum(value < 0 for row in values for value in row) / 48
        above = 100 * sum(value > 255 for row in values for value in row) / 48
        notes = re.findall(r"(?m)^(.*)% of the samples are below 0 and became 0(?:, (.*)% are above 255 and became 255)?; "
                           r"view signed shows them$", said)
        self.assertEqual(len(notes), 2)  # without a view, twice
        for note in notes:
            self.assertAlmostEqual(float(note[0]), below, delta=0.5)
            self.assertAlmostEqual(float(note[1] or 0), above, delta=0.5)
        self.assertEqual(said.count("view [signed]: "), 2)

    def test_device(self):
        said = self.talk("device reference", "device", "", "identity", "", "device", "cpu", "identity", "", "device tpu",
                         "device cuda:99",
                         errors="halation: unknown device 'tpu'; choose from cpu, reference, cuda, cuda:0, cuda:1, …; did you mean 'cpu'?\n"
                                "halation: there is no cuda:99 here; halation devices lists what there is\n")
        self.assertEqual(said.count("device [reference]: "), 2)
        self.assertEqual(re.findall(r"(?m)^device (\w+)$", said), ["reference", "cpu"])


class Files(Talk):
    def test_image_is_asked_for(self):
        said = self.talk("none.png", "", "photo.png", "identity", "", "q", image=None,
                         errors="halation: none.png: no such file\nhalation: the name of an image is needed\n")
        self.assertEqual(self.result("photo_identity.png"), ROWS)
        self.assertIn("photo.png: 6x8 u8", said)

    def test_another_image(self):
        self.put("other.npy", npy([1, 2, 4, 8], (2, 2), "<f8"))
        said = self.talk("identity", "", "image missing.npy", "image", "back", "image other.npy", "identity", "", "q",
                         errors="halation: missing.npy: no such file\n")
        self.assertEqual(read_npy(self.get("other_identity.npy"))[:2], ([1, 2, 4, 8], (2, 2)))
        self.assertEqual(said.count("first run"), 2)

    def test_names_are_beside_the_image_and_free(self):
        (self.folder / "sub").mkdir()
        self.put("sub/photo.png", png(ROWS))
        self.put("sub/photo_identity.png", b"mine")
        self.put("sub/photo_identity_2.png", b"mine too")
        self.talk("identity", "", "compare", "", "write sub", "q", image="sub/photo.png")
        self.assertEqual(self.get("sub/photo_identity.png"), b"mine")
        self.assertEqual(self.result("sub/photo_identity_3.png"), ROWS)
        self.assertEqual(self.result("sub/photo_identity_4.png"), ROWS)
        self.assertTrue((self.folder / "sub/photo_identity_compare.png").exists())

    def test_nothing_is_written_over_without_a_yes(self):
        self.put("mine.png", b"mine")
        (self.folder / "dangling.png").symlink_to("nowhere.png")
        for answers in ([], ["no"], ["n"], [""], ["back"], ["quit"], ["perhaps"]):
            for name in ("mine.png", "photo.png", "dangling.png"):
                said = self.talk("box", "", name, *answers, errors="" if answers != ["perhaps"] else
                                 "halation: answer yes or no, got 'perhaps'\n")
                self.assertIn(f"{name} exists; overwrite it [no]: ", said)
                self.assertEqual((self.get("mine.png"), self.result("photo.png")), (b"mine", ROWS))
        self.assertEqual(self.names(), ["dangling.png", "mine.png", "photo.png"])
        for yes in ("yes", "y"):
            self.put("mine.png", b"mine")
            self.talk("box", "", "mine.png", yes, "q")
            self.assertEqual(self.result("mine.png"), clipped(ROWS, BOX))

    def test_nothing_is_written_where_nothing_is_wanted(self):
        self.talk("box", "", "no", "box", "", "back", "box", "")
        self.assertEqual(self.names(), ["photo.png"])

    def test_side_by_side(self):
        self.talk("compare", "box", "", "no", "compare", "", "compare both.png", "q", errors="halation: there is no result yet\n")
        blurred = clipped(ROWS, BOX)
        self.assertEqual(self.result("photo_box_compare.png"), [left + [255] * 8 + right for left, right in zip(ROWS, blurred)])
        self.assertEqual(self.get("both.png"), self.get("photo_box_compare.png"))

    def test_result_keeps_the_kind_of_file(self):
        self.put("photo.data", png(ROWS))
        self.assertIn("wrote photo_identity.png", self.talk("identity", "", "q", image="photo.data"))


class Words(Talk):
    def test_help_and_list_everywhere(self):
        said = self.talk("help", "help gaussian", "help custom", "list", "box", "help", "list", "", "help", "no", "q")
        for word in ("compare [FILE]", "Ctrl-D", "w[i] = exp(", "unsharp_mask", "0 -1 0; -1 5 -1", "no writes nothing"):
            self.assertIn(word, said)
        self.assertEqual(said.count("size: taps along each axis"), 2)
        self.assertEqual(said.count("Gaussian blur\n"), 3)

    def test_back(self):
        said = self.talk("back", "sharpen", "back", "unsharp_mask", "2", "back", "3", "", "", "no", "q")
        self.assertEqual(said.count("strength [0.8]: "), 1)
        self.assertEqual(said.count("sigma [1]: "), 2)
        self.assertEqual(said.count("first run"), 1)

    def test_quit_and_the_end_of_input_leave_everywhere(self):
        for answers in (["q"], ["quit"], ["box", "q"], ["box", "3", "q"], ["box", "3", "photo.png", "q"], ["device", "q"],
                        ["custom", "q"], []):
            self.talk(*answers)
            self.talk(*answers[:-1], ends=False)
        self.talk("q", image=None)
        self.talk(image=None, ends=False)
        self.assertEqual(self.names(), ["photo.png"])

    def test_device_and_threads(self):
        self.put("photo.png", png(ROWS))
        self.run_ok("interactive", "photo.png", "--device", "reference", "--threads", 1, stdin=b"identity\n\n")
        self.assertEqual(self.result("photo_identity.png"), ROWS)

    def test_wrong_usage(self):
        self.check_error(["interactive", "--threads", "many"], "--threads must be a whole number from 0 to 1024, got 'many'", 2)
        self.check_error(["interactive", "none.png"], "none.png: no such file", 1)


UP, LEFT, TAB, CTRL_C, CTRL_D, ENTER = "\x1b[A", "\x1b[D", "\t", "\x03", "\x04", "\n"
PATIENCE_S = 60  # of a test that would hang
EDITED = os.environ.get("HALATION_LINE_EDITING") == "1"


class Terminal(ProgramTest):
    def setUp(self):
        super().setUp()
        self.put("photo.png", png(ROWS))
        self.put("photo two.png", png(ROWS))
        self.near, far = pty.openpty()
        self.addCleanup(os.close, self.near)
        self.process = subprocess.Popen([program.HALATION, "interactive", "photo.png"], stdin=far, stdout=far, stderr=far,
                                        cwd=self.folder, env={**os.environ, "TERM": "xterm", "LC_ALL": "C"},
                                        preexec_fn=own_terminal)
        os.close(far)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.said = ""

    def wait_for(self, text):
        """Reads until that was said, after what was waited for before."""
        while text not in self.said:
            ready, _, _ = select.select([self.near], [], [], PATIENCE_S)
            self.assertTrue(ready, f"'{text}' was not said, but {self.said!r}")
            self.said += os.read(self.near, 4096).decode()
        self.said = self.said.split(text, 1)[1]

    def type(self, text):
        # libedit shows its prompt just before it takes over the terminal.
        for _ in range(PATIENCE_S * 100):
            if not EDITED or not termios.tcgetattr(self.near)[3] & termios.ICANON:
                break
            time.sleep(0.01)
        os.write(self.near, text.encode())

    def end(self):
        code = self.process.wait(PATIENCE_S)
        self.said += read_all(self.near)
        return code

    def test_answers(self):
        self.wait_for("filter [sharpen]: ")
        self.type("identity" + ENTER)
        self.wait_for("write to [photo_identity.png]: ")
        self.type(ENTER)
        self.wait_for("wrote photo_identity.png")
        self.wait_for("filter [identity]: ")
        self.type("quit" + ENTER)
        self.assertEqual(self.end(), 0)

    def test_what_fails_on_a_terminal_was_seen(self):
        self.wait_for("filter [sharpen]: ")
        self.type("sharpn" + ENTER)
        self.wait_for("did you mean 'sharpen'?")
        self.wait_for("filter [sharpen]: ")
        self.type("quit" + ENTER)
        self.assertEqual(self.end(), 0)

    def test_the_end_of_input(self):
        self.wait_for("filter [sharpen]: ")
        self.type(CTRL_D)
        self.assertEqual(self.end(), 0)

    def test_ctrl_c(self):
        self.wait_for("filter [sharpen]: ")
        self.type(CTRL_C)
        self.assertEqual(self.end(), -signal.SIGINT)

    @unittest.skipUnless(EDITED, "this build has no libedit")
    def test_arrows_and_history(self):
        self.wait_for("filter [sharpen]: ")
        self.type("identit" + LEFT * 7 + "x" + "\x7f" + "\x05" + "y" + ENTER)  # to its begin, a letter and back, to its end
        self.wait_for("write to [photo_identity.png]: ")
        self.type("no" + ENTER)
        self.wait_for("filter [identity]: ")
        self.type(UP + UP + ENTER)
        self.wait_for("later run")
        self.wait_for("write to [photo_identity.png]: ")
        self.type("back" + ENTER)
        self.wait_for("filter [identity]: ")
        self.type("quit" + ENTER)
        self.assertEqual(self.end(), 0)
        self.assertNotIn("^[[", self.said)

    @unittest.skipUnless(EDITED, "this build has no libedit")
    def test_completion(self):
        self.wait_for("filter [sharpen]: ")
        self.type("laplacian_" + TAB + ENTER)
        self.wait_for("sigma [")
        self.type("back" + ENTER)
        self.wait_for("filter [sharpen]: ")
        self.type("image" + ENTER)
        self.wait_for("image [photo.png]: ")
        self.type("photo" + " " + TAB + ENTER)
        self.wait_for("photo two.png: 6x8 u8")
        self.type(CTRL_D)
        self.assertEqual(self.end(), 0)


def own_terminal():
    """Makes standard input the terminal that the process belongs to, so that its keys send signals."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


if __name__ == "__main__":
    main()
