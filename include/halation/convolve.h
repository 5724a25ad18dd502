// convolve.h: one call from image and filter to filtered image.
#pragma once

#include <cstddef>
#include <optional>

#include "halation/plan.h"

namespace halation {

/// Filters an image:  out[p] = round(scale · Σ w[k] · in[p − (k − a)] + offset),  or as `options.operation` says.
///
/// Runs where the image lies; `device` names another backend of the same memory (`reference()`). Batches and
/// channels are filtered one by one. Throws `Error` with a sentence for anything that does not fit. Cost: a
/// plan (microseconds, by transforms a few runs; with `Tune::measure` several passes the first time) unless an
/// earlier call like it has left one (`KeptPlans`), the output's allocation, and one pass. For many images of
/// one shape, make a `Plan` once.
Image convolve(ConstView in, const FilterSet& filter, const Options& options = {},
               std::optional<Device> device = {});

/// Into an image of the caller's, of the shape and pixel that the other form returns, which must not overlap `in`.
void convolve(ConstView in, View out, const FilterSet& filter, const Options& options = {},
              std::optional<Device> device = {});

/// Both with  out[p] = round(scale · Σ w[k] · in[p + (k − a)] + offset),  whatever `options.operation` says.
Image correlate(ConstView in, const FilterSet& filter, const Options& options = {},
                std::optional<Device> device = {});
void correlate(ConstView in, View out, const FilterSet& filter, const Options& options = {},
               std::optional<Device> device = {});

/// What `convolve` and `correlate` keep: the plans of their latest calls, for calls of the same shape, pixel,
/// layout of channels, device, options, threads and filters (the same weights, factors, anchors and
/// combination). At most 32 plans, and of so many bytes (`Plan::constant_bytes`, and the filters') as
/// `limit_kept_plans` says; what was not asked for longest goes first, and a plan that is larger than that
/// alone is not kept. To find one takes a fraction of a microsecond, and for many weights the time to compare
/// them. Any thread may call.
struct KeptPlans {
  std::size_t plans = 0;
  std::size_t bytes = 0;
};
KeptPlans kept_plans();

/// From now on at most so many bytes of plans are kept, 128 MiB unless this says otherwise; 0: none, and those kept go.
void limit_kept_plans(std::size_t bytes);

}  // namespace halation
