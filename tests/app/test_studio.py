"""test_studio.py: `halation studio` as a command and a server: who is let in, pictures, signals, burdens; the page itself is tested by tests/web."""
import concurrent.futures
import gzip
import json
import os
import pathlib
import random
import signal
import time
from urllib.parse import urlsplit

from pictures import npy, png
from program import ProgramTest, gives_back_what_is_freed, main
from studio import HEIGHT, ROWS, WIDTH, Studio, has_studio


class LeftOut(ProgramTest):
    def test_says_so(self):
        if has_studio():
            self.skipTest("built with cpp-httplib")
        for arguments in ([], ["in.png", "--no-browser"]):
            self.check_error(["studio", *arguments], "studio: this program was built without it; install libcpp-httplib-dev and build it again", 1)


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
        for public in ("/studio.css", "/main.js", "/ladder_2d.json"):  # of which nothing is secret
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
            body = "x" * filler + second
            got = self.say(f"POST /preview HTTP/1.1\r\nHost: evil.example\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            self.assertEqual(got.count(b"HTTP/1.1 "), 1, got)
            self.assertIn(b" 403 ", got)

    def test_bodies_have_a_limit(self):
        """Before they are read into memory."""
        self.serve()
        for method, path in (("POST", "/preview"), ("PUT", "/nothing"), ("DELETE", "/image"), ("PATCH", "/")):
            head = f"{method} {path}?token={self.token} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            got = self.say(f"{head}Content-Length: {(16 << 20) + 1}\r\n\r\n".encode())
            self.assertIn(b" 413 ", got.split(b"\r\n")[0])
            self.assertEqual(json.loads(got.partition(b"\r\n\r\n")[2]), {"error": "a request has up to 16777216 bytes, got 16777217"})
            if method != "DELETE":  # which without a length has no body
                self.assertIn(b" 411 ", self.say(f"{head}\r\n".encode()).split(b"\r\n")[0])
            got = self.say(f"{head}Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n".encode())
            self.assertIn(b" 411 ", got.split(b"\r\n")[0])
        for method, path in (("POST", "/preview"), ("PUT", "/image")):
            self.refused(path, 415, "what a request brings comes as it is, without Content-Encoding", method=method, body=gzip.compress(bytes(1 << 20)),
                         headers={"Content-Encoding": "gzip"})
        status, _, body = self.ask("/code", method="POST", body=json.dumps({"chain": "custom weights='" + "1 " * 500000 + "1'"}))
        self.assertEqual(status, 200, body[:200])

    def test_a_picture_larger_than_the_room_for_it(self):
        self.serve()
        got = self.say(f"PUT /image?token={self.token}&name=big.png HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Length: {1 << 60}\r\n\r\nabcd".encode())
        self.assertIn(b" 507 ", got.split(b"\r\n")[0])
        self.assertRegex(got.partition(b"\r\n\r\n")[2].decode(), r'^{"error":"big\.png could not be stored: a picture may take \d+ bytes, half of the room that is left, got 1152921504606846976"}$')
        self.assertEqual([path for path in self.scratch.rglob("*") if path.is_file()], [])

    def test_the_browser_is_given_an_address_that_opens_once(self):
        """Every user of the machine can read command lines."""
        self.put("xdg-open", b"#!/bin/sh\necho \"$1\" > opened.part && mv opened.part opened\n")
        (self.folder / "xdg-open").chmod(0o755)
        self.serve(browser="", env={"DISPLAY": ":0", "PATH": f"{self.folder}:{os.environ['PATH']}"})
        opened = self.folder / "opened"
        while not opened.exists():
            time.sleep(0.01)
        address = urlsplit(opened.read_text().strip())
        self.assertEqual((address.netloc, address.path), (f"127.0.0.1:{self.port}", "/open"))
        self.assertNotIn(self.token, address.query)
        code = address.query.removeprefix("code=")
        sentence = "this address opens the page once: open the one that halation studio has printed"
        self.refused("/open", 403, sentence, code=code[:-1])
        self.refused("/open", 403, sentence, code="")
        status, headers, _ = self.ask("/open", token="", code=code)
        self.assertEqual((status, headers["Location"]), (303, f"/?token={self.token}"))
        self.refused("/open", 403, sentence, code=code)
        self.refused("/open", 403, sentence, code="")

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


class Waiting(Studio):
    """Behind a filter that takes seconds, on a picture of 9 megapixels."""
    SLOW = {"chain": "disk radius=9", "device": "reference"}

    def setUp(self):
        super().setUp()
        size = 3000
        self.put("in.npy", npy(bytes((y * 7 + x) % 256 for y in range(size) for x in range(size)), (size, size), "|u1"))
        self.serve("in.npy")

    def test_what_is_superseded_does_not_wait(self):
        with concurrent.futures.ThreadPoolExecutor(60) as pool:
            slow = pool.submit(self.ask, "/preview", client="other", **self.SLOW)
            self.computes()
            waiting = [pool.submit(self.ask, path, chain="box", client="me", **words) for path in ("/preview", "/weights", "/explain", "/histogram", "/inspect")
                       for words in ([{}, {"of": "original"}] if path in ("/preview", "/histogram") else [{}]) for _ in range(6)]
            for _, done in zip(range(len(waiting) - 7), concurrent.futures.as_completed(waiting)):
                self.assertEqual(done.result()[0], 409)
            self.assertFalse(slow.done())
            self.assertEqual(self.ask("/code", chain="box")[0], 200)  # there are threads to answer it
            self.ask("/preview", chain="box", client="other")
            self.assertEqual(slow.result()[0], 409)
            self.assertEqual(sorted(each.result()[0] for each in waiting), [200] * 7 + [409] * (len(waiting) - 7))

    def test_one_that_is_superseded_is_given_up(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            slow = pool.submit(self.ask, "/preview", client="me", **self.SLOW)
            self.computes()
            self.assertEqual(self.ask("/preview", chain="box", client="me")[0], 200)
            self.assertEqual((slow.result()[0], json.loads(slow.result()[2])), (409, {"error": "superseded by a newer request"}))

    def test_a_request_that_others_overtook_ends_none_of_them(self):
        """A page that got 409 for its newest request stayed at what it showed before."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            newest = pool.submit(self.ask, "/preview", client="me", turn=7, **self.SLOW)
            self.computes()
            for turn in (6, 1):
                self.assertEqual(self.ask("/preview", chain="box", client="me", turn=turn)[0], 409)
            self.assertEqual(newest.result()[0], 200)
        self.assertEqual(self.ask("/preview", chain="box", client="me", turn=7)[0], 200)
        self.assertEqual(self.ask("/preview", chain="box", client="me")[0], 200)
        self.assertEqual(self.ask("/preview", chain="box", client="me", turn=7)[0], 409)

    def test_a_preview_goes_before_what_is_counted(self):
        """A histogram takes all of the picture."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            counted = pool.submit(self.ask, "/histogram", chain="disk radius=4", device="reference", client="me")
            self.computes()
            self.assertEqual(self.ask("/preview", client="me", crop="500,500,200,200", w=200, **self.SLOW)[0], 200)
            self.assertFalse(counted.done())
            status, _, body = counted.result()
            self.assertEqual((status, sum(json.loads(body)["result"]["channels"][0])), (200, 3000 * 3000))

    def test_of_a_picture_that_is_replaced_nothing_more_is_said(self):
        with concurrent.futures.ThreadPoolExecutor(9) as pool:
            slow = pool.submit(self.ask, "/preview", client="me", **self.SLOW)
            self.computes()
            waiting = [pool.submit(self.ask, path, chain="box", x=2500, y=2500) for path in ("/preview", "/weights", "/explain", "/histogram", "/inspect")]
            opened = pool.submit(self.ask, "/image", method="PUT", body=png(ROWS), name="a.png")
            self.assertEqual((opened.result()[0], slow.result()[0]), (200, 410))
            self.assertLessEqual({each.result()[0] for each in waiting}, {200, 410})


class Burdens(Studio):
    def test_many_at_once_and_at_random(self):
        """None crashes it, all are answered, and its memory stays what it was."""
        size = 700
        self.put("in.npy", npy([(x * 31 + x // 700 * 17) % 256 for x in range(size * size)], (size, size), "|u1"))
        self.serve("in.npy", env=gives_back_what_is_freed())
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
        self.serve("in.npy", "--memory", "36M", env=gives_back_what_is_freed())
        words = {"chain": "gaussian sigma=3", "w": 100, "crop": "1000,1490,100,100"}
        for border, way in (("reflect101", "part"), ("wrap", "strips")):
            status, headers, body = self.ask("/preview", format="raw", border=border, **words)
            self.assertEqual((status, headers["X-Halation-Way"]), (200, way))
            self.run_ok("apply", "gaussian", "in.npy", "-o", "out.npy", "--sigma", "3", "--border", border)
            out = self.get("out.npy")[-height * width:]
            self.assertEqual(bytes(body[::4]), b"".join(out[(1490 + y) * width + 1000:][:100] for y in range(100)))
        status, _, body = self.ask("/histogram", **words)
        self.assertEqual((status, sum(json.loads(body)["result"]["channels"][0])), (200, height * width))
        for step in range(181):  # where large blocks that were freed stay in heaps it grows by 35 MB to 100 MB
            self.assertEqual(self.ask("/preview", chain=f"gaussian sigma={3 + step / 100}", border="wrap", w=1200)[0], 200)
            if step == 0:
                before = self.resident()
        most = 96 if "ASAN_OPTIONS" in os.environ else 16  # AddressSanitizer, whose allocator this is then, keeps more with every step
        self.assertLess(self.resident(), before + (most << 20))


class Command(Studio):
    def test_bad_command_lines(self):
        self.check_error(["studio", "--port", "65536"], "--port must be a whole number from 0 to 65535, got '65536'", 2)
        self.check_error(["studio", "nothing.png", "--no-browser"], "nothing.png: no such file", 1)
        self.put("wide.npy", npy([1, 2], (1, 2), "<i4"))
        self.check_error(["studio", "wide.npy", "--no-browser"],
                         "wide.npy: the studio shows pixels u8, u16, i16, f16, f32 and f64, got i32; halation apply filters it", 1)
        self.check_error(["studio", "-", "--no-browser"], "studio reads a file, not standard input", 2)
        if b"cuda" not in self.start("devices").stdout:
            self.assertEqual(self.start("studio", "--no-browser", "--device", "cuda").returncode, 1)

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
            self.computes()
            for _ in range(300):  # a signal that comes before the first is met counts as the first
                if self.process.poll() is not None:
                    break
                self.process.send_signal(signal.SIGINT)
                time.sleep(0.2)
            self.assertEqual(self.process.returncode, 128 + signal.SIGINT)
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
