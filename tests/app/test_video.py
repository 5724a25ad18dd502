"""test_video.py: `halation video`: pixel formats, planes, sound, what goes wrong and what it leaves behind."""
import os
import re
import signal
import subprocess

import program
from pictures import npy, png, read_png
from program import flat, main
from videos import FFMPEG, VideoTest


class Frames(VideoTest):
    """What becomes of pixels."""

    def test_identity_keeps_every_bit(self):
        for pixels, filtered_as in (("yuv420p", "yuv420p"), ("yuv422p", "yuv422p"), ("yuv444p", "yuv444p"), ("bgr0", "rgb24"),
                                    ("gray", "gray"), ("gray16le", "gray16le"), ("yuv420p10le", "yuv420p10le"),
                                    ("gbrp12le", "gbrp12le"), ("bgra", "bgra")):
            with self.subTest(pixels):
                self.source(pixels=pixels, frames=3)
                report = self.video("identity", "in.mkv", "-o", "out.mkv", "--codec", "ffv1")
                self.assertEqual(report["pixel_format"], filtered_as)
                self.assertEqual((report["width"], report["height"], report["frames"]), (97, 53, 3))
                self.assertEqual(self.facts("out.mkv", "stream=pix_fmt")["streams"][0]["pix_fmt"], pixels)
                self.assertEqual(self.checksums("out.mkv", pixels), self.checksums("in.mkv", pixels))

    def test_frames_are_those_of_apply(self):
        gaussian, edges = ["gaussian", "--sigma", "2", "--border", "replicate"], ["edges", "--scale", "0.5"]
        others = [["box", "--size", "5,3"], ["box size=3 | sharpen"], ["sobel", "--view", "signed"],
                  ["custom", "--weights", "1 2 -3; 4 5 6", "--scale", "0.1", "--correlate"]]
        for pixels, list_of_filters in (("gray", [gaussian, edges, *others]), ("rgb24", [gaussian, edges])):
            self.source(pixels="gray" if pixels == "gray" else "bgr0", frames=2)
            self.ffmpeg("-i", "in.mkv", "-pix_fmt", pixels, "frame%d.png")
            for filters in list_of_filters:
                with self.subTest(pixels=pixels, filters=filters):
                    expected = b""
                    for number in (1, 2):
                        self.run_ok("apply", filters[0], f"frame{number}.png", "-o", "filtered.png", *filters[1:])
                        expected += bytes(value for pixel in flat(read_png(self.get("filtered.png"))[0]) for value in pixel)
                    self.video(filters[0], "in.mkv", "-o", "out.mkv", "--codec", "ffv1", *filters[1:])
                    self.assertEqual(self.raw("out.mkv", pixels), expected)

    def planes(self, name, pixels="yuv420p", width=97, height=53):
        """Y, U and V of a video's first frame."""
        data = self.raw(name, pixels)
        halves = {"yuv420p": (2, 2), "yuv422p": (2, 1), "yuv444p": (1, 1)}[pixels]
        luma, chroma = width * height, -(-width // halves[0]) * -(-height // halves[1])
        return [data[:luma], data[luma:luma + chroma], data[luma + chroma:luma + 2 * chroma]]

    def apply_to_plane(self, plane, width, filters):
        self.put("plane.png", png([[(value,) for value in plane[i:i + width]] for i in range(0, len(plane), width)]))
        self.run_ok("apply", filters, "plane.png", "-o", "filtered.png")
        return bytes(pixel[0] for pixel in flat(read_png(self.get("filtered.png"))[0]))

    def test_chroma_is_filtered_with_lengths_of_its_resolution(self):
        for pixels, luma, chroma in (("yuv420p", "gaussian sigma=2", "gaussian sigma=1"),
                                     ("yuv422p", "gaussian sigma=2 radius='4'", "gaussian sigma=2,1 radius=4,2"),
                                     ("yuv444p", "box size=5", "box size=5"),
                                     ("yuv420p", "box size=5 | unsharp_mask sigma=2,4", "box size=3 | unsharp_mask sigma=1,2")):
            with self.subTest(pixels=pixels, luma=luma):
                self.source(pixels=pixels, frames=1)
                self.video(luma, "in.mkv", "-o", "out.mkv", "--codec", "ffv1")
                y, u, v = self.planes("in.mkv", pixels)
                width = 97 if pixels == "yuv444p" else 49
                expected = [self.apply_to_plane(y, 97, luma), self.apply_to_plane(u, width, chroma), self.apply_to_plane(v, width, chroma)]
                self.assertEqual(self.planes("out.mkv", pixels), expected)

    def test_filters_that_show_change_take_colours_as_apply_does(self):
        for pixels, filtered_as in (("yuv420p", "rgb24"), ("yuv422p10le", "gbrp10le")):
            for filters in ("edges", "sobel", "gaussian sigma=2 | edges", "gaussian_derivative sigma=2 | box",
                            "custom weights='-1 0 1'"):
                with self.subTest(pixels=pixels, filters=filters):
                    self.source(pixels=pixels, frames=1)
                    self.ffmpeg("-i", "in.mkv", "-pix_fmt", "rgb24", "frame.png")
                    self.run_ok("apply", filters, "frame.png", "-o", "filtered.png")
                    report = self.video(filters, "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--pixel-format", "bgr0")
                    self.assertEqual(report["pixel_format"], filtered_as)
                    result = self.raw("out.mkv", "rgb24")
                    expected = bytes(value for pixel in flat(read_png(self.get("filtered.png"))[0]) for value in pixel)
                    self.assertGreater(max(expected), 40)
                    near = 0 if filtered_as == "rgb24" else 12
                    self.assertLessEqual(max(abs(a - b) for a, b in zip(result, expected, strict=True)), near)

    def test_edges_of_one_colour_are_black(self):
        self.ffmpeg("-f", "lavfi", "-i", "color=red:s=32x16", "-frames:v", 1, "-c:v", "ffv1", "-pix_fmt", "yuv420p", "in.mkv")
        self.video("edges", "in.mkv", "-o", "out.mkv", "--codec", "ffv1")
        self.assertEqual(self.planes("out.mkv", width=32, height=16), [bytes([16] * 512), *[bytes([128] * 128)] * 2])

    def test_chroma_stays_where_a_filter_has_no_length(self):
        self.source(frames=1)
        before = self.planes("in.mkv")
        for filters in ("sharpen", "gaussian sigma=1 | custom weights='1 2 1'"):
            with self.subTest(filters):
                self.video(filters, "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--scale", "0.25")
                after = self.planes("out.mkv")
                self.assertNotEqual(after[0], before[0])
                self.assertEqual(after[1:], before[1:])

    def test_zero_of_chroma_stays_zero(self):
        self.ffmpeg("-f", "lavfi", "-i", "color=gray:s=32x16", "-frames:v", 1, "-c:v", "ffv1", "-pix_fmt", "yuv420p", "in.mkv")
        self.video("gaussian", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--border", "constant", "--scale", "0.5", "--offset", "9")
        self.assertEqual(self.planes("out.mkv", width=32, height=16)[1:], [bytes([128] * 128)] * 2)

    def test_gray_and_rgb(self):
        self.source(frames=1)
        luma = self.planes("in.mkv")[0]
        self.video("identity", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--gray")
        self.assertEqual(self.planes("out.mkv"), [luma, *[bytes([128] * 49 * 27)] * 2])
        report = self.video("edges", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--rgb")
        self.assertEqual(report["pixel_format"], "rgb24")
        self.assertEqual(self.facts("out.mkv", "stream=pix_fmt")["streams"][0]["pix_fmt"], "yuv420p")
        self.source(pixels="bgr0", frames=1)
        self.assertEqual(self.video("edges", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--gray")["pixel_format"], "gray")

    def test_results_are_clamped_to_the_bits_of_the_format(self):
        self.source(pixels="gray10le", frames=1)
        self.video("identity", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--scale", "4")

        def values(name):
            data = self.raw(name, "gray10le")
            return [data[i] + 256 * data[i + 1] for i in range(0, len(data), 2)]
        before = values("in.mkv")
        self.assertGreater(max(before), 256)
        self.assertEqual(values("out.mkv"), [min(4 * value, 1023) for value in before])

    def test_views_of_deep_formats_have_all_sixteen_bits(self):
        self.source(pixels="gray10le", frames=1)
        report = self.video("sobel", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--view", "signed", "--pixel-format", "gray16le")
        self.assertEqual(report["pixel_format"], "gray16le")

    def test_frames_lie_upright(self):
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48", "-frames:v", 3, "-c:v", "mpeg4", "flat.mp4")
        self.ffmpeg("-i", "flat.mp4", "-c", "copy", "-metadata:s:v", "rotate=90", "in.mp4")
        if "side_data_list" not in self.facts("in.mp4", "stream_side_data")["streams"][0]:
            self.skipTest("this ffmpeg writes no rotation")
        self.video("identity", "in.mp4", "-o", "out.mkv", "--codec", "ffv1")
        stream = self.facts("out.mkv", "stream=width,height:stream_side_data:stream_tags")["streams"][0]
        self.assertEqual((stream["width"], stream["height"]), (48, 64))
        self.assertNotIn("side_data_list", stream)
        self.assertEqual(self.checksums("out.mkv", "yuv420p"), self.checksums("in.mp4", "yuv420p"))


class Files(VideoTest):
    """What else is in a file, and how it is read and written."""

    def test_sound_and_metadata_are_copied(self):
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.6", "-f", "lavfi", "-i", "sine=d=0.6", "-c:v", "ffv1", "-c:a", "flac",
                    "-metadata", "title=A day", "-metadata:s:a", "language=deu", "in.mkv")
        self.video("box", "in.mkv", "-o", "out.mkv", "--preset", "ultrafast", "--crf", "30")
        facts = self.facts("out.mkv", "stream=codec_name,nb_read_frames:stream_tags=language:format_tags=title")
        self.assertEqual(facts["format"]["tags"]["title"], "A day")
        video, sound = facts["streams"]
        self.assertEqual((video["codec_name"], video["nb_read_frames"]), ("h264", "15"))
        self.assertEqual((sound["codec_name"], sound["tags"]["language"]), ("flac", "deu"))

        def packets(name):
            return self.ffmpeg("-i", name, "-map", "0:a", "-c", "copy", "-f", "md5", "-")
        self.assertEqual(packets("out.mkv"), packets("in.mkv"))

    def test_every_stream_comes_along(self):
        self.put("words.srt", b"1\n00:00:00,100 --> 00:00:00,300\nHello\n")
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.4", "-f", "lavfi", "-i", "sine=d=0.4", "-f", "lavfi", "-i", "sine=d=0.4",
                    "-i", "words.srt", "-map", 0, "-map", 1, "-map", 2, "-map", 3, "-c:v", "ffv1", "-c:a", "pcm_s16le", "-c:s", "srt",
                    "-metadata:s:a:1", "language=fra", "-metadata:s:s:0", "language=deu", "in.mkv")
        for name, sound, words in (("out.mkv", "pcm_s16le", "subrip"), ("out.mp4", "aac", "mov_text")):
            self.video("box", "in.mkv", "-o", name, "--codec", "mpeg4")
            streams = self.facts(name, "stream=codec_name:stream_tags=language")["streams"]
            self.assertEqual([stream["codec_name"] for stream in streams], ["mpeg4", sound, sound, words])
            self.assertEqual([stream["tags"]["language"] for stream in streams[2:]], ["fra", "deu"])
        self.video("box", "out.mp4", "-o", "back.mkv", "--codec", "mpeg4")
        self.assertEqual([stream["codec_name"] for stream in self.facts("back.mkv", "stream=codec_name")["streams"]], ["mpeg4", "aac", "aac", "subrip"])
        self.assertIn("Hello", self.ffmpeg("-i", "back.mkv", "-f", "srt", "-").decode())

    def test_frames_that_begin_after_the_sound_are_neither_repeated_nor_early(self):
        self.ffmpeg("-itsoffset", 0.22, "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.4", "-f", "lavfi", "-i", "sine=d=1", "-c:v", "ffv1",
                    "-c:a", "flac", "in.mkv")
        self.video("identity", "in.mkv", "-o", "out.mkv", "--codec", "ffv1")
        video = self.facts("out.mkv", "stream=start_time,nb_read_frames")["streams"][0]
        self.assertEqual(video["nb_read_frames"], "10")
        self.assertAlmostEqual(float(video["start_time"]), 0.22, delta=0.021)  # to half a frame

    def test_colour_tags_and_pixel_aspect_are_kept(self):
        tags = {"color_range": "tv", "color_space": "bt709", "color_primaries": "bt709", "color_transfer": "bt709"}
        self.source("in.mkv", "yuv420p", 2, "-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
                    scale="setsar=4/3")
        for colours in ([], ["--rgb"]):
            self.video("identity", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", *colours)
            stream = self.facts("out.mkv", "stream=sample_aspect_ratio," + ",".join(tags))["streams"][0]
            self.assertEqual(stream, {**tags, "sample_aspect_ratio": "4:3"})

    def test_frames_stops_sound_and_all(self):
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=2", "-f", "lavfi", "-i", "sine=d=2", "-c:v", "ffv1", "in.mkv")
        self.assertEqual(self.video("box", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--frames", 7)["frames"], 7)
        facts = self.facts("out.mkv", "stream=codec_type,nb_read_frames:format=duration")
        self.assertEqual(facts["streams"][0]["nb_read_frames"], "7")
        self.assertLess(float(facts["format"]["duration"]), 0.5)

    def test_input_options(self):
        report = self.video("box", "testsrc2=s=64x48:r=10,format=yuv422p", "-o", "out.mkv", "--codec", "ffv1", "--frames", 3,
                            "--input-options", "-f 'lavfi'", "--realtime")
        self.assertEqual((report["frames"], report["pixel_format"]), (3, "yuv422p"))
        self.source(frames=10)
        self.assertEqual(self.video("box", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--input-options", "-ss 0.2")["frames"], 5)

    def test_input_options_that_ffprobe_does_not_know(self):
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.4", "-f", "lavfi", "-i", "sine=d=0.4", "-c:v", "mpeg4", "-c:a", "aac", "flat.mp4")
        self.ffmpeg("-i", "flat.mp4", "-c", "copy", "-metadata:s:v", "rotate=90", "in.mp4")
        for options, frames, rate, width in (("-accurate_seek -ss 0.2 -to 0.36 -noautorotate", 4, "25/1", 64), ("-r 10", 10, "10/1", 48),
                                             ("-hwaccel:v none -c:v mpeg4 -noaccurate_seek", 10, "25/1", 48), ("-f mp4 -an -re", 10, "25/1", 48),
                                             ("-vcodec mpeg4 -threads 1 -discard none -t 0.2", 5, "25/1", 48), ("-sseof -0.2 -f mp4", 5, "25/1", 48)):
            with self.subTest(options):
                report = self.video("box", "in.mp4", "-o", "out.mkv", "--codec", "ffv1", "--input-options", options)
                self.assertEqual((report["frames"], report["width"]), (frames, width))
                streams = self.facts("out.mkv", "stream=r_frame_rate,codec_type")["streams"]
                self.assertEqual(streams[0]["r_frame_rate"], rate)
                self.assertEqual(len(streams), 1 if "-an" in options else 2)
        self.put("in.yuv", bytes(range(256)) * 18 * 3)
        report = self.video("box", "in.yuv", "-o", "out.mkv", "--codec", "ffv1", "--input-options", "-f rawvideo -pix_fmt yuv420p -s 64x48 -r 10")
        self.assertEqual((report["frames"], report["width"]), (3, 64))
        self.assertEqual(self.facts("out.mkv", "stream=r_frame_rate")["streams"][0]["r_frame_rate"], "10/1")

    def test_names_that_ffmpeg_would_take_for_something_else(self):
        (self.folder / self.source(frames=1)).rename(self.folder / "a:b.mkv")
        self.video("box", "a:b.mkv", "-o", "c:d 'e.mkv", "--codec", "ffv1")
        self.assertTrue((self.folder / "c:d 'e.mkv").exists())
        self.put("b.mkv", b"old")
        self.video("box", "a:b.mkv", "-o", "b.mkv", "--codec", "ffv1")

    def test_a_link_stays_a_link_and_permissions_stay(self):
        self.source(frames=1)
        self.put("real.mkv", b"old")
        (self.folder / "real.mkv").chmod(0o640)
        (self.folder / "link.mkv").symlink_to("real.mkv")
        self.video("box", "in.mkv", "-o", "link.mkv", "--codec", "ffv1")
        self.assertTrue((self.folder / "link.mkv").is_symlink())
        self.assertGreater((self.folder / "real.mkv").stat().st_size, 100)
        self.assertEqual((self.folder / "real.mkv").stat().st_mode & 0o777, 0o640)

    def test_report(self):
        self.source(frames=3)
        report = self.video("gaussian sigma=2", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--device", "cpu", "--threads", 1)
        self.assertEqual(set(report), {"filter", "input", "output", "frames", "fps", "seconds", "limit", "stages", "pixel_format", "width",
                                       "height", "device"})
        self.assertIn(report["limit"], ("decoding", "filtering", "encoding"))
        self.assertEqual((report["device"], report["filter"], report["frames"]), ("cpu", "gaussian sigma=2", 3))
        stdout, stderr = self.run_ok("video", "box", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--timing")
        self.assertEqual(stdout, b"")
        for word in ("frames ", "decoding ", "filtering ", "encoding ", "FPS ", "limited by ", "97x53 yuv420p"):
            self.assertIn(word, stderr)

    def test_devices_agree(self):
        self.source(frames=2)
        results = set()
        for arguments in ([], ["--device", "cpu"], ["--device", "reference"], ["--threads", 1]):
            self.video("custom weights='1 2 3 1 1'", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--scale", "0.125", *arguments)
            results.add(tuple(self.checksums("out.mkv", "yuv420p")))
        self.assertEqual(len(results), 1)


class Refusals(VideoTest):
    """One sentence, the exit code, and nothing left behind."""

    def refuse(self, sentence, code, *arguments, **more):
        self.check_error(["video", *arguments], sentence, code, **more)

    def test_command_lines(self):
        self.source(frames=1)
        self.put("out.mkv", b"as it was")
        self.put("3d.npy", npy(range(8), (2, 2, 2)))
        for sentence, arguments in (
                ("-o FILE is needed, or --preview; see halation video --help", ["box", "in.mkv"]),
                ("an empty name was given for input; see halation video --help", ["box", "", "-o", "out.mkv"]),
                ("an empty name was given for --output; see halation video --help", ["box", "in.mkv", "-o", ""]),
                ("-o needs a file of its own, not the one that is read", ["box", "in.mkv", "-o", "./in.mkv"]),
                ("-o needs a file, in which a video's beginning is written last; standard output is none", ["box", "in.mkv", "-o", "-"]),
                ("out: needs an ending that says the format, such as .mp4, .mkv, .mov or .webm", ["box", "in.mkv", "-o", "out"]),
                ("--rgb and --gray exclude each other", ["box", "in.mkv", "-o", "out.mkv", "--rgb", "--gray"]),
                ("a video cannot be read from standard input, which ffmpeg would have to open several times", ["box", "-", "-o", "out.mkv"]),
                ("--frames must be a whole number from 1 to 1099511627776, got '0'", ["box", "in.mkv", "-o", "out.mkv", "--frames", "0"]),
                ("--border-value goes with --border constant", ["box", "in.mkv", "-o", "out.mkv", "--border-value", "3"]),
                ("--input-options: the quote ' is not closed", ["box", "in.mkv", "-o", "out.mkv", "--input-options", "-f 'lavfi"]),
                ("--size goes with one filter; in a chain parameters stand behind their filter, such as \"gaussian sigma=2 | edges\"",
                 ["box | edges", "in.mkv", "-o", "out.mkv", "--size", "5"]),
                ("chain: stage 1 (gaussian): parameters are written name=value, such as sigma=2, got 'sigma'",
                 ["gaussian sigma 2", "in.mkv", "-o", "out.mkv"]),
                ("unknown option --extent; see halation video --help", ["box", "in.mkv", "-o", "out.mkv", "--extent", "full"]),
                ("frames have 2 dimensions, got a filter of 3", ["custom", "in.mkv", "-o", "out.mkv", "--weights", "3d.npy"]),
                ("edges: no parameter --sigma; it has none", ["edges", "in.mkv", "-o", "out.mkv", "--sigma", "2"]),
                # A name that is too long to stand within a std::string was freed twice.
                ("gaussian: sigma takes one value or one for each of 2 axes, got 3",
                 ["gaussian", "./././././././././in.mkv", "-o", "out.mkv", "--sigma", "1,2,3"]),
                ("sobel: axis must be x or y in 2D, got z", ["sobel axis=z", "./././././././././in.mkv", "-o", "out.mkv"])):
            with self.subTest(sentence):
                self.refuse(sentence, 2, *arguments)

    def test_addresses_of_the_file_that_would_be_replaced(self):
        self.source(frames=1)
        for address in ("file:in.mkv", f"file:{self.folder}/in.mkv", "file:./in.mkv", "concat:in.mkv", "concat:b.mkv|in.mkv", "concat:in.mkv|b.mkv",
                        "subfile,,start,0,end,0,,:in.mkv", "cache:file:in.mkv", "movie=in.mkv,null"):
            with self.subTest(address):
                self.refuse("-o needs a file of its own, not the one that is read", 2, "box", address, "-o", "in.mkv")

    def test_files(self):
        self.source(frames=1)
        self.put("text.mkv", b"hello\n" * 50)
        self.put("out.mkv", b"as it was")
        (self.folder / "folder.mkv").mkdir()
        self.ffmpeg("-f", "lavfi", "-i", "sine=d=0.1", "sound.mkv")
        self.refuse("nothing.mp4: no such file", 1, "box", "nothing.mp4", "-o", "out.mkv")
        self.refuse("folder.mkv: is a folder; a file was expected", 1, "box", "folder.mkv", "-o", "out.mkv")
        self.refuse("text.mkv: ffprobe: Invalid data found when processing input", 1, "box", "text.mkv", "-o", "out.mkv")
        self.refuse("sound.mkv: holds no video", 1, "box", "sound.mkv", "-o", "out.mkv")
        self.refuse("no/out.mkv: folder no does not exist", 1, "box", "in.mkv", "-o", "no/out.mkv")
        self.refuse("folder.mkv: is a folder; a file name was expected", 1, "box", "in.mkv", "-o", "folder.mkv")
        os.mkfifo(self.folder / "pipe.mkv")
        self.refuse("pipe.mkv: is a device or a pipe; a video needs a file, in which its beginning is written last", 1, "box", "in.mkv",
                    "-o", "pipe.mkv")

    def test_no_ffmpeg(self):
        self.source(frames=1)
        (self.folder / "nothing").mkdir()
        self.refuse("video needs the programs ffmpeg and ffprobe; on Debian: apt-get install ffmpeg", 1, "box", "in.mkv", "-o", "out.mkv",
                    env={**os.environ, "PATH": str(self.folder / "nothing")})

    def refuse_like(self, pattern, *arguments, code=1):
        """As `refuse`, where some of the sentence is ffmpeg's."""
        before = {path: path.read_bytes() for path in self.folder.iterdir()}
        done = self.start("video", *arguments)
        self.assertRegex(done.stderr.decode(), rf"\Ahalation: {pattern}\n\Z")
        self.assertEqual((done.returncode, done.stdout), (code, b""))
        self.assertEqual({path: path.read_bytes() for path in self.folder.iterdir()}, before)

    def test_input_options(self):
        self.source(frames=1)
        self.refuse("--input-options: -r takes frames a second, such as 30 or 30000/1001, got 'many'", 2, "box", "in.mkv", "-o", "out.mkv",
                    "--input-options", "-r many")
        for options, sentence in (("-foo 3", "Unrecognized option 'foo'"), ("-loop 1", "Option loop not found"),
                                  ("-f matroska -vf null", "Option vf .*cannot be applied to input.*")):
            with self.subTest(options):
                self.refuse_like(f"--input-options: ffmpeg: {sentence}", "box", "in.mkv", "-o", "out.mkv", "--input-options", options, code=2)

    def test_codecs_that_a_format_does_not_take(self):
        self.source(frames=2)
        self.put("out.mp4", b"as it was")
        for codec, out in (("prores_ks", "out.mp4"), ("mpeg4", "out.webm"), ("mpeg4", "out.ogv"), ("ffv1", "out.flv")):
            self.refuse_like(f"{out}: ffmpeg: .*; -o with .mkv takes nearly any codec, --codec NAME chooses another", "box", "in.mkv", "-o", out,
                             "--codec", codec)

    def test_odd_sizes(self):
        self.source(frames=30)
        self.put("out.mp4", b"as it was")
        for codec, told in (("libx264", r"libx264: \w+ not divisible by 2 \(97x53\)"), ("libx265", ".*multiple of the specified chroma subsampling")):
            self.need_encoder(codec)
            self.refuse_like(f"out.mp4: ffmpeg: {told}; a --pixel-format whose chroma is not halved takes odd sizes, such as yuv444p or yuv444p10le",
                             "box", "in.mkv", "-o", "out.mp4", "--codec", codec)
        self.video("box", "in.mkv", "-o", "out.mp4", "--codec", "libx264", "--pixel-format", "yuv444p")

    def test_formats_that_are_none_for_video(self):
        self.source(frames=1)
        for ending in ("xyz", "jpg", "wav", "mp3", "flac"):  # the last two take a cover
            self.put("out." + ending, b"as it was")
            for codec in ((), ("--codec", "ffv1")):
                self.refuse(f"out.{ending}: {ending} is no format for video; .mp4, .mkv, .mov, .webm, .avi and .gif are", 2, "box", "in.mkv", "-o",
                            "out." + ending, *codec)

    def test_encoders_that_are_none(self):
        self.source(frames=1)
        self.need_encoder("libx264")
        self.need_encoder("libvpx-vp9")
        for name, advice in (("x264", "; did you mean 'libx264'?"), ("vpx-vp9", "; did you mean 'libvpx-vp9'?"), ("ffv2", "; did you mean 'ffv1'?"),
                             ("nonsense", "; ffmpeg -encoders lists those that it has"), ("aac", "; ffmpeg -encoders lists those that it has")):
            self.refuse(f"this ffmpeg has no video encoder '{name}'{advice}", 2, "box", "in.mkv", "-o", "out.mkv", "--codec", name)

    def test_options_that_an_encoder_does_not_take(self):
        self.source(frames=1)
        self.need_encoder("libx264")
        self.need_encoder("libvpx-vp9")
        for encoder, most, given in (("libx264", 51, "99"), ("libx264", 51, "-3"), ("libvpx-vp9", 63, "63.5")):
            self.refuse(f"--crf of {encoder} must be from 0 to {most}, got '{given}'", 2, "box", "in.mkv", "-o", "out.mkv", "--codec", encoder,
                        f"--crf={given}")
        presets = "ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow, placebo"
        for preset, advice in (("fastt", "; did you mean 'fast'?"), ("nonsense", "")):
            self.refuse(f"--preset of libx264 must be one of {presets}; got '{preset}'{advice}", 2, "box", "in.mkv", "-o", "out.mp4", "--preset", preset)
        for encoder, option in (("ffv1", "--crf"), ("libvpx-vp9", "--preset")):
            self.refuse(f"{encoder} takes no {option}; --codec NAME chooses another encoder", 2, "box", "in.mkv", "-o", "out.mkv", "--codec", encoder,
                        option, "3")
        self.refuse("mpeg4 takes no --crf; --codec NAME chooses another encoder", 2, "box", "in.mkv", "-o", "out.mp4", "--codec", "mpeg4", "--crf", "3")

    def test_pixel_formats_that_an_encoder_does_not_take(self):
        self.source(frames=1)
        for encoder, out, pixels in (("libx264", "out.mp4", "yuva420p"), ("libvpx-vp9", "out.webm", "gray10le"), ("libx264", "out.mkv", "rgb24"),
                                     ("mpeg4", "out.mkv", "cuda")):
            self.need_encoder(encoder)
            formats = re.search("Supported pixel formats: (.*)", self.ffmpeg("-h", f"encoder={encoder}").decode())[1].split()
            self.refuse(f"--pixel-format: {encoder} takes no {pixels}; it takes {', '.join(formats)}", 2, "box", "in.mkv", "-o", out, "--codec", encoder,
                        "--pixel-format", pixels)
        self.video("box", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", "--pixel-format", "yuv420p10")
        self.assertEqual(self.facts("out.mkv", "stream=pix_fmt")["streams"][0]["pix_fmt"], "yuv420p10le")

    def test_damaged_files(self):
        self.source(frames=20)
        self.put("out.mkv", b"as it was")
        whole = self.get("in.mkv")
        middle = len(whole) * 6 // 10
        damages = {"cut.mkv": whole[:middle], "spoilt.mkv": whole[:middle] + bytes(x ^ 0x5a for x in whole[middle:middle + 900]) + whole[middle + 900:]}
        for name, data in damages.items():
            with self.subTest(name):
                self.put(name, data)
                self.refuse_like(f"{name}: ffmpeg: .*; --keep-going takes what can be decoded", "box", name, "-o", "out.mkv", "--codec", "ffv1")
        # Only its sound is cut.
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.2", "-f", "lavfi", "-i", "sine=d=4", "-c:v", "mpeg4", "-c:a", "aac", "-movflags", "faststart",
                    "sound.mp4")
        self.put("sound.mp4", self.get("sound.mp4")[:-3000])
        self.assertRegex(self.run_ok("video", "box", "sound.mp4", "-o", "out.mp4", "--codec", "mpeg4")[1], r"\Avideo: sound.mp4: ffmpeg: .*partial file\n\Z")
        done = self.start("video", "box", "cut.mkv", "-o", "out.mkv", "--codec", "ffv1", "--keep-going")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr.decode(), r"\Avideo: cut.mkv: ffmpeg: .*\n\Z")
        self.assertGreater(int(self.facts("out.mkv", "stream=nb_read_frames")["streams"][0]["nb_read_frames"]), 5)


class OtherEnds(VideoTest):
    """ffmpeg in ways that a file alone does not bring about: `self.script` stands in its place."""

    def setUp(self):
        super().setUp()
        self.source(frames=100)
        self.put("out.mkv", b"as it was")
        (self.folder / "bin").mkdir()
        self.environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

    def script(self, text):
        # What it has is asked of the true one.
        self.put("bin/ffmpeg", f'#!/bin/sh\ncase "$*" in *" -h "*) exec {FFMPEG} "$@" ;; esac\n{text}\n'.encode())
        (self.folder / "bin/ffmpeg").chmod(0o755)

    def test_half_a_frame(self):
        self.script(f'case "$*" in *pipe:1) head -c 10000 /dev/zero ;; *) exec {FFMPEG} "$@" ;; esac')
        self.check_error(["video", "box", "in.mkv", "-o", "out.mkv"], "in.mkv: the decoder ended in the middle of a frame", 1,
                         env=self.environment)

    def test_no_frames(self):
        self.script(f'case "$*" in *pipe:1) ;; *) exec {FFMPEG} "$@" ;; esac')
        self.check_error(["video", "box", "in.mkv", "-o", "out.mkv"], "in.mkv: no frame could be decoded", 1, env=self.environment)

    def test_the_decoder_fails_between_frames(self):
        self.script(f'case "$*" in *pipe:1) head -c $((2 * (97 * 53 + 2 * 49 * 27))) /dev/zero; exit 7 ;; *) exec {FFMPEG} "$@" ;; esac')
        self.check_error(["video", "box", "in.mkv", "-o", "out.mkv"],
                         "in.mkv: ffmpeg ended with exit code 7; --keep-going takes what can be decoded", 1, env=self.environment)

    def test_the_encoder_ends_midway(self):
        self.script(f'case "$*" in *pipe:1) exec {FFMPEG} "$@" ;; *) head -c 20000 > /dev/null; echo "disk full" >&2; exit 3 ;; esac')
        self.check_error(["video", "box", "in.mkv", "-o", "out.mkv"], "out.mkv: ffmpeg: disk full", 1, env=self.environment)

    def test_signals(self):
        os.mkfifo(self.folder / "started")
        # Both processes keep the pipe open until they end.
        self.script(f'exec 9> started; echo >&9; exec {FFMPEG} "$@"')
        before = set(self.folder.iterdir())
        for number in (signal.SIGINT, signal.SIGTERM):
            for end in (os.killpg, os.kill):
                with self.subTest(number=number, end=end):
                    running = subprocess.Popen([program.HALATION, "video", "gaussian", "in.mkv", "-o", "out.mkv", "--input-options",
                                                "-stream_loop -1", "--realtime"],
                                               cwd=self.folder, env=self.environment, start_new_session=True, stderr=subprocess.PIPE)
                    with open(self.folder / "started", "rb", buffering=0) as started:
                        lines = b""
                        while len(lines) < 2:
                            lines += started.read(1)
                        end(running.pid, number)
                        running.communicate(timeout=60)
                        self.assertEqual(started.read(), b"")  # all of them have ended
                    self.assertEqual(running.returncode, -number)
                    self.assertEqual(set(self.folder.iterdir()), before)
                    self.assertEqual(self.get("out.mkv"), b"as it was")


if __name__ == "__main__":
    main()
