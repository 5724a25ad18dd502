// sum.h: how sums of windows of k samples side by side are made in few steps: each joins two or three shorter windows and a
// few single samples, so that each sample of a window is added once, in a tree.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cpu/parts/box/kernels.h"

namespace halation::cpu_backend {

class BoxSum {
 public:
  explicit BoxSum(std::int64_t taps);

  std::int64_t taps() const { return taps_; }

  /// Sums of `n` windows of samples that stand `step` apart. `between` are two lines of `length(n, step)` samples, where there
  /// is more than one step; `out` is none of them.
  template <class In, class Out>
  void sum(const BoxSteps<In, Out>& steps, const In* samples, std::int64_t step, Out weight, std::pair<Out*, Out*> between, Out* out,
           std::int64_t n) const {
    const Out* shorter = nullptr;
    for (const Part& part : parts_) {
      const bool last = part.taps == taps_;
      const std::int64_t joined = part.windows * part.shorter;
      Out* to = last ? out : between.first;
      const BoxStep<In, Out> job{.shorter = shorter,
                                    .shorter_shift = part.shorter * step,
                                    .samples = samples + joined * step,
                                    .samples_shift = step,
                                    .weight = weight,
                                    .out = to,
                                    .n = n + (taps_ - part.taps) * step};
      (part.windows == 0 ? steps.first[part.samples] : steps.joined[part.windows][part.samples])(job);
      shorter = to;
      std::swap(between.first, between.second);
    }
  }
  std::int64_t length(std::int64_t n, std::int64_t step) const { return n + (taps_ - 1) * step; }

 private:
  struct Part {
    std::int64_t taps;     // of the windows that it makes
    std::int64_t shorter;  // taps of those it joins
    std::size_t windows;   // that it joins
    std::size_t samples;   // that it adds to them
  };

  std::int64_t taps_;
  std::vector<Part> parts_;
};

}  // namespace halation::cpu_backend
