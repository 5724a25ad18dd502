// av1.cpp: how large the pictures of an AV1 stream are, before anything decodes them.
//
// Read are the OBU headers (5.3.2 of the AV1 specification) and sequence headers (5.5.1) up to the largest
// frame, which no frame header may go beyond.
#include "io/codecs/av1.h"

#include <algorithm>

namespace halation::io {
namespace {

/// Most significant bit first; zeros behind the end.
class Bits {
 public:
  explicit Bits(Bytes bytes) : bytes_(bytes) {}

  std::uint32_t next(int count) {
    std::uint32_t value = 0;
    for (; count > 0; --count, ++at_) {
      const std::size_t byte = at_ / 8;
      const unsigned bit =
          byte < bytes_.size() ? std::to_integer<unsigned>(bytes_[byte]) >> (7 - at_ % 8) & 1U : 0U;
      value = value << 1 | bit;
    }
    return value;
  }
  bool flag() { return next(1) != 0; }
  void skip(int count) { at_ += static_cast<std::size_t>(count); }
  void skip_exp_golomb() {
    int zeros = 0;
    while (zeros < 32 && !flag()) ++zeros;
    if (zeros < 32) skip(zeros);
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

std::int64_t frame_of_sequence(Bytes header) {
  Bits bits(header);
  bits.skip(3 + 1);  // profile, still picture
  if (bits.flag()) {
    bits.skip(5);  // the level of a reduced header
  } else {
    bool has_model = false;
    int delay_bits = 0;
    if (bits.flag()) {  // timing
      bits.skip(32 + 32);
      if (bits.flag()) bits.skip_exp_golomb();
      has_model = bits.flag();
      if (has_model) {
        delay_bits = static_cast<int>(bits.next(5)) + 1;
        bits.skip(32 + 5 + 5);
      }
    }
    const bool has_delay = bits.flag();
    for (std::uint32_t points = bits.next(5) + 1; points > 0; --points) {
      bits.skip(12);
      if (bits.next(5) > 7) bits.skip(1);
      if (has_model && bits.flag()) bits.skip(2 * delay_bits + 1);
      if (has_delay && bits.flag()) bits.skip(4);
    }
  }
  const auto width_bits = static_cast<int>(bits.next(4)) + 1;
  const auto height_bits = static_cast<int>(bits.next(4)) + 1;
  const std::int64_t width = std::int64_t{bits.next(width_bits)} + 1;
  return width * (std::int64_t{bits.next(height_bits)} + 1);
}

}  // namespace

std::optional<std::int64_t> largest_av1_frame(Bytes obus) {
  constexpr unsigned sequence_header = 1;
  std::int64_t largest = 0;
  while (!obus.empty()) {
    const auto header = std::to_integer<unsigned>(obus[0]);
    const bool has_extension = (header & 4U) != 0;
    const bool has_size = (header & 2U) != 0;
    std::size_t at = has_extension ? 2 : 1;
    std::uint64_t size = 0;
    for (int i = 0; has_size; ++i) {
      if (i == 8 || at >= obus.size()) return {};
      const auto byte = std::to_integer<std::uint64_t>(obus[at++]);
      size |= (byte & 0x7F) << 7 * i;
      if (byte < 0x80) break;
    }
    if ((header & 0x80U) != 0 || at > obus.size()) return {};
    if (!has_size) size = obus.size() - at;
    if (size > obus.size() - at) return {};
    const Bytes content = obus.subspan(at, size);
    if ((header >> 3 & 15U) == sequence_header) largest = std::max(largest, frame_of_sequence(content));
    obus = obus.subspan(at + size);
  }
  return largest;
}

}  // namespace halation::io
