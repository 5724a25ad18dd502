// histogram.cpp: how often each brightness occurs in a picture.
#include "histogram.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "app/filtering/shown_range.h"
#include "core/convert.h"
#include "core/threads.h"

namespace halation::app {

Histogram::Histogram(const PageFacts& page)
    : pixel_(page.pixel), channels_(static_cast<std::size_t>(page.shape.channels), Counts(levels)) {}

void Histogram::take(const ConstView& part) {
  const ShownRange range = shown_range(pixel_);
  const double factor = (levels - 1) / (range.white - range.black);
  const std::int64_t channels = part.shape.channels, lines = part.shape.depth * part.shape.height;
  const std::int64_t tasks = std::clamp<std::int64_t>(part.shape.elements() / 65536, 1, std::min<std::int64_t>(lines, 64));
  std::mutex adding;
  visit_pixel(pixel_, [&](auto like) {
    using T = decltype(like);
    in_threads(tasks, [&](std::int64_t task) {
      std::vector<Counts> counts(channels_.size(), Counts(levels));
      std::int64_t not_numbers = 0;
      for (std::int64_t line = lines * task / tasks; line < lines * (task + 1) / tasks; ++line) {
        const std::byte* row = part.data + line / part.shape.height * part.strides.depth + line % part.shape.height * part.strides.height;
        for (std::int64_t c = 0; c < channels; ++c) {
          Counts& of_channel = counts[static_cast<std::size_t>(c)];
          for (std::int64_t x = 0; x < part.shape.width; ++x) {
            const T value = *reinterpret_cast<const T*>(row + x * part.strides.width + c * part.strides.channels);
            if constexpr (sizeof(T) == 1) {
              ++of_channel[value];
            } else {
              const double level = (static_cast<double>(value) - range.black) * factor;
              if (std::isnan(level)) {
                ++not_numbers;
              } else {
                ++of_channel[static_cast<std::size_t>(std::lround(std::clamp(level, 0.0, levels - 1.0)))];
              }
            }
          }
        }
      }
      const std::lock_guard<std::mutex> locked(adding);
      not_numbers_ += not_numbers;
      for (std::size_t c = 0; c < counts.size(); ++c)
        std::transform(counts[c].begin(), counts[c].end(), channels_[c].begin(), channels_[c].begin(), std::plus<>());
    });
  });
}

}  // namespace halation::app
