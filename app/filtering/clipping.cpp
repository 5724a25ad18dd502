// clipping.cpp: the sentence about samples that pixels cannot hold.
#include "clipping.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <new>
#include <tuple>
#include <vector>

#include "halation/error.h"
#include "halation/filters.h"

namespace halation::app {
namespace {

/// What a chain makes of an image of one value, as a share of it; 0 for magnitudes.
double gain_of(const Chain& chain) {
  double gain = 1;
  for (const FilterSet& stage : chain.stages) gain *= stage.combine == Combine::magnitude ? 0 : stage.filters.front().sum();
  return gain;
}

/// The parameter of a filter of the chain by which a picture is made crisper; empty where there is none.
std::string sharpening_parameter(const Chain& chain) {
  for (const FilterSet& stage : chain.stages) {
    for (const NamedFilter& filter : named_filters()) {
      if (filter.name != stage.filters.front().name()) continue;
      for (const Parameter& parameter : filter.parameters) {
        if (parameter.name == "amount" || parameter.name == "strength") return parameter.name;
      }
    }
  }
  return "";
}

/// What to do about results that pixels cannot hold.
std::string clipping_advice(const Clipped& clipped, const ClippingJob& job) {
  // A picture that stays one, but for its edges: a view would change all of it for their sake.
  const bool stays_a_picture = std::abs(job.options.scale * gain_of(job.chain) - 1) < 0.25 && job.options.offset == 0;
  const double least = results_of(job.chain, job.input, job.output, job.options, job.linear).least;
  if (!job.has_view && !is_float(job.input) && stays_a_picture && least < smallest(job.output)) {
    std::vector<std::string> ways;
    if (const std::string parameter = sharpening_parameter(job.chain); !parameter.empty())
      ways.push_back(fmt::format("a smaller {} clips less", parameter));
    if (!job.floats.empty()) ways.push_back(fmt::format("{} f32 keeps all (.tif, .exr, .npy)", job.floats));
    return fmt::format("edges over- and undershoot{}{}", ways.empty() ? "" : "; ", fmt::join(ways, ", "));
  }
  // The scale that follows from the weights shows all that lies on both sides of zero, unless --scale and --offset, or floats
  // beyond [0, 1], go past it; the one that follows from the picture shows anything.
  const bool has_scale = !job.has_view && !is_float(job.input) && clipped.below > 0 && job.options.offset == 0 && std::abs(job.options.scale) <= 1;
  return fmt::format("{} {} shows them", job.view, name_of(has_scale ? Display::signed_values : Display::stretched));
}

}  // namespace

Clipped counted(const ConstView& in, const ConstView& result, const Chain& chain, const Options& options, const ColourOptions& colour, Device device,
                double least_share) {
  try {
    return count_clipped(in, result, chain, options, colour, least_share, device);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
  } catch (const std::bad_alloc&) {
  }
  return {.samples = result.shape.elements()};
}

std::string clipping_note(const Clipped& clipped, const ClippingJob& job) {
  if (clipped.share() <= clipping_worth_saying) return "";
  const auto all = static_cast<double>(clipped.samples);
  std::vector<std::string> ends;
  for (const auto& [count, side, level] : {std::tuple(clipped.below, "below", smallest(job.output)),
                                           std::tuple(clipped.above, "above", job.most.value_or(largest(job.output)))}) {
    if (count == 0) continue;
    const double percent = 100 * static_cast<double>(count) / all;
    const std::string share = percent < 0.1  ? "less than 0.1%"
                              : percent < 10 ? fmt::format("{:.1f}%", percent)
                                             : fmt::format("{:.0f}%", percent);
    ends.push_back(fmt::format("{} {} {} {} and became {}", share, ends.empty() ? "of the samples are" : "are",
                               side, level, level));
  }
  return fmt::format("{}; {}", fmt::join(ends, ", "), clipping_advice(clipped, job));
}

}  // namespace halation::app
