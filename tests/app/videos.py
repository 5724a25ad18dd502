"""videos.py: videos made by ffmpeg, and what the tests of `halation video` ask of them."""
import json
import shutil
import subprocess

from program import ProgramTest

FFMPEG = shutil.which("ffmpeg")
SCALE = "scale=97:53"  # odd sizes: chroma planes are of (w + 1) / 2


class VideoTest(ProgramTest):
    def setUp(self):
        super().setUp()
        if FFMPEG is None or shutil.which("ffprobe") is None:
            self.skipTest("the program ffmpeg is not here")

    def ffmpeg(self, *arguments):
        done = subprocess.run([FFMPEG, "-v", "error", "-nostdin", "-y", *map(str, arguments)], cwd=self.folder, capture_output=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def need_encoder(self, name):
        if f" {name} " not in self.ffmpeg("-encoders").decode():
            self.skipTest(f"this ffmpeg has no {name}")

    def source(self, name="in.mkv", pixels="yuv420p", frames=5, *more, scale=SCALE):
        self.ffmpeg("-f", "lavfi", "-i", f"testsrc2=s=98x54:r=25,{scale}", *more, "-frames:v", frames, "-c:v", "ffv1", "-slicecrc", 1,
                    "-pix_fmt", pixels, name)
        return name

    def facts(self, name, entries):
        counting = ["-count_frames"] if "nb_read_frames" in entries else []
        answer = subprocess.run(["ffprobe", "-v", "error", "-show_entries", entries, *counting, "-of", "json", name], cwd=self.folder,
                                capture_output=True, timeout=60, check=True)
        return json.loads(answer.stdout)

    def checksums(self, name, pixels):
        text = self.ffmpeg("-i", name, "-map", "0:v", "-pix_fmt", pixels, "-f", "framemd5", "-").decode()
        return [line.split(",")[-1].strip() for line in text.splitlines() if not line.startswith("#")]

    def raw(self, name, pixels, *filters):
        return self.ffmpeg("-i", name, "-map", "0:v", *filters, "-f", "rawvideo", "-pix_fmt", pixels, "-")

    def video(self, *arguments):
        """Runs the command, which must succeed; returns its report."""
        return json.loads(self.run_ok("video", *arguments, "--json")[0])
