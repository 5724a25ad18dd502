// families.cpp: the table of kernel families, and the choice among them.
#include "cuda/families.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cuda/banded/banded.h"
#include "cuda/compose/compose.h"
#include "cuda/fft/fft.h"
#include "cuda/long_rows/long_rows.h"
#include "cuda/multirate/multirate.h"
#include "cuda/narrow_rows/narrow_rows.h"
#include "cuda/register_tile/register_tile.h"
#include "cuda/running_box/running_box.h"
#include "cuda/shared_tile/factored.h"
#include "cuda/shared_tile/shared_tile.h"
#include "cuda/sparse/sparse.h"
#include "cuda/streaming/streaming.h"
#include "cuda/warp_strip/warp_strip.h"
#include "cuda/whole_images/whole_images.h"

namespace halation::cuda_backend {
namespace {

/// The runners of a job, and which of them takes each layout of rows.
class RunnerByLayout final : public Runner {
 public:
  struct Part {
    const Family* family;
    std::unique_ptr<const Runner> runner;
  };
  using Index = std::array<std::uint8_t, all_row_layouts.size()>;
  static constexpr std::uint8_t none = 0xff;

  RunnerByLayout(std::vector<Part> parts, const Index& index) : parts_(std::move(parts)), index_(index) {}

  std::size_t workspace_bytes() const override {
    std::size_t most = 0;
    for (const Part& part : parts_) most = std::max(most, part.runner->workspace_bytes());
    return most;
  }
  std::size_t constant_bytes() const override {
    std::size_t sum = 0;
    for (const Part& part : parts_) sum += part.runner->constant_bytes();
    return sum;
  }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace,
           Stream stream) const override {
    const std::uint8_t part = index_[static_cast<std::size_t>(row_layout_of(in, outs))];
    if (part == none) throw std::logic_error("cuda: rows that no runner was made for");
    parts_[part].runner->run(in, outs, workspace, stream);
  }
  std::string explain() const override {
    std::string text;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (i > 0) {
        text += "; ";
        const char* separator = "";
        for (const RowLayout layout : all_row_layouts) {
          if (index_[static_cast<std::size_t>(layout)] != i) continue;
          text += separator + std::string(words_for(layout));
          separator = ", ";
        }
        text += ": ";
      }
      text += std::string(parts_[i].family->name) + ", " + parts_[i].runner->explain();
    }
    return text;
  }

 private:
  std::vector<Part> parts_;
  Index index_;
};

}  // namespace

RowLayout layout_of_images(const Job& job) {
  const auto image = [](const Shape& shape, Pixel pixel, int alignment) {
    alignas(32) static std::byte places[32];  // where nobody reads
    return View{places + alignment, shape, strides_of(shape, pixel), pixel, {}};
  };
  const View out = image(job.out, job.out_pixel, job.out_alignment);
  return row_layout_of(image(job.in, job.in_pixel, job.in_alignment), {&out, 1});
}

LaunchShape launch_shape(const Job& job, std::string_view kernel) {
  LaunchShape shape{.kernel = kernel};
  const std::size_t bytes = bytes_of(job.in_pixel);
  shape.traits.set(Trait::of_1_byte, bytes == 1);
  shape.traits.set(Trait::of_2_bytes, bytes == 2);
  shape.traits.set(Trait::of_8_bytes, bytes == 8);
  shape.traits.set(Trait::converts, job.out_pixel != job.in_pixel && job.out_pixel != Pixel::f32);
  shape.traits.set(Trait::to_f32, job.out_pixel != job.in_pixel && job.out_pixel == Pixel::f32);
  shape.sum_f64 = job.sum_f64;
  shape.bytes = bytes_moved(job);
  return shape;
}

LaunchShape launch_shape(const Request& request, std::string_view kernel) {
  LaunchShape shape = launch_shape(request.job, kernel);
  const RowLayout rows = request.rows;
  shape.traits.set(Trait::beside, channels_beside(rows, request.job.in.channels) > 1);
  shape.traits.set(Trait::unaligned, rows == RowLayout::packed || rows == RowLayout::packed_pixels);
  shape.traits.set(Trait::strided, rows == RowLayout::strided || rows == RowLayout::aligned_gather);
  return shape;
}

std::span<const Form> Families::forms() {
  static constexpr std::array list{Form::dense, Form::factors,  Form::matrices,
                                   Form::box,   Form::spectrum, Form::lower_rate};
  return list;
}

std::vector<halation::Offer> Families::offers(const Job& job, std::span<const Taps> filters,
                                              const Gpu& gpu) const {
  Job asked = job;
  asked.filters.assign(filters.begin(), filters.end());
  if (filters.size() != job.filters.size()) asked.combine = Combine::none;
  return offers({asked, layout_of_images(asked), gpu, *this}, job.family);
}

TransformFacts Families::transform_facts(const Job& job, const Taps& taps, const Gpu& gpu) {
  Job one = job;
  one.filters = {taps};
  one.combine = Combine::none;
  one.filters.front().form = Form::spectrum;
  // A part of several passes may have other pixels, and so what is nearly as cheap counts as well; tiles always, which cost less where
  // channels lie apart.
  constexpr double nearly = 1.5;
  const Request request{one, layout_of_images(one), gpu, families()};
  struct Offered {
    double seconds;
    TransformFacts facts;
    bool always;
  };
  std::vector<Offered> offered;
  const auto is_asked_for = [&](const Family& family) { return job.family == family.name; };
  const bool is_one = is_asked_for(fft_tiles) || is_asked_for(fft_along_y) || is_asked_for(fft_passes);
  const auto consider = [&](const Family& family, const auto& facts_of, bool always) {
    if (is_one && !is_asked_for(family)) return;
    if (family.refuses(request) == nullptr) offered.push_back({family.seconds(request), facts_of(), always});
  };
  consider(fft_tiles, [&] { return facts_of_tiles(one); }, true);
  consider(fft_along_y, [&] { return facts_of_columns(one, gpu); }, false);
  consider(fft_passes, [&] { return facts_of_passes(one, gpu); }, false);
  double least = std::numeric_limits<double>::infinity();
  for (const Offered& offer : offered) least = std::min(least, offer.seconds);
  TransformFacts facts{.samples = 0, .roundings = 0};
  for (const Offered& offer : offered) {
    if (!offer.always && offer.seconds > nearly * least) continue;
    facts.samples = std::max(facts.samples, offer.facts.samples);
    facts.roundings = std::max(facts.roundings, offer.facts.roundings);
  }
  const TransformFacts of_axes = facts_of_axes(one, gpu);
  facts.axis_samples = of_axes.samples;
  facts.axis_roundings = of_axes.roundings;
  return facts;
}

std::unique_ptr<const Runner> Families::make(const std::shared_ptr<const Job>& job, const Gpu& gpu,
                                             std::span<const RowLayout> layouts,
                                             std::string_view only) const {
  std::vector<RunnerByLayout::Part> parts;
  RunnerByLayout::Index index;
  index.fill(RunnerByLayout::none);
  for (const RowLayout layout : layouts) {
    const Request request{*job, layout, gpu, *this};
    const Family* const family =
        only.empty() ? cheapest(request).family : cheapest_or_none(request, only).family;
    if (family == nullptr) continue;  // runs on such rows are refused
    const auto is_it = [&](const RunnerByLayout::Part& part) { return part.family == family; };
    const auto found = std::find_if(parts.begin(), parts.end(), is_it);
    index[static_cast<std::size_t>(layout)] = static_cast<std::uint8_t>(found - parts.begin());
    if (found == parts.end()) parts.push_back({family, family->make(request, job)});
  }
  if (parts.empty()) (void)cheapest({*job, layout_of_images(*job), gpu, *this}, only);  // which says why
  return std::make_unique<RunnerByLayout>(std::move(parts), index);
}

const Families& families() {
  static constexpr std::array list{
      &warp_strip_aligned, &warp_strip,           &streaming,         &streaming_movers, &running_box_x,
      &running_box_y,      &running_box_y_reread, &long_rows_in_bulk, &long_rows,        &register_tile,
      &shared_tile,        &shared_tile_factored, &through_f32,       &axis_by_axis,     &axis_by_axis_pixels,
      &depth_for_height,   &one_factor_dense,     &filter_by_filter,  &fft_tiles,        &fft_passes,
      &fft_along_y,        &multirate,            &banded,            &banded_passes,
      &banded_floats,     &whole_images,       &sparse_taps,
      &narrow_rows,
  };
  static const Families table(list);
  return table;
}

}  // namespace halation::cuda_backend
