"""studio.py: what tests of `halation studio` share: a server of their own, and how it is asked."""
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
from urllib.parse import urlencode, urlsplit

import program
from program import ProgramTest

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

    def serve(self, *arguments, browser="--no-browser", env=None, **more):
        """Starts it; it must end well at the end of the test."""
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir(exist_ok=True)
        served = subprocess.Popen([program.HALATION, "studio", *filter(None, [browser]), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                  text=True, env={**os.environ, "TMPDIR": str(self.scratch), **(env or {})}, **more)
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
            connection.request(method, f"{path}{'&' if '?' in path else '?'}{urlencode(words)}", body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def say(self, request):
        """What is answered to these bytes."""
        with socket.create_connection(("127.0.0.1", self.port)) as wire:
            wire.sendall(request)
            wire.settimeout(60)
            got = b""
            try:
                while part := wire.recv(65536):
                    got += part
            except ConnectionResetError:
                pass
        return got

    def computes(self):
        """Waits until it has computed for a while since this was called."""
        def ticks():
            return sum(map(int, pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
        before = ticks()
        while ticks() < before + 20:
            time.sleep(0.01)

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
