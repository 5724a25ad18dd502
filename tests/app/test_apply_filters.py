"""test_apply_filters.py: `halation apply` with each filter, by name and by weights, and the parameters that filters take."""
import math
import re

from pictures import npy
from program import ROWS, SHAPE, SKEW, SKEW_TEXT, ProgramTest, filtered, flat, main


def gaussian(sigma, radius=None):
    radius = max(1, int(4 * sigma + 0.5)) if radius is None else radius
    weights = [math.exp(-i * i / (2 * sigma * sigma)) for i in range(-radius, radius + 1)]
    return [weight / sum(weights) for weight in weights]


def outer(column, row):
    return [[a * b for b in row] for a in column]


class Filters(ProgramTest):
    """Filters by name and by weights, with the parameters that they take."""

    def check(self, filter_name, arguments, weights, correlate=True):
        values, shape = self.apply_to_array(flat(ROWS), SHAPE, filter_name, *arguments)
        self.assertEqual(shape, SHAPE)
        self.assert_close(values, flat(filtered(ROWS, weights, correlate=correlate)), 1e-9)

    def test_sharpen_has_xfilters_coefficients(self):
        a = 0.8
        side = -a / (9 - 9 * a)
        self.check("sharpen", ["--strength", "0.8"],
                   [[side] * 3, [side, (9 - a) / (9 - 9 * a), side], [side] * 3])

    def test_low_pass_divides(self):
        self.check("low_pass", ["--divisor", 12], [[1 / 12] * 3] * 3)

    def test_high_pass_takes_no_parameter(self):
        self.check("high_pass", [], [[-1] * 3, [-1, 8, -1], [-1] * 3])

    def test_gaussian_sigma_for_all_axes(self):
        self.check("gaussian", ["--sigma", 1.25], outer(gaussian(1.25), gaussian(1.25)))

    def test_gaussian_sigma_by_axis(self):
        self.check("gaussian", ["--sigma", "2,0.5"], outer(gaussian(2), gaussian(0.5)))

    def test_slides_gaussian(self):
        self.check("gaussian", ["--sigma", 3, "--radius", 3], outer(gaussian(3, 3), gaussian(3, 3)))

    def test_box_size_by_axis(self):
        self.check("box", ["--size", "3,5"], [[1 / 15] * 5] * 3)

    def test_sobel_axis(self):
        self.check("sobel", ["--axis", "y"], [[-1, -2, -1], [0, 0, 0], [1, 2, 1]])

    def test_derivative_orders(self):
        slope = [i / 0.8 / 0.8 * w for i, w in zip(range(-3, 4), gaussian(0.8))]
        for spelling in ("order-", "order_"):
            self.check("gaussian_derivative", ["--sigma", 0.8, f"--{spelling}x", 0, f"--{spelling}y", 1],
                       outer(slope, gaussian(0.8)))

    def test_every_parameter_of_every_filter_changes_the_result(self):
        other = {"strength": "0.3", "divisor": "5", "size": "5", "sigma": "2", "radius": "2", "order-x": "2",
                 "order-y": "1", "axis": "y", "neighbours": "8", "amount": "3", "angle": "90", "length": "4"}
        listed = self.run_ok("filters")[0].decode()
        names = [line.split()[0] for line in listed.splitlines() if not line.startswith(" ")]
        self.assertEqual(names[-1], "custom")
        seen = set()
        for name in names[:-1]:
            explained = self.run_ok("filters", name)[0].decode()
            before = self.apply_to_array(flat(ROWS), SHAPE, name)[0]
            for parameter in re.findall(r"^--(\S+)", explained, re.MULTILINE):
                if parameter == "order-z":  # must be 0 in two dimensions
                    continue
                with self.subTest(filter=name, parameter=parameter):
                    seen.add(parameter)
                    after = self.apply_to_array(flat(ROWS), SHAPE, name, f"--{parameter}", other[parameter])[0]
                    self.assertNotEqual(before, after)
        self.assertEqual(seen, set(other))

    def test_order_z_in_a_volume(self):
        values = [float(z * z) for z in range(5) for _ in range(9)]
        result, _ = self.apply_to_array(values, (5, 3, 3), "gaussian_derivative", "--sigma", 0.5, "--order-x", 0,
                                        "--order-z", 1, "--border", "replicate")
        self.assertGreater(result[2 * 9 + 4], 1)  # brightness rises along z

    def test_edges_is_the_length_of_the_gradient(self):
        along_x = flat(filtered(ROWS, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], correlate=True))
        along_y = flat(filtered(ROWS, [[-1, -2, -1], [0, 0, 0], [1, 2, 1]], correlate=True))
        values, _ = self.apply_to_array(flat(ROWS), SHAPE, "edges")
        self.assert_close(values, [math.hypot(x, y) for x, y in zip(along_x, along_y)], 1e-9)

    def test_custom_weights_as_text(self):
        self.check("custom", ["--weights", SKEW_TEXT], SKEW, correlate=False)

    def test_custom_weights_may_begin_with_a_minus(self):
        self.check("custom", ["--weights", "-1 2 -0.5"], [[-1, 2, -0.5]], correlate=False)
        self.check("custom", ["--weights=-1 2 -0.5"], [[-1, 2, -0.5]], correlate=False)

    def test_custom_weights_from_a_text_file(self):
        self.put("weights.txt", b"1, 2, -3\n4 5 6\n-7 8 10\n")
        self.check("custom", ["--weights", "weights.txt"], SKEW, correlate=False)

    def test_custom_weights_from_arrays(self):
        for descr in ("<f8", "<f4", "<i2"):
            self.put("weights.npy", npy(flat(SKEW), (3, 3), descr))
            self.check("custom", ["--weights", "weights.npy"], SKEW, correlate=False)
        self.put("row.npy", npy([1, -2, 4], (3,), "<f8"))
        self.check("custom", ["--weights", "row.npy"], [[1, -2, 4]], correlate=False)

    def test_custom_weights_of_three_axes(self):
        self.put("weights.npy", npy([1, 10, 100], (3, 1, 1), "<f8"))
        values, shape = self.apply_to_array([1, 2, 3, 4], (4, 1, 1), "custom", "--weights", "weights.npy", "--border",
                                            "constant")
        self.assertEqual(shape, (4, 1, 1))
        self.assert_close(values, [12, 123, 234, 340])

    def test_worked_example(self):
        rows = [list(range(1 + y, 8 + y)) for y in range(3)] + [
            [4, 5, 6, 7, 8, 5, 6], [5, 6, 7, 8, 5, 6, 7], [6, 7, 8, 9, 0, 1, 2], [7, 8, 9, 0, 1, 2, 3]]
        values, _ = self.apply_to_array(flat(rows), (7, 7), "custom", "--weights",
                                        "1 2 3 2 1; 2 3 4 3 2; 3 4 5 4 3; 2 3 4 3 2; 1 2 3 2 1")
        self.assertEqual(values[2 * 7 + 2], 321)

    def test_signal_of_one_axis(self):
        values, shape = self.apply_to_array([1, 2, 4, 8], (4,), "custom", "--weights", "1 2 3")
        self.assertEqual(shape, (4,))
        self.assert_close(values, flat(filtered([[1, 2, 4, 8]], [[1, 2, 3]])))


if __name__ == "__main__":
    main()
