"""test_chains.py: `halation apply "gaussian sigma=2 | edges"`: filters one after the other, rounded once."""
import json
import math

from pictures import npy, png, read_npy, read_png, tiff
from program import ROWS, SHAPE, SKEW, SKEW_TEXT, ProgramTest, filtered, flat, main

WRONG_USAGE = 2
BORDERS = ("constant", "replicate", "reflect", "reflect101", "wrap")
BESIDE_A_CHAIN = 'in a chain parameters stand behind their filter, such as "gaussian sigma=2 | edges"'
SOBEL_X = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
SOBEL_Y = [[-1, -2, -1], [0, 0, 0], [1, 2, 1]]


def gaussian_taps(sigma):
    radius = max(1, math.floor(4 * sigma + 0.5))
    taps = [math.exp(-i * i / (2 * sigma * sigma)) for i in range(-radius, radius + 1)]
    return [tap / sum(taps) for tap in taps]


def gaussian(rows, sigma_y, sigma_x, **more):
    along_x = filtered(rows, [gaussian_taps(sigma_x)], **more)
    return filtered(along_x, [[tap] for tap in gaussian_taps(sigma_y)], **more)


def unsharp_mask(rows, amount, sigma=1, **more):
    soft = gaussian(rows, sigma, sigma, **more)
    return [[(1 + amount) * value - amount * blurred for value, blurred in zip(*pair)] for pair in zip(rows, soft)]


def edges(rows, **more):
    pairs = zip(filtered(rows, SOBEL_X, **more), filtered(rows, SOBEL_Y, **more))
    return [[math.hypot(x, y) for x, y in zip(*pair)] for pair in pairs]


def to_u8(value):
    return min(255, max(0, round(value)))


class Chains(ProgramTest):
    """What a chain gives is one filter after the other in floats, rounded once."""

    def picture_of(self, chain, rows, *arguments):
        """Samples of the filtered PNG."""
        self.put("in.png", png(rows))
        self.run_ok("apply", chain, "in.png", "-o", "out.png", *arguments)
        return flat(flat(read_png(self.get("out.png"))[0]))

    def assert_levels(self, found, expected):
        """u8 within one level."""
        self.assertEqual(len(found), len(expected))
        for level, value in zip(found, expected):
            self.assertLessEqual(abs(level - to_u8(value)), 1)

    def test_three_stages_with_each_border(self):
        for border in BORDERS:
            with self.subTest(border=border):
                expected = flat(edges(unsharp_mask(gaussian(ROWS, 2, 2, mode=border), 0.5, mode=border), mode=border))
                chain = "gaussian sigma=2 | unsharp_mask amount=0.5 | edges"
                values, shape = self.apply_to_array(flat(ROWS), SHAPE, chain, "--border", border)
                self.assertEqual(shape, SHAPE)
                self.assert_close(values, expected, 1e-5)
                self.assert_levels(self.picture_of(chain, ROWS, "--border", border), expected)

    def test_a_border_for_each_axis_and_a_value(self):
        mode = ("wrap", "reflect")
        values, _ = self.apply_to_array(flat(ROWS), SHAPE, "gaussian sigma=1|edges", "--border", "wrap,reflect")
        self.assert_close(values, flat(edges(gaussian(ROWS, 1, 1, mode=mode), mode=mode)), 1e-5)
        more = {"mode": "constant", "value": -20.5}
        values, _ = self.apply_to_array(flat(ROWS), SHAPE, "gaussian sigma=1|edges", "--border", "constant", "--border-value",
                                        "-20.5")
        self.assert_close(values, flat(edges(gaussian(ROWS, 1, 1, **more), **more)), 1e-5)

    def test_a_value_for_each_axis(self):
        values, _ = self.apply_to_array(flat(ROWS), SHAPE, "gaussian sigma=2,0.7 | edges")
        self.assert_close(values, flat(edges(gaussian(ROWS, 2, 0.7))), 1e-5)

    def test_one_filter_with_its_parameters(self):
        for chain, options in (("gaussian sigma=2", ["gaussian", "--sigma", "2"]),
                               ("gaussian_derivative order-x=1 sigma='1.5'", ["gaussian_derivative", "--order-x", "1", "--sigma",
                                                                              "1.5"]),
                               (" sobel\taxis=y ", ["sobel", "--axis", "y"]), (f"custom weights='{SKEW_TEXT}'", ["custom", "--weights", SKEW_TEXT])):
            with self.subTest(chain=chain):
                one, _ = self.apply_to_array(flat(ROWS), SHAPE, chain)
                self.assertEqual(one, self.apply_to_array(flat(ROWS), SHAPE, *options)[0])

    def test_one_filter_as_a_chain_takes_an_anchor(self):
        values, _ = self.apply_to_array(flat(ROWS), SHAPE, f"custom weights='{SKEW_TEXT}'", "--anchor", "0,2")
        self.assert_close(values, flat(filtered(ROWS, SKEW, anchor=(0, 2))))

    def test_weights_of_your_own(self):
        for border in BORDERS:
            expected = flat(filtered(filtered(ROWS, SKEW, border), [[1, -2, 4]], border))
            for chain in (f"custom weights='{SKEW_TEXT}' | custom weights='1 -2 4'", f'custom weights="{SKEW_TEXT}"|custom weights=1,-2,4'):
                self.assert_close(self.apply_to_array(flat(ROWS), SHAPE, chain, "--border", border)[0], expected, 1e-5)
        correlated = filtered(filtered(ROWS, SKEW, correlate=True), [[1, -2, 4]], correlate=True)
        self.assert_close(self.apply_to_array(flat(ROWS), SHAPE, chain, "--correlate")[0], flat(correlated), 1e-5)

    def test_extents(self):
        chain = f"custom weights='{SKEW_TEXT}' | custom weights='1 -2 4'"
        same = filtered(filtered(ROWS, SKEW), [[1, -2, 4]])
        values, shape = self.apply_to_array(flat(ROWS), SHAPE, chain, "--extent", "valid")
        self.assertEqual(shape, (5, 5))
        self.assert_close(values, [value for row in same[1:-1] for value in row[2:-2]], 1e-5)
        padded = [[0] * 13] + [[0, 0, *row, 0, 0] for row in ROWS] + [[0] * 13]
        values, shape = self.apply_to_array(flat(ROWS), SHAPE, chain, "--extent", "full", "--border", "constant")
        self.assertEqual(shape, (9, 13))
        self.assert_close(values, flat(filtered(filtered(padded, SKEW, "constant"), [[1, -2, 4]], "constant")), 1e-5)

    def test_nothing_is_clipped_or_rounded_on_the_way(self):
        bright = [[200] * 6] * 4
        self.assertEqual(self.picture_of("custom weights=2 | custom weights=0.5", bright), [200] * 24)
        self.assertEqual(self.picture_of("custom weights=-1 | custom weights=-1", bright), [200] * 24)
        self.assertEqual(self.picture_of("custom weights=0.001 | custom weights=1000", bright), [200] * 24)
        found = self.picture_of("laplacian | custom weights='1 2 1'", ROWS)  # 0 to 255 would lose most of what lies between
        laplacian = filtered(ROWS, [[0, 1, 0], [1, -4, 1], [0, 1, 0]])
        self.assertEqual(found, [to_u8(value) for value in flat(filtered(laplacian, [[1, 2, 1]]))])

    def test_scale_offset_and_rounding_come_last(self):
        laplacian = filtered(ROWS, [[0, 1, 0], [1, -4, 1], [0, 1, 0]])
        values, _ = self.apply_to_array(flat(ROWS), SHAPE, "laplacian | custom weights='1 2 1'", "--scale", "-0.5", "--offset", "7")
        self.assert_close(values, [7 - value / 2 for value in flat(filtered(laplacian, [[1, 2, 1]]))], 1e-5)
        half = "custom weights=0.5 | custom weights=1"
        self.assertEqual(self.picture_of(half, [[1, 3, 5, 7]]), [0, 2, 2, 4])
        self.assertEqual(self.picture_of(half, [[1, 3, 5, 7]], "--rounding", "truncate"), [0, 1, 2, 3])

    def test_output_pixels(self):
        self.put("in.png", png(ROWS))
        expected = flat(filtered(filtered(ROWS, SKEW), [[1, -2, 4]]))
        for pixel, kind in (("f32", "f4"), ("f64", "f8"), ("i16", "i2")):
            self.run_ok("apply", f"custom weights='{SKEW_TEXT}' | custom weights='1 -2 4'", "in.png", "-o", "out.npy", "--output-pixel",
                        pixel)
            values, _, found = read_npy(self.get("out.npy"))
            self.assertEqual(found, kind)
            self.assert_close(values, expected, 1e-5)

    def test_volumes_and_signals(self):
        signal = [float(i * i % 23) for i in range(40)]
        values, _ = self.apply_to_array(signal, (40,), "custom weights='1 2 -3' | custom weights='0.5 0 4'")
        self.assert_close(values, flat(filtered(filtered([signal], [[1, 2, -3]]), [[0.5, 0, 4]])), 1e-5)
        volume = [float((7 * i * i + 3) % 31) for i in range(5 * 6 * 7)]
        chain, _ = self.apply_to_array(volume, (5, 6, 7), "gaussian sigma=0.8 | box size=3,1,2")
        once, _ = self.apply_to_array(volume, (5, 6, 7), "gaussian", "--sigma", "0.8")
        self.assert_close(chain, self.apply_to_array(once, (5, 6, 7), "box", "--size", "3,1,2")[0], 1e-5)

    def test_devices_and_threads_agree(self):
        results = {tuple(self.picture_of("gaussian sigma=2 | unsharp_mask amount=0.5", ROWS, *arguments))
                   for arguments in ([], ["--device", "cpu"], ["--threads", 1], ["--threads", 2], ["--tune", "measure"])}
        self.assertEqual(len(results), 1)
        self.assert_levels(self.picture_of("gaussian sigma=2 | unsharp_mask amount=0.5", ROWS, "--device", "reference"), results.pop())

    def test_every_page_goes_through_the_chain(self):
        self.put("in.tif", tiff([ROWS, [[9, 200, 30]] * 3]))
        self.run_ok("apply", "gaussian sigma=1 | edges", "in.tif", "-o", "out.tif")
        for page, rows in ((1, ROWS), (2, [[9, 200, 30]] * 3)):
            self.run_ok("apply", "identity", "out.tif", "-o", "page.png", "--page", page)
            self.assert_levels(flat(flat(read_png(self.get("page.png"))[0])), flat(edges(gaussian(rows, 1, 1))))


class ColourAndViews(ProgramTest):
    """Colour is decoded before the first stage and encoded after the last, premultiplied all the way."""

    RGBA = [[(v, 255 - v, v // 2, 60 + v // 2) for v in row] for row in ROWS]
    RGB = [[pixel[:3] for pixel in row] for row in RGBA]
    CHAIN = "gaussian sigma=1 | unsharp_mask amount=0.5"

    def samples(self, name, rows, *arguments):
        """Samples of the filtered PNG, by channels."""
        self.put("in.png", png(rows))
        self.run_ok("apply", name, "in.png", "-o", "out.png", *arguments)
        pixels = flat(read_png(self.get("out.png"))[0])
        return [list(channel) for channel in zip(*pixels)]

    def assert_planes(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for plane, wanted in zip(found, expected):
            for level, value in zip(plane, wanted):
                self.assertLessEqual(abs(level - to_u8(value)), 1)

    @staticmethod
    def chain(rows):
        return flat(unsharp_mask(gaussian(rows, 1, 1), 0.5))

    def plane(self, rows, channel):
        return [[pixel[channel] for pixel in row] for row in rows]

    def test_channels_apart(self):
        self.assert_planes(self.samples(self.CHAIN, self.RGB), [self.chain(self.plane(self.RGB, c)) for c in range(3)])

    def test_alpha(self):
        alpha = self.chain(self.plane(self.RGBA, 3))
        expected = []
        for c in range(3):
            light = self.chain([[pixel[c] * pixel[3] for pixel in row] for row in self.RGBA])
            expected.append([value / weight for value, weight in zip(light, alpha)])
        self.assert_planes(self.samples(self.CHAIN, self.RGBA), [*expected, alpha])

    def test_transparent_pixels_do_not_bleed_through_both_stages(self):
        rows = [[(10, 200, 30, 255)] * 3 + [(255, 0, 255, 0)] * 4] * 3
        red, green, blue, alpha = self.samples("box | box", rows, "--border", "replicate")
        for pixel in zip(red, green, blue, alpha):
            if pixel[3] > 20:
                self.assertEqual(pixel[:3], (10, 200, 30))
        self.assertEqual(alpha[:7], [255, round(255 * 8 / 9), round(255 * 6 / 9), round(255 * 3 / 9), round(255 * 1 / 9), 0, 0])

    def test_linear_light(self):
        def decoded(level):
            value = level / 255
            return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

        def encoded(light):
            return 255 * (12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055)

        expected = [[encoded(max(0, value)) for value in self.chain([[decoded(v) for v in row] for row in self.plane(self.RGB, c)])]
                    for c in range(3)]
        self.assert_planes(self.samples(self.CHAIN, self.RGB, "--linear"), expected)

    def test_gray(self):
        luma = [[0.299 * r + 0.587 * g + 0.114 * b for r, g, b in row] for row in self.RGB]
        self.assert_planes(self.samples(self.CHAIN, self.RGB, "--gray"), [self.chain(luma)])
        self.assert_planes(self.samples("gaussian sigma=1 | edges", self.RGB, "--gray"), [flat(edges(gaussian(luma, 1, 1)))])

    def test_views(self):
        exact = flat(filtered(filtered(ROWS, SOBEL_X, correlate=True), [[1, 2, 1]]))
        for chain in ("sobel axis=x | custom weights='1 2 1'", "custom weights='1 2 1' | sobel axis=x"):
            most = 4 * 255 * 4
            (shown,) = self.samples(chain, ROWS, "--view", "signed", "--border", "wrap")
            by_wrap = flat(filtered(filtered(ROWS, SOBEL_X, "wrap", correlate=True), [[1, 2, 1]], "wrap"))
            self.assert_planes([shown], [[128 + 127 * value / most for value in by_wrap]])
        (shown,) = self.samples("sobel axis=x | custom weights='1 2 1'", ROWS, "--view", "abs")
        self.assertEqual(shown, [to_u8(abs(value)) for value in exact])
        (shown,) = self.samples("sobel axis=x | custom weights='1 2 1'", ROWS, "--view", "stretch")
        low, high = min(exact), max(exact)
        self.assert_planes([shown], [[255 * (value - low) / (high - low) for value in exact]])
        self.assertEqual((min(shown), max(shown)), (0, 255))

    def test_views_of_magnitudes(self):
        (shown,) = self.samples("gaussian sigma=1 | edges", ROWS, "--view", "stretch")
        exact = flat(edges(gaussian(ROWS, 1, 1)))
        low, high = min(exact), max(exact)
        self.assert_planes([shown], [[255 * (value - low) / (high - low) for value in exact]])


class Reports(ProgramTest):
    """What is told of a chain."""

    def setUp(self):
        super().setUp()
        side = 256
        self.put("in.npy", npy([], (side, side), "<u1") + bytes((7 * i * i + i // 256) % 251 for i in range(side * side)))

    def test_two_gaussians_are_joined(self):
        stdout, _ = self.run_ok("apply", "gaussian sigma=1 | gaussian sigma=1", "in.npy", "-o", "out.npy", "--explain")
        self.assertIn("2 filters of the chain are done as 1: the others are joined, which takes less time\n", stdout.decode())
        stdout, _ = self.run_ok("apply", "gaussian sigma=1 | gaussian sigma=1", "in.npy", "-o", "out.npy", "--explain", "--border",
                                "replicate")
        self.assertNotIn("joined", stdout.decode())  # replicated pixels are not what filtering makes of them
        self.assertEqual(stdout.decode().count("gaussian 9x9"), 2)

    def test_joined_or_not_the_result_is_the_same(self):
        self.run_ok("apply", "gaussian sigma=1 | gaussian sigma=1", "in.npy", "-o", "joined.npy")
        self.run_ok("apply", "gaussian", "in.npy", "-o", "once.npy", "--output-pixel", "f64")
        self.run_ok("apply", "gaussian", "once.npy", "-o", "twice.npy")
        for level, value in zip(read_npy(self.get("joined.npy"))[0], read_npy(self.get("twice.npy"))[0]):
            self.assertLessEqual(abs(level - value), 0.5 + 1 / 16)

    def test_json_names_the_methods_of_all_stages(self):
        stdout, _ = self.run_ok("apply", "box | edges", "in.npy", "-o", "out.npy", "--json")
        report = json.loads(stdout)
        self.assertEqual(report["filter"], "box | edges")
        (page,) = report["pages"]
        self.assertEqual(len(page["methods"]), 3)
        self.assertLessEqual(set(page["methods"]), {"direct", "separable", "box", "low_rank", "fft"})

    def test_clipping_is_told_of(self):
        stderr = self.run_ok("apply", "gaussian sigma=1 | sobel", "in.npy", "-o", "out.npy")[1]
        self.assertRegex(stderr, r"\Aapply: \d+% of the samples are below 0 and became 0(, [^\n]+)?; --view signed shows them\n\Z")
        self.assertEqual(self.run_ok("apply", "laplacian | custom weights=0 | gaussian", "in.npy", "-o", "out.npy")[1], "")


class Refusals(ProgramTest):
    """Each with its sentence, exit code 2, and no file."""

    def setUp(self):
        super().setUp()
        self.put("in.png", png(ROWS))

    def refuse(self, sentence, chain, *arguments):
        with self.subTest(chain=chain, arguments=arguments):
            self.check_error(("apply", chain, "in.png", "-o", "out.png", *arguments), sentence, WRONG_USAGE)

    def test_empty_stages(self):
        for chain, stage in (("|", 1), (" | ", 1), ("|box", 1), ("box |", 2), ("box || box", 2), ("box | edges | ", 3)):
            self.refuse(f"chain: stage {stage} is empty; expected a filter's name, such as gaussian sigma=2 | edges", chain)

    def test_parameters(self):
        for chain, stage, example, word in (("gaussian sigma=", "1 (gaussian)", "sigma=1", "sigma="),
                                            ("gaussian =2", "1 (gaussian)", "sigma=1", "=2"),
                                            ("gaussian sigma", "1 (gaussian)", "sigma=1", "sigma"),
                                            ("gaussian sigma 2", "1 (gaussian)", "sigma=2", "sigma"),
                                            ("box | gaussian sigma", "2 (gaussian)", "sigma=1", "sigma"),
                                            ("gaussian sigma=2 --radius", "1 (gaussian)", "radius=2", "--radius"),
                                            ("box|box size = 3", "2 (box)", "size=3", "size")):
            self.refuse(f"chain: stage {stage}: parameters are written name=value, such as {example}, got '{word}'", chain)
        self.refuse("chain: stage 1 (gaussian): filters stand apart by '|', such as gaussian | edges, got 'edges'", "gaussian edges")
        self.refuse("chain: stage 2: sigma is given twice", "box | gaussian sigma=1 sigma=2")
        self.refuse("chain: stage 1: order_x is given twice", "gaussian_derivative order-x=1 order_x=2")
        self.refuse("gaussian: no parameter 'sgima'; it has sigma, radius; did you mean 'sigma'?", "gaussian sgima=2")
        self.refuse("edges: no parameter 'sigma'; it has none", "edges sigma=1 | box")
        self.refuse("gaussian: sigma must be a finite number, got 'two'", "gaussian sigma=two")
        self.refuse("gaussian: sigma must be >= 0, got -1", "box | gaussian sigma=-1")
        self.refuse("gaussian: sigma takes one value or one for each of 2 axes, got 3", "gaussian sigma=1,2,3 | box")
        self.refuse("box: size must be an integer >= 1, got 2.5", "box size=2.5 | edges")
        self.refuse("sobel: axis must be x, y or z, got 'w'", "sobel axis=w")

    def test_unknown_filters(self):
        self.refuse("unknown filter 'gausian'; did you mean 'gaussian'?", "gausian sigma=2 | edges")
        self.refuse("unknown filter 'edgs'; did you mean 'edges'?", "gaussian sigma=2 | edgs")
        self.refuse("unknown filter 'gausian'; did you mean 'gaussian'?", "gausian sigma")

    def test_weights(self):
        self.refuse("weights: row 2 has 1 numbers, row 1 has 2", "custom weights='1 2; 3' | box")
        self.refuse("weights: row 1: 'x' is not a number", "box | custom weights='1 x'")
        self.refuse("weights: row 1: '|' is not a number", "custom weights='1 | 2'")
        self.refuse('weights: empty; write rows such as "0 -1 0; -1 5 -1; 0 -1 0"', "custom weights='' | box")
        self.refuse("chain: the quote ' is not closed", "custom weights='1 2 | box")
        self.refuse('chain: the quote " is not closed', 'custom weights="1 2 | box')
        for chain in ("custom | box", "box | custom size=3", "custom weights=1 scale=2"):
            self.refuse("chain: custom takes weights and nothing else, such as custom weights='0 -1 0; -1 5 -1; 0 -1 0'", chain)

    def test_options_of_one_filter(self):
        for chain in ("gaussian sigma=2 | edges", "gaussian sigma=2", "box|edges"):
            for option, value in (("--sigma", "2"), ("--weights", "1"), ("--size", "3"), ("--axis", "x"), ("--order-x", "1"),
                                  ("--amount", "1")):
                self.refuse(f"{option} goes with one filter; {BESIDE_A_CHAIN}", chain, option, value)
        self.refuse("--anchor goes with one filter, got a chain of 2", "box | box", "--anchor", "0,0")

    def test_valid_with_what_the_stages_before_leave(self):
        done = self.start("apply", "box size=5 | box size=5", "in.png", "-o", "out.png", "--extent", "valid")
        self.assertEqual(done.returncode, WRONG_USAGE)
        self.assertRegex(done.stderr.decode(), r"\Ahalation: extent valid: the filter \(5x5\) is larger than the image \(3x5\) along "
                                               r"height; [^\n]+\n\Z")
        self.assertFalse((self.folder / "out.png").exists())


if __name__ == "__main__":
    main()
