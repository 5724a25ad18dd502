// figures.h: what kernels take on a device, as measured there: one generated text a device
// (src/cuda/figures/).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.h"
#include "cuda/device/launch_shape.h"

namespace halation::cuda_backend {

struct Figures {
  std::string device;     ///< that they were measured on
  double f32_gma = 0, f64_gma = 0;  ///< thousand million multiply-adds a second of one of its multiprocessors
  double memory_tb_s = 0;           ///< terabytes a second of its memory
  double cached_share = 0, cached_softness = 0;  ///< see `beyond_caches`
  TransferFigures transfers{};
  double two_passes = 1;  ///< so many times as long as the sum of its parts takes a job in two passes
  double apart = 0;       ///< as much longer for each further channel, where interleaved ones become planes
  std::vector<KernelFigures> kernels;

  /// Those of a kernel; of one that was not measured, what a kernel bound by memory has.
  const KernelFigures& of(std::string_view kernel) const;
  double longer_apart(std::int64_t channels) const { return 1 + apart * static_cast<double>(channels - 1); }
  /// The share of its bytes that come from memory for a job so many times as large as the caches, in which
  /// the run before it left the same images.
  double beyond_caches(double times) const;
};

/// Of a text as the files have it: a line a kernel, its name, ten figures in the order of `KernelFigures`,
/// and the traits that change them: "sparse taps; 6.6 7 0 0 0.1 0 0.6 0.1 4.7 12; of 1 byte 1.2, beside 3".
/// Throws `Error{invalid_argument}` that names the line.
Figures figures_from(std::string_view text);

/// The line of a kernel, as `figures_from` takes it.
std::string text_of(const KernelFigures& figures);

/// Those of `figures`, but for kernels that the text has, and for what it says of passes.
Figures with(Figures figures, std::string_view text);

/// Those that halation comes with: of an H200.
const Figures& shipped_figures();

}  // namespace halation::cuda_backend
