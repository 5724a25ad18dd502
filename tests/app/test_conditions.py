"""test_conditions.py: outputs that cannot be written, signals, links, and headers that claim more than memory."""
import os
import random
import resource
import signal
import subprocess
import zlib

import program
from pictures import PNG_SIGNATURE, npy, png, png_chunk, png_header, read_npy, read_png, tiff
from program import ProgramTest, flat, main

FAILED, WRONG_USAGE = 1, 2
PHOTO = png([[(10 * x + y, 20 * y, 255 - x) for x in range(12)] for y in range(8)])


class Streams(ProgramTest):
    """Standard streams that are full, or closed by the caller."""

    def setUp(self):
        super().setUp()
        self.put("in.png", PHOTO)

    def exit_code(self, redirection, *arguments):
        """That of the program in a shell."""
        done = subprocess.run(["sh", "-c", f'exec "$0" "$@" {redirection}', program.HALATION, *arguments], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120,
                              check=False)
        return done.returncode

    def test_standard_error_that_cannot_be_written(self):
        for redirection in ("2>/dev/full", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            with self.subTest(redirection=redirection):
                self.assertEqual(self.exit_code(redirection, "apply", "box", "none.png", "-o", "out.png"), FAILED)
                self.assertEqual(self.exit_code(redirection, "apply", "bux", "in.png", "-o", "out.png"), WRONG_USAGE)
                self.assertEqual(self.exit_code(redirection, "nothing"), WRONG_USAGE)
                self.assertFalse((self.folder / "out.png").exists())
                self.assertEqual(self.exit_code(redirection, "apply", "identity", "in.png", "-o", "out.png"), 0)
                self.assertEqual(read_png(self.get("out.png")), read_png(PHOTO))
                (self.folder / "out.png").unlink()

    def test_timings_that_were_asked_for_and_are_lost(self):
        for redirection in ("2>/dev/full", "2>&-"):
            self.assertEqual(self.exit_code(redirection, "apply", "box", "in.png", "-o", "out.png", "--timing"), FAILED)

    def test_standard_output_that_cannot_be_written(self):
        for redirection in (">/dev/full", ">&-", "<&- >&-"):
            for arguments in (["apply", "box", "in.png", "-o", "-"], ["apply", "box", "in.png", "-o", "-", "--format", "tiff"],
                              ["apply", "box", "in.png", "-o", "out.png", "--json"], ["filters"], ["devices"], ["--help"],
                              ["--version"], ["explain", "box"], ["completion", "bash"]):
                with self.subTest(redirection=redirection, arguments=arguments):
                    self.assertEqual(self.exit_code(redirection, *arguments), FAILED)
        self.assertEqual(self.exit_code(">&-", "apply", "identity", "in.png", "-o", "quiet.png"), 0)
        self.assertEqual(read_png(self.get("quiet.png")), read_png(PHOTO))

    def test_standard_input_that_is_closed(self):
        self.assertEqual(self.exit_code("<&-", "apply", "box", "-", "-o", "out.png"), FAILED)
        self.assertEqual(self.exit_code("<&-", "apply", "box", "in.png", "-o", "out.png"), 0)


class Signals(ProgramTest):
    """Whatever ends the program, no file of its own stays."""

    def setUp(self):
        super().setUp()
        self.random = random.Random(1)
        shape = (1024, 1024)
        self.put("in.npy", npy([], shape, "<u2") + self.random.randbytes(2 * shape[0] * shape[1]))  # much to write

    def test_nothing_stays(self):
        """While it reads, which it does until the input ends, and when it has written any number of bytes."""
        data = self.get("in.npy")
        self.run_ok("apply", "identity", "in.npy", "-o", "out.tif")
        complete = len(self.get("out.tif"))
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE", "SIGQUIT"):
            number = getattr(signal, name)
            (self.folder / "out.tif").unlink(missing_ok=True)
            with subprocess.Popen([program.HALATION, "apply", "identity", "-", "-o", "out.tif"], cwd=self.folder, stdin=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, preexec_fn=program.leave_no_core) as child:
                child.stdin.write(data[:len(data) // 2])
                child.send_signal(number)
                self.assertEqual(child.wait(60), -number, name)
            self.assertEqual({path.name for path in self.folder.iterdir()}, {"in.npy"})
            for run in range(10):
                (self.folder / "out.tif").unlink(missing_ok=True)
                code = self.ended_by(number, self.random.randrange(complete), "apply", "identity", "in.npy", "-o", "out.tif")
                with self.subTest(name=name, run=run):
                    self.assertIn(code, (0, -number))
                    self.assertLessEqual({path.name for path in self.folder.iterdir()}, {"in.npy", "out.tif"})

    def test_a_signal_that_is_ignored_stays_so(self):
        self.put("in.png", PHOTO)
        done = self.start("apply", "box", "in.png", "-o", "-", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertEqual(done.returncode, 0)

    def test_a_reader_that_leaves(self):
        child = subprocess.Popen([program.HALATION, "apply", "identity", "in.npy", "-o", "-", "--format", "npy"],
                                 cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        child.stdout.close()
        self.assertEqual(child.wait(60), -signal.SIGPIPE)


class Links(ProgramTest):
    """An output that is a link stays one: the file that it names is made or replaced."""

    def test_links_are_followed(self):
        self.put("in.png", PHOTO)
        (self.folder / "elsewhere").mkdir()
        for link, target in (("near.png", "real.png"), ("far.png", "elsewhere/real.png"), ("twice.png", "far.png"),
                             ("whole.png", str(self.folder / "elsewhere/whole.png"))):
            (self.folder / link).symlink_to(target)
            for _ in range(2):  # a link to nothing, and a link to a file
                self.run_ok("apply", "identity", "in.png", "-o", link)
                self.assertTrue((self.folder / link).is_symlink())
                self.assertEqual(read_png((self.folder / link).read_bytes()), read_png(PHOTO))
        self.assertEqual({path.name for path in (self.folder / "elsewhere").iterdir()}, {"real.png", "whole.png"})

    def test_links_that_lead_nowhere(self):
        self.put("in.png", PHOTO)
        (self.folder / "lost.png").symlink_to("none/real.png")
        self.check_error(("apply", "box", "in.png", "-o", "lost.png"), "lost.png: folder none does not exist", FAILED)
        (self.folder / "round.png").symlink_to("round.png")
        done = self.start("apply", "box", "in.png", "-o", "round.png")
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stderr.decode(), r"\Ahalation: round\.png: cannot be written: [^\n]+\n\Z")


class Claims(ProgramTest):
    """Headers that claim more pixels than the file's bytes can hold, or than memory can."""

    def apply_measured(self, *arguments):
        """Exit code, standard error, and the largest memory of a run in MiB."""
        self.put("stderr", b"")
        with open(self.folder / "stderr", "wb") as stderr:
            child = subprocess.Popen([program.HALATION, "apply", "identity", *map(str, arguments)], cwd=self.folder,
                                     stdout=subprocess.DEVNULL, stderr=stderr)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        return child.returncode, self.get("stderr").decode(), usage.ru_maxrss / 1024

    def ordinary_memory(self):
        """What the program itself takes, in MiB: sanitizers several times as much."""
        _, _, mebibytes = self.apply_measured(self.put("in.png", PHOTO), "-o", "out.png")
        (self.folder / "out.png").unlink()
        return mebibytes

    def test_png_of_a_hundred_bytes(self):
        ordinary = self.ordinary_memory()
        most = 2 ** 31 - 1
        for width, height in ((most, 1), (1, most), (most, most), (2 ** 20, 2 ** 20)):
            for channels, bits in ((1, 8), (4, 16)):
                self.put("huge.png", PNG_SIGNATURE + png_header(width, height, channels, bits) +
                         png_chunk(b"IDAT", zlib.compress(bytes(9))) + png_chunk(b"IEND", b""))
                code, said, mebibytes = self.apply_measured("huge.png", "-o", "out.png")
                with self.subTest(width=width, height=height, channels=channels):
                    self.assertEqual(code, FAILED)
                    self.assertRegex(said, rf"too short for {height}x{width}(x4)? pixels\n\Z")
                    self.assertLess(mebibytes, ordinary + 64)

    def test_array_of_more_elements_than_can_be_counted(self):
        self.put("huge.npy", npy([], (2 ** 60, 2 ** 60), "<u2"))
        done = self.start("apply", "box", "huge.npy", "-o", "out.npy")
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stderr.decode(), r"\Ahalation: huge\.npy: damaged or truncated \.npy: [^\n]+\n\Z")

    def test_memory_that_may_be_used(self):
        side = 6000
        pixels = zlib.compressobj(1)
        data = b"".join(pixels.compress(bytes(side + 1)) for _ in range(side)) + pixels.flush()
        self.put("large.png", PNG_SIGNATURE + png_header(side, side) + png_chunk(b"IDAT", data) + png_chunk(b"IEND", b""))
        code, said, mebibytes = self.apply_measured("large.png", "-o", "out.npy", "--memory", "30M")
        self.assertEqual((code, said), (FAILED, "halation: large.png: image 6000x6000 u8 needs 36.0 MB of memory, 31.5 MB are "
                                        "available\n"))
        self.assertLess(mebibytes, self.ordinary_memory() + 30)
        code, said, _ = self.apply_measured("large.png", "-o", "out.npy", "--memory", "50M")  # not for the result beside it
        self.assertEqual(code, FAILED)
        self.assertRegex(said, r"\Ahalation: [^\n]+ of memory, [^\n]+\n\Z")
        self.assertFalse((self.folder / "out.npy").exists())
        code, said, _ = self.apply_measured("large.png", "-o", "out.npy", "--memory", "0.1G")
        self.assertEqual((code, said), (0, ""))

    def test_sizes_are_checked(self):
        self.put("in.png", PHOTO)
        for text in ("0", "-1", "x", "1X", "G", "nan", "inf", "1e99", "1G2"):
            for command in (("apply", "box", "in.png", "-o", "out.png"), ("interactive",)):
                self.check_error((*command, f"--memory={text}"), f"--memory must be a size such as 512M or 1.5G, got '{text}'",
                                 WRONG_USAGE)

    def test_every_command_that_reads_images(self):
        self.put("in.tif", tiff([[[1, 2, 3]] * 4000] * 2))
        self.check_error(("apply", "box", "in.tif", "-o", "out.tif", "--memory", "9K"),
                         "in.tif: image 4000x3 u8 needs 20.2 kB of memory, 9.2 kB are available", FAILED)
        done = self.start("interactive", "in.tif", "--memory", "9K", stdin=b"")
        self.assertRegex(done.stderr.decode(), r"\Ahalation: in\.tif: image 4000x3 u8 needs [^\n]+\n")

    def test_a_pipe_without_end(self):
        with open("/dev/zero", "rb") as zeros:
            done = subprocess.run([program.HALATION, "apply", "box", "-", "-o", "out.png", "--memory", "20M"], stdin=zeros,
                                  capture_output=True, cwd=self.folder, timeout=120, check=False)
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stderr.decode(), r"\Ahalation: standard input: [^\n]*of memory[^\n]*\n\Z")


class Rank(ProgramTest):
    """Axes of length 1 are axes."""

    VALUES = [10, 40, 20, 90, 70]

    def test_a_picture_of_one_row_is_a_picture(self):
        self.put("row.png", png([self.VALUES]))
        self.put("column.png", png([[value] for value in self.VALUES]))
        for row, column in ((["high_pass"], ["high_pass"]), (["sobel", "--axis", "y"], ["sobel", "--axis", "x"]),
                            (["sobel", "--axis", "x"], ["sobel", "--axis", "y"]), (["laplacian"], ["laplacian"]),
                            (["gaussian", "--sigma", "1,2"], ["gaussian", "--sigma", "2,1"]), (["disk"], ["disk"]),
                            (["edges"], ["edges"])):
            results = []
            for name, arguments in (("row", row), ("column", column)):
                self.run_ok("apply", arguments[0], f"{name}.png", "-o", f"{name}.npy", "--output-pixel", "f32", *arguments[1:])
                values, shape, _ = read_npy(self.get(f"{name}.npy"))
                results.append(values)
                self.assertEqual(shape, (1, 5) if name == "row" else (5, 1))
            with self.subTest(filter=row):
                self.assert_close(results[0], results[1], 1e-6)
                self.run_ok("apply", row[0], "row.png", "-o", "row_out.png", *row[1:])
                self.run_ok("apply", column[0], "column.png", "-o", "column_out.png", *column[1:])
                self.assertEqual(flat(read_png(self.get("row_out.png"))[0]), flat(read_png(self.get("column_out.png"))[0]))

    def test_arrays_come_back_with_their_axes(self):
        for shape, layout in (((5,), "w"), ((1,), "w"), ((1, 5), "hw"), ((5, 1), "hw"), ((1, 1), "hw"), ((4, 5, 1), "hwc"),
                              ((1, 5, 3), "hwc"), ((1, 1, 1), "hwc"), ((1, 4, 5), "dhw"), ((2, 1, 1), "dhw"),
                              ((1, 1, 5), "dhw"), ((1, 4, 5, 1), "dhwc"), ((2, 3, 4, 1), "dhwc"), ((1, 1, 1, 2), "dhwc"),
                              ((1, 1, 1, 1), "dhwc")):
            count = 1
            for extent in shape:
                count *= extent
            for arguments in (["--layout", layout], []):
                if arguments == [] and layout == "hwc":
                    continue  # by its rank it would be dhw
                with self.subTest(shape=shape, layout=layout, arguments=arguments):
                    values, back = self.apply_to_array([float(i) for i in range(count)], shape, "identity", *arguments)
                    self.assertEqual(back, shape)
                    self.assertEqual(values, [float(i) for i in range(count)])

    def test_filters_act_along_axes_of_one(self):
        one, _ = self.apply_to_array(self.VALUES, (5,), "laplacian")
        two, _ = self.apply_to_array(self.VALUES, (1, 5), "laplacian")
        three, _ = self.apply_to_array(self.VALUES, (1, 1, 5), "laplacian")
        column, _ = self.apply_to_array(self.VALUES, (5, 1), "laplacian")
        deep, _ = self.apply_to_array(self.VALUES, (5, 1, 1), "laplacian")
        self.assertEqual(two, column)
        self.assertEqual(three, deep)
        self.assertEqual(len(one), 5)

    def test_axes_that_grow_are_written(self):
        _, shape = self.apply_to_array([1.0] * 5, (5,), "custom", "--weights", "1 1; 1 1", "--extent", "full")
        self.assertEqual(shape, (2, 6))


if __name__ == "__main__":
    main()
