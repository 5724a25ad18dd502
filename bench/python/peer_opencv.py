"""peer_opencv.py: OpenCV's Python package, with and without the IPP it carries, by its own threads and a strip a thread."""
import importlib

import numpy as np

from peer_job import CpuPeer


class OpenCV(CpuPeer):
    name = "OpenCV"

    def __init__(self):
        super().__init__()
        self.cv2 = importlib.import_module("cv2")
        self.version = self.cv2.__version__
        self.has_ipp = hasattr(self.cv2, "ipp") and self.cv2.ipp.useIPP()

    def ways(self, job):
        cv2 = self.cv2
        if job.dims > 2 or job.shape[0] > 1 or job.shape[4] > 4 or job.pixel not in ("u8", "u16", "i16", "f32"):
            return []
        if job.dims == 1 and job.shape[4] > 1:
            return []
        borders = {"constant": cv2.BORDER_CONSTANT, "replicate": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT}
        border = borders.get(job.border, cv2.BORDER_REFLECT_101)
        used = job.border if job.border in borders else "reflect101"
        depth = {"u8": cv2.CV_8U, "u16": cv2.CV_16U, "i16": cv2.CV_16S, "f32": cv2.CV_32F}[job.output]
        ways = []

        def add(how, run):
            for ipp in (True, False) if self.has_ipp else (None,):
                def call(part, out, ipp=ipp):
                    if ipp is not None:
                        cv2.ipp.setUseIPP(ipp)  # a setting of each thread
                    # A signal is an image of one row.
                    if part.ndim == 1:
                        run(part[None], out[None])
                    else:
                        run(part, out)
                    return out
                name = how + {True: ", IPP allowed", False: ", without IPP", None: ""}[ipp]
                ways.extend(self.whole_and_strips(job, name, used, call, cv2.setNumThreads))

        _, height, width = job.taps
        # Its anchor counts from the other end, as the weights do.
        anchor = (width - 1 - width // 2, height - 1 - height // 2)
        if job.dense():
            weights = np.ascontiguousarray(job.weights[0, ::-1, ::-1])
            add("filter2D", lambda part, out: cv2.filter2D(part, depth, weights, out, anchor, borderType=border))
        if job.factors and job.dims == 2:
            x, y = (np.ascontiguousarray(job.factors[axis][::-1]) for axis in (2, 1))
            add("sepFilter2D", lambda part, out: cv2.sepFilter2D(part, depth, x, y, out, anchor, borderType=border))
        if job.kind == "gaussian" and job.same_pixel and job.dims == 2 and width % 2 == 1:
            add("GaussianBlur",
                lambda part, out: cv2.GaussianBlur(part, (width, height), job.sigma, out, job.sigma, borderType=border))
        if job.kind == "box" and job.same_pixel and job.dims == 2:
            add("blur", lambda part, out: cv2.blur(part, (width, height), out, anchor, borderType=border))
        if job.kind == "sobel" and job.dims == 2:
            add("Sobel", lambda part, out: cv2.Sobel(part, depth, 1, 0, out, 3, borderType=border))
        return ways
