// strips.cpp: how an image is cut to be filtered part by part, so that nothing shows where.
#include "pipeline/strips.h"

#include <algorithm>

namespace halation {
namespace {

constexpr double mebibyte = 1 << 20;

/// Bytes of the input and output of a strip. On a CPU long enough that starting threads does not show; on a GPU so short that an image
/// of some megabytes is many strips, of which one goes up, one is computed and one comes down.
double usual_bytes(double image_bytes, Device::Kind device) {
  constexpr double least_strips = 6;
  if (device != Device::Kind::cuda) return 8 * mebibyte;
  return std::clamp(image_bytes / least_strips, 4 * mebibyte, 32 * mebibyte);
}

/// The most for the sake of less overlap.
double most_bytes(Device::Kind device) { return (device == Device::Kind::cuda ? 256 : 128) * mebibyte; }
constexpr std::int64_t wanted_reaches = 16;    ///< a strip is as many times as long as the overlap: 6% are computed twice
constexpr std::int64_t least_reaches = 4;      ///< whatever it takes

}  // namespace

Strips::Strips(const Length& length, const Reach& reach, bool wraps, const StripSize& size)
    : input_(length.input), output_(length.output), reach_(reach), growth_(length.output - length.input) {
  const double slice = length.input_bytes + length.output_bytes;
  const std::int64_t overlap = reach.before + reach.after;
  double wanted = size.bytes / slice;
  if (size.bytes == 0) {
    const double little_overlap = std::min(static_cast<double>(wanted_reaches * overlap), most_bytes(size.device) / slice);
    wanted = std::max(usual_bytes(slice * static_cast<double>(input_), size.device) / slice, little_overlap);
  }
  // Two rows of input and of output at least: a part that is as short as 1 has another outermost axis.
  const std::int64_t least = overlap + 2;
  strip_ = std::max({static_cast<std::int64_t>(wanted), least_reaches * overlap, least});
  for (int i = 0; i < size.halvings; ++i) strip_ = std::max((std::min(strip_, input_) + 1) / 2, least);
  if (size.is_all || strip_ >= input_) {
    strip_ = step_ = input_;
    return;
  }
  wraps_ = wraps;
  const auto whole_parts = [](std::int64_t of, std::int64_t part) { return (of + part - 1) / part; };
  count_ = wraps ? whole_parts(output_, strip_ - overlap) : 1 + whole_parts(input_ - strip_, strip_ - overlap);
  // As many as that, of one length: the last one overlaps no more than the others.
  const std::int64_t even = whole_parts(wraps ? output_ : input_ - overlap, count_) + overlap;
  strip_ = std::max(std::min(strip_, even), least);
  step_ = strip_ - overlap;
  count_ = wraps ? whole_parts(output_, step_) : 1 + whole_parts(input_ - strip_, step_);
}

Strip Strips::at(std::int64_t index) const {
  if (count_ == 1) return {.first = 0, .skipped = 0, .output = 0, .outputs = output_};
  const bool is_last = index == count_ - 1;
  const std::int64_t start = index * step_;
  const std::int64_t first = wraps_ ? start - reach_.before : std::min(start, input_ - strip_);
  const std::int64_t output = wraps_ || index == 0 ? start : start + reach_.before;
  const std::int64_t next = wraps_ ? start + step_ : start + step_ + reach_.before;
  return {.first = first, .skipped = output - first, .output = output, .outputs = (is_last ? output_ : next) - output};
}

std::int64_t Strips::shared_with_previous(std::int64_t index) const {
  return index == 0 ? 0 : at(index - 1).first + strip_ - at(index).first;
}

}  // namespace halation
