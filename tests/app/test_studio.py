"""test_studio.py: what `halation studio` answers over HTTP; the page itself is tested by tests/web."""
import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import time
import unittest
from urllib.parse import quote, urlencode, urlsplit

import program
from pictures import npy, png, read_png
from program import ProgramTest, filtered, main

WIDTH, HEIGHT = 40, 30
ROWS = [[(7 * x * x + 13 * y * x + 29 * y + 5) % 251 for x in range(WIDTH)] for y in range(HEIGHT)]
SHARPEN = [[0, -1, 0], [-1, 5, -1], [0, -1, 0]]
SHARPEN_CHAIN = "custom weights='0 -1 0; -1 5 -1; 0 -1 0'"


def has_studio():
    return b"Is left out" not in subprocess.run([program.HALATION, "--help"], capture_output=True, check=True).stdout


class Studio(ProgramTest):
    def setUp(self):
        super().setUp()
        if not has_studio():
            self.skipTest("built without cpp-httplib")

    def serve(self, *arguments, **more):
        """Starts it; it must end well at the end of the test."""
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir(exist_ok=True)
        served = subprocess.Popen([program.HALATION, "studio", "--no-browser", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                  text=True, env={**os.environ, "TMPDIR": str(self.scratch)}, **more)
        self.addCleanup(served.stderr.close)
        self.addCleanup(served.stdout.close)
        self.addCleanup(self.end, served)
        line = served.stdout.readline()
        self.assertRegex(line, r"^halation studio: http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}\n$", served.stderr.read() if not line else "")
        address = urlsplit(line.split()[2])
        self.port, self.token = address.port, address.query.removeprefix("token=")
        self.process = served

    def end(self, served):
        if served.poll() is None:
            served.send_signal(signal.SIGINT)
        self.assertIn(served.wait(60), (0, 128 + signal.SIGINT) if self.process is None else (0,))
        self.assertEqual(served.stderr.read(), "")
        self.assertEqual(list(self.scratch.iterdir()), [])  # pictures that were sent, files that were saved

    def ask(self, path, method="GET", body=None, headers=None, token=None, **words):
        """(status, headers, body)"""
        words["token"] = self.token if token is None else token
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, f"{path}?{urlencode(words)}", body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def ask_json(self, path, **words):
        status, _, body = self.ask(path, **words)
        self.assertEqual(status, 200, body)
        return json.loads(body)

    def refused(self, path, status, sentence, **words):
        got = self.ask(path, **words)
        self.assertEqual((got[0], json.loads(got[2])), (status, {"error": sentence}))

    def pixels(self, **words):
        """The red of each pixel of a preview, row by row."""
        status, headers, body = self.ask("/preview", format="raw", **words)
        self.assertEqual(status, 200, body)
        width, height = int(headers["X-Halation-Width"]), int(headers["X-Halation-Height"])
        self.assertEqual(len(body), 4 * width * height)
        return [[body[4 * (y * width + x)] for x in range(width)] for y in range(height)]


class Guards(Studio):
    def test_tokens(self):
        self.put("in.png", png(ROWS))
        self.serve("in.png")
        sentence = "the token is missing or wrong: open the address that halation studio has printed"
        for token in ("", "0" * 32, self.token[:-1], self.token + "0"):
            for path in ("/", "/lesson", "/image", "/filters", "/preview", "/save", "/nothing"):
                self.refused(path, 403, sentence, token=token)
            self.refused("/image", 403, sentence, token=token, method="PUT", body=b"x")
        self.assertEqual(self.ask("/filters", token="", headers={"X-Halation-Token": self.token})[0], 200)
        self.assertEqual(self.ask("/filters", headers={"X-Halation-Token": "wrong"})[0], 403)
        for public in ("/studio.css", "/main.js", "/ladder.json"):  # of which nothing is secret
            self.assertEqual(self.ask(public, token="")[0], 200)

    def test_hosts_and_origins(self):
        self.serve()
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1", f"127.0.0.1:{self.port + 1}", "[::1]", ""):
            self.refused("/filters", 403, f"this is 127.0.0.1:{self.port}, and answers to no other name", headers={"Host": host})
            self.refused("/studio.css", 403, f"this is 127.0.0.1:{self.port}, and answers to no other name", headers={"Host": host})
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{self.port}", f"http://127.0.0.1:{self.port}.evil.example"):
            self.refused("/filters", 403, "pages from elsewhere are not answered", headers={"Origin": origin})
        for name in ("127.0.0.1", "localhost"):
            here = f"{name}:{self.port}"
            self.assertEqual(self.ask("/filters", headers={"Host": here, "Origin": f"http://{here}"})[0], 200)

    def test_listens_to_this_machine_alone(self):
        self.serve()
        listening = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
        self.assertEqual([row[1] for row in listening if row[1].endswith(f":{self.port:04X}") and row[3] == "0A"], [f"0100007F:{self.port:04X}"])

    def test_answers_go_whole(self):
        """Of a range the HTTP library sent what lay in memory behind the answer."""
        self.put("in.png", png(ROWS))
        self.serve("in.png")
        for path, words in (("/preview", {"chain": "box", "w": 8, "format": "raw"}), ("/save", {"chain": "box", "as": "a.png"}), ("/main.js", {}), ("/nothing", {})):
            status, _, whole = self.ask(path, **words)
            for given in ("bytes=0-99999", "bytes=20000-20100", "bytes=0-1", "bytes=-5"):
                got = self.ask(path, headers={"Range": given}, **words)
                self.assertEqual((got[0], got[2]), (status, whole))

    def test_a_refused_body_is_no_request(self):
        self.serve()
        second = f"GET /studio.css HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n"
        for filler in (0, 4096 - 120, 4096):
            with socket.create_connection(("127.0.0.1", self.port)) as wire:
                body = "x" * filler + second
                wire.sendall(f"POST /preview HTTP/1.1\r\nHost: evil.example\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
                wire.settimeout(10)
                got = b""
                try:
                    while part := wire.recv(65536):
                        got += part
                except ConnectionResetError:
                    pass
            self.assertEqual(got.count(b"HTTP/1.1 "), 1, got)
            self.assertIn(b" 403 ", got)

    def test_what_does_not_exist(self):
        self.serve()
        self.refused("/nothing", 404, "GET /nothing: there is no such thing")
        status, _, body = self.ask("/filters", method="DELETE")
        self.assertEqual(status, 404, body)


class Pictures(Studio):
    def test_facts(self):
        self.put("in.png", png(ROWS))
        self.serve()
        self.assertEqual(self.ask_json("/image"), {"picture": None})
        self.refused("/preview", 400, "there is no picture yet: drop one on the page, or PUT /image", chain="box")
        status, _, body = self.ask("/image", method="PUT", body=self.get("in.png"), name="../../käfer.png")
        self.assertEqual(status, 200, body)
        self.assertEqual(json.loads(body), self.ask_json("/image"))
        self.assertEqual(json.loads(body)["picture"], {"width": WIDTH, "height": HEIGHT, "depth": 1, "channels": 1, "pixel": "u8", "colour": "gray", "alpha": False,
                                                       "linear_light": False, "name": "käfer.png", "pages": 1, "number": 1})
        self.assertEqual(len(list(self.scratch.rglob("*-*"))), 2)  # its folder, and the picture

    def test_what_is_none(self):
        self.put("in.png", png(ROWS))
        self.serve("in.png")
        before = self.ask_json("/image")
        for body in (b"", b"nothing that is a picture", self.get("in.png")[:60]):
            status, _, answer = self.ask("/image", method="PUT", body=body, name="bad.png")
            self.assertEqual(status, 415, answer)
            self.assertRegex(json.loads(answer)["error"], r"^bad\.png: ")
        self.assertEqual(self.ask_json("/image"), before)
        self.assertEqual(self.pixels(chain="identity", w=WIDTH), ROWS)
        self.assertEqual([path.name for path in self.scratch.rglob("*") if path.is_file()], [])

    def test_one_after_the_other(self):
        self.serve()
        for size in (3, 5, 4):
            rows = [[10 * x + y for x in range(size)] for y in range(size)]
            self.assertEqual(self.ask("/image", method="PUT", body=png(rows), name="a.png")[0], 200)
            self.assertEqual(self.pixels(chain="identity", w=9), rows)
            self.assertEqual(self.pixels(of="original", w=9), rows)
            self.assertEqual(len([path for path in self.scratch.rglob("*") if path.is_file()]), 1)


class Replaced(Studio):
    """Another picture comes while the one before is worked with."""

    def test_a_page_is_told_of_another_picture(self):
        self.serve()
        for size in (3, 5):
            self.ask("/image", method="PUT", body=png([[7] * size] * size), name="a.png")
        self.assertEqual(self.ask("/preview", chain="box", picture=2)[0], 200)
        for path in ("/preview", "/save", "/histogram", "/weights"):
            self.refused(path, 410, "another picture has been opened meanwhile", chain="box", picture=1, **{"as": "a.png"})

    def test_a_save_under_way_ends(self):
        self.serve()
        size = 500
        self.ask("/image", method="PUT", body=png([[x % 251 for x in range(size)] for _ in range(size)]), name="a.png")
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            saves = [pool.submit(self.ask, "/save", chain="disk radius=9", device="reference", **{"as": "a.png"}) for _ in range(2)]
            while not any(self.scratch.rglob("*-a.png")) and not saves[0].done():
                pass
            self.assertEqual(self.ask("/image", method="PUT", body=png(ROWS), name="b.png")[0], 200)
            answers = [save.result() for save in saves]
        self.assertEqual([answer[0] for answer in answers], [200, 200], answers[-1][2][:200])
        self.assertEqual(answers[0][2], answers[1][2])


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
            "gaussian: sigma must be > 0, got -1": {"chain": "gaussian sigma=-1"},
            "crop is x,y,width,height, got '1,2'": {"chain": "box", "crop": "1,2"},
            "crop is a whole number, got 'x'": {"chain": "box", "crop": "1,2,3,x"},
            f"crop is x,y,width,height within {WIDTH}x{HEIGHT}, got 1,2,{WIDTH},3": {"chain": "box", "crop": f"1,2,{WIDTH},3"},
            "w is a number of pixels, got 0": {"chain": "box", "w": "0"},
            "w is a whole number, got '1e3'": {"chain": "box", "w": "1e3"},
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
        self.assertEqual(self.ask("/preview", chain="box", memory="1", threads="99999", anchor="7")[0], 200)  # no words of the page's

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
        self.assertEqual((sigma["name"], sigma["unit"], sigma["default"], sigma["allowed"]), ("sigma", "px", "1", "> 0"))

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
        answer = self.ask_json("/histogram", chain=SHARPEN_CHAIN)
        flat = [value for row in ROWS for value in row]
        self.assertEqual(answer["original"]["channels"], [[flat.count(level) for level in range(256)]])
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
        self.refused("/inspect", 400, "a pixel is shown of values as they are stored: of pictures without alpha, not in linear light, not as luma",
                     chain="box", linear="1", x=0, y=0)

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
    def test_tiles_are_the_models(self):
        self.serve()
        answer = self.ask_json("/tile", outputs=8, mask=5)
        modelled = json.loads(self.run_ok("explain", "tiling", "--tile", 8, "--mask", 5, "--dims", 2, "--json")[0])
        inside = modelled["tiles"]["inside"]
        self.assertEqual({key: answer[key] for key in inside}, inside)
        self.assertEqual(answer["reuse_along_an_axis"], [1, 2, 3, 4, 5, 5, 5, 5, 4, 3, 2, 1])
        self.assertEqual(self.ask("/tile", outputs=8, mask=4)[0], 400)

    def test_the_record_is_the_ladders(self):
        self.serve()
        record = json.loads(self.ask("/ladder.json")[2])
        self.assertEqual(record, json.loads((pathlib.Path(__file__).parents[2] / "bench/results/ladder_2d_2048.json").read_text()))


class Saving(Studio):
    def test_bytes_are_the_programs(self):
        self.put("in.png", png(ROWS))
        self.serve("in.png")
        for name, words in (("out.png", {"chain": "gaussian sigma=2 | unsharp_mask amount=0.5"}), ("out.tif", {"chain": "edges", "border": "wrap"}),
                            ("out.jpg", {"chain": "sharpen", "quality": "70"}), ("ö b.npy", {"chain": "sobel", "output-pixel": "i16"}),
                            ("out.webp", {"chain": "sobel", "view": "signed"})):
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


class Burdens(Studio):
    def test_many_at_once_and_at_random(self):
        """None crashes it, all are answered, and its memory stays what it was."""
        size = 700
        self.put("in.npy", npy([(x * 31 + x // 700 * 17) % 256 for x in range(size * size)], (size, size), "|u1"))
        self.serve("in.npy")
        rng = random.Random(25)
        chains = ["gaussian sigma={}", "box size={}", "unsharp_mask sigma={}", "sobel", "edges | gaussian sigma={}", "custom weights='1 {}'", "nonsense {}", "disk radius={}", ""]

        def one(_):
            path = rng.choice(["/preview"] * 6 + ["/weights", "/explain", "/histogram", "/inspect", "/code", "/image", "/filters", "/nothing", "/"])
            words = {"chain": rng.choice(chains).format(rng.choice([1, 2, 3, 5, -1, "x", "2,3"])), "w": rng.choice([1, 100, 700, 5000, -3, "a"]), "client": rng.randrange(200),
                     "format": rng.choice(["raw", "raw", "png", "?"]), "x": rng.randrange(-5, 800), "y": rng.randrange(800), "border": rng.choice(["", "wrap", "none"]),
                     "crop": rng.choice(["", "1,2,30,40", "600,600,200,200", ",,,", "0,0,1,1"]), "view": rng.choice(["", "", "signed", "stretch"])}
            return self.ask(path, token=rng.choice([None] * 20 + ["wrong"]), **words)[0]

        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            statuses = set(pool.map(one, range(800)))
            before = self.resident()  # with what each thread keeps
            statuses |= set(pool.map(one, range(800)))
        self.assertLessEqual(statuses, {200, 400, 403, 404, 409})
        self.assertIsNone(self.process.poll())
        self.assertLess(self.resident(), before + (64 << 20))

    def resident(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) << 10

    def test_results_beyond_memory_go_strip_by_strip(self):
        height, width = 3000, 5000
        self.put("in.npy", npy(bytes((y * 7 + x) % 256 for y in range(height) for x in range(width)), (height, width), "|u1"))
        self.serve("in.npy", "--memory", "36M")
        words = {"chain": "gaussian sigma=3", "w": 100, "crop": "1000,1490,100,100"}
        status, headers, body = self.ask("/preview", format="raw", **words)
        self.assertEqual((status, headers["X-Halation-Way"]), (200, "strips"), body)
        self.run_ok("apply", "gaussian", "in.npy", "-o", "out.npy", "--sigma", "3")
        out = self.get("out.npy")[-height * width:]
        self.assertEqual(bytes(body[::4]), b"".join(out[(1490 + y) * width + 1000:][:100] for y in range(100)))
        status, _, body = self.ask("/histogram", **words)
        self.assertEqual((status, sum(json.loads(body)["result"]["channels"][0])), (200, height * width))


class Command(Studio):
    def test_bad_command_lines(self):
        self.check_error(["studio", "--port", "65536"], "--port must be a whole number from 0 to 65535, got '65536'", 2)
        self.check_error(["studio", "nothing.png", "--no-browser"], "nothing.png: no such file", 1)
        self.check_error(["studio", "-", "--no-browser"], "studio reads a file, not standard input", 2)

    def test_a_port_that_is_taken(self):
        self.serve()
        done = self.start("studio", "--no-browser", "--port", self.port)
        self.assertEqual((done.returncode, done.stderr.decode()),
                         (1, f"halation: port {self.port} of 127.0.0.1 is taken or not allowed; --port 0 finds a free one\n"))

    def test_a_signal_that_comes_at_once(self):
        """Before it listens, and after."""
        for _ in range(20):
            self.serve()
            self.process.send_signal(signal.SIGINT)
            self.assertEqual(self.process.wait(20), 0)
            self.assertEqual(list(self.scratch.iterdir()), [])

    def test_a_second_signal_does_not_wait(self):
        self.serve()
        size = 1200
        self.ask("/image", method="PUT", body=png([[x % 251 for x in range(size)] for _ in range(size)]), name="a.png")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            slow = pool.submit(self.ask, "/preview", chain="disk radius=40", device="reference")
            time.sleep(0.5)
            for _ in range(2):
                self.process.send_signal(signal.SIGINT)
                time.sleep(0.2)
            self.assertEqual(self.process.wait(10), 128 + signal.SIGINT)
            self.assertIsInstance(slow.exception(), Exception)
        self.assertEqual(list(self.scratch.iterdir()), [])
        self.process = None

    def test_signals_end_it_well(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.serve()
            self.ask("/image", method="PUT", body=png(ROWS), name="a.png")
            self.process.send_signal(number)
            self.assertEqual(self.process.wait(60), 0)
            self.assertEqual(list(self.scratch.iterdir()), [])


if __name__ == "__main__":
    main()
