// prepared_chain.cpp: a chain ready to run over images of one shape.
#include "pipeline/chain/prepared_chain.h"

#include <algorithm>
#include <utility>

#include "core/convert.h"
#include "halation/error.h"
#include "halation/strips.h"
#include "halation/transfer.h"
#include "pipeline/chain/join.h"
#include "plan/check.h"
#include "plan/other_pixels/other_pixels.h"

namespace halation {
namespace {

struct Stage {
  FilterSet filter;
  PlanSpec spec;
  Plan plan;
};

Stage stage_of(const FilterSet& filter, const Shape& shape, Pixel pixel, Device device, const Options& options, Layout layout) {
  PlanSpec spec{.shape = shape,
                .pixel = pixel,
                .filters = filter.filters,
                .combine = filter.combine,
                .device = device,
                .options = options,
                .layout = layout};
  Plan plan(spec);
  return {filter, std::move(spec), std::move(plan)};
}

}  // namespace

Reach& Reach::operator+=(const Reach& next) {
  before += next.before;
  after += next.after;
  return *this;
}

Chain settled(const Chain& chain, int dims) {
  if (chain.stages.empty()) throw Error(ErrorCode::invalid_argument, "a chain needs at least one filter");
  Chain fitted = chain;
  for (FilterSet& stage : fitted.stages) {
    if (chain.stages.size() > 1 && stage.combine == Combine::none && stage.filters.size() != 1) {
      throw Error(ErrorCode::invalid_argument, "each stage of a chain gives one image, got " + std::to_string(stage.filters.size()) +
                                                   " filters that are not combined");
    }
    for (Filter& filter : stage.filters) filter = filter.with_dims(dims);
  }
  return fitted;
}

CheckedChain check(const Shape& shape, Pixel pixel, const Chain& chain, Device device, const Options& options) {
  CheckedChain checked{.chain = settled(chain, shape.dims()), .out = shape, .out_pixel = pixel};
  const std::size_t axis = axis_of_parts(shape);
  std::vector<FilterSet>& stages = checked.chain.stages;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    CheckedJob of_stage = check({.shape = checked.out,
                                 .pixel = checked.out_pixel,
                                 .filters = stages[i].filters,
                                 .combine = stages[i].combine,
                                 .device = device,
                                 .options = options_of_stage(options, pixel, i + 1 == stages.size())});
    Reach reach;
    for (const Taps& taps : of_stage.job.filters) {
      reach.before = std::max(reach.before, -taps.lead[axis]);
      reach.after = std::max(reach.after, taps.lead[axis] + taps.size[axis] - 1);
    }
    checked.reach += reach;
    stages[i].filters = std::move(of_stage.filters);
    checked.out = of_stage.job.out;
    checked.out_pixel = of_stage.job.out_pixel;
  }
  return checked;
}

Pixel pixel_between(const Options& options, Pixel input) {
  const Pixel output = options.output.value_or(input);
  const bool in_f32 = !needs_f64(input) && !needs_f64(output) && options.sum != Sum::f64;
  if (is_complex(input)) return in_f32 ? Pixel::c64 : Pixel::c128;
  return in_f32 ? Pixel::f32 : Pixel::f64;
}

Options options_of_stage(const Options& options, Pixel input, bool is_last) {
  Options between = options;
  between.output = options.output.value_or(input);
  if (is_last) return between;
  if (is_wide(input)) {
    throw Error(ErrorCode::invalid_argument,
                "sums of " + std::string(name_of(input)) +
                    " are exact, and so are no input of a chain; filter images of f64, or one "
                    "filter after the other");
  }
  between.output = pixel_between(options, input);
  between.overflow = Overflow::saturate;
  between.scale = 1;
  between.offset = 0;
  between.rounding = Rounding::half_even;
  return between;
}

PreparedChain::PreparedChain(const Shape& shape, Pixel pixel, const Chain& chain, Device device, const Options& options, Layout layout)
    : given_stages_(chain.stages.size()) {
  const Chain fitted = settled(chain, shape.dims());
  std::vector<Stage> stages;
  for (std::size_t i = 0; i < fitted.stages.size(); ++i) {
    const bool is_last = i + 1 == fitted.stages.size();
    const Shape in = stages.empty() ? shape : stages.back().plan.output_shape();
    const Pixel from = stages.empty() ? pixel : stages.back().plan.output_pixel();
    Stage next = stage_of(fitted.stages[i], in, from, device, options_of_stage(options, pixel, is_last), layout);
    if (!stages.empty()) {
      const Stage& before = stages.back();
      if (const std::optional<Filter> both = joined(before.filter, next.filter, options)) {
        Stage one = stage_of(*both, before.spec.shape, before.spec.pixel, device, next.spec.options, layout);
        if (one.plan.expected_seconds() <= before.plan.expected_seconds() + next.plan.expected_seconds()) {
          stages.back() = std::move(one);
          continue;
        }
      }
    }
    stages.push_back(std::move(next));
  }
  for (Stage& stage : stages) {
    specs_.push_back(std::move(stage.spec));
    plans_.push_back(std::move(stage.plan));
  }
}

double PreparedChain::scratch_bytes() const {
  double between = 0;
  double workspace = 0;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const Plan& plan = plans_[i];
    workspace = std::max(workspace, static_cast<double>(plan.workspace_bytes()));
    if (i + 1 < plans_.size())
      between += static_cast<double>(plan.output_shape().elements()) * static_cast<double>(bytes_of(plan.output_pixel()));
  }
  return between + workspace;
}

std::string PreparedChain::explain() const {
  std::string text;
  if (plans_.size() != given_stages_) {
    text += std::to_string(given_stages_) + " filters of the chain are done as " + std::to_string(plans_.size()) +
            ": the others are joined, which takes less time\n";
  }
  for (const Plan& plan : plans_) text += plan.explain();
  return text;
}

std::vector<Image> PreparedChain::images_between(Stream stream) const {
  std::vector<Image> images;
  for (std::size_t i = 0; i + 1 < plans_.size(); ++i)
    images.push_back(allocate(plans_[i].output_shape(), plans_[i].output_pixel(), device(), specs_[i].layout, stream));
  return images;
}

void PreparedChain::run(ConstView in, View out, std::span<Image> between, Stream stream) const {
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const ConstView from = i == 0 ? in : between[i - 1].view();
    const View to = i + 1 == plans_.size() ? out : between[i].view();
    plans_[i].run(from, to, {.stream = stream});
  }
}

}  // namespace halation
