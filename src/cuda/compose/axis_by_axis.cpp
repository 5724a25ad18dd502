// axis_by_axis.cpp: a filter by factors along some axes, then along the last; sums between them lie in the
// workspace.
//
// Filters go along the outermost long axis last. Boxes go along y first, which any pixels and rows can, and
// leave f32 in rows that the copy engine can bring for the pass along x. A pass along one axis sees as its
// constant what the passes before have made of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/finite.h"
#include "cuda/compose/compose.h"
#include "cuda/compose/two_passes.h"
#include "cuda/parts/equal_weights.h"

namespace halation::cuda_backend {
namespace {

int long_axes(const Taps& taps) { return (taps.size[0] > 1) + (taps.size[1] > 1) + (taps.size[2] > 1); }

/// Whole pixels under whole factors.
bool has_whole_sums(const Job& job) {
  const auto is_whole = [](const std::vector<double>& factor) {
    return std::all_of(factor.begin(), factor.end(), [](double w) { return w == std::nearbyint(w); });
  };
  const auto& factors = *job.filters.front().factors;
  return !is_float(job.in_pixel) && std::all_of(factors.begin(), factors.end(), is_whole);
}

/// Whether the filter is done by transforms, and so may its factors be: sums of whole numbers stay exact in one tile alone.
bool is_by_transforms(const Job& job) {
  const Taps& taps = job.filters.front();
  return taps.form == Form::spectrum && taps.factors && !has_whole_sums(job);
}

/// The part of a job of one filter by factors along some of its axes: the others are left as they are in
/// `in`, the extents it begins with. `last` gives its pixels to the job's output, others are sums.
Job part_of(const Job& job, const std::array<bool, 3>& along, const Shape& in, bool first, bool last) {
  Job part = job;
  Taps& taps = part.filters.front();
  const auto extent = [](Shape& shape, std::size_t axis) -> std::int64_t& {
    return axis == 0 ? shape.depth : axis == 1 ? shape.height : shape.width;
  };
  const Pixel between = job.sum_f64 ? Pixel::f64 : Pixel::f32;
  part.in = part.out = in;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (along[axis]) {
      extent(part.out, axis) = job.out.space()[axis];
      continue;
    }
    taps.size[axis] = 1;
    taps.lead[axis] = 0;
    if (taps.factors) (*taps.factors)[axis] = {1.0};
    const std::int64_t n = extent(part.in, axis);
    part.borders[axis] = BorderTable(0, n, n, {job.borders[axis].mode(), 0});
  }
  if (taps.form == Form::spectrum) {
    taps.form = Form::factors;
    taps.weights.clear();
  }
  if (!first) part.in_pixel = between;
  if (!last) {
    part.out_pixel = between;
    part.scale = 1;
    part.offset = 0;
  }
  return part;
}

/// Whether a place outside along y and x alike has one value, whichever axis is asked first.
bool constants_agree(const Job& job) {
  const BorderTable& y = job.borders[1];
  const BorderTable& x = job.borders[2];
  return y.mode() != Border::Mode::constant || x.mode() != Border::Mode::constant ||
         y.constant() == x.constant();
}

/// A part of a job that is done by transforms may be done so or by sums, whichever is quicker on such rows; without its dense weights.
Job quicker_of(Job part, bool transforms, RowLayout rows, const Request& request) {
  // Below, transforms save too little for the digits they round away.
  constexpr std::int64_t fewest_transformed = 32;
  const Space& size = part.filters.front().size;
  if (!transforms || size[0] * size[1] * size[2] < fewest_transformed) return part;
  const double by_sums = request.families.cheapest(part, rows, request.gpu).seconds;
  part.filters.front().form = Form::spectrum;
  const bool is_quicker =
      request.families.cheapest_or_none({part, rows, request.gpu, request.families}).seconds < by_sums;
  if (!is_quicker) part.filters.front().form = Form::factors;
  return part;
}

/// The weights that a job by transforms needs.
void multiply_out(Taps& taps) {
  if (taps.form != Form::spectrum) return;
  const auto& [z, y, x] = *taps.factors;
  for (const double a : z) {
    for (const double b : y) {
      for (const double c : x) taps.weights.push_back(a * b * c);
    }
  }
}

/// Two smaller jobs, and what lies between them: how its rows end for the first, and for the second.
struct Parts {
  Job first, second;
  View between;

  RowEnd left() const { return row_end_of(between, output_boundary(first.in_pixel, between.pixel)); }
  RowEnd found() const { return row_end_of(between, 16); }
};

/// Whether sums of such rows lie channel by channel: but for boxes, channels inside of pixels stay there.
bool are_sums_apart(const Job& job, RowLayout rows) { return is_equal_weights(job) || channels_in_row(rows, job.in.channels) <= 1; }

Parts parts_of(const Job& job, bool sums_apart, Device device) {
  const Taps& taps = job.filters.front();
  const bool is_box = is_equal_weights(job);
  const std::size_t last = is_box && constants_agree(job) ? 2 : taps.size[0] > 1 ? 0 : 1;
  std::array<bool, 3> before{true, true, true};
  before[last] = false;
  std::array<bool, 3> after{false, false, false};
  after[last] = true;
  Parts parts{part_of(job, before, job.in, true, false), {}, {}};
  parts.second = part_of(job, after, parts.first.out, false, true);
  if (taps.factors) {
    double constant = job.borders[last].constant();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (before[axis]) constant = filtered(constant, (*taps.factors)[axis]);
    }
    parts.second.borders[last] = parts.second.borders[last].with_constant(constant);
  }
  const Shape& shape = parts.first.out;
  const Pixel pixel = parts.first.out_pixel;
  parts.between = sums_apart ? bulk_rows(shape, is_box ? Pixel::f32 : pixel, device) : View{nullptr, shape, strides_of(shape, pixel), pixel, device};
  return parts;
}

/// A record each for sums that lie channel by channel and for sums inside of pixels, since a runner has room for one kind alone.
template <bool SumsApart>
constexpr Family with_sums{
    .name = SumsApart ? "axis by axis" : "axis by axis, pixels",
    .refuses = [](const Request& request) -> const char* {
      if (are_sums_apart(request.job, request.rows) != SumsApart) return "rows of the other kind";
      if (!is_one_filter(request.job)) return "one filter alone";
      if (!is_by_factors(request.taps()) && !is_by_transforms(request.job))
        return "one filter by factors alone";
      return long_axes(request.taps()) < 2 ? "filters along several axes alone" : nullptr;
    },
    .seconds_of_parts =
        [](const Request& request) {
          const Parts parts = parts_of(request.job, SumsApart, request.gpu.device);
          const Figures& figures = *request.gpu.figures;
          const bool is_planar = parts.left() == RowEnd::aligned || parts.left() == RowEnd::packed;
          const bool apart = is_planar && channels_in_row(request.rows, request.job.in.channels) != 1;
          const double longer = apart ? figures.longer_apart(request.job.in.channels) : 1;
          const auto seconds = [&](const Job& part, RowEnd in, RowEnd out) {
            const RowLayout rows = joined(in, out);
            return request.families.cheapest(quicker_of(part, is_by_transforms(request.job), rows, request), rows, request.gpu).seconds;
          };
          return figures.two_passes * (longer * seconds(parts.first, input_end(request.rows), parts.left()) +
                                       seconds(parts.second, parts.found(), output_end(request.rows)));
        },
    .is_two_passes = true,
    .make = [](const Request& request,
               const std::shared_ptr<const Job>& job) -> std::unique_ptr<const Runner> {
      Parts parts = parts_of(*job, SumsApart, request.gpu.device);
      const bool transforms = is_by_transforms(*job);
      const auto made = [&](Job& part, std::span<const RowLayout> layouts) {
        part = quicker_of(std::move(part), transforms, layouts.front(), request);
        multiply_out(part.filters.front());
        return request.families.make(std::make_shared<const Job>(std::move(part)), request.gpu, layouts);
      };
      const std::vector<RowLayout> to = layouts_to(parts.left());
      const std::vector<RowLayout> from = layouts_from(parts.found());
      return two_passes(made(parts.first, to), made(parts.second, from), parts.between);
    }};

}  // namespace

const Family axis_by_axis = with_sums<true>;
const Family axis_by_axis_pixels = with_sums<false>;

TransformFacts facts_of_axes(const Job& job, const Gpu& gpu) {
  if (!is_by_transforms(job) || long_axes(job.filters.front()) < 2) return {.samples = 0, .roundings = 0};
  Parts parts = parts_of(job, true, gpu.device);
  TransformFacts most{.samples = 0, .roundings = 0};
  for (Job* part : {&parts.first, &parts.second}) {
    part->filters.front().form = Form::spectrum;
    const TransformFacts facts = Families::transform_facts(*part, part->filters.front(), gpu);
    most.samples = std::max(most.samples, facts.samples);
    most.roundings = std::max(most.roundings, facts.roundings);
  }
  return most;
}

}  // namespace halation::cuda_backend
