// convolve.h: one call from image and filter to filtered image.
#pragma once

#include <optional>

#include "halation/plan.h"

namespace halation {

/// Filters an image:  out[p] = round(scale · Σ w[k] · in[p − (k − a)] + offset),  or as `options.operation` says.
///
/// Runs where the image lies; `device` names another backend of the same memory (`reference()`). Batches and
/// channels are filtered one by one. Throws `Error` with a sentence for anything that does not fit. Cost: a
/// plan (microseconds; with `Tune::measure` several passes the first time), the output's allocation, and one
/// pass. For many images of one shape, make a `Plan` once.
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

}  // namespace halation
