// chain.h: filters one after the other, rounded once.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "halation/colour.h"
#include "halation/filter.h"

namespace halation {

/// Filters that are applied one after the other, each to what the one before gives; a filter alone is a chain of one.
struct Chain {
  std::vector<FilterSet> stages;

  Chain() = default;
  Chain(Filter filter) : stages{FilterSet(std::move(filter))} {}
  Chain(FilterSet stage) : stages{std::move(stage)} {}
  Chain(std::vector<FilterSet> list) : stages(std::move(list)) {}
};

/// A chain as text: named filters (halation/filters.h) with their parameters, apart by '|', "gaussian sigma=2 | unsharp_mask amount=0.5 |
/// edges", and weights, "custom weights='0 -1 0; -1 5 -1; 0 -1 0'" (`parse_weights`). A parameter has one value, or one for each axis with
/// commas between them, "sigma=2,1"; what holds blanks stands in quotes, ' or ". Throws `Error{invalid_argument}` for a text that is no
/// chain, "chain: stage 2 (unsharp_mask): parameters are written name=value, such as amount=1, got 'amount'", and as `make_filter`.
Chain chain_from(std::string_view text);

/// Filters an image by a chain:  out = round(scale · F_n(… F_2(F_1(in)))  + offset).
///
/// `options` hold for every stage (border, extent, operation, sum, accuracy, method), but output, scale, offset and rounding for the last
/// alone: what lies between the stages is f32 (f64 where input or output is, or `options.sum` asks for it), not rounded to the pixel and
/// not clipped. The border of a stage is that of its own input, the image that the stage before gives. Two linear stages are joined into
/// one, whose weights are the convolution of theirs, where the image is the same at its borders too (border wrap; reflect and reflect101
/// with weights of the first that are symmetric along each axis; extent valid) and it should take less time. Colour is as in
/// `convolve_colour`: decoded before the first stage, encoded after the last, premultiplied all the way. Cost: the stages' plans, their
/// passes, and memory for an image between each two.
///
/// Throws `Error{invalid_argument}` for a chain without stages and for one of several filters that are not combined, and as
/// `convolve_colour`.
Image convolve_chain(ConstView in, const Chain& chain, const Options& options = {}, const ColourOptions& colour = {},
                     std::optional<Device> device = {});

}  // namespace halation
