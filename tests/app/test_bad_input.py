"""test_bad_input.py: whatever is wrong, one line says so, the exit code is not 0, and no file is left behind."""
import math
import resource
import subprocess
import zlib

import program
from pictures import PNG_SIGNATURE, npy, png, png_chunk, png_header, tiff
from program import ProgramTest, main

FAILED, WRONG_USAGE = 1, 2
PHOTO = png([[(10 * x + y, 20 * y, 255 - x) for x in range(12)] for y in range(8)])


class BadInput(ProgramTest):
    def setUp(self):
        super().setUp()
        self.put("photo.png", PHOTO)

    def refuse(self, code, sentence, *arguments, **more):
        """`halation apply ARGUMENTS` must end with this sentence."""
        with self.subTest(arguments=arguments):
            self.check_error(("apply", *arguments), sentence, code, **more)

    def listed(self, words, joint=", "):
        """"a, b or c"; the last, of AVIF, only where the program was built with it."""
        if b"needs libavif" in self.start("apply", "box", "none.png", "-o", "out.avif").stderr:
            words = words[:-1]
        return ", ".join(words[:-1]) + joint + words[-1]

    def refuse_option(self, code, sentence, filter_name, *arguments):
        self.refuse(code, sentence, filter_name, "photo.png", "-o", "out.png", *arguments)


class Inputs(BadInput):
    def refuse_input(self, name, sentence, code=FAILED):
        self.refuse(code, sentence, "gaussian", name, "-o", "out.png", "--compare", "both.png")

    def test_missing(self):
        self.refuse_input("none.png", "none.png: no such file")

    def test_empty_names(self):
        for arguments, name in ((["box", "", "-o", "out.png"], "input"), (["box", "photo.png", "-o", ""], "--output"),
                                (["box", "photo.png", "-o", "out.png", "--compare", ""], "--compare")):
            self.refuse(WRONG_USAGE, f"an empty name was given for {name}; see halation apply --help", *arguments)
        self.check_error(["ladder", "--json", ""], "an empty name was given for --json; see halation ladder --help", WRONG_USAGE)

    def test_folder(self):
        (self.folder / "folder").mkdir()
        done = self.start("apply", "gaussian", "folder", "-o", "out.png")
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stderr.decode(), r"\Ahalation: folder: [^\n]+\n\Z")

    def test_empty(self):
        self.put("empty.png", b"")
        self.refuse_input("empty.png", "empty.png: the file is empty")
        self.refuse(FAILED, "standard input: the file is empty", "gaussian", "-", "-o", "out.png")

    def test_not_an_image(self):
        self.put("text.png", b"Dear Sir or Madam,\n")
        self.refuse_input(
            "text.png", "text.png: not an image that halation reads (" + self.listed(
                ["PNG", "JPEG", "TIFF", "WebP", "OpenEXR", ".npy", "BMP", "PNM", "PFM", "GIF", "AVIF"]) + ")")

    def test_truncated_everywhere(self):
        whole = {"photo.png": PHOTO, "pages.tif": tiff([[[1, 2], [3, 4]], [[5, 6]]]),
                 "array.npy": npy(range(6), (2, 3))}
        for name, data in whole.items():
            for length in range(1, len(data) - (20 if name == "photo.png" else 0), max(1, len(data) // 23)):
                self.put("cut.bin", data[:length])
                before = sorted(path.name for path in self.folder.iterdir())
                done = self.start("apply", "gaussian", "cut.bin", "-o", "out.npy")
                if name == "pages.tif" and done.returncode == 0:
                    continue  # the second page's directory says where a cut may fall
                with self.subTest(name=name, length=length):
                    self.assertEqual(done.returncode, FAILED)
                    self.assertRegex(done.stderr.decode(), r"\Ahalation: cut\.bin: [^\n]+\n\Z")
                    self.assertEqual(sorted(path.name for path in self.folder.iterdir()), before)

    def test_truncated(self):
        self.put("cut.png", PHOTO[:100])
        self.refuse_input("cut.png", "cut.png: damaged or truncated PNG: the file ends too early")

    def test_zero_sized(self):
        self.put("zero.png", PNG_SIGNATURE + png_header(0, 4) + png_chunk(b"IDAT", b"") + png_chunk(b"IEND", b""))
        self.refuse_input("zero.png", "zero.png: damaged or truncated PNG: Invalid IHDR data")
        self.put("zero.npy", npy([], (0, 4)))
        self.refuse_input("zero.npy", "zero.npy: an array without elements (0x4)")

    def test_size_that_the_file_cannot_hold(self):
        side = 2 ** 31 - 1
        self.put("huge.png", PNG_SIGNATURE + png_header(side, side) + png_chunk(b"IDAT", bytes(99)) + png_chunk(b"IEND", b""))
        self.refuse_input("huge.png", f"huge.png: damaged or truncated PNG: too short for {side}x{side} pixels")

    def test_image_too_large_for_memory(self):
        limit = 300 << 20
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))}
        if self.start("apply", "identity", "photo.png", "-o", "-", "--threads", 1, **limited).returncode != 0:
            self.skipTest("this build needs more address space for itself")
        side, pixels = 20000, zlib.compressobj(1)
        data = b"".join(pixels.compress(bytes(side + 1)) for _ in range(side)) + pixels.flush()
        self.put("large.png", PNG_SIGNATURE + png_header(side, side) + png_chunk(b"IDAT", data) + png_chunk(b"IEND", b""))
        done = self.start("apply", "identity", "large.png", "-o", "out.png", "--threads", 1, **limited)
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stderr.decode(),
                         r"\Ahalation: large\.png: image 20000x20000 u8 needs 400\.0 MB of memory, [^\n]+\n\Z")
        self.assertFalse((self.folder / "out.png").exists())

    def test_result_too_large_for_memory(self):
        done = self.start("apply", "box", "photo.png", "-o", "out.png", "--size", 1 << 22, "--extent", "full")
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stderr.decode(), r"\Ahalation: [^\n]+ u8 needs 52\d{3}\.\d GB of memory, [^\n]+\n\Z")
        self.assertFalse((self.folder / "out.png").exists())


class Filters(BadInput):
    def test_unknown_filter(self):
        for wrong, right in (("gausian", "gaussian"), ("shapren", "sharpen"), ("sobbel", "sobel"), ("blur", "gaussian"), ("usm", "unsharp_mask"),
                             ("gblur", "gaussian"), ("filter2D", "custom"), ("convolve", "custom")):
            self.refuse_option(WRONG_USAGE, f"unknown filter '{wrong}'; did you mean '{right}'?", wrong)

    def test_parameter_out_of_range(self):
        self.refuse_option(WRONG_USAGE, "gaussian: sigma must be >= 0, got -1", "gaussian", "--sigma", -1)
        self.refuse_option(WRONG_USAGE, "gaussian: sigma must be >= 0, got -2", "gaussian", "--sigma", "2,-2")
        self.refuse_option(WRONG_USAGE, "box: size must be an integer >= 1, got 2.5", "box", "--size", 2.5)
        self.refuse_option(WRONG_USAGE, "box: size must be a finite number, or one for each axis apart by commas, got '3x3'", "box", "--size", "3x3")
        self.refuse_option(WRONG_USAGE, "box: values of size for each axis are apart by commas, 3,5, got '3 5'", "box", "--size", "3 5")
        self.refuse_option(WRONG_USAGE, "sobel: axis must be x, y or z, got 'w'", "sobel", "--axis", "w")

    def test_strength_of_1_divides_by_zero(self):
        self.refuse_option(WRONG_USAGE, "sharpen: strength must be in [0, 1), got 1", "sharpen", "--strength", 1)

    def test_parameter_that_is_no_finite_number(self):
        for text in ("nan", "inf", "-inf", "1e999", "two", "1x", "", "1,,2", "0x10"):
            part = text.split(",")[1] if "," in text else text
            self.refuse_option(WRONG_USAGE, f"gaussian: sigma must be a finite number, got '{part}'", "gaussian", "--sigma",
                               text)

    def test_parameter_that_the_filter_lacks(self):
        self.refuse_option(WRONG_USAGE, "gaussian: no parameter --strength; it has --sigma, --radius", "gaussian",
                           "--strength", 0.5)
        self.refuse_option(WRONG_USAGE, "box: no parameter --order-x; it has --size", "box", "--order_x", 1)
        self.refuse_option(WRONG_USAGE, "edges: no parameter --sigma; it has none", "edges", "--sigma", 2)
        self.refuse_option(WRONG_USAGE, "custom: no parameter --sigma; it has --weights", "custom", "--weights", "1",
                           "--sigma", 2)

    def test_parameter_with_too_many_values(self):
        self.refuse_option(WRONG_USAGE, "gaussian: sigma takes one value or one for each of 2 axes, got 3", "gaussian",
                           "--sigma", "1,2,3")
        self.refuse_option(WRONG_USAGE, "sharpen: strength takes one value, got 2", "sharpen", "--strength", "0.1,0.2")

    def test_weights(self):
        self.refuse_option(WRONG_USAGE, "weights: row 2 has 1 numbers, row 1 has 2", "custom", "--weights", "1 2; 3")
        empty = 'weights: empty; write rows such as "0 -1 0; -1 5 -1; 0 -1 0"'
        for text in ("", "  ", "\n"):
            self.refuse_option(WRONG_USAGE, empty, "custom", "--weights", text)
        self.refuse_option(WRONG_USAGE, "custom: weights are missing; give them by --weights", "custom")
        self.refuse_option(WRONG_USAGE, "--weights goes with the filter custom, got box", "box", "--weights", "1")
        for text in ("1 nan", "inf", "1 two"):
            done = self.start("apply", "custom", "photo.png", "-o", "out.png", "--weights", text)
            self.assertEqual(done.returncode, WRONG_USAGE)
            self.assertRegex(done.stderr.decode(), r"\Ahalation: weights: [^\n]+\n\Z")

    def test_files_of_weights(self):
        self.refuse_option(FAILED, "none.txt: no such file", "custom", "--weights", "none.txt")
        self.refuse_option(FAILED, "none.npy: no such file", "custom", "--weights", "none.npy")
        self.put("nan.npy", npy([1, math.nan, 1], (3,), "<f8"))
        done = self.start("apply", "custom", "photo.png", "-o", "out.png", "--weights", "nan.npy")
        self.assertEqual(done.returncode, WRONG_USAGE)
        self.assertRegex(done.stderr.decode(), r"\Ahalation: [^\n]*finite[^\n]*\n\Z")
        self.put("deep.npy", npy([1, 2], (1, 1, 1, 2), "<f8"))
        self.refuse_option(WRONG_USAGE, "deep.npy: an array of weights has 1 to 3 axes, got 4", "custom", "--weights",
                           "deep.npy")

    def test_nan_reaches_as_far_as_the_filter(self):
        values = [1.0] * 81
        values[4 * 9 + 4] = math.nan
        for name, arguments, reach in (("box", ["--size", 3], 1), ("gaussian", ["--sigma", 1, "--radius", 2], 2),
                                       ("laplacian", [], 1)):
            result, _ = self.apply_to_array(values, (9, 9), name, *arguments)
            expected = [abs(i // 9 - 4) <= reach and abs(i % 9 - 4) <= reach for i in range(81)]
            self.assertEqual([math.isnan(value) for value in result], expected, name)


class Options(BadInput):
    def test_numbers(self):
        for option in ("--scale", "--offset"):
            for text in ("nan", "inf", "x", ""):
                self.refuse_option(WRONG_USAGE, f"{option} must be a finite number, got '{text}'", "box", option, text)
        self.refuse_option(WRONG_USAGE, "--threads must be a whole number from 0 to 1024, got '-1'", "box", "--threads", -1)
        self.refuse_option(WRONG_USAGE, "--quality must be a whole number from 1 to 100, got '101'", "box", "--quality",
                           101)

    def test_names(self):
        for option, what, choices in (
                ("--border", "border", "constant, replicate, reflect, reflect101, wrap"),
                ("--extent", "extent", "same, valid, full; did you mean 'same'?"),
                ("--output-pixel", "pixel", "u8, u16, i16, f16, f32, f64, i8, u32, i32, u64, i64, c64, c128"),
                ("--rounding", "rounding", "half_even, truncate"),
                ("--sum", "sum", "automatic, f64"),
                ("--tune", "tune", "estimate, measure")):
            self.refuse_option(WRONG_USAGE, f"unknown {what} 'sam'; choose from {choices}", "box", option, "sam")
        for option in ("--device", "--layout"):
            done = self.start("apply", "box", "photo.png", "-o", "out.png", option, "sam")
            self.assertEqual(done.returncode, WRONG_USAGE)
            self.assertRegex(done.stderr.decode(), r"\Ahalation: unknown \w+ 'sam'; [^\n]+\n\Z")

    def test_device_that_is_not_there(self):
        done = self.start("apply", "box", "photo.png", "-o", "out.png", "--device", "cuda:99")
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stderr.decode(), r"\Ahalation: [^\n]*cuda:99[^\n]*\n\Z")

    def test_several_devices(self):
        one = "--device takes one device, or several GPUs, got {} among 2"
        self.refuse_option(WRONG_USAGE, one.format("cpu"), "box", "--device", "cpu,cuda:0")
        self.refuse_option(WRONG_USAGE, one.format("reference"), "box", "--device", "cuda:1,reference")
        self.refuse_option(WRONG_USAGE, "--device names cuda:0 twice", "box", "--device", "cuda,cuda:0")
        self.refuse_option(WRONG_USAGE, "unknown device ''; choose from cpu, reference, cuda, cuda:0, cuda:1, …", "box", "--device", "cuda:0,")
        if b"cuda:0" not in self.start("devices").stdout:
            self.refuse_option(FAILED, "--device cuda:all: there is no GPU that this program can use", "box", "--device", "cuda:all")

    def test_borders(self):
        self.refuse_option(WRONG_USAGE, "--border takes one mode, height,width or depth,height,width, got 4 modes", "box",
                           "--border", "wrap,wrap,wrap,wrap")
        self.refuse_option(WRONG_USAGE, "--border-value goes with --border constant", "box", "--border-value", 3)
        self.put("volume.npy", npy(range(8), (2, 2, 2)))
        self.refuse(WRONG_USAGE,
                    "--border takes one mode or depth,height,width where image or filter have depth, got height,width",
                    "box", "volume.npy", "-o", "out.npy", "--border", "wrap,reflect")

    def test_anchors(self):
        self.refuse_option(WRONG_USAGE, "--anchor takes X, Y,X or Z,Y,X, got 4 numbers", "box", "--anchor", "1,1,1,1")
        self.refuse_option(WRONG_USAGE, "--anchor takes Y,X for a filter of 2 dimensions, got 1", "box", "--anchor", 1)
        self.refuse_option(WRONG_USAGE, "--anchor must be a whole number from 0 to 2147483648, got '-1'", "box",
                           "--anchor", "-1,0")
        self.refuse_option(
            WRONG_USAGE, "anchor must lie inside the filter, got 0,3,0 in a filter of 1,3,3 taps (depth, height, width)",
            "box", "--anchor", "3,0")

    def test_valid_with_a_filter_larger_than_the_image(self):
        self.refuse_option(
            WRONG_USAGE,
            "extent valid: the filter (9x9) is larger than the image (8x12x3) along height; use same or full", "box",
            "--size", 9, "--extent", "valid")

    def test_colour(self):
        self.put("cmyk.tif", tiff([[[1, 2, 3, 4]]], samples=4, photometric=5))
        for option in ("--gray", "--linear"):
            self.refuse(WRONG_USAGE, f"{option} needs gray or RGB, got an image in CMYK", "box", "cmyk.tif", "-o", "out.tif",
                        option)
        self.put("two.npy", npy(range(8), (2, 2, 2)))
        self.refuse(WRONG_USAGE, "--gray needs gray or 3 colours, got 2", "box", "two.npy", "-o", "out.npy", "--layout", "hwc",
                    "--gray")

    def test_layout_of_another_rank(self):
        self.put("flat.npy", npy(range(4), (2, 2)))
        done = self.start("apply", "box", "flat.npy", "-o", "out.npy", "--layout", "dhw")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr.decode(), r"\Ahalation: flat\.npy: [^\n]+\n\Z")

    def test_command_line(self):
        see = "; see halation apply --help"
        self.check_error([], "a command is needed: apply, batch, video, filters, explain, tune, ladder, bench, devices, interactive, studio, completion; see halation --help",
                         WRONG_USAGE)
        for words in (["aply"], ["aply", "box", "photo.png", "-o", "out.png"], ["aply", "--help"], ["help", "aply"]):
            self.check_error(words, "unknown command 'aply'; did you mean 'apply'?", WRONG_USAGE)
        for words in (["--help", "al"], ["-h", "al"], ["help", "al"]):
            self.check_error(words, "unknown command 'al'; see halation --help", WRONG_USAGE)
        self.check_error(["blur", "photo.png"], "unknown command 'blur'; did you mean halation apply gaussian?", WRONG_USAGE)
        self.check_error(["photo.png"], "unknown command 'photo.png'; see halation --help", WRONG_USAGE)
        for words in (["gaussian"], ["gaussian", "photo.png", "-o", "out.png"], ["help", "gaussian"]):
            self.check_error(words, "'gaussian' is a filter, not a command: halation apply gaussian in.png -o out.png; halation filters gaussian explains it",
                             WRONG_USAGE)
        self.check_error(["--sigma", "2", "apply", "gaussian", "photo.png", "-o", "out.png"],
                         "--sigma stands before the command; options go behind it, as in halation apply ... --sigma", WRONG_USAGE)
        self.check_error(["--sgima", "2"], "unknown option --sgima; see halation --help", WRONG_USAGE)
        self.refuse(WRONG_USAGE, "photo.png is a file; the filter stands before it, as in gaussian photo.png", "photo.png", "gaussian", "-o", "out.png")
        self.refuse(WRONG_USAGE, "--output is required; write -o out.png", "gaussian", "photo.png", "out.png")
        self.refuse(WRONG_USAGE, "--output is required" + see, "gaussian", "photo.png")
        self.refuse(WRONG_USAGE, "--linear takes no value, got 'maybe'" + see, "box", "photo.png", "-o", "out.png", "--linear=maybe")
        self.refuse(WRONG_USAGE, "an empty name was given for --format" + see, "box", "photo.png", "-o", "out.png", "--format", "")
        shared = "--json and --report are both for standard output; name a file for one of them"
        self.check_error(["ladder", "--size", "8x8", "--json", "-", "--report", "-"], shared, WRONG_USAGE)
        self.check_error(["explain", "gaussian", "--json", "--report", "-"], shared, WRONG_USAGE)
        self.check_error(["ladder", "--size", "8x8", "--json", "both", "--report", "./both"],
                         "--json and --report are both for both; name a file for each", WRONG_USAGE)
        self.check_error(["ladder", "--size", "8x8", "--outside", "1e300"], "ladder: --outside must be a number of f32, got 1e300", WRONG_USAGE)
        self.check_error(["filters", "--dims", "5"], "--dims must be a whole number from 1 to 3, got '5'", WRONG_USAGE)
        self.check_error(["filters", "gaussian", "--sigma", "100000"],
                         "gaussian: 6.4e+11 weights are too many to print, at most 1.68e+07; ask for a smaller filter", WRONG_USAGE)
        self.check_error(["bench", "--peers", "foo", "--list"], "unknown peer 'foo'; choose from npp, cufft, cudnn, opencv, python, none", WRONG_USAGE)
        for words in (["apply", "box", "photo.png", "-o", "out.png"], ["devices"], ["filters", "box"], ["bench", "matrix"], ["batch", "box", "in", "-o", "out"]):
            self.check_error([*words, "--", "more.png"], f"unexpected 'more.png'; see halation {words[0]} --help", WRONG_USAGE)
        self.refuse(WRONG_USAGE, "filter is required" + see)
        self.refuse(WRONG_USAGE, "input is required" + see, "box", "-o", "out.png")
        self.refuse(WRONG_USAGE, "--output is required" + see, "box", "photo.png")
        self.refuse(WRONG_USAGE, "unexpected 'more.png'" + see, "box", "photo.png", "more.png", "-o", "out.png")
        self.refuse_option(WRONG_USAGE, "unknown option --sgima; did you mean --sigma?", "gaussian", "--sgima", 2)
        self.refuse_option(WRONG_USAGE, "unknown option --sgima; did you mean --sigma?", "gaussian", "--sgima=2")
        self.refuse_option(WRONG_USAGE, "unknown option -sigma; did you mean --sigma?", "gaussian", "-sigma", 2)
        self.refuse_option(WRONG_USAGE, "unknown option --mode; did you mean --border?", "gaussian", "--mode", "nearest")
        self.refuse_option(WRONG_USAGE, "unknown option --kernel; did you mean --weights?", "custom", "--kernel", "1 2 1")
        for option, right in (("--pix_fmt", "--pixel-format"), ("-c:v", "--codec"), ("-vcodec", "--codec")):
            self.check_error(["video", "gaussian", "photo.png", "-o", "out.mp4", option, "yuv"], f"unknown option {option}; did you mean {right}?", WRONG_USAGE)
        self.refuse_option(WRONG_USAGE, "unknown option --entirely-else" + see, "gaussian", "--entirely-else")
        self.refuse_option(WRONG_USAGE, "unknown option -q" + see, "gaussian", "-q")
        self.refuse(WRONG_USAGE, "unknown option --sgima; did you mean --sigma?", "gaussian", "photo.png", "--sgima")
        self.put("-dash.png", PHOTO)
        for words in (["-dash.png", "-o", "out.png"], ["photo.png", "-dash.png", "-o", "out.png"], ["photo.png", "-dash.png"]):
            self.refuse(WRONG_USAGE, "unknown option -dash.png; a file of that name is given as ./-dash.png", "gaussian", *words)
        self.run_ok("apply", "gaussian", "./-dash.png", "-o", "-", "--format", "png")
        for command in ("apply", "video"):
            self.check_error([command, "-blur", "photo.png", "-o", "out.mp4"], f"unknown option -blur; see halation {command} --help", WRONG_USAGE)
        self.refuse(WRONG_USAGE, "unexpected 'order_x=2'; write --order-x 2", "gaussian_derivative", "order_x=2", "photo.png", "-o", "out.png")
        self.refuse_option(WRONG_USAGE, "unexpected '-5'" + see, "gaussian", "-5")
        self.check_error(["--verison"], "unknown option --verison; did you mean --version?", WRONG_USAGE)
        for option, wrong, right in (("--border", "relfect", "reflect"), ("--output-pixel", "f23", "f32"), ("--extent", "ful", "full"), ("--view", "sigend", "signed"),
                                     ("--rounding", "halfeven", "half_even"), ("--sum", "automtic", "automatic"), ("--device", "cdua", "cuda"),
                                     ("--accuracy", "fats", "fast"), ("--tune", "mesure", "measure"), ("--border", "mirror", "reflect101"),
                                     ("--output-pixel", "uint8", "u8"), ("--device", "GPU", "cuda"), ("--border", "grid-wrap", "wrap"),
                                     *(("--border", f"BORDER_{name.upper()}", name.replace("_", "")) for name in ("constant", "replicate", "reflect", "wrap", "reflect_101")),
                                     ("--output-pixel", "CV_8U", "u8"), ("--output-pixel", "CV_16U", "u16"), ("--output-pixel", "CV_16S", "i16"),
                                     ("--output-pixel", "CV_32F", "f32")):
            done = self.start("apply", "box", "photo.png", "-o", "out.png", option, wrong)
            self.assertEqual(done.returncode, WRONG_USAGE)
            self.assertRegex(done.stderr.decode(), rf"\Ahalation: unknown \w+ '{wrong}'; choose from [^\n]*; did you mean '{right}'\?\n\Z")
        self.refuse_option(WRONG_USAGE, "--sigma takes one value" + see, "gaussian", "--sigma")
        self.refuse_option(WRONG_USAGE, "--sigma takes one value" + see, "gaussian", "--sigma", 1, "--sigma", 2)

    def test_a_name_with_line_ends_stays_one_line(self):
        self.refuse(FAILED, "a b.png: no such file", "box", "a\nb.png", "-o", "out.png")


class Outputs(BadInput):
    ENDINGS = "unknown format; endings known: "

    def refuse_output(self, code, sentence, output, *arguments):
        self.refuse(code, sentence, "box", "photo.png", "-o", output, *arguments)

    def test_folder_that_does_not_exist(self):
        self.refuse_output(FAILED, "none/out.png: folder none does not exist", "none/out.png")
        self.refuse_output(FAILED, "none/both.png: folder none does not exist", "out.png", "--compare", "none/both.png")

    def test_folder_in_place_of_a_file(self):
        (self.folder / "folder.png").mkdir()
        self.refuse_output(FAILED, "folder.png: is a folder; a file name was expected", "folder.png")

    def test_output_is_checked_before_the_input_is_read(self):
        self.refuse(FAILED, "none/out.png: folder none does not exist", "box", "none.png", "-o", "none/out.png")

    def test_unknown_ending(self):
        for name in ("out.xyz", "out", "png"):
            done = self.start("apply", "box", "photo.png", "-o", name)
            self.assertEqual(done.returncode, FAILED)
            self.assertTrue(done.stderr.decode().startswith(f"halation: {name}: {self.ENDINGS}.png, .jpg"))
        formats = self.listed(["png", "jpeg", "tiff", "webp", "exr", "npy", "bmp", "pnm", "ppm", "pgm", "pfm", "avif"])
        self.refuse_output(FAILED, f"out.png: unknown format 'tga'; formats known: {formats}", "out.png", "--format", "tga")

    def test_format_that_cannot_hold_the_pixels(self):
        self.refuse_output(FAILED, "out.jpg: JPEG holds 8-bit pixels, got u16; "
                           "use --output-pixel u8 (values stay as they are; --scale 0.003891 makes 255 of 65535) or write " + self.listed([".png", ".tif", ".npy", ".pnm", ".ppm", ".pgm", ".avif"], " or "),
                           "out.jpg", "--output-pixel", "u16")
        self.refuse_output(FAILED, "out.exr: OpenEXR holds half and float pixels, got u8; "
                           "use --output-pixel f32 (values stay as they are; --linear makes light from 0 to 1 of them) or write " +
                           self.listed([".png", ".jpg", ".tif", ".webp", ".npy", ".bmp", ".pnm", ".ppm", ".avif"], " or "), "out.exr")
        self.put("alpha.png", png([[(1, 2, 3, 4)]]))
        done = self.start("apply", "box", "alpha.png", "-o", "out.jpg")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("out.jpg: JPEG holds no transparency", done.stderr.decode())
        done = self.start("apply", "box", "alpha.png", "-o", "out.png", "--compare", "both.jpg")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("both.jpg: JPEG holds no transparency", done.stderr.decode())
        self.put("pages.tif", tiff([[[1]], [[2]]]))
        done = self.start("apply", "box", "pages.tif", "-o", "out.png")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("out.png: PNG holds one page, got 2", done.stderr.decode())
        self.put("volume.npy", npy(range(8), (2, 2, 2), "<u1"))
        done = self.start("apply", "box", "volume.npy", "-o", "out.png")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("out.png: PNG holds flat pictures, got a volume of 2 slices", done.stderr.decode())
        self.assertEqual({path.name for path in self.folder.iterdir()},
                         {"photo.png", "alpha.png", "pages.tif", "volume.npy"})

    def test_compare_needs_a_file_of_its_own(self):
        for name in ("out.png", "./out.png", "photo.png", "-"):
            self.refuse_output(WRONG_USAGE, "--compare needs a file of its own", "out.png", "--compare", name)

    def test_full_disk(self):
        self.put("noise.npy", npy([x * x * 7919 % 65521 for x in range(40000)], (200, 200), "<u2"))
        limit = 20000  # bytes in any one file, less than either result has
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))}
        for arguments in (["-o", "out.npy"], ["-o", "out.tif"], ["-o", "out.png"],
                          ["-o", "out.npy", "--compare", "photo_both.png"]):
            before = sorted(path.name for path in self.folder.iterdir())
            done = self.start("apply", "identity", "noise.npy", *arguments, **limited)
            with self.subTest(arguments=arguments):
                self.assertEqual(done.returncode, FAILED)
                self.assertRegex(done.stderr.decode(), r"\Ahalation: [\w.]+: [^\n]+\n\Z")
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()), before)

    def test_picture_goes_where_the_result_fails(self):
        """The picture of both is small enough for the limit, the result is not."""
        self.put("plain.npy", npy([0.5] * 40000, (200, 200), "<f8"))
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))}
        done = self.start("apply", "identity", "plain.npy", "-o", "out.npy", "--compare", "both.png", **limited)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("halation: out.npy: ", done.stderr.decode())
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"photo.png", "plain.npy"})

    def test_standard_output_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            for arguments in (["apply", "box", "photo.png", "-o", "-"], ["filters"], ["--help"]):
                done = subprocess.run([program.HALATION, *arguments], stdout=full, stderr=subprocess.PIPE, cwd=self.folder,
                                      timeout=120, check=False)
                with self.subTest(arguments=arguments):
                    self.assertEqual(done.returncode, FAILED)
                    self.assertRegex(done.stderr.decode(), r"\Ahalation: standard output[^\n]+\n\Z")


if __name__ == "__main__":
    main()
