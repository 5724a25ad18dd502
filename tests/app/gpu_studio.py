"""gpu_studio.py: the lesson's measurements of `halation studio` where there is a GPU; leaves with 77 where there is none."""
import concurrent.futures
import json

from pictures import png
from program import main_on_gpu
from studio import ROWS, SHARPEN_CHAIN, WIDTH, Studio

RUNGS = {1: ["basic", "constant", "tiled_halo", "tiled_cached", "library"],
         2: ["naive", "constant", "tiled_input_block", "tiled_output_block", "tiled_cached", "texture", "separable_shared", "separable_optimised", "library"],
         3: ["naive", "constant", "tiled", "library"]}


class Measured(Studio):
    def measured(self, dims):
        return self.ask_json("/ladder", dims=dims, measure=1)

    def test_every_gpu_rung_is_measured_here(self):
        self.serve()
        for dims, rungs in RUNGS.items():
            answer = self.measured(dims)
            self.assertEqual([row["rung"] for row in answer["rungs"]], rungs)
            self.assertEqual({(row["place"], row["memory"], row["status"]) for row in answer["rungs"]}, {("gpu", "pageable", "verified")}, answer["rungs"])
            self.assertTrue(all(row["ms"]["kernel"] > 0 for row in answer["rungs"]))
            self.assertTrue(answer["measured_here"])
            self.assertEqual(answer["machine"]["gpu"]["name"], answer["gpu_here"])
            job = answer["job"]
            self.assertEqual(([job["depth"], job["height"], job["width"]][3 - dims:], job["radius"]),
                             {1: ([16777216], 2), 2: ([2048, 2048], 1), 3: ([256] * 3, 1)}[dims])
            # The line says how to do it again.
            command = answer["command"].split()
            again = json.loads(self.run_ok(*command[1:], "--json", "-")[0])
            self.assertEqual((again["job"], [row["rung"] for row in again["rungs"]]), (job, rungs))
            # What is not asked to be measured is the record still.
            record = self.ask_json("/ladder", dims=dims)
            self.assertEqual((record["measured_here"], record["gpu_here"]), (False, answer["gpu_here"]))

    def test_previews_and_measurements_wait_for_each_other(self):
        self.put("in.png", png(ROWS))
        self.serve("in.png")
        alone = self.pixels(chain=SHARPEN_CHAIN, w=WIDTH)
        with concurrent.futures.ThreadPoolExecutor(6) as many:
            measured = [many.submit(self.measured, 2) for _ in range(2)]
            shown = [many.submit(self.pixels, chain=SHARPEN_CHAIN, w=WIDTH) for _ in range(4)]
            for answer in measured:
                self.assertEqual({row["status"] for row in answer.result()["rungs"]}, {"verified"})
            for pixels in shown:
                self.assertEqual(pixels.result(), alone)


if __name__ == "__main__":
    main_on_gpu()
