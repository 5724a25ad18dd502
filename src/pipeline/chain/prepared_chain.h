// prepared_chain.h: a chain ready to run over images of one shape.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "halation/chain.h"
#include "halation/plan.h"

namespace halation {

/// The chain over images of `dims` dimensions: what is deferred is settled. Throws `Error{invalid_argument}` where it has no stages, or one
/// of several filters that are not combined.
Chain settled(const Chain& chain, int dims);

/// The inputs that output o depends on along the axis: o − before to o + after.
struct Reach {
  std::int64_t before = 0;
  std::int64_t after = 0;

  /// Of filters one after the other.
  Reach& operator+=(const Reach& next);
};

/// A chain that has been checked for an image: settled, and what comes out.
struct CheckedChain {
  Chain chain;
  Shape out;
  Pixel out_pixel = Pixel::u8;
  Reach reach = {};  ///< along the axis of parts of the input
};
/// Throws `Error{invalid_argument}` for everything that means nothing.
CheckedChain check(const Shape& shape, Pixel pixel, const Chain& chain, Device device, const Options& options);

/// The pixel of images between stages: f32, f64 where input or output is no native pixel but that or sums are
/// in f64, c64 and c128 where they are complex.
Pixel pixel_between(const Options& options, Pixel input);

/// What a stage computes, of a chain over an image of `input`: the options of the last are those given, with
/// their output pixel; the others' results are floats as they come. Throws `Error{invalid_argument}` for
/// 64-bit integers between stages.
Options options_of_stage(const Options& options, Pixel input, bool is_last);

class PreparedChain {
 public:
  /// `chain` need not be settled. Filters that should take less time as one are joined.
  PreparedChain(const Shape& shape, Pixel pixel, const Chain& chain, Device device, const Options& options,
                Layout layout = Layout::interleaved);

  const Shape& input_shape() const { return specs_.front().shape; }
  Pixel input_pixel() const { return specs_.front().pixel; }
  const Shape& output_shape() const { return plans_.back().output_shape(); }
  Pixel output_pixel() const { return plans_.back().output_pixel(); }
  Device device() const { return specs_.front().device; }
  /// One each a stage, once stages have been joined.
  const std::vector<PlanSpec>& specs() const { return specs_; }
  const std::vector<Plan>& plans() const { return plans_; }
  /// Of the images between stages and the largest workspace: what `run` takes beside its views.
  double scratch_bytes() const;
  /// What is done and why, a stage after the other, with the number of those that the user gave where that is another.
  std::string explain() const;

  /// The images between stages, on the device: for one run at a time. `stream` must outlive them.
  std::vector<Image> images_between(Stream stream = {}) const;
  /// Queued on `stream`, of the device where the views lie.
  void run(ConstView in, View out, std::span<Image> between, Stream stream = {}) const;

 private:
  std::vector<PlanSpec> specs_;
  std::vector<Plan> plans_;
  std::size_t given_stages_ = 0;
};

}  // namespace halation
