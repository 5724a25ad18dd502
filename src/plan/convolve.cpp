// convolve.cpp: one call from image and filter to filtered image.
#include "halation/convolve.h"

#include "core/channels_apart.h"
#include "halation/error.h"
#include "halation/transfer.h"
#include "plan/kept_plans.h"

namespace halation {
namespace {

/// Planar where channels are filtered one by one, since those of a pixel lie apart in the input or in the output.
Layout layout_of(const ConstView& in, const View* out) {
  const bool are_inside = in.shape.channels == 1 || (channels_are_inside(in) && (out == nullptr || channels_are_inside(*out)));
  return are_inside ? Layout::interleaved : Layout::planar;
}

Plan plan_for(const ConstView& in, const View* out, const FilterSet& filter, const Options& options,
              std::optional<Device> device) {
  PlanSpec spec{.shape = in.shape,
                .pixel = in.pixel,
                .filters = filter.filters,
                .combine = filter.combine,
                .device = device.value_or(in.device),
                .options = options,
                .layout = layout_of(in, out)};
  if (spec.device.kind == Device::Kind::cuda) {
    spec.input_alignment = alignment_of(in);
    if (out != nullptr) spec.output_alignment = alignment_of(*out);
  }
  Plan plan = plan_kept_for(spec);
  if (plan.outputs() != 1) {
    throw Error(ErrorCode::invalid_argument, "one call makes one image, these filters make " +
                                                 std::to_string(plan.outputs()) + "; use a Plan");
  }
  return plan;
}

void run(const Plan& plan, const ConstView& in, const View& out, Device device) {
  try {
    plan.run(in, out);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::device) forget_plans_for(device);  // what plans keep there may be lost
    throw;
  }
}

Options as_correlation(Options options) {
  options.operation = Operation::correlation;
  return options;
}

}  // namespace

Image convolve(ConstView in, const FilterSet& filter, const Options& options, std::optional<Device> device) {
  const Plan plan = plan_for(in, nullptr, filter, options, device);
  Image out = allocate(plan.output_shape(), plan.output_pixel(), in.device);
  run(plan, in, out.view(), device.value_or(in.device));
  return out;
}

void convolve(ConstView in, View out, const FilterSet& filter, const Options& options,
              std::optional<Device> device) {
  run(plan_for(in, &out, filter, options, device), in, out, device.value_or(in.device));
}

Image correlate(ConstView in, const FilterSet& filter, const Options& options, std::optional<Device> device) {
  return convolve(in, filter, as_correlation(options), device);
}

void correlate(ConstView in, View out, const FilterSet& filter, const Options& options,
               std::optional<Device> device) {
  convolve(in, out, filter, as_correlation(options), device);
}

}  // namespace halation
