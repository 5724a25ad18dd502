// iptc.cpp: IPTC-IIM, captions and keywords of the press, where files have it.
#include "io/metadata/iptc.h"

#include <algorithm>
#include <charconv>

#include "io/metadata/exif.h"

namespace halation::io {
namespace {

constexpr std::string_view resource_signature = "8BIM";
constexpr std::size_t iptc_resource = 0x0404;
constexpr std::uint16_t iptc_tag = 33723, resources_tag = 34377;

void put(std::vector<std::byte>& bytes, std::size_t value, std::size_t size) {
  for (std::size_t i = size; i-- > 0;) bytes.push_back(static_cast<std::byte>(value >> 8 * i));
}

std::vector<std::byte> copy_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

std::vector<std::byte> iptc_in_resources(Bytes rest) {
  while (begins_with(rest, resource_signature) && rest.size() >= 7) {
    const std::size_t id = big_endian(rest, 4, 2);
    const std::size_t name_bytes = (std::to_integer<std::size_t>(rest[6]) + 2) / 2 * 2;  // with its length, even
    if (rest.size() < 6 + name_bytes + 4) return {};
    const std::size_t size = big_endian(rest, 6 + name_bytes, 4);
    rest = rest.subspan(6 + name_bytes + 4);
    if (size > rest.size()) return {};
    if (id == iptc_resource) return copy_of(rest.first(size));
    rest = rest.subspan(std::min(rest.size(), (size + 1) / 2 * 2));
  }
  return {};
}

std::vector<std::byte> resources_with(Bytes iptc) {
  if (iptc.empty()) return {};
  std::vector<std::byte> resources = bytes_at(resource_signature.data(), resource_signature.size());
  put(resources, iptc_resource, 2);
  put(resources, 0, 2);  // without a name
  put(resources, iptc.size(), 4);
  resources.insert(resources.end(), iptc.begin(), iptc.end());
  if (iptc.size() % 2 != 0) put(resources, 0, 1);
  return resources;
}

std::vector<std::byte> iptc_in_profile_text(std::string_view text) {
  // An empty line, the name, how many bytes, and these, all on lines.
  const auto skip = [&](auto is_skipped) {
    while (!text.empty() && is_skipped(text.front())) text.remove_prefix(1);
  };
  const auto is_space = [](char c) { return c == '\n' || c == '\r' || c == ' '; };
  skip(is_space);
  skip([&](char c) { return !is_space(c); });
  skip(is_space);
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || size > text.size() / 2) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  std::vector<std::byte> bytes;
  for (skip(is_space); bytes.size() < size && text.size() >= 2; skip(is_space)) {
    unsigned value = 0;
    const char* const behind = text.data() + 2;
    if (std::from_chars(text.data(), behind, value, 16).ptr != behind) return {};
    bytes.push_back(static_cast<std::byte>(value));
    text.remove_prefix(2);
  }
  if (bytes.size() != size) return {};
  return begins_with(bytes, resource_signature) ? iptc_in_resources(bytes) : bytes;
}

std::string profile_text_with(Bytes iptc) {
  const std::vector<std::byte> resources = resources_with(iptc);
  if (resources.empty()) return {};
  std::string text = "\niptc\n" + std::to_string(resources.size());
  constexpr std::size_t bytes_in_a_line = 36;
  constexpr std::string_view digits = "0123456789abcdef";
  for (std::size_t i = 0; i < resources.size(); ++i) {
    if (i % bytes_in_a_line == 0) text += '\n';
    text += digits[std::to_integer<std::size_t>(resources[i] >> 4)];
    text += digits[std::to_integer<std::size_t>(resources[i] & std::byte{15})];
  }
  return text + '\n';
}

std::vector<std::byte> iptc_in_tiff(Bytes file, std::uint64_t at) {
  const std::vector<std::byte> own = stored_value(file, at, iptc_tag);
  return own.empty() ? iptc_in_resources(stored_value(file, at, resources_tag)) : own;
}

}  // namespace halation::io
