"""test_explain.py: `halation explain`: the sources' figures, the analysis of weights, limits, pages, and what is refused."""
import json
import os
import re

from pages import check_whole, check_words_apart, facts, leads, tables
from program import ProgramTest, main

GPUS = "course, t4, v100, rtx3090, a100, rtx4090, h100, h200"


class Explain(ProgramTest):
    def text(self, *arguments):
        stdout, stderr = self.run_ok("explain", *arguments)
        self.assertEqual(stderr, "")
        return stdout.decode()

    def report(self, *arguments):
        return json.loads(self.text(*arguments, "--json"))


class Tiling(Explain):
    def test_figures_of_the_sources_in_1d(self):
        report = self.report("tiling", "--tile", 8, "--mask", 5, "--dims", 1)
        self.assertEqual(report["tiles"]["inside"], {"loads": 12, "accesses": 40, "reduction": 40 / 12})
        self.assertEqual(report["tiles"]["boundary"], {"loads": 10, "accesses": 37, "reduction": 3.7})
        self.assertEqual(report["reuse_along_an_axis"], [1, 2, 3, 4, 5, 5, 5, 5, 4, 3, 2, 1])
        text = self.text("tiling", "--dims", 1)
        self.assertRegex(text, r"(?m)^inside +12 +40 +3\.3$")
        self.assertRegex(text, r"(?m)^boundary +10 +37 +3\.7$")
        self.assertRegex(text, r"(?m)^ 1 2 3 4 5 5 5 5 4 3 2 1$")

    def test_figures_of_the_sources_in_2d(self):
        text = self.text("tiling", "--tile", 8, "--mask", 5, "--dims", 2)
        self.assertRegex(text, r"(?m)^inside +144 +1600 +11\.1$")
        self.assertRegex(text, r"(?m)^ +5 10 15 20 25 25 25 25 20 15 10  5$")
        self.assertRegex(text, r"filter and image in global memory +0\.25\n +filter in constant memory +0\.50\n")
        report = self.report("tiling", "--tile", 64)
        self.assertAlmostEqual(report["operations_per_byte"]["input_tile"], 10.98, delta=0.06)

    def test_reduction_tables_of_the_sources(self):
        printed = {1: {5: [4.0, 4.4, 4.7, 4.9, 4.9], 9: [6.0, 7.2, 8.0, 8.5, 8.7]},
                   2: {5: [11.1, 16, 19.7, 22.1], 9: [20.3, 36, 51.8, 64]}}
        for dims, rows in printed.items():
            table = self.report("tiling", "--dims", dims)["reductions"]
            tiles = {1: [16, 32, 64, 128, 256], 2: [8, 16, 32, 64]}[dims]
            for mask, figures in rows.items():
                row = table["values"][table["masks"].index(mask)]
                for tile, figure in zip(tiles, figures):
                    self.assertAlmostEqual(row[table["tiles"].index(tile)], figure, delta=0.06)

    def test_picture_of_reuse_sums_to_the_accesses(self):
        report = self.report("tiling", "--tile", 6, "--mask", 7)
        self.assertEqual(sum(map(sum, report["reuse"])), report["tiles"]["inside"]["accesses"])
        self.assertNotIn("reuse", self.report("tiling", "--tile", 6, "--mask", 7, "--dims", 3))
        self.assertIn("\n 1 2 3 3 2 1\n", self.text("tiling", "--tile", 4, "--mask", 3, "--dims", 3))

    def test_bad_input(self):
        for arguments, sentence in (
                (["--tile", 0], "--tile must be a whole number from 1 to 4096, got '0'"),
                (["--tile", -8], "--tile must be a whole number from 1 to 4096, got '-8'"),
                (["--mask", 4], "mask must be odd and from 1 to 255, got 4"),
                (["--mask", "five"], "--mask must be a whole number from 1 to 255, got 'five'"),
                (["--dims", 4], "--dims must be a whole number from 1 to 3, got '4'"),
                (["--sigma", 2], "explain tiling: no option --sigma; see halation explain --help"),
                (["--size", "4x4"], "explain tiling: no option --size; see halation explain --help"),
                (["--gpu", "h200"], "explain tiling: no option --gpu; see halation explain --help")):
            self.check_error(["explain", "tiling", *arguments], sentence, 2)


class Occupancy(Explain):
    def course(self, registers, threads):
        return self.report("occupancy", "--registers", registers, "--threads", threads, "--gpu", "course")

    def test_figures_of_the_course(self):
        self.assertEqual(self.course(35, 256)["threads_by_registers"], 468)
        self.assertEqual([self.course(35, threads)["blocks"] for threads in (512, 256, 128)], [0, 1, 3])
        self.assertEqual(self.course(35, 128)["threads"], 384)
        self.assertEqual([self.course(registers, 256)["blocks"] for registers in (17, 16)], [3, 4])
        text = self.text("occupancy", "--registers", 35, "--threads", 256, "--gpu", "course")
        self.assertIn("threads that 16384 registers allow: 468\n", text)
        self.assertRegex(text, r"(?m)^limited by +registers$")
        self.assertRegex(text, r"(?m)^ +128 +3 +384 +37\.5% +registers$")
        self.assertRegex(text, r"(?m)^ +512 +0 +0 +0\.0% +registers: one block alone is too large$")

    def test_shared_memory_and_every_gpu(self):
        report = self.report("occupancy", "--registers", 16, "--threads", 256, "--shared", 113 * 1024, "--gpu", "h200")
        self.assertEqual((report["blocks"], report["limited_by"]), (2, ["shared memory"]))
        for gpu in GPUS.split(", "):
            report = self.report("occupancy", "--registers", 16, "--threads", 128, "--gpu", gpu)
            self.assertEqual(report["gpu"], gpu)
            self.assertEqual(report["occupancy"], 1)

    def test_no_registers_set_no_limit(self):
        report = self.report("occupancy", "--registers", 0, "--threads", 128)
        self.assertIsNone(report["blocks_allowed"]["registers"])
        self.assertIsNone(report["threads_by_registers"])

    def test_bad_input(self):
        kernel = ["explain", "occupancy", "--registers", 8, "--threads"]
        for arguments, sentence in (
                (["explain", "occupancy"], "explain occupancy needs --registers and --threads"),
                (["explain", "occupancy", "--registers", 8], "explain occupancy needs --registers and --threads"),
                ([*kernel, 0], "--threads must be a whole number from 1 to 65536, got '0'"),
                ([*kernel, 32, "--shared", -1], "--shared must be a whole number from 0 to 1073741824, got '-1'"),
                ([*kernel, 32, "--tile", 8], "explain occupancy: no option --tile; see halation explain --help"),
                ([*kernel, 32, "--gpu", "voodoo"], f"unknown GPU 'voodoo'; choose from {GPUS}")):
            self.check_error(arguments, sentence, 2)

    def test_present_gpu(self):
        if "cuda:0" in self.run_ok("devices")[0].decode():
            done = self.start("explain", "occupancy", "--registers", 8, "--threads", 32, "--gpu", "present")
            self.assertIn(done.returncode, (0, 1))  # 1 where the model does not know it, and then says so
            self.assertRegex(done.stderr.decode(), r"\A(halation: --gpu present: no description of [^\n]+\n)?\Z")
        else:
            self.check_error(["explain", "occupancy", "--registers", 8, "--threads", 32, "--gpu", "present"],
                             f"--gpu present: there is no GPU here; choose from {GPUS}", 1)


class Filters(Explain):
    def test_gaussian(self):
        report = self.report("gaussian", "--sigma", 2, "--size", "4096x4096", "--pixel", "u8", "--gpu", "h200")
        self.assertEqual(report["image"], {"depth": 1, "height": 4096, "width": 4096, "channels": 1, "pixel": "u8"})
        (facts,) = report["filters"]
        self.assertEqual(facts["size"], {"depth": 1, "height": 17, "width": 17})
        self.assertEqual((facts["symmetry"]["y"], facts["symmetry"]["x"]), ("even", "even"))
        self.assertEqual((facts["separable"], facts["rank"], facts["integers"], facts["all_equal"]), (True, 1, False, False))
        methods = {method["method"]: method for method in facts["methods"]}
        self.assertEqual(methods["direct"]["operations_per_pixel"], 2 * 289)
        self.assertEqual(methods["separable"]["operations_per_pixel"], 2 * 34)
        self.assertEqual({method["bytes_per_pixel"] for method in methods.values()}, {2})
        pixels, gpu = 4096 ** 2, report["gpu"]
        seconds = max(pixels * 2 / gpu["bytes_per_second"], pixels * 578 / gpu["operations_per_second"]) + 3e-6
        self.assertAlmostEqual(methods["direct"]["least_milliseconds"], seconds * 1e3, delta=1e-9)
        self.assertAlmostEqual(methods["direct"]["gpix_per_second"], pixels / seconds * 1e-9, delta=1e-6)
        self.assertEqual(methods["direct"]["bound_by"], "arithmetic")
        plan = report["plans"][0]
        self.assertEqual((plan["device"], plan["methods"], plan["largest_input"]), ("cpu", ["separable"], 255))
        self.assertGreater(plan["error_bound"], 0)
        self.assertLess(plan["error_bound"], 0.5)

    def test_text(self):
        text = self.text("sobel", "--channels", 3, "--pixel", "u16", "--size", "100x200", "--gpu", "t4")
        self.assertTrue(text.startswith("100x200x3 u16 on NVIDIA T4, compute capability 7.5: 0.32 TB/s by data sheet, "), text)
        has_gpu = "cuda:0" in self.run_ok("devices")[0].decode()
        self.assertEqual("\n(on paper, this machine has no GPU; what its CPU does stands last, under \"plan on cpu\")\n" in text, not has_gpu, text)
        for line in (r"  size +3x3, 9 taps", r"  symmetry +odd along x, even along y", r"  separable +yes", r"  rank +1",
                     r"  integers +yes", r"  all equal +no", r"  sum +0", r"  direct +54 +12 .*", r"  separable +36 +12 .*",
                     r"plan on cpu", r"  sobel 3x3: .*", r"  error bound \S+ before rounding, for inputs up to 65535"):
            self.assertRegex(text, rf"(?m)^{line}$")

    def test_weights_of_the_users_own(self):
        (facts,) = self.report("custom", "--weights", "1 0 0; 0 2 0; 0 0 3")["filters"]
        self.assertEqual((facts["rank"], facts["separable"], facts["integers"], facts["sum"]), (3, False, True, 6))
        self.assertEqual([method["method"] for method in facts["methods"]], ["direct"])

    def test_size_is_the_filters_or_the_images(self):
        report = self.report("box", "--size", 9, "--size", "512x640")
        (facts,) = report["filters"]
        self.assertEqual((facts["taps"], facts["all_equal"]), (81, True))
        self.assertEqual((report["image"]["height"], report["image"]["width"]), (512, 640))
        self.assertEqual([method["method"] for method in facts["methods"]], ["direct", "separable", "box"])
        self.assertEqual(self.report("box", "--size", "3,5")["filters"][0]["taps"], 15)

    def test_dimensions(self):
        for arguments, size in ((["--dims", 1], [1, 1, 9]), (["--dims", 2], [1, 9, 9]), (["--dims", 3], [9, 9, 9]),
                                (["--size", "1x500"], [1, 1, 9]), (["--size", "20x30x40"], [9, 9, 9]),
                                (["--dims", 2, "--size", "20x30x40"], [1, 9, 9])):
            self.assertEqual(list(self.report("gaussian", *arguments)["filters"][0]["size"].values()), size)

    def test_a_volume_that_looks_like_an_image_with_channels(self):
        line = "(a volume, DEPTHxHEIGHTxWIDTH; an image of 3 channels is --size 300x200 --channels 3)\n"
        self.assertIn(line, self.text("box", "--size", "300x200x3"))
        for arguments in (["300x200", "--channels", 3], ["3x200x3"], ["300x200x5"], ["300x200x1"], ["300x200x3", "--channels", 2]):
            self.assertNotIn("a volume", self.text("box", "--size", *arguments))

    def test_filters_that_combine(self):
        filters = self.report("edges", "--pixel", "f32")["filters"]
        self.assertEqual([[each["symmetry"]["y"], each["symmetry"]["x"]] for each in filters],
                         [["even", "odd"], ["odd", "even"]])

    def test_what_a_job_takes_is_said_once_and_in_one_form(self):
        text = self.text("gaussian", "--sigma", 2, "--size", "4000x6000", "--pixel", "u8")
        (families,) = re.findall(r"(?m)^  family: .*$", text)
        self.assertRegex(families, r", [\d.]+ times as long")
        self.assertNotRegex(families, r"\d [mu]?s\b")
        self.assertNotRegex(text, r"e\+\d+ [mu]?s\b")
        self.assertRegex(text, r"\n  direct +\d+ +\d+ +[\d.]+ +(\d{3}|\d\d\.\d) us ")  # 4 million pixels: neither 0.0721 ms nor 1e+02 us

    def test_tune(self):
        gaussian = ["gaussian", "--sigma", 1, "--size", "64x64", "--pixel", "f32"]
        number = r"\S+ [mu]?s"
        text = self.text(*gaussian)
        self.assertRegex(text, rf"; expected {number}\n    (direct|separable|fft): expected {number}\n")
        self.assertIn("\n  chosen by expected times; tune measure times the three best\n", text)
        self.assertRegex(text, r"\n  times expected by the figures of (avx2|avx512|zen4) CPUs\n")
        text = self.text(*gaussian, "--tune", "measure")
        self.assertRegex(text, rf"; expected {number}, measured {number}\n(    (direct|separable|fft): expected {number}, measured {number}\n)+")
        self.assertNotIn("chosen by expected times", text)
        self.assertNotIn("chosen by expected times", self.text(*gaussian, "--method", "direct"))
        text = self.text(*gaussian, "--tune", "measure", "--method", "direct")
        self.assertRegex(text, rf": direct, [^\n]*; expected {number}, measured {number}\n    (separable|fft): expected {number}\n")

    def test_ranking(self):
        for arguments in ((), ("--method", "direct"), ("--tune", "measure"), ("--accuracy", "fast", "--sigma", 20)):
            plan = self.report("gaussian", "--size", "300x400", *arguments)["plans"][0]
            (ranking,) = plan["ranking"]
            self.assertEqual(sorted(each["method"] for each in ranking), ["box", "direct", "fft", "low_rank", "multirate", "separable"])
            self.assertEqual(ranking[0]["method"], plan["methods"][0])
            self.assertEqual({each["method"]: each.get("why_not") for each in ranking}["box"], "its weights differ")
            refused = ["why_not" in each for each in ranking]
            self.assertEqual(refused, sorted(refused))
            others = [each["expected_seconds"] for each in ranking[1:] if "why_not" not in each]
            if "measure" not in arguments:
                self.assertEqual(others, sorted(others))
                self.assertFalse(any("measured_seconds" in each for each in ranking))
        self.assertEqual(len(self.report("edges", "--size", "30x40")["plans"][0]["ranking"]), 2)

    def test_low_rank(self):
        (facts,) = self.report("laplacian_of_gaussian", "--sigma", 2)["filters"]
        self.assertEqual(facts["rank"], 2)
        self.assertIn("low_rank", [method["method"] for method in facts["methods"]])

    def test_every_filter(self):
        for line in self.run_ok("filters")[0].decode().splitlines():
            name = re.match(r"[a-z_]*", line).group()
            if name and name != "custom":
                self.assertIn(f"\n{name}\n  size ", self.text(name))

    def test_method_that_is_not_there(self):
        if "cuda:0" not in self.run_ok("devices")[0].decode():
            self.check_error(["explain", "box", "--method", "banded"],
                             "method banded is not available on cpu; choose from automatic, direct, separable, low_rank, box, fft, multirate", 1)

    def test_bad_input(self):
        for arguments, sentence, code in (
                (["gausian"], "unknown filter 'gausian'; did you mean 'gaussian'?", 2),
                (["tilling"], "unknown subject 'tilling'; did you mean 'tiling'?", 2),
                (["gaussian sigma=2 | edges"], "one filter is asked for, its parameters as options, as in gaussian --sigma 2; a chain is "
                 "explained by halation apply 'gaussian sigma=2 | edges' in.png -o out.png --explain", 2),
                (["gaussian", "--sigma", 2, "then", "sobel"],
                 "unexpected 'sobel'; a chain of filters is one word in quotes, \"gaussian sigma=2 | edges\"", 2),
                (["gaussian", "sigma=2"], "unexpected 'sigma=2'; write --sigma 2", 2),
                ([], "subject is required; see halation explain --help", 2),
                (["gaussian", "--sigma", -1], "gaussian: sigma must be >= 0, got -1", 2),
                (["gaussian", "--size", 9], "gaussian: no parameter --size; the image's is typed HEIGHTxWIDTH, got '9'", 2),
                (["gaussian", "--size", "0x9"], "--size: each extent must be a whole number from 1 to 2147483648, got '0'", 2),
                (["gaussian", "--size", "1x2x3x4"], "--size must be HEIGHTxWIDTH or DEPTHxHEIGHTxWIDTH, got '1x2x3x4'", 2),
                (["gaussian", "--pixel", "u9"], "unknown pixel 'u9'; choose from u8, u16, i16, f16, f32, f64, i8, u32, i32, u64, i64, c64, c128; did you mean 'u8'?", 2),
                (["gaussian", "--channels", 0], "--channels must be a whole number from 1 to 65536, got '0'", 2),
                (["gaussian", "--border-value", 1], "--border-value goes with --border constant", 2),
                (["gaussian", "--method", "fish"],
                 "unknown method 'fish'; choose from automatic, direct, separable, low_rank, banded, box, fft, multirate", 2),
                (["gaussian", "--gpu", "course"],
                 "GPU 'course' has no bandwidth or clock in its description: it serves occupancy alone", 2),
                (["gaussian", "--tile", 8], "explain gaussian: no option --tile; see halation explain --help", 2),
                (["gaussian", "--registers", 8], "explain gaussian: no option --registers; see halation explain --help", 2),
                (["emboss", "--dims", 3], "emboss: dims must be 2, got 3", 2),
                (["custom", "--size", 3], "custom: no parameter --size; it has --weights", 2)):
            self.check_error(["explain", *arguments], sentence, code)


class Report(Explain):
    def page(self, *arguments):
        """The page, parsed, and the JSON of the same question."""
        stdout, stderr = self.run_ok("explain", *arguments, "--json", "--report", "page.html")
        self.assertEqual(stderr, "")
        page = check_whole(self, self.get("page.html").decode())
        check_words_apart(self, page)
        return page, json.loads(stdout)

    def charts(self, page):
        return [chart.get("aria-labelledby").split()[0].removesuffix("-title") for chart in page.findall(".//svg")]

    def test_every_filter_in_all_its_dimensions(self):
        for line in self.run_ok("filters")[0].decode().splitlines():
            name = re.match(r"[a-z_]*", line).group()
            if not name or name == "custom":
                continue
            for size in ("300", "60x70", "20x30x40"):
                done = self.start("explain", name, "--size", size if "x" in size else f"1x{size}", "--report", "page.html")
                if done.returncode == 2:  # a filter that these dimensions do not have
                    self.assertRegex(done.stderr.decode(), r"dims must be")
                    continue
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                page = check_whole(self, self.get("page.html").decode())
                check_words_apart(self, page)
                self.assertTrue(leads(page)[0].startswith(f"CPU, {name} "), leads(page))
                self.assertIn("roofline", self.charts(page))
                self.assertEqual([summary.find("h2").text for summary in page.findall(".//details/summary")], ["Figures"])

    def test_other_jobs(self):
        for arguments in (["disk", "--radius", 15], ["gaussian", "--sigma", 300, "--size", "500x600"], ["gaussian", "--sigma", 200, "--dims", 1],
                          ["gaussian", "--sigma", 1, "--size", "64x64", "--tune", "measure"], ["gaussian", "--size", "64x64", "--method", "direct"],
                          ["gaussian", "--sigma", 20, "--accuracy", "fast", "--pixel", "f64", "--channels", 3, "--gpu", "rtx3090"],
                          ["custom", "--weights", "0 0; 0 0"], ["custom", "--weights", "1; 2; 3"], ["custom", "--weights", "7"],
                          ["custom", "--weights", "1e-310 2e-310"], ["custom", "--weights", "-1e5 123456.789; 0.000123456 1"]):
            self.page(*arguments)

    def test_what_matters_first(self):
        page, report = self.page("gaussian", "--sigma", 2, "--size", "4096x4096", "--pixel", "u8", "--gpu", "h200")
        plan, limit = leads(page)[0], leads(page)[-1]
        number = r"[\d.]+"
        self.assertRegex(plan, rf"^CPU, gaussian 17x17: separable, 34 multiply-adds a sample instead of 289; {number} [mu]?s expected, "
                               rf"(fft|direct) would take ({number} times )?as long$")
        self.assertEqual(limit, "NVIDIA H200 SXM: 20.7 us at least, by separable; the limit is operations, 68 a pixel at 64.6 T/s")
        self.assertIn("halation explain", facts(page)[0]["command"])
        for arguments, sentence in ((["box"], "NVIDIA H200 SXM: 35.7 us at least, by direct; the limit is bytes, 8 a pixel at 4.1 TB/s"),
                                    (["box", "--size", "8x8"], "NVIDIA H200 SXM: 3 us at least, by direct; the limit is the start of a kernel, 3 us"),
                                    (["edges"], "NVIDIA H200 SXM: 35.7 us at least, by direct; the limit is bytes, 8 a pixel at 4.1 TB/s, for each filter")):
            self.assertEqual(leads(self.page(*arguments)[0])[-1], sentence)
        self.assertRegex(leads(self.page("box", "--method", "direct")[0])[0], r"^CPU, box 3x3: direct, [^;]+; \S+ [mu]?s expected, as --method asks$")
        self.assertRegex(leads(self.page("gaussian", "--size", "64x64", "--tune", "measure")[0])[0], r"; \S+ [mu]?s measured, ")
        self.assertEqual(report["filters"][0]["methods"][1]["bound_by"], "arithmetic")

    def test_figures_are_those_of_json(self):
        for arguments in (["gaussian", "--sigma", 2, "--pixel", "u8"], ["edges", "--size", "30x40"], ["laplacian_of_gaussian", "--sigma", 2],
                          ["gaussian", "--dims", 3], ["gaussian", "--size", "64x64", "--tune", "measure"]):
            page, report = self.page(*arguments)
            shown, lists = tables(page), facts(page)
            name, many = arguments[0], len(report["filters"]) > 1
            for i, each in enumerate(report["filters"]):
                title = f"{name}, filter {i + 1}" if many else name
                of_weights = lists[i + 1]
                self.assertEqual(of_weights["sum"], f"{each['sum']:.6g}")
                self.assertEqual(of_weights["rank"], str(each["rank"]) if each["rank"] else "of 2D weights alone")
                self.assertEqual(of_weights["separable"].split(",")[0], "yes" if each["separable"] else "no")
                self.assertTrue(of_weights["size"].endswith(f", {each['taps']} weights"))
                for axis, symmetry in each["symmetry"].items():
                    if each["size"][{"z": "depth", "y": "height", "x": "width"}[axis]] > 1:
                        self.assertIn(f"{symmetry} along {axis}", of_weights["symmetry"])
                on_paper = shown[f"On paper: {title}"]
                self.assertEqual(list(on_paper), [method["method"] for method in each["methods"]])
                for method in each["methods"]:
                    row = on_paper[method["method"]]
                    self.assertEqual((float(row["operations/pixel"]), float(row["bytes/pixel"])), (method["operations_per_pixel"], method["bytes_per_pixel"]))
                    self.assertEqual((row["least time, ms"], row["bound by"]), (f"{method['least_milliseconds']:.4g}", method["bound_by"]))
            for plan in report["plans"]:
                place = "CPU" if plan["device"] == "cpu" else "GPU " + plan["device"]
                self.assertIn(plan["explanation"], [block.text for block in page.findall(".//pre")])
                for i, ranking in enumerate(plan.get("ranking", [])):
                    ranked = shown[f"{name}, filter {i + 1} on {place}" if many else f"{name} on {place}"]
                    self.assertEqual(list(ranked), [method["method"] for method in ranking])
                    for method in ranking:
                        row = ranked[method["method"]]
                        for column, field in (("expected, ms", "expected_seconds"), ("measured, ms", "measured_seconds")):
                            self.assertEqual(row[column], f"{method[field] * 1e3:.4g}" if field in method else "-")
                        self.assertEqual(row["why not"], method.get("why_not", ""))
                        known = next((field for field in ("measured_seconds", "expected_seconds") if field in method and field in ranking[0]), None)
                        if known and row["times the one chosen"] != "-":
                            self.assertAlmostEqual(float(row["times the one chosen"]) * ranking[0][known] / method[known], 1, delta=0.006)
            error = [f"{plan['error_bound']:.3g} before rounding, for inputs up to {plan['largest_input']:g}" for plan in report["plans"] if "error_bound" in plan]
            self.assertEqual([text for key, text in lists[0].items() if key.startswith("error bound")], error)

    def test_weights_and_response_are_drawn(self):
        page, _ = self.page("edges", "--size", "30x40")
        self.assertEqual([chart for chart in self.charts(page) if not chart.startswith("methods")],
                         ["roofline", "weights0", "weights1", "response0", "spectrum0", "response1", "spectrum1"])
        self.assertEqual(facts(page)[0]["result"], "the root of the sum of squares of 2 filters")
        weights = page.findall(".//svg")[self.charts(page).index("weights0")]
        self.assertEqual([text.text for text in weights.findall("text")][:9], ["-1", "0", "1", "-2", "0", "2", "-1", "0", "1"])
        words = "".join(self.page("gaussian", "--dims", 3, "--size", "9x20x20")[0].itertext())
        self.assertIn("The slice at the anchor is shown, 5 of 9 along z.", words)
        words = "".join(self.page("disk", "--radius", 150, "--size", "400x400")[0].itertext())
        self.assertIn("Each cell is the mean of 10x10 weights.", words)
        self.assertIn("Over both frequencies it is drawn of up to 129 weights along an axis.", words)
        self.assertLess(len(self.get("page.html")), 300_000)
        page, _ = self.page("custom", "--weights", "1e308 1e308; 1 2")
        words = "".join(page.itertext())
        self.assertIn("The weights are so large or so small that no drawing shows them apart.", words)
        self.assertIn("The frequency response takes values so large or so small that no drawing shows them apart.", words)
        self.assertEqual(facts(page)[1]["sum"], "inf")
        self.assertIn("One weight answers all frequencies alike.", "".join(self.page("identity", "--size", "20x30")[0].itertext()))

    def test_tiling(self):
        for arguments in ([], ["--dims", 1], ["--dims", 3, "--tile", 4, "--mask", 3], ["--dims", 1, "--tile", 4096], ["--tile", 100, "--mask", 9],
                          ["--tile", 1, "--mask", 1], ["--tile", 20, "--mask", 13], ["--tile", 4096, "--mask", 255, "--dims", 3]):
            page, report = self.page("tiling", *arguments)
            self.assertEqual(self.charts(page), ["tile", "reduction"])
            shown = tables(page)
            for name, tile in report["tiles"].items():
                row = shown["Tiles, by where they lie"][name]
                self.assertEqual(row, {"loads": str(tile["loads"]), "accesses replaced": str(tile["accesses"]), "reduction": f"{tile['reduction']:.1f}"})
            reductions = shown["Bandwidth reduction of inside tiles, accesses replaced / loads"]
            for mask, values in zip(report["reductions"]["masks"], report["reductions"]["values"]):
                self.assertEqual(list(reductions[str(mask)].values()), [f"{value:.1f}" for value in values])
        page, report = self.page("tiling", "--tile", 8, "--mask", 5)
        self.assertEqual(leads(page), ["A tile of 8x8 outputs under a mask of 5x5 loads 144 elements in place of 1600 accesses: 11.1 times fewer"])
        counts = [int(text.text) for text in page.find(".//svg").findall("text")[:-1]]
        self.assertEqual(counts, sum(report["reuse"], []))

    def test_occupancy(self):
        for arguments in ([35, 256, "--gpu", "course"], [0, 100], [200, 1024], [255, 65536], [16, 128, "--shared", 113 * 1024], [0, 1, "--gpu", "t4"]):
            page, report = self.page("occupancy", "--registers", arguments[0], "--threads", *arguments[1:])
            self.assertEqual(self.charts(page), ["limits", "sizes"])
            shown = tables(page)
            held = {name: int(row["held"]) for name, row in shown["On a multiprocessor"].items()}
            self.assertEqual(held, {name: report[name] for name in ("blocks", "threads", "warps")})
            allowed = {name: row["blocks"] for name, row in shown["Blocks that each resource alone allows"].items()}
            self.assertEqual(allowed, {name: "any number" if blocks is None else str(blocks) for name, blocks in report["blocks_allowed"].items()})
            for row in report["block_sizes"]:
                self.assertEqual(shown["Other sizes of block"][str(row["threads_per_block"])]["occupancy"], f"{100 * row['occupancy']:.1f}%")
            self.assertTrue(leads(page)[0].startswith(f"{100 * report['occupancy']:.1f}% occupancy: "))
        page, _ = self.page("occupancy", "--registers", 35, "--threads", 256, "--gpu", "course")
        self.assertEqual(leads(page), ["25.0% occupancy: 1 block of 256 threads on a multiprocessor, limited by registers"])

    def test_words_of_any_kind_are_escaped(self):
        self.put("a<b>&\"'\t.txt", b"1 2; 3 4\n")
        page, _ = self.page("custom", "--weights", "a<b>&\"'\t.txt")
        self.assertIn("a<b>&\"", facts(page)[0]["command"])
        page, _ = self.page("custom", "--weights", " 1,  2 ;\n3   4")
        self.assertEqual(facts(page)[1]["size"], "2x2, 4 weights")
        for name in (b"odd\xff<\x01\x7f&.html", "Gr\u00f6\u00dfe \u2028<.html".encode()):
            stdout, _ = self.run_ok("explain", "tiling", "--json", "--report", os.fsdecode(name))
            self.assertTrue(json.loads(stdout))
            page = check_whole(self, (self.folder / os.fsdecode(name)).read_text())
            self.assertIn(".html", facts(page)[0]["command"])

    def test_where_it_is_written(self):
        for subject in (["box", "--size", "9x9"], ["tiling"], ["occupancy", "--registers", 8, "--threads", 32]):
            text = self.text(*subject)
            self.assertEqual(re.sub(r"[\d.e+]+ [mu]?s", "", self.text(*subject, "--report", "page.html")), re.sub(r"[\d.e+]+ [mu]?s", "", text))
            self.assertEqual([path.name for path in self.folder.iterdir()], ["page.html"])
            check_whole(self, self.text(*subject, "--report", "-"))
            self.check_error(["explain", *subject, "--json", "--report", "-"],
                             "--json and --report are both for standard output; name a file for one of them", 2)
            self.check_error(["explain", *subject, "--report", "none/page.html"], "none/page.html: folder none does not exist", 1)
            for name in ("photo.png", "photo.JPG", "page.json"):
                self.check_error(["explain", *subject, "--report", name],
                                 f"--report writes a page of HTML, to a file such as report.html, got '{name}'", 2)
            self.check_error(["explain", *subject, "--report", ""], "an empty name was given for --report; see halation explain --help", 2)
        (self.folder / "folder").mkdir()
        self.check_error(["explain", "tiling", "--report", "folder"], "folder: is a folder; a file name was expected", 1)
        self.assertEqual(sorted(path.name for path in self.folder.rglob("*")), ["folder", "page.html"])
        self.check_error(["explain", "gausian", "--report", "new.html"], "unknown filter 'gausian'; did you mean 'gaussian'?", 2)


if __name__ == "__main__":
    main()
