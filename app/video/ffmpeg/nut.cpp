// nut.cpp: raw frames with their times, in NUT: https://ffmpeg.org/nut.html
#include "nut.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace halation::app {
namespace {

constexpr std::string_view file_id{"nut/multimedia container\0", 25};
constexpr std::string_view main_startcode{"NM\x7A\x56\x1F\x5F\x04\xAD", 8};

/// What a frame's header has, by bits of its flags.
enum Flag : std::uint64_t {
  coded_time = 8,
  stream_id = 16,
  size_factors = 32,
  checksum = 64,
  reserved = 128,
  side_data = 256,
  header_index = 1024,
  match_time = 2048,
  coded_flags = 4096,
  invalid = 8192
};

[[noreturn]] void fail() { throw NotNut(); }

/// Numbers of seven bits a byte, the high ones first, taken from whatever `next` gives byte after byte.
std::uint64_t number_from(const auto& next) {
  std::uint64_t value = 0;
  for (int bytes = 0; bytes < 10; ++bytes) {
    const auto byte = std::to_integer<std::uint64_t>(next());
    value = value << 7U | (byte & 127U);
    if (byte < 128) return value;
  }
  fail();
}

}  // namespace

void NutReader::take_main_header(const std::vector<std::byte>& packet) {
  std::size_t at = 0;
  const auto number = [&] { return number_from([&] { return at < packet.size() ? packet[at++] : (fail(), std::byte{}); }); };
  if (number() > 3) (void)number();  // the version, and a minor one
  (void)number();                    // streams
  (void)number();                    // bytes between syncpoints
  for (std::uint64_t bases = number(); bases > 0; --bases) {
    (void)number();
    (void)number();
  }
  std::uint64_t factor = 1;
  for (std::size_t i = 0; i < codes_.size();) {
    const std::uint64_t flags = number(), fields = number();
    std::array<std::uint64_t, 6> field = {0, factor, 0, 0, 0, 0};  // time, size factor, stream, size, reserved, count
    for (std::uint64_t k = 0; k < fields; ++k) {
      const std::uint64_t value = number();
      if (k < field.size()) field[k] = value;
    }
    factor = field[1];
    const std::uint64_t count = fields > 5 ? field[5] : factor - field[3];
    if (count == 0 || count > codes_.size()) fail();
    for (std::uint64_t j = 0; j < count && i < codes_.size(); ++i) {
      const bool is_startcode = i == 'N';
      codes_[i] = {.flags = is_startcode ? invalid : flags, .size_factor = factor, .size = field[3] + j, .reserved = field[4]};
      if (!is_startcode) ++j;
    }
  }
}

bool NutReader::read_head(Process& source, std::vector<std::byte>& head, std::size_t& frame_bytes) {
  head.clear();
  const auto take = [&](std::size_t count) {
    const std::size_t before = head.size();
    head.resize(before + count);
    if (source.read(head.data() + before, count) < count) fail();
    return before;
  };
  const auto number = [&] { return number_from([&] { return head[take(1)]; }); };
  if (!std::exchange(has_begun_, true)) {
    head.resize(file_id.size());
    const std::size_t got = source.read(head.data(), head.size());
    if (got == 0) return false;
    if (got < file_id.size() || std::memcmp(head.data(), file_id.data(), file_id.size()) != 0) fail();
  }
  for (;;) {
    std::byte first = {};
    if (source.read(&first, 1) == 0) return false;
    const std::size_t begin = head.size();
    head.push_back(first);
    if (first == std::byte{'N'}) {
      take(main_startcode.size() - 1);
      const bool is_main = std::memcmp(head.data() + begin, main_startcode.data(), main_startcode.size()) == 0;
      const std::uint64_t bytes = number();
      constexpr std::uint64_t most = 1 << 26;  // an index of all frames, at the end, is the largest
      if (bytes > most) fail();
      if (bytes > 4096) take(4);  // a checksum of the packet's head
      const std::size_t packet = take(bytes);
      if (is_main) take_main_header({head.begin() + static_cast<std::ptrdiff_t>(packet), head.end()});
      continue;
    }
    const Code& code = codes_[std::to_integer<std::size_t>(first)];
    std::uint64_t flags = code.flags;
    if ((flags & coded_flags) != 0) flags ^= number();
    if ((flags & (invalid | side_data)) != 0) fail();
    if ((flags & stream_id) != 0) (void)number();
    if ((flags & coded_time) != 0) (void)number();
    std::uint64_t size = code.size;
    if ((flags & size_factors) != 0) size += code.size_factor * number();
    if ((flags & match_time) != 0) (void)number();
    if ((flags & header_index) != 0) (void)number();
    for (std::uint64_t left = (flags & reserved) != 0 ? number() : code.reserved; left > 0; --left) (void)number();
    if ((flags & checksum) != 0) take(4);
    frame_bytes = size;
    return true;
  }
}

}  // namespace halation::app
