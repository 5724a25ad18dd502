"""test_video_kept.py: `halation video`: what stays of codec, alpha, times and samples, and what is said where it does not."""
import json
import os
import re
import struct

from pictures import png
from program import main
from videos import FFMPEG, VideoTest


class Codecs(VideoTest):
    """The encoder, where none is asked for."""

    def test_the_codec_stays_or_its_change_is_told(self):
        other = "--codec NAME chooses another"
        for encoder, name, out, codec, options, told in (
                ("libx265", "in.mp4", "out.mp4", "hevc", [], ""), ("libx265", "in.mp4", "out.mkv", "hevc", ["--crf", 30, "--preset", "ultrafast"], ""),
                ("libx265", "in.mp4", "out.webm", "vp9", [], f"hevc becomes vp9 (webm takes no hevc); {other}"),
                ("libx265", "in.mp4", "out.avi", "mpeg4", [], f"hevc becomes mpeg4 (avi takes no hevc); {other}"),
                ("libx265", "in.mp4", "out.gif", "gif", [], ""), ("libx265", "in.mp4", "out.mp4", "h264", ["--codec", "libx264"], ""),
                ("libvpx-vp9", "in.webm", "out.mkv", "vp9", [], ""), ("libaom-av1", "in.mp4", "out.webm", "av1", [], ""),
                ("prores_ks", "in.mov", "out.mov", "prores", [], ""),
                ("prores_ks", "in.mov", "out.mp4", "h264", [], f"prores becomes h264 (mp4 takes no prores); {other}"),
                ("ffv1", "in.mkv", "out.mkv", "ffv1", [], ""),
                ("ffv1", "in.mkv", "out.mkv", "h264", ["--crf", 30], f"ffv1 becomes h264 (ffv1 takes no --crf); {other}"),
                ("mpeg4", "in.mp4", "out.mp4", "h264", [], f"mpeg4 becomes h264; {other}"), ("mpeg4", "in.mp4", "out.avi", "mpeg4", [], "")):
            with self.subTest(encoder=encoder, out=out, options=options):
                self.need_encoder(encoder)
                self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25", "-frames:v", 3, "-c:v", encoder,
                            *(["-cpu-used", 8] if encoder == "libaom-av1" else []), name)
                self.assertEqual(self.run_ok("video", "box", name, "-o", out, *options), (b"", f"video: {told}\n" if told else ""))
                self.assertEqual(self.facts(out, "stream=codec_name")["streams"][0]["codec_name"], codec)

    def test_encoders_say_nothing_but_errors(self):
        self.source(frames=2, scale="scale=96:96")
        for codec in ("libx265", "libsvtav1"):
            with self.subTest(codec):
                self.need_encoder(codec)
                self.assertEqual(self.run_ok("video", "box", "in.mkv", "-o", "out.mkv", "--codec", codec), (b"", ""))
                self.assertEqual(self.facts("out.mkv", "stream=nb_read_frames")["streams"][0]["nb_read_frames"], "2")
        self.source(frames=2, scale="scale=96:16")  # which SVT-AV1 finds too low
        done = self.start("video", "box", "in.mkv", "-o", "out.mkv", "--codec", "libsvtav1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), r"\Ahalation: out.mkv: ffmpeg: Svt\[error\]: .*eight.*\n\Z")


class BesideFrames(VideoTest):
    """What does not go along is told of, a line each."""

    def told(self, name, out, *options):
        out_text, told = self.run_ok("video", "box", name, "-o", out, *options)
        self.assertEqual(out_text, b"")
        return [line.removeprefix("video: ") for line in told.splitlines()]

    def test_streams_chapters_and_attached_files(self):
        self.put("subtitles.srt", b"1\n00:00:00,000 --> 00:00:00,100\nHello\n")
        self.put("chapters.txt", b";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=100\ntitle=one\n")
        self.put("note.txt", b"note")
        self.source("frames.mkv", frames=3, scale="scale=96:48")
        self.ffmpeg("-i", "frames.mkv", "-f", "lavfi", "-i", "sine=d=0.12", "-i", "subtitles.srt", "-i", "chapters.txt", "-map", 0, "-map", 1, "-map", 2,
                    "-map_chapters", 3, "-c:v", "copy", "-c:s", "subrip", "-attach", "note.txt", "-metadata:s:t", "mimetype=text/plain", "in.mkv")

        def lost_in(form):
            return [f"sound is lost: {form} holds none"] * (form == "gif") + [
                f"subtitles are lost: {form} takes no subrip", f"attached files are lost: {form} holds none", f"chapters are lost: {form} holds none"]

        self.assertEqual(self.told("in.mkv", "out.mkv"), [])
        self.assertEqual(self.told("in.mkv", "out.avi"), lost_in("avi"))
        self.assertEqual(self.told("in.mkv", "out.gif"), lost_in("gif"))
        self.assertEqual(self.told("in.mkv", "out.mov", "--codec", "libx264"), ["attached files are lost: mov holds none"])
        self.assertEqual(self.told("in.mkv", "out.avi", "--input-options", "-an -sn"), lost_in("avi")[1:])

    def test_sound_that_the_format_does_not_hold_is_encoded_again(self):
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.2", "-f", "lavfi", "-i", "sine=d=0.2:r=48000", "-map", 0, "-map", 1, "-map", 1, "-map", 1,
                    "-map", 1, "-c:v", "mpeg4", "-c:a:0", "flac", "-c:a:1", "libopus", "-c:a:2", "pcm_s16le", "-c:a:3", "ac3", "in.mkv")
        for out, codecs in (("out.mkv", "flac opus pcm_s16le ac3"), ("out.mp4", "aac opus aac ac3"), ("out.mov", "aac aac pcm_s16le ac3"),
                            ("out.avi", "flac mp3 pcm_s16le ac3"), ("out.ts", "mp2 opus mp2 ac3"), ("out.m2ts", "mp2 opus mp2 ac3"),
                            ("out.mpg", "mp2 mp2 mp2 ac3")):
            with self.subTest(out):
                self.assertEqual(self.told("in.mkv", out, "--codec", "mpeg1video" if out == "out.mpg" else "mpeg4"), [])
                self.assertEqual([stream["codec_name"] for stream in self.facts(out, "stream=codec_name")["streams"]][1:], codecs.split())
        self.ffmpeg("-i", "in.mkv", "-map", "0:v", "-map", "0:a:0", "-c", "copy", "flac.mkv")
        for out, codec in (("out.flv", "aac"), ("out.wmv", "wmav2"), ("out.3gp", "aac")):
            with self.subTest(out):
                self.assertEqual(self.told("flac.mkv", out, "--codec", "flv" if out == "out.flv" else "mpeg4"), [])
                self.assertIn({"codec_name": codec}, self.facts(out, "stream=codec_name")["streams"])

    def test_addresses(self):
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.2", "-f", "lavfi", "-i", "sine=d=0.2", "-c:v", "mpeg2video", "-c:a", "mp2", "in.ts")
        for address, told, streams in (("file:in.ts", [], 2), (f"file:{self.folder}/in.ts", [], 2),
                                       ("concat:in.ts|in.ts", ["sound and subtitles are lost: of cameras, streams and other addresses only frames are taken"], 1)):
            with self.subTest(address):
                self.assertEqual(self.told(address, "out.mkv", "--codec", "mpeg4"), told)
                self.assertEqual(len(self.facts("out.mkv", "stream=codec_name")["streams"]), streams)
        self.check_error(["video", "box", "file:nothing.mp4", "-o", "out.mkv"], "nothing.mp4: no such file", 1)

    def plays(self, name):
        """How often an animation is shown, 0: without end."""
        data = self.get(name)
        if name.endswith(".apng"):
            return int.from_bytes(data[data.index(b"acTL") + 8:][:4], "big")
        repeats = re.search(rb"NETSCAPE2\.0\x03\x01(..)", data, re.DOTALL)
        return 1 if repeats is None else (int.from_bytes(repeats[1], "little") or -1) + 1

    def test_loops(self):
        for plays, loop, names in ((0, 0, ["in.gif", "a.apng", "b.gif"]), (1, -1, ["in.gif", "a.apng", "b.gif"]),
                                   (3, 2, ["in.gif", "a.gif", "b.apng", "c.apng", "d.gif"])):
            self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=10", "-frames:v", 2, "-loop", loop, "in.gif")
            for before, after in zip(names, names[1:]):
                with self.subTest(plays=plays, before=before, after=after):
                    self.assertEqual([line for line in self.told(before, after) if "alpha" not in line], [])
                    self.assertEqual([self.plays(before), self.plays(after)], [plays, plays])
        self.assertIn("the number of loops is lost: mp4 holds none", self.told("in.gif", "out.mp4", "--codec", "mpeg4"))

    def test_a_second_video(self):
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.1", "-f", "lavfi", "-i", "sine=d=0.1", "-map", 0, "-map", 0, "-map", 1, "-c:v:0", "ffv1",
                    "-c:v:1", "mpeg4", "-c:a", "flac", "in.mkv")
        self.assertEqual(self.told("in.mkv", "out.mkv"), ["only the first of 2 video streams is taken"])
        self.assertEqual([stream["codec_name"] for stream in self.facts("out.mkv", "stream=codec_name")["streams"]], ["ffv1", "flac"])

    def test_a_cover(self):
        self.put("cover.png", png([[5] * 16] * 16))
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25", "-i", "cover.png", "-map", 0, "-map", 1, "-frames:v:0", 2, "-c:v:0", "libx264", "-c:v:1", "png",
                    "-disposition:v:1", "attached_pic", "in.mp4")
        self.assertEqual(self.told("in.mp4", "out.mp4"), ["the cover picture is lost"])

    def test_bits_and_chroma(self):
        for pixels, codec, told in (("yuv420p", "mpeg4", []), ("gray", "mpeg4", []), ("yuv420p10le", "libx264", []), ("yuv422p", "prores_ks", [])) + tuple(
                (pixels, "mpeg4", [f"{pixels} loses bits or chroma: mpeg4 takes no pixel format that holds all; --codec NAME chooses another"])
                for pixels in ("yuv420p10le", "yuv444p", "rgb24")):
            with self.subTest(pixels=pixels, codec=codec):
                self.source(pixels=pixels if pixels != "rgb24" else "bgr0", frames=1, scale="scale=96:48")
                self.assertEqual(self.told("in.mkv", "out.mov" if codec == "prores_ks" else "out.mkv", "--codec", codec),
                                 [line.replace("rgb24", "bgr0") for line in told])
        for pixels, codec, name in (("yuva444p10le", "prores_ks", "yuva444p12le"), ("bgra", "ffv1", "bgra")):  # as ffmpeg decodes them
            self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48,format=rgba", "-frames:v", 1, "-c:v", codec, "-pix_fmt", pixels, "in.mkv")
            self.assertEqual(self.told("in.mkv", "out.mkv", "--codec", "libvpx-vp9"),
                             [f"{name} loses bits or chroma: libvpx-vp9 takes no pixel format that holds all; --codec NAME chooses another"])
        self.source(pixels="yuv420p10le", frames=1)
        self.assertEqual(self.told("in.mkv", "out.mkv", "--codec", "mpeg4", "--pixel-format", "yuv420p"), [])  # as asked

    def test_fields_and_light_levels(self):
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25", "-frames:v", 2, "-c:v", "libx264", "-flags", "+ilme+ildct", "-x264-params", "tff=1", "in.mp4")
        self.assertEqual(self.told("in.mp4", "out.mp4"),
                         ["interlaced: both fields of a frame are filtered as one picture; ffmpeg -vf bwdif makes frames of them before"])
        self.source("hdr.mkv", "yuv420p10le", 1, "-color_trc", "smpte2084", "-color_primaries", "bt2020", "-colorspace", "bt2020nc", scale="scale=64:48")
        line = "HDR10: the light levels of the mastering display and of the content are not written; the transfer curve is"
        for out, options, told in (("out.mkv", [], line), ("out.avi", ["--codec", "libx264"], line), ("out.gif", [], f"{line} neither, for which gif has no place"),
                                   ("out.avi", ["--codec", "mpeg4"], f"{line} neither, for which avi has no place")):
            with self.subTest(out=out, options=options):
                self.assertEqual([text for text in self.told("hdr.mkv", out, *options) if text.startswith("HDR10")], [told])
                self.assertEqual(self.facts(out, "stream=color_transfer")["streams"][0].get("color_transfer", "unknown"), "smpte2084" if told == line else "unknown")


class Alpha(VideoTest):
    """Alpha is filtered as `apply` filters a photograph's, and written where the output takes it."""

    def source_with_alpha(self, name, codec, pixels, *more):
        self.need_encoder(codec)
        self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=10,format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='255*lt(X,40)*gt(Y,9)'",
                    "-frames:v", 2, "-c:v", codec, "-pix_fmt", pixels, *more, name)

    def alpha_of(self, name, *decoder):
        return self.ffmpeg(*decoder, "-i", name, "-frames:v", 1, "-vf", "format=rgba,alphaextract", "-f", "rawvideo", "-pix_fmt", "gray", "-")

    def test_it_is_filtered_as_apply_filters_it(self):
        for name, codec, pixels, filtered_as, more in (("in.webm", "libvpx-vp9", "yuva420p", "rgba", []),
                                                       ("in8.webm", "libvpx", "yuva420p", "rgba", ["-auto-alt-ref", 0]),
                                                       ("in.mov", "prores_ks", "yuva444p10le", "rgba64le", []),
                                                       ("in.mkv", "ffv1", "ya8", "ya8", [])):
            with self.subTest(name):
                self.source_with_alpha(name, codec, pixels, *more)
                decoder = ["-c:v", codec] if codec.startswith("libvpx") else []
                deep = filtered_as == "rgba64le"
                self.ffmpeg(*decoder, "-i", name, "-frames:v", 1, "-pix_fmt", {"rgba64le": "rgba64be"}.get(filtered_as, filtered_as), "frame.png")
                for filters in ("box size=5", "edges"):
                    self.run_ok("apply", filters, "frame.png", "-o", "filtered.png")
                    expected = self.ffmpeg("-i", "filtered.png", "-f", "rawvideo", "-pix_fmt", filtered_as, "-")
                    report = self.video(filters, name, "-o", "out.mkv", "--codec", "ffv1", "--pixel-format",
                                        "rgba64le" if deep else "ya8" if filtered_as == "ya8" else "bgra")
                    self.assertEqual(report["pixel_format"], filtered_as)
                    result = self.raw("out.mkv", filtered_as, "-frames:v", 1)
                    self.assertGreater(len(set(expected)), 20)
                    self.assertEqual(result, expected)

    def test_it_is_written_where_the_output_takes_it(self):
        self.source_with_alpha("in.webm", "libvpx-vp9", "yuva420p")
        self.source_with_alpha("in.mov", "prores_ks", "yuva444p10le")
        before = {name: self.alpha_of(name, *decoder) for name, decoder in (("in.webm", ["-c:v", "libvpx-vp9"]), ("in.mov", []))}
        for name, out, codec, options in (("in.webm", "out.webm", "vp9", []), ("in.webm", "out.mkv", "vp9", []), ("in.webm", "out.mov", "prores", []),
                                          ("in.mov", "out.mov", "prores", []), ("in.mov", "out.mkv", "prores", []), ("in.mov", "out.webm", "vp9", []),
                                          ("in.mov", "out.mov", "qtrle", ["--codec", "qtrle"]), ("in.webm", "out.apng", "apng", []),
                                          ("in.webm", "out.webm", "vp8", ["--codec", "libvpx"]), ("in.webm", "out.mkv", "vp9", ["--gray"])):
            with self.subTest(name=name, out=out, options=options):
                self.assertNotIn("alpha", self.run_ok("video", "identity", name, "-o", out, *options)[1])
                self.assertEqual(self.facts(out, "stream=codec_name")["streams"][0]["codec_name"], codec)
                decoder = {"vp9": ["-c:v", "libvpx-vp9"], "vp8": ["-c:v", "libvpx"]}.get(codec, [])
                after = self.alpha_of(out, *decoder)
                self.assertLess(sum(abs(a - b) for a, b in zip(after, before[name], strict=True)) / len(after), 4)

    def test_transparent_colours_of_a_palette(self):
        self.source_with_alpha("in.apng", "apng", "rgba")
        palettes = "split[a][b];[a]palettegen[p];[b][p]paletteuse"
        self.ffmpeg("-i", "in.apng", "-vf", palettes, "in.gif")
        self.ffmpeg("-i", "in.apng", "-vf", f"format=rgb24,{palettes}", "opaque.gif")
        before = self.alpha_of("in.gif")
        self.assertEqual(set(before), {0, 255})
        for name, out, told in (("in.gif", "out.gif", ""), ("in.gif", "out.apng", ""), ("in.gif", "out.mov", ""),
                                ("in.apng", "out.gif", "alpha becomes transparent or opaque: gif holds no more; -o out.webm keeps it"),
                                ("in.gif", "out.mp4", "alpha is lost: libx264 holds none; -o out.webm keeps it"),
                                ("opaque.gif", "out.gif", ""), ("opaque.gif", "out.mp4", "")):
            with self.subTest(name=name, out=out):
                lines = self.run_ok("video", "identity", name, "-o", out)[1].splitlines()
                self.assertEqual([line for line in lines if "alpha" in line], [f"video: {told}"] if told else [])
                self.assertEqual(self.facts(out, "stream=nb_read_frames")["streams"][0]["nb_read_frames"], "2")
                kept = name != "opaque.gif" and "lost" not in told
                self.assertLess(sum(abs(a - b) for a, b in zip(self.alpha_of(out), before if kept else bytes([255] * len(before)), strict=True)), 600)

    def test_its_loss_is_told(self):
        self.source_with_alpha("in.webm", "libvpx-vp9", "yuva420p")
        for out, options, told in (("out.mp4", [], "alpha is lost: mp4 holds none; -o out.webm keeps it"),
                                   ("out.mp4", ["--codec", "libx264"], "alpha is lost: libx264 holds none; -o out.webm keeps it"),
                                   ("out.mkv", ["--codec", "libx264"], "alpha is lost: libx264 holds none; --codec ffv1 or libvpx-vp9 keeps it"),
                                   ("out.mov", ["--codec", "libx264"], "alpha is lost: libx264 holds none; --codec prores_ks or qtrle keeps it"),
                                   ("out.webm", ["--pixel-format", "yuv420p"], "alpha is lost: yuv420p holds none; it stays without --pixel-format"),
                                   ("out.gif", ["--pixel-format", "rgb8"], "alpha is lost: rgb8 holds none; it stays without --pixel-format")):
            with self.subTest(out=out, options=options):
                self.assertEqual(self.run_ok("video", "box", "in.webm", "-o", out, *options), (b"", f"video: {told}\n" if told else ""))
                self.assertNotIn("alpha_mode", self.facts(out, "stream_tags")["streams"][0].get("tags", {}))
                self.assertEqual(set(self.alpha_of(out, *(["-c:v", "libvpx-vp9"] if out == "out.webm" else []))), {255})


class Times(VideoTest):
    """Frames come when they came, where the output has frames at any times; sound stays with them."""

    UNEVEN = "settb=1/90000,setpts='N*3600+900*mod(N,3)'"  # 0, 50, 100, 120, ... ms

    def uneven(self, name, codec="mpeg4", pixels="yuv420p", size="64x48", sound=()):
        base = "1/1000" if name.endswith(".mkv") else "1/90000" if codec != "mpeg4" else "1/60000"
        self.ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={size}:r=25:d=0.4", *sound, "-vf", self.UNEVEN, "-fps_mode", "passthrough", "-enc_time_base",
                    base, "-pix_fmt", pixels, "-c:v", codec, name)
        return name

    def times(self, name):
        packets = self.facts(name, "packet=pts_time,codec_type")["packets"]
        return sorted(float(packet["pts_time"]) for packet in packets if packet["codec_type"] == "video")

    def assert_times(self, name, expected):
        times = self.times(name)
        self.assertEqual(len(times), len(expected))
        for time, right in zip(times, expected, strict=True):
            self.assertAlmostEqual(time - times[0], right - expected[0], delta=0.0011)

    def test_frames_of_variable_rate_keep_their_times_and_samples(self):
        for name, out, codec in (("in.mp4", "out.mp4", "mpeg4"), ("in.mp4", "out.webm", "libvpx-vp9"), ("in.mkv", "out.mkv", "ffv1"),
                                 ("in.mkv", "out.mp4", "libx264"), ("in.mkv", "out.mov", "prores_ks"), ("in.mp4", "out.gif", "gif")):
            with self.subTest(name=name, out=out):
                self.uneven(name)
                self.assertEqual(self.run_ok("video", "box", name, "-o", out, "--codec", codec), (b"", ""))
                expected = self.times(name)
                self.assertGreater(max(expected) - min(expected), 0.35)
                self.assert_times(out, [round(time, 2) for time in expected] if out == "out.gif" else expected)
        for pixels in ("yuvj420p", "yuv422p10le", "yuv440p", "gray10le", "gbrp12le", "bgra", "bgr0", "ya8", "rgba64le"):
            with self.subTest(pixels):
                self.uneven("in.mkv", "ffv1", pixels)
                self.assertEqual(self.run_ok("video", "identity", "in.mkv", "-o", "out.mkv", "--codec", "ffv1"), (b"", ""))
                self.assert_times("out.mkv", self.times("in.mkv"))
                self.assertEqual(self.checksums("out.mkv", pixels), self.checksums("in.mkv", pixels))

    def test_sound_stays_with_frames_of_variable_rate(self):
        self.uneven("in.mkv", sound=("-f", "lavfi", "-i", "sine=d=0.4", "-c:a", "pcm_s16le"))
        for options, frames in ([], 10), (["--frames", 4], 4):
            self.run_ok("video", "box", "in.mkv", "-o", "out.mkv", "--codec", "ffv1", *options)
            self.assert_times("out.mkv", self.times("in.mkv")[:frames])
            streams = self.facts("out.mkv", "stream=codec_type,start_time:stream_tags")["streams"]
            self.assertEqual([float(stream["start_time"]) for stream in streams], [0, 0])
            length = float(streams[1]["tags"]["DURATION"].split(":")[-1])
            self.assertAlmostEqual(length, frames / 25, delta=0.06)

    def test_input_options_leave_sound_with_frames(self):
        self.ffmpeg("-itsoffset", 0.2, "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.4", "-f", "lavfi", "-i", "sine=d=1", "-c:v", "ffv1",
                    "-c:a", "flac", "in.mkv")
        for options in "-threads 1", "-itsoffset 0.3":
            with self.subTest(options):
                self.run_ok("video", "identity", "in.mkv", "-o", "out.mkv", "--input-options", options)
                starts = [float(stream["start_time"]) for stream in self.facts("out.mkv", "stream=start_time")["streams"]]
                self.assertAlmostEqual(starts[0] - starts[1], 0.2, delta=0.021)

    def test_one_rate_is_told_where_frames_cannot_come_at_any_times(self):
        self.uneven("in.mkv")
        for arguments, told in ((["in.mkv", "-o", "out.avi", "--codec", "mpeg4"], r"avi has one, .* frames a second, .*; -o out.mkv keeps it"),
                                (["in.mkv", "-o", "out.ts", "--codec", "mpeg2video"], r"mpeg2video has one, .*; --codec libx264 keeps it")):
            stderr = self.run_ok("video", "box", *arguments)[1]
            self.assertRegex(stderr, rf"\Avideo: variable frame rate: {told}\n\Z")
            self.assertAlmostEqual(self.times(arguments[2])[-1] - self.times(arguments[2])[0], self.times("in.mkv")[-1], delta=0.1)
        self.uneven("small.mkv", "ffv1", "gray", "64x32")
        self.assertRegex(self.run_ok("video", "box", "small.mkv", "-o", "out.mkv")[1],
                         r"\Avideo: variable frame rate: frames of 64x32 gray are written at one, .* a second\n\Z")

    def test_one_rate_is_known_as_such(self):
        for name, rate, codec in (("in.mkv", "24000/1001", "libx264"), ("in.mp4", "30000/1001", "libx264"), ("in.ts", "25", "mpeg2video"),
                                  ("in.webm", "60", "libvpx-vp9"), ("in.avi", "25", "mpeg4")):
            with self.subTest(name):
                self.ffmpeg("-f", "lavfi", "-i", f"testsrc2=s=64x48:r={rate}", "-frames:v", 10, "-c:v", codec, name)
                self.assertEqual(self.run_ok("video", "box", name, "-o", "out.avi", "--codec", "ffv1"), (b"", ""))
                self.assert_times("out.avi", self.times(name))

    def test_a_decoder_that_ends_within_a_frame(self):
        self.uneven("in.mkv")
        (self.folder / "bin").mkdir()
        self.put("bin/ffmpeg", f'#!/bin/sh\ncase "$*" in *pipe:1) {FFMPEG} "$@" 2> /dev/null | head -c $HEAD ;; *) exec {FFMPEG} "$@" ;; esac\n'.encode())
        (self.folder / "bin/ffmpeg").chmod(0o755)
        for bytes_ in (10, 40, 150, 20000):
            self.check_error(["video", "box", "in.mkv", "-o", "out.mkv", "--codec", "ffv1"],
                             "in.mkv: the decoder ended in the middle of a frame", 1,
                             env={**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "HEAD": str(bytes_)})


class Clipped(VideoTest):
    """Samples that pixels cannot hold, which are told of."""

    def said(self, *arguments):
        """What the command says of a video, which its report says too."""
        report, line = self.run_ok("video", *arguments, "-o", "out.mkv", "--codec", "ffv1", "--json")
        self.assertEqual(line, "".join(f"video: {note}\n" for note in json.loads(report).get("notes", [])))
        return line

    def test_clipped_samples_are_told_as_apply_tells_them(self):
        self.source(pixels="bgr0", frames=3)
        self.ffmpeg("-i", "in.mkv", "-pix_fmt", "rgb24", "frame%d.png")
        for filters in ("unsharp_mask sigma=1 amount=4", "gaussian_derivative", "laplacian_of_gaussian sigma=1"):
            told = [self.run_ok("apply", filters, f"frame{i}.png", "-o", "out.png")[1].removeprefix("apply: ") for i in (1, 2)]
            shares = [sum(map(float, re.findall(r"([\d.]+)%", text))) for text in told]
            most = shares.index(max(shares))
            text = told[most].replace(", --output-pixel f32 keeps all (.tif, .exr, .npy)", "")
            self.assertEqual(self.said(filters, "in.mkv"), f"video: frame {most + 1}: {text}")
            self.assertEqual(self.said(filters, "in.mkv", "--view", "abs"), "")
        self.assertEqual(self.said("gaussian", "in.mkv"), "")

    def test_frames_whose_clipped_samples_are_counted(self):
        # From 0 on: gray, but for one frame of stripes that every second sample of is clipped in.
        for frame, told in ((1, "frame 2, luma"), (2, None), (3, "frame 4, luma"), (7, "frame 8, luma"), (8, None)):
            self.ffmpeg("-f", "lavfi", "-i", f"color=gray:s=98x54:r=25,format=gray,geq=lum='if(eq(N\\,{frame})\\,255*mod(X\\,2)\\,128)',format=yuv420p",
                        "-frames:v", 10, "-c:v", "ffv1", "in.mkv")
            said = self.said("unsharp_mask", "in.mkv", "--sigma", 1, "--amount", 2)
            self.assertEqual(said.split(":")[:-1], ["video", f" {told}"] if told else [])

    def test_clipped_samples_of_ten_bits(self):
        # Of 10,000 samples so many are 0, so many 1,020, the others in between.
        for low, high, told in ((90, 90, "0.9% of the samples are below 0 and became 0, 0.9% are above 1023 and became 1023"),
                                (90, 1500, "0.9% of the samples are below 0 and became 0, 15% are above 1023 and became 1023"),
                                (0, 300, "3.0% of the samples are above 1023 and became 1023"), (300, 0, "3.0% of the samples are below 0 and became 0"),
                                (40, 40, "")):
            self.put("raw", struct.pack("<10000H", *[0] * low, *[1020] * high, *[500] * (10000 - low - high)))
            self.ffmpeg("-f", "rawvideo", "-pix_fmt", "gray10le", "-s", "100x100", "-i", "raw", "-c:v", "ffv1", "in.mkv")
            said = self.said("identity", "in.mkv", "--scale", 1.2, "--offset", -100)
            self.assertEqual(said, f"video: frame 1: {told}; --view stretch shows them\n" if told else "")


if __name__ == "__main__":
    main()
