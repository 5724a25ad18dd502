"""test_studio_answers.py: what `halation studio` answers: previews, weights, histograms, lines of code, files."""
import concurrent.futures
import json
import pathlib
import random
import subprocess
from urllib.parse import quote

import program
from pictures import npy, png, read_png
from program import filtered, main
from studio import HEIGHT, ROWS, SHARPEN, SHARPEN_CHAIN, WIDTH, Studio


class Previews(Studio):
    def setUp(self):
        super().setUp()
        self.put("in.png", png(ROWS))
        self.serve("in.png")
        self.sharp = [[min(255, max(0, value)) for value in row] for row in filtered(ROWS, SHARPEN, correlate=True)]

    def test_pixel_for_pixel(self):
        self.assertEqual(self.pixels(chain=SHARPEN_CHAIN, w=WIDTH), self.sharp)
        self.assertEqual(self.pixels(chain=SHARPEN_CHAIN, w=9999), self.sharp)
        part = self.pixels(chain=SHARPEN_CHAIN, w=999, crop="3,5,20,10")
        self.assertEqual(part, [row[3:23] for row in self.sharp[5:15]])
        wrapped = [[min(255, max(0, value)) for value in row] for row in filtered(ROWS, SHARPEN, "wrap", correlate=True)]
        self.assertEqual(self.pixels(chain=SHARPEN_CHAIN, w=999, border="wrap"), wrapped)

    def test_scaled_down(self):
        shown = self.pixels(chain=SHARPEN_CHAIN, w=WIDTH // 2)
        wanted = [[sum(self.sharp[2 * y + j][2 * x + i] for j in (0, 1) for i in (0, 1)) / 4 for x in range(WIDTH // 2)] for y in range(HEIGHT // 2)]
        for row, other in zip(shown, wanted, strict=True):
            for value, level in zip(row, other, strict=True):
                self.assertAlmostEqual(value, level, delta=0.51)

    def test_as_png(self):
        status, headers, body = self.ask("/preview", chain=SHARPEN_CHAIN, w=WIDTH)
        self.assertEqual((status, headers["Content-Type"]), (200, "image/png"))
        self.assertEqual([[pixel[0] for pixel in row] for row in read_png(body)[0]], self.sharp)

    def test_queries_as_people_write_them(self):
        wanted = self.ask_json("/code", chain="gaussian sigma=2", border="wrap")
        for written in ("gaussian%20sigma=2", "gaussian+sigma=2", "gaussian%20sigma%3D2"):
            self.assertEqual(self.ask_json(f"/code?chain={written}&&border=wrap"), wanted)

    def test_post(self):
        words = {"chain": SHARPEN_CHAIN, "w": str(WIDTH), "format": "raw"}
        status, _, body = self.ask("/preview", method="POST", body=json.dumps(words))
        self.assertEqual((status, [body[4 * i] for i in range(WIDTH * HEIGHT)]), (200, [value for row in self.sharp for value in row]))
        many = "custom weights='" + "; ".join(" ".join(["0.001"] * 71) for _ in range(71)) + "'"  # more than a query holds
        self.assertEqual(self.ask("/preview", method="POST", body=json.dumps({**words, "chain": many}))[0], 200)
        for body in ("", "[1]", "{", '{"chain": 1}'):
            status, _, answer = self.ask("/preview", method="POST", body=body)
            self.assertEqual(status, 400)
            self.assertEqual(json.loads(answer)["error"], "chain is a text in JSON" if "chain" in body else "POST takes a JSON object of texts")

    def test_bad_words(self):
        for sentence, words in {
            "chain is needed, such as chain=gaussian sigma=2": {},
            "unknown filter 'gausian'; did you mean 'gaussian'?": {"chain": "gausian"},
            "gaussian: sigma must be >= 0, got -1": {"chain": "gaussian sigma=-1"},
            "crop is x,y,width,height, got '1,2'": {"chain": "box", "crop": "1,2"},
            "crop must be a whole number from 1 to 1099511627776, got 'x'": {"chain": "box", "crop": "1,2,3,x"},
            f"crop is x,y,width,height within {WIDTH}x{HEIGHT}, got 1,2,{WIDTH},3": {"chain": "box", "crop": f"1,2,{WIDTH},3"},
            "w must be a whole number from 1 to 1099511627776, got '0'": {"chain": "box", "w": "0"},
            "w must be a whole number from 1 to 1099511627776, got '1e3'": {"chain": "box", "w": "1e3"},
            "format is png or raw, got 'gif'": {"chain": "box", "format": "gif"},
            "--border-value goes with --border constant": {"chain": "box", "border-value": "3"},
            "linear is 1 or 0, got 'yes'": {"chain": "box", "linear": "yes"},
            "z is a slice in [0, 1), got 7": {"chain": "box", "z": "7"},
        }.items():
            self.refused("/preview", 400, sentence, **words)
        status, _, body = self.ask("/preview", chain="box", device="cuda:97")
        self.assertIn(status, (400, 415, 503), body)  # there is none, or this program has no GPUs at all

    def test_flags_and_names_are_no_way_into_the_command_line(self):
        for words in ({"chain": "-o"}, {"chain": "--memory=1"}, {"chain": "box", "view": "signed --memory 1"}, {"chain": "box", "border": "--linear"}):
            status, _, body = self.ask("/preview", **words)
            self.assertEqual(status, 400, body)
        for name in ("memory", "threads", "page", "bordr"):
            self.refused("/preview", 400, f"unknown option '{name}'; choose from border, border-value, extent, anchor, output-pixel, scale, offset, rounding, "
                         "sum, accuracy, view, device, tune, correlate, linear, gray", chain="box", **{name: "1"})

    def test_what_is_seen_is_made_first(self):
        """Of a filter that takes long, on one that says no time: the pixels are those of the whole result."""
        width, height = 150, 110
        rows = [[((7 * x * x + 13 * y * x + 29 * y) % 251, (x * y) % 256, (5 * x + y) % 256, (x * 3 + y * 2) % 256) for x in range(width)] for y in range(height)]
        crops = [(0, 0, 20, 15), (width - 20, height - 9, 20, 9), (60, 50, 31, 17), (3, 40, 1, 1), (0, height - 1, 40, 1), (149, 0, 1, 110)]
        ways = set()
        for channels in (1, 4):
            self.ask("/image", method="PUT", body=png([[pixel[0] if channels == 1 else pixel for pixel in row] for row in rows]), name="a.png")
            for chain, more in (("gaussian sigma=2 | sharpen | edges", {}), ("custom weights='1 2 -3 4; 4 5 6 0'", {"correlate": "1"}), ("motion_blur length=9 angle=30", {"linear": "1"}),
                                ("box", {"border": "constant", "border-value": "9"}), ("gaussian", {"border": "wrap"}), ("gaussian", {"border": "replicate", "gray": "1" if channels == 4 else ""}),
                                ("sobel", {"view": "signed"}), ("sobel", {"view": "stretch"}), ("identity", {})):
                words = {"chain": chain, "device": "reference", "format": "raw", **more}
                parts = []
                for x, y, w, h in crops:
                    status, headers, body = self.ask("/preview", w=w, crop=f"{x},{y},{w},{h}", **words)
                    self.assertEqual(status, 200, body)
                    ways.add(headers["X-Halation-Way"])
                    parts.append(body)
                    if headers["X-Halation-Way"] == "part":
                        self.assertFalse(more.get("border") == "wrap" or more.get("view") == "stretch")
                status, headers, whole = self.ask("/preview", w=width, **words)
                self.assertEqual(status, 200, whole)
                for (x, y, w, h), part in zip(crops, parts):
                    wanted = b"".join(whole[4 * ((y + row) * width + x):][:4 * w] for row in range(h))
                    self.assertEqual(part, wanted, (channels, chain, more, x, y, w, h))
        self.assertEqual(ways, {"part", "whole", "kept"})

    def test_newer_ones_end_older_ones(self):
        """Those that still wait for their turn are not computed; others' stay."""
        with concurrent.futures.ThreadPoolExecutor(60) as pool:
            mine = [pool.submit(self.ask, "/preview", chain=f"gaussian sigma={1 + i / 100}", client="me", format="raw") for i in range(50)]
            other = [pool.submit(self.ask, "/preview", chain="box", client="you") for _ in range(1)]
            alone = [pool.submit(self.ask, "/preview", chain="box") for _ in range(5)]
            statuses = [each.result()[0] for each in mine]
        self.assertLessEqual(set(statuses), {200, 409})
        self.assertIn(200, statuses)
        self.assertEqual([each.result()[0] for each in other + alone], [200] * 6)


class Answers(Studio):
    def setUp(self):
        super().setUp()
        self.put("in.png", png(ROWS))
        self.serve("in.png")

    def test_filters_are_the_librarys(self):
        answer = self.ask_json("/filters")
        listed, _ = self.run_ok("filters")
        self.assertEqual([each["name"] for each in answer["filters"]], [line.split()[0] for line in listed.decode().splitlines() if line[0] != " "][:-1])
        self.assertEqual(answer["borders"], ["reflect101", "reflect", "replicate", "wrap", "constant"])
        sigma = next(each for each in answer["filters"] if each["name"] == "gaussian")["parameters"][0]
        self.assertEqual((sigma["name"], sigma["unit"], sigma["default"], sigma["allowed"]), ("sigma", "px", "1", ">= 0"))

    def test_weights(self):
        answer = self.ask_json("/weights", chain="sobel axis=x | edges | box size=131", stage=0)
        self.assertEqual((answer["stages"], answer["combine"], len(answer["filters"])), (3, "none", 1))
        sobel = answer["filters"][0]
        self.assertEqual(sobel["weights"], [-1, 0, 1, -2, 0, 2, -1, 0, 1])
        self.assertEqual((sobel["sum"], sobel["rank"], sobel["separable"], sobel["symmetry"]["x"], sobel["symmetry"]["y"]), (0, 1, True, "odd", "even"))
        points, response = sobel["response"]["points"], sobel["response"]["values"]
        middle = points // 2
        self.assertEqual(len(response), points * points)
        self.assertAlmostEqual(response[middle * points + middle], 0, delta=1e-12)
        self.assertAlmostEqual(response[middle * points + middle + points // 4], 8, delta=1e-9)  # fx = 1/4: |2i sin| · 4
        self.assertEqual(self.ask_json("/weights", chain="sobel | edges", stage=1)["combine"], "magnitude")
        self.assertNotIn("weights", self.ask_json("/weights", chain="box size=131")["filters"][0])
        self.refused("/weights", 400, "stage is in [0, 1), got 1", chain="box", stage=1)

    def test_responses_of_volumes(self):
        """Of what does not change along z."""
        self.put("in.npy", npy(bytes(range(27)), (3, 3, 3), "|u1"))
        self.ask("/image", method="PUT", body=self.get("in.npy"), name="in.npy")
        values = self.ask_json("/weights", chain="gaussian sigma=1", stage=0)["filters"][0]["response"]["values"]
        self.assertAlmostEqual(values[len(values) // 2], 1, delta=1e-6)
        self.assertAlmostEqual(max(self.ask_json("/weights", chain="sobel axis=z", stage=0)["filters"][0]["response"]["values"]), 0, delta=1e-12)

    def test_times_are_measured_where_that_is_asked_for(self):
        measured = [method for method in self.ask_json("/explain", chain="gaussian", tune="measure", device="cpu")["stages"][0][0] if "measured_seconds" in method]
        self.assertGreater(len(measured), 1)
        self.assertGreater(min(method["measured_seconds"] for method in measured), 0)

    def test_explain(self):
        answer = self.ask_json("/explain", chain="gaussian sigma=2 | edges")
        there = [answer["device"], *(other["device"] for other in answer["elsewhere"])]
        self.assertEqual(there[0], self.ask_json("/filters")["device"])
        self.assertEqual(sorted(there), sorted(each["name"] for each in self.ask_json("/filters")["devices"] if each["name"] != "reference"))
        self.assertEqual(len(answer["stages"]), 2)
        self.assertIn("separable", [method["method"] for method in answer["stages"][0][0]])
        self.assertGreater(answer["error_bound"], 0)
        self.assertIn("gaussian 17x17", answer["text"])

    def test_histogram(self):
        original = self.ask_json("/histogram", of="original")
        flat = [value for row in ROWS for value in row]
        self.assertEqual(list(original), ["original"])
        answer = self.ask_json("/histogram", chain=SHARPEN_CHAIN)
        self.assertEqual(original["original"]["channels"], [[flat.count(level) for level in range(256)]])
        sharp = [value for row in filtered(ROWS, SHARPEN, correlate=True) for value in row]
        clipped = [min(255, max(0, value)) for value in sharp]
        self.assertEqual(answer["result"]["channels"], [[clipped.count(level) for level in range(256)]])
        share = sum(not 0 <= value <= 255 for value in sharp) / len(sharp)
        self.assertAlmostEqual(answer["clipped"]["share"], share, delta=1e-9)
        self.assertIn("of the samples are below 0 and became 0", answer["clipped"]["note"])
        self.assertFalse(self.ask_json("/histogram", chain=SHARPEN_CHAIN, view="signed")["clipped"]["known"])

    def test_inspect(self):
        skew = "custom weights='1 2 -3; 4 5 6; -7 8 10'"
        weights = [[1, 2, -3], [4, 5, 6], [-7, 8, 10]]
        for correlate in ("", "1"):
            for x, y in ((0, 0), (WIDTH - 1, 7), (13, HEIGHT - 1), (20, 15)):
                for border, value in (("reflect101", ""), ("wrap", ""), ("constant", "7"), ("replicate", "")):
                    answer = self.ask_json("/inspect", chain=skew, correlate=correlate, x=x, y=y, border=border, **({"border-value": value} if value else {}))
                    wanted = filtered(ROWS, weights, border, float(value or 0), correlate=bool(correlate))[y][x]
                    one = answer["channels"][0]["filters"][0]
                    self.assertEqual(one["sum"], wanted)
                    self.assertEqual(sum(v * w for v, w in zip(one["values"], one["weights"], strict=True)), wanted)
                    self.assertEqual(answer["channels"][0]["value"], wanted)
                    self.assertEqual(answer["result"], [min(255, max(0, wanted))])
        later = self.ask_json("/inspect", chain="edges", before="gaussian", x=5, y=6)
        chained = self.pixels(chain="gaussian | edges", w=WIDTH)[6][5]
        self.assertEqual(later["result"], [chained])
        self.assertAlmostEqual(min(255, later["channels"][0]["value"]), chained, delta=0.51)
        self.assertEqual(len(later["channels"][0]["filters"]), 2)
        self.refused("/inspect", 400, "chain is one stage here, before= those before it", chain="box | edges", border="replicate", x=0, y=0)
        self.refused("/inspect", 400, f"x and y lie within {WIDTH}x{HEIGHT}, got {WIDTH},0", chain="box", x=WIDTH, y=0)

    def test_inspect_of_what_takes_long(self):
        """The pixel alone is made of it."""
        for chain in ("custom weights='1 2 -3; 4 5 6; -7 8 10'", "gaussian", "sobel axis=y"):
            for x, y in ((0, 0), (WIDTH - 1, 7), (13, HEIGHT - 1), (20, 15)):
                one, other = (self.ask_json("/inspect", chain=chain, x=x, y=y, device=device) for device in ("reference", "cpu"))
                self.assertEqual(one["result"], other["result"])

    def test_inspect_of_what_is_not_filtered_as_it_is_stored(self):
        """In light, as luma, times alpha: what the page reckons is what the library does."""
        rng = random.Random(7)
        size = 12
        for channels, bits, pixel in ((1, 8, ""), (2, 8, ""), (3, 8, ""), (4, 8, ""), (4, 16, ""), (4, 8, "f32")):
            most = (1 << bits) - 1
            self.put("in.png", png([[tuple(rng.choice([0, most, rng.randrange(most)]) for _ in range(channels)) for _ in range(size)] for _ in range(size)], bits))
            name = "in.png"
            if pixel:
                self.run_ok("apply", "identity", name, "-o", "in.tif", "--output-pixel", pixel, "--scale", 1 / most)
                name = "in.tif"
            self.ask("/image", method="PUT", body=self.get(name), name=name)
            for chain, before in (("custom weights='1 2 -3; 4 5 6; -7 8 10'", ""), ("sobel axis=x", ""), ("edges", ""), ("box", "gaussian"), ("sharpen", "edges")):
                for flags in ({}, {"linear": "1"}, {"gray": "1"}, {"linear": "1", "gray": "1", "scale": "0.5", "offset": "3"}, {"border": "constant", "border-value": "0.5", "linear": "1"}):
                    answer = self.ask_json("/inspect", chain=chain, before=before, x=0, y=5, **flags)
                    self.assertEqual(len(answer["channels"]), len(answer["result"]))
                    for channel, result in zip(answer["channels"], answer["result"]):
                        value = channel["value"] if pixel else min(most, max(0, channel["value"]))
                        self.assertAlmostEqual(value, result, delta=1e-4 * max(1, abs(value)) if pixel else 0.51, msg=(channels, bits, pixel, chain, before, flags, answer))
        self.assertEqual(self.ask_json("/inspect", chain="box", x=0, y=0, linear="1", gray="1")["of"], "light in [0, 1], luma, colours times alpha")

    def test_lines_do_the_same(self):
        answer = self.ask_json("/code", chain="custom weights='1 0; 0 1'", border="wrap", scale="0.5", view="signed", linear="1")
        self.assertEqual(answer["save_as"], "in_filtered.png")
        subprocess.run(answer["command"].replace("halation ", program.HALATION + " ", 1), shell=True, cwd=self.folder, check=True)
        shown = self.pixels(chain="custom weights='1 0; 0 1'", border="wrap", scale="0.5", view="signed", linear="1", w=WIDTH)
        self.assertEqual([[pixel[0] for pixel in row] for row in read_png(self.get("in_filtered.png"))[0]], shown)
        self.assertEqual(answer["python"], "halation.filter_file(\"custom weights='1 0; 0 1'\", \"in.png\", \"in_filtered.png\", border=\"wrap\", scale=0.5, linear=True, "
                                           "view=\"signed\")")
        self.assertEqual(answer["cpp"], "halation::filter_file(halation::chain_from(\"custom weights='1 0; 0 1'\"), \"in.png\", \"in_filtered.png\", {.options = {.border = "
                                        "halation::Border::wrap(), .scale = 0.5}, .linear = true, .view = halation::Display::signed_values});")
        off = self.ask_json("/code", chain="box", linear="0", gray="false", correlate="")
        self.assertEqual(off["command"], "halation apply box in.png -o in_filtered.png")
        control = self.ask_json("/code", chain="custom weights='1\r2'")
        self.assertIn("1\\0152", control["python"])
        axes = self.ask_json("/code", chain="box", border="wrap,constant", **{"border-value": "7", "output-pixel": "f32", "device": "cpu"})
        self.assertEqual(axes["command"], "halation apply box in.png -o in_filtered.png --border wrap,constant --border-value 7 --device cpu --output-pixel f32")
        self.assertIn('border=("wrap", "constant"), cval=(7, 7), dtype="float32", device="cpu"', axes["python"])
        self.assertIn(".border = {.y = halation::Border::wrap(), .x = halation::Border::constant(7)}", axes["cpp"])


class Names(Studio):
    def test_results_have_names_that_can_be_written(self):
        self.serve()
        for name, result in {"x.png": "x_filtered.png", "X.GIF": "X_filtered.png", "photo.heic": "photo_filtered.png", "plain": "plain_filtered.png", "-x.tif": "-x_filtered.tif"}.items():
            self.assertEqual(self.ask("/image", method="PUT", body=png(ROWS), name=name)[0], 200)
            code = self.ask_json("/code", chain="box")
            self.assertEqual(code["save_as"], result)
        self.assertEqual(code["command"], "halation apply box ./-x.tif -o ./-x_filtered.tif")


class Lesson(Studio):
    RECORDS = {1: "ladder_1d.json", 2: "ladder_2d_2048.json", 3: "ladder_3d.json"}

    def setUp(self):
        super().setUp()
        self.serve()

    def test_tiles_are_the_models(self):
        for dims in (1, 2, 3):
            answer = self.ask_json("/tile", outputs=8, mask=5, dims=dims)
            modelled = json.loads(self.run_ok("explain", "tiling", "--tile", 8, "--mask", 5, "--dims", dims, "--json")[0])
            inside = modelled["tiles"]["inside"]
            self.assertEqual({key: answer[key] for key in inside}, inside)
            self.assertEqual(answer["reuse_along_an_axis"], [1, 2, 3, 4, 5, 5, 5, 5, 4, 3, 2, 1])
            self.assertNotIn("rung", answer)
        self.assertEqual(self.ask_json("/tile", outputs=8, mask=5), self.ask_json("/tile", outputs=8, mask=5, dims=2))

    def test_rungs_are_the_models(self):
        inside = 8 * 5 - 2 * 3  # taps of eight outputs along an axis within the tile: at each end 2 + 1 lie beside it
        for dims, rung, operations, loads in (
                (1, "basic", 10, 10), (1, "constant", 10, 5), (1, "tiled_halo", 10, 12 / 8), (1, "tiled_cached", 10, 1 + 5 - inside / 8), (1, "library", 10, 1),
                (2, "naive", 50, 50), (2, "tiled_input_block", 50, 144 / 64), (2, "tiled_output_block", 50, 144 / 64),
                (2, "tiled_cached", 50, 1 + 25 - inside ** 2 / 64), (2, "separable_shared", 20, 2 * 12 / 8), (2, "separable_optimised", 20, 2 * 12 / 8),
                (2, "library", 50, 1), (3, "naive", 250, 250), (3, "constant", 250, 125), (3, "tiled", 250, 12 ** 3 / 8 ** 3), (3, "library", 250, 1)):
            answer = self.ask_json("/tile", outputs=8, mask=5, dims=dims, rung=rung)
            self.assertEqual((answer["rung"], answer["dims"], answer["operations"]), (rung, dims, operations))
            self.assertAlmostEqual(answer["global_loads"], loads, places=12, msg=rung)
            self.assertAlmostEqual(answer["operations_per_byte"], operations / (4 * loads), places=12, msg=rung)

    def test_bad_tiles(self):
        for sentence, words in {
            "mask must be odd and from 1 to 255, got 4": {"mask": 4},
            "mask must be odd and from 1 to 255, got 257": {"mask": 257, "dims": 1, "rung": "basic"},
            "tile must be from 1 to 4096, got 0": {"outputs": 0},
            "outputs must be a whole number from 0 to 1099511627776, got 'x'": {"outputs": "x"},
            "dims is 1, 2 or 3, got 4": {"dims": 4},
            "dims is 1, 2 or 3, got 0": {"dims": 0},
            "no rung 'tiled' in 1D; choose from cpu, basic, constant, tiled_halo, tiled_cached, library": {"dims": 1, "rung": "tiled"},
        }.items():
            status, _, body = self.ask("/tile", **words)
            self.assertEqual((status, json.loads(body)), (400, {"error": sentence}))

    def record(self, dims):
        return json.loads((pathlib.Path(__file__).parents[2] / "bench/results" / self.RECORDS[dims]).read_text())

    def test_the_record_is_the_ladders(self):
        gpu = [device["description"].split(",")[0] for device in self.ask_json("/filters")["devices"] if device["name"] == "cuda:0"]
        for dims in (1, 2, 3):
            self.assertEqual(json.loads(self.ask(f"/ladder_{dims}d.json")[2]), self.record(dims))
            answer = self.ask_json("/ladder", dims=dims)
            self.assertEqual((answer.pop("measured_here"), answer.pop("gpu_here")), (False, gpu[0] if gpu else None))
            self.assertEqual(answer, self.record(dims))
        self.assertEqual(self.ask_json("/ladder")["job"]["dims"], 2)

    def test_without_a_gpu_nothing_is_measured(self):
        if any(device["name"] == "cuda:0" for device in self.ask_json("/filters")["devices"]):
            self.skipTest("there is a GPU; gpu_studio.py measures")
        for method in ("GET", "POST"):
            status, _, body = self.ask("/ladder", method, "{}", dims=3, measure=1)
            answer = json.loads(body)
            self.assertEqual((status, answer.pop("measured_here"), answer.pop("gpu_here")), (200, False, None))
            self.assertEqual(answer, self.record(3))

    def test_bad_ladders(self):
        self.refused("/ladder", 400, "dims is 1, 2 or 3, got 4", dims=4)
        self.refused("/ladder", 400, "dims must be a whole number from 0 to 1099511627776, got 'two'", dims="two")
        self.refused("/ladder", 400, "measure is 1 or 0, got 'now'", measure="now")
        self.assertEqual(self.ask("/ladder", token="0" * 32)[0], 403)


class Saving(Studio):
    def test_bytes_are_the_programs(self):
        self.put("in.png", png(ROWS))
        self.serve("in.png")
        for name, words in (("out.png", {"chain": "gaussian sigma=2 | unsharp_mask amount=0.5"}), ("out.tif", {"chain": "edges", "border": "wrap"}),
                            ("out.jpg", {"chain": "sharpen", "quality": "70"}), ("ö b.npy", {"chain": "sobel", "output-pixel": "i16"}),
                            ("out.webp", {"chain": "sobel", "view": "signed"}), ("a.png", {"chain": "box size=3", "anchor": "0,0"})):
            options = [part for key, value in words.items() if key != "chain" for part in (f"--{key}", value)]
            self.run_ok("apply", words["chain"], "in.png", "-o", name, *options)
            status, headers, body = self.ask("/save", **words, **{"as": f"/somewhere/{name}"})
            self.assertEqual(status, 200, body)
            self.assertEqual(body, self.get(name), name)
            self.assertEqual(headers["Content-Disposition"], f"attachment; filename*=UTF-8''{quote(name)}")
        # The picture may have come over the wire.
        self.assertEqual(self.ask("/image", method="PUT", body=self.get("in.png"), name="x.png")[0], 200)
        self.run_ok("apply", "box", "in.png", "-o", "box.png")
        self.assertEqual(self.ask("/save", chain="box", **{"as": "box.png"})[2], self.get("box.png"))

    def test_what_cannot_be_saved(self):
        self.put("in.png", png(ROWS))
        self.serve("in.png")
        self.refused("/save", 400, "as is the name of the file to save, such as photo.png", chain="box")
        for name in ("out.xyz", "out.jpg"):
            status, _, body = self.ask("/save", chain="box", **{"as": name, "output-pixel": "f32"})
            self.assertEqual(status, 415, body)
            self.assertNotIn("/", json.loads(body)["error"])


if __name__ == "__main__":
    main()
