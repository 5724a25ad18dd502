// jobs.h: what kernels of banded matrices get of a job and of a run's views, whichever of them it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/job.h"
#include "cuda/banded/arguments.cuh"
#include "cuda/parts/placed_taps.h"
#include "cuda/parts/strips.h"

namespace halation::cuda_backend {

/// Of the job's one filter, whose windows begin `first_column` columns from an output, where each pixel has so many elements beside
/// each other.
inline void set_filter(BandedArguments& to, const Job& job, int channels, int first_column) {
  const Taps& taps = job.filters.front();
  to.border_y = DeviceBorder(job.borders[1]);
  to.border_x = DeviceBorder(job.borders[2]);
  to.constant_y = static_cast<std::uint8_t>(job.borders[1].constant());
  to.constant_x = static_cast<std::uint8_t>(job.borders[2].constant());
  to.channels = channels;
  to.first_row = static_cast<int>(taps.lead[1]);
  to.first_column = first_column;
  to.reach = static_cast<int>((taps.lead[2] + taps.size[2] - 1) * channels) + 1;
  to.offset = static_cast<float>(job.offset);
  to.rounding = job.rounding;
}

/// Of views; `strip_rows(others)` are those of a block's strip where so many lie beside it. How many blocks there are.
template <class StripRows>
unsigned set_images(BandedArguments& to, const ConstView& in, const View& out, const StripRows& strip_rows) {
  set_views(to, in, out);
  const bool beside = to.channels > 1;
  to.in_channel = in.strides.channels;
  to.out_channel = out.strides.channels;
  to.in_step = beside || in.shape.width == 1 ? 1 : in.strides.width;
  to.out_step = beside ? static_cast<std::int64_t>(bytes_of(out.pixel)) : out.strides.width;
  to.begins = rows_begin_on(in, 8, beside, to.first_column)   ? Begins::on_8_bytes
              : rows_begin_on(in, 4, beside, to.first_column) ? Begins::on_4_bytes
                                                              : Begins::anywhere;
  to.in_columns = static_cast<int>(in.shape.width * to.channels);
  to.columns = static_cast<int>(out.shape.width * to.channels);
  to.rows = static_cast<int>(out.shape.height);
  to.as_bytes = out.pixel == Pixel::u8 && to.out_step == 1 && to.rounding == Rounding::half_even;
  const std::int64_t across = divide_up(to.columns, BandedCut::columns);
  const std::int64_t planes = out.shape.depth * out.shape.batch * (beside ? 1 : out.shape.channels);
  to.strip = static_cast<int>(strip_rows(across * planes));
  const std::int64_t strips = divide_up(to.rows, to.strip);
  to.across = Divisor(across);
  to.strips = Divisor(strips);
  to.depth = Divisor(out.shape.depth);
  to.batch = Divisor(out.shape.batch);
  return static_cast<unsigned>(across * strips * planes);
}

/// Why no such kernel does a job whatever its weights; null where they may.
inline const char* why_no_banded(const Job& job, const Taps& taps, int code) {
  if (!is_one_filter(job) || taps.form != Form::matrices) return "one filter in whole weights alone";
  if (code < 80) return "compute capability 8.0 and later alone";
  // Elements, rows and blocks are counted in 32 bits.
  constexpr std::int64_t most = std::int64_t{1} << 28;
  const Shape& n = job.in;
  const std::int64_t planes = n.depth * n.batch * n.channels;
  const bool counted = n.width * n.channels < most && job.out.width * n.channels < most && std::max(n.height, job.out.height) < most &&
                       planes < most && job.out.elements() / 1024 + planes * job.out.height < most;
  return counted ? nullptr : "fewer elements alone";
}

}  // namespace halation::cuda_backend
