// convolve.cpp: one call from image and filter to filtered image.
#include "halation/convolve.h"

#include "halation/error.h"
#include "halation/transfer.h"

namespace halation {
namespace {

Plan plan_for(const ConstView& in, const FilterSet& filter, const Options& options, std::optional<Device> device) {
  Plan plan({.shape = in.shape,
             .pixel = in.pixel,
             .filters = filter.filters,
             .combine = filter.combine,
             .device = device.value_or(in.device),
             .options = options});
  if (plan.outputs() != 1) {
    throw Error(ErrorCode::invalid_argument, "one call makes one image, these filters make " +
                                                 std::to_string(plan.outputs()) + "; use a Plan");
  }
  return plan;
}

Options as_correlation(Options options) {
  options.operation = Operation::correlation;
  return options;
}

}  // namespace

Image convolve(ConstView in, const FilterSet& filter, const Options& options, std::optional<Device> device) {
  const Plan plan = plan_for(in, filter, options, device);
  Image out = allocate(plan.output_shape(), plan.output_pixel(), in.device);
  plan.run(in, out.view());
  return out;
}

void convolve(ConstView in, View out, const FilterSet& filter, const Options& options, std::optional<Device> device) {
  plan_for(in, filter, options, device).run(in, out);
}

Image correlate(ConstView in, const FilterSet& filter, const Options& options, std::optional<Device> device) {
  return convolve(in, filter, as_correlation(options), device);
}

void correlate(ConstView in, View out, const FilterSet& filter, const Options& options, std::optional<Device> device) {
  convolve(in, out, filter, as_correlation(options), device);
}

}  // namespace halation
