// number_strips.h: strips of images, small enough for the caches, with all around them that a filter reads: how jobs in host memory
// are cut whose pixels become numbers of f64.
#pragma once

#include <array>
#include <span>

#include "core/job.h"
#include "halation/view.h"

namespace halation {

/// A job as jobs over strips, of one shape all: several images of the batch, or a part of one along an axis. The
/// last strip along each reaches back over the one before, and has fewer outputs of its own.
class NumberStrips {
 public:
  /// By the borders of `job` as it was asked for; at most so many threads do it.
  NumberStrips(const Job& job, int threads);

  std::int64_t count() const { return batches_ * parts_; }
  const Shape& in() const { return strip_in_; }
  const Shape& out() const { return strip_out_; }
  /// A job like the whole one, over a strip.
  Job cut(Job whole) const;

  /// The numbers that a strip reads: one image, or the two that are halves; `constants` lie around each, by axis.
  void read(std::int64_t strip, const ConstView& in, std::span<const View> numbers,
            const std::array<std::array<double, 2>, 3>& constants) const;
  /// What of a strip's numbers and of an output are the strip's own.
  ConstView numbers_of(std::int64_t strip, const ConstView& numbers) const;
  View output_of(std::int64_t strip, const View& out) const;

 private:
  /// Outputs along an axis: those that the strip makes begin at `first`, of which it leaves out `skipped`.
  struct Place {
    std::int64_t first, skipped, count;
  };
  static Place place(std::int64_t index, std::int64_t each, std::int64_t all);
  Place in_batch(std::int64_t strip) const { return place(strip / parts_, strip_out_.batch, out_.batch); }
  Place in_part(std::int64_t strip) const;

  Shape out_, strip_in_, strip_out_;
  BorderTable border_;  ///< along the axis
  int axis_ = -1;       ///< 0 to 2: depth, height, width
  std::int64_t low_ = 0, reach_ = 0;
  std::int64_t batches_ = 1, parts_ = 1;
};

}  // namespace halation
