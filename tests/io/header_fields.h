// header_fields.h: where the headers of small files keep sizes and counts, and files in which these are
// others.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace halation::test {

/// An unsigned number in a file.
struct Field {
  std::size_t at;
  std::size_t bytes;
  bool big;  ///< the most significant byte comes first
};

inline std::uint64_t number_at(const std::string& file, const Field& field) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < field.bytes; ++i) {
    const std::size_t at = field.at + (field.big ? i : field.bytes - 1 - i);
    value = value << 8 | static_cast<unsigned char>(file.at(at));
  }
  return value;
}

inline void put_number(std::string& file, const Field& field, std::uint64_t value) {
  for (std::size_t i = 0; i < field.bytes; ++i, value >>= 8) {
    file.at(field.at + (field.big ? field.bytes - 1 - i : i)) = static_cast<char>(value & 0xFF);
  }
}

inline std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

/// Chunks of length, type, data, checksum; the first is the header: width, height, depth, colours, …,
/// interlace.
inline std::vector<Field> png_fields(const std::string& file) {
  std::vector<Field> fields = {{16, 4, true}, {20, 4, true}, {16, 4, true}, {20, 4, true},
                               {24, 1, true}, {25, 1, true}, {28, 1, true}};
  for (std::size_t at = 8; at + 12 <= file.size(); at += 12 + number_at(file, fields.back()))
    fields.push_back({at, 4, true});
  return fields;
}

/// Segments of marker and length up to the first scan; those of frames have height, width, and the components
/// with their sampling.
inline std::vector<Field> jpeg_fields(const std::string& file) {
  std::vector<Field> fields;
  for (std::size_t at = 2; at + 4 <= file.size() && file[at + 1] != '\xDA';
       at += 2 + number_at(file, {at + 2, 2, true})) {
    fields.push_back({at + 2, 2, true});
    const auto marker = static_cast<unsigned char>(file[at + 1]);
    if (marker < 0xC0 || marker > 0xC2) continue;
    for (int times = 0; times < 4; ++times)
      fields.insert(fields.end(), {{at + 5, 2, true}, {at + 7, 2, true}});
    fields.push_back({at + 9, 1, true});
    for (std::size_t i = 0; i < number_at(file, {at + 9, 1, true}); ++i)
      fields.push_back({at + 11 + 3 * i, 1, true});
  }
  return fields;
}

/// The number of entries of each directory; of each entry count and value.
inline std::vector<Field> tiff_fields(const std::string& file) {
  const bool big_tiff = file[2] == '+';
  const std::size_t offset_bytes = big_tiff ? 8 : 4;
  const std::size_t number_bytes = big_tiff ? 8 : 2;
  std::vector<Field> fields;
  std::uint64_t at = number_at(file, {big_tiff ? 8U : 4U, offset_bytes, false});
  while (at != 0) {
    fields.push_back({at, number_bytes, false});
    const std::uint64_t entries = number_at(file, fields.back());
    at += number_bytes;
    for (std::uint64_t i = 0; i < entries; ++i, at += 4 + 2 * offset_bytes) {
      const bool is_short = number_at(file, {at + 2, 2, false}) == 3;
      fields.push_back({at + 4, offset_bytes, false});
      for (int times = 0; times < 3; ++times)
        fields.push_back({at + 4 + offset_bytes, is_short ? 2 : offset_bytes, false});
    }
    at = number_at(file, {at, offset_bytes, false});
  }
  return fields;
}

/// Sizes of chunks; the canvas, and width and height of frames, in bits where they are lossless.
inline std::vector<Field> webp_fields(const std::string& file) {
  std::vector<Field> fields = {{4, 4, false}};
  for (std::size_t at = 12; at + 8 <= file.size();
       at += 8 + (number_at(file, {at + 4, 4, false}) + 1) / 2 * 2) {
    fields.push_back({at + 4, 4, false});
    const std::string_view name(&file[at], 4);
    const std::size_t data = at + 8;
    if (name == "VP8X")
      fields.insert(fields.end(), {{data, 1, false}, {data + 4, 3, false}, {data + 7, 3, false}});
    for (int times = 0; times < 4; ++times) {
      if (name == "VP8 ") fields.insert(fields.end(), {{data + 6, 2, false}, {data + 8, 2, false}});
      if (name == "VP8L") fields.push_back({data + 1, 4, false});
    }
  }
  return fields;
}

/// Of each attribute its size; boxes, tiles, whole numbers, channels and the compression word by word.
inline std::vector<Field> exr_fields(const std::string& file) {
  std::vector<Field> fields = {{4, 4, false}};
  std::size_t at = 8;
  while (file.at(at) != '\0') {
    at = file.find('\0', at) + 1;
    const std::string type = file.substr(at, file.find('\0', at) - at);
    at += type.size() + 1;
    fields.push_back({at, 4, false});
    const std::size_t size = number_at(file, fields.back());
    at += 4;
    if (type == "compression") fields.push_back({at, 1, false});
    const int times = type == "box2i" || type == "tiledesc" ? 3 : type == "int" || type == "chlist" ? 1 : 0;
    for (int i = 0; i < times; ++i) {
      for (std::size_t word = 0; word + 4 <= size; word += 4) fields.push_back({at + word, 4, false});
    }
    at += size;
  }
  return fields;
}

/// Offsets and sizes of file and header, width, height, bits, compression, colours; bit fields where there are.
inline std::vector<Field> bmp_fields(const std::string& file) {
  std::vector<Field> fields = {{2, 4, false},  {10, 4, false}, {14, 4, false}, {28, 2, false},
                               {30, 4, false}, {34, 4, false}, {46, 4, false}};
  for (int times = 0; times < 3; ++times) fields.insert(fields.end(), {{18, 4, false}, {22, 4, false}});
  if (number_at(file, {30, 4, false}) == 3)
    for (std::size_t at = 54; at < 70; at += 4) fields.push_back({at, 4, false});
  return fields;
}

/// The screen, its flags; of each picture place, size, flags and code size; sizes and first bytes of blocks.
inline std::vector<Field> gif_fields(const std::string& file) {
  const auto palette_bytes = [&](std::size_t flags_at) {
    const std::uint64_t flags = number_at(file, {flags_at, 1, false});
    return flags < 128 ? 0 : std::size_t{3} << (flags % 8 + 1);
  };
  std::vector<Field> fields = {{6, 2, false}, {8, 2, false}, {6, 2, false}, {8, 2, false}, {10, 1, false}};
  for (std::size_t at = 13 + palette_bytes(10); file.at(at) != ';';) {
    const bool is_picture = file[at] == ',';
    if (is_picture) {
      for (std::size_t i = 1; i < 9; i += 2) fields.push_back({at + i, 2, false});
      fields.insert(fields.end(), {{at + 9, 1, false}, {at + 5, 2, false}, {at + 7, 2, false}});
      at += 10 + palette_bytes(at + 9);
      fields.push_back({at++, 1, false});
    } else {
      at += 2;
    }
    for (; file.at(at) != '\0'; at += 1 + number_at(file, {at, 1, false}))
      fields.insert(fields.end(), {{at, 1, false}, {at + 1, 1, false}});
    ++at;
  }
  return fields;
}

/// Of each box its size, and all that follows word by word in those of extents, places, pixels, configurations
/// and properties; the first bytes of the coded pictures.
inline std::vector<Field> avif_fields(const std::string& file) {
  std::vector<Field> fields;
  for (const std::string_view name : {"meta", "iloc", "iinf", "iprp", "ipco", "ispe", "pixi", "av1C", "ipma", "mdat"}) {
    for (std::size_t at = file.find(name); at != std::string::npos; at = file.find(name, at + 1)) {
      const Field size{at - 4, 4, true};
      fields.push_back(size);
      const bool is_container = name[0] == 'm' || name == "iprp" || name == "ipco" || name == "iinf";
      const std::size_t end = std::min(file.size(), at - 4 + (is_container ? 8 : number_at(file, size)));
      for (std::size_t word = at + 4; word + 4 <= end; word += 4) fields.push_back({word, 4, true});
      if (name == "ispe")
        for (int times = 0; times < 4; ++times)
          fields.insert(fields.end(), {{at + 8, 4, true}, {at + 12, 4, true}});
      if (name == "mdat")
        for (std::size_t byte = at + 4; byte < std::min(file.size(), at + 36); ++byte)
          fields.push_back({byte, 1, true});
    }
  }
  return fields;
}

/// 0, 1, powers of two and their neighbours, the largest, multiples of what was there, or anything.
inline std::uint64_t other_number(std::uint64_t value, std::size_t bytes, std::mt19937& random) {
  const std::uint64_t largest = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
  switch (random() % 6) {
    case 0:
      return random() % 3;
    case 1:
      return (std::uint64_t{1} << random() % (8 * bytes)) + random() % 3 - 1;
    case 2:
      return largest >> random() % 2;
    case 3:
      return value * (2 + random() % 5000);
    case 4:
      return random() % 20000;
    default:
      return (std::uint64_t{random()} << 32 | random()) & largest;
  }
}

}  // namespace halation::test
