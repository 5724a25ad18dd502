// npy.cpp: NumPy's .npy arrays, versions 1 to 3 (numpy.lib.format), as images of one page.
//
// Read: bool (as 0 and 1) and all pixels, either byte order, C and Fortran order. Written: version 1, the
// machine's byte order, C order; the axes that the page has, and others only where they are longer than 1.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

#include "core/convert.h"
#include "halation/error.h"
#include "io/file.h"

namespace halation::io {
namespace {

constexpr bool little_endian = std::endian::native == std::endian::little;
constexpr std::string_view magic = "\x93NUMPY";

bool recognises(Bytes file) { return begins_with(file, magic); }

[[noreturn]] void fail(const std::string& sentence) {
  throw Error(ErrorCode::io, "damaged or truncated .npy: " + sentence);
}

/// The header's three entries. `descr` is empty where it is not a plain type but a list of fields.
struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Reads the header, a Python dictionary of strings, booleans and tuples of integers.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Header parse() {
    Header header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        has_descr = true;
        if (!next_is_quote()) return header;
        header.descr = string();
      } else if (key == "fortran_order") {
        has_order = true;
        header.fortran_order = boolean();
      } else if (key == "shape") {
        has_shape = true;
        header.shape = tuple();
      } else {
        fail("unknown header entry '" + key + "'");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!has_descr || !has_order || !has_shape) fail("the header lacks descr, fortran_order or shape");
    return header;
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  bool next_is_quote() {
    skip_blanks();
    return rest_.starts_with('\'') || rest_.starts_with('"');
  }
  bool accept(char wanted) {
    skip_blanks();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("'") + wanted + "' expected in the header");
  }
  std::string string() {
    if (!next_is_quote()) fail("a string expected in the header");
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) fail("a string without an end in the header");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    fail("True or False expected in the header");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> numbers;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc{} || number < 0) fail("an extent expected in the header");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      accept('L');  // Python 2 marked long integers
      numbers.push_back(number);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  std::string_view rest_;
};

/// How elements lie in the file.
struct Element {
  Pixel pixel = Pixel::u8;
  bool is_bool = false;
  bool swapped = false;
};

/// "u1", "f4": the first letter of NumPy's name, and the bytes.
std::string kind_of(Pixel pixel) { return numpy_name(pixel).substr(0, 1) + std::to_string(bytes_of(pixel)); }

Element element_named(const std::string& descr) {
  const bool has_order = !descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos;
  const std::string kind = has_order ? descr.substr(1) : "";
  if (kind == "b1") return {.pixel = Pixel::u8, .is_bool = true};
  for (const Pixel pixel : all_pixels) {
    if (kind_of(pixel) != kind) continue;
    return {.pixel = pixel, .swapped = bytes_of(pixel) > 1 && descr[0] == (little_endian ? '>' : '<')};
  }
  throw Error(ErrorCode::unsupported, "elements of type '" + (descr.empty() ? "structured" : descr) +
                                          "'; halation reads bool, integers, floats and complex numbers");
}

/// The layout of an array of that rank, read as asked.
ArrayLayout layout_of(ArrayLayout asked, std::size_t rank) {
  if (asked == ArrayLayout::by_rank) {
    constexpr ArrayLayout by_rank[] = {ArrayLayout::w, ArrayLayout::hw, ArrayLayout::dhw, ArrayLayout::dhwc};
    if (rank < 1 || rank > std::size(by_rank)) {
      throw Error(ErrorCode::unsupported,
                  "an array of " + std::to_string(rank) + " axes; halation reads 1 to 4");
    }
    return by_rank[rank - 1];
  }
  const std::string_view axes = name_of(asked);
  if (axes.size() != rank) {
    throw Error(ErrorCode::invalid_argument, "layout " + std::string(axes) + " needs an array of " +
                                                 std::to_string(axes.size()) + " axes, this one has " +
                                                 std::to_string(rank));
  }
  return asked;
}

std::int64_t& extent_along(char axis, Shape& shape) {
  switch (axis) {
    case 'd':
      return shape.depth;
    case 'h':
      return shape.height;
    case 'w':
      return shape.width;
    default:
      return shape.channels;
  }
}

std::int64_t& stride_along(char axis, Strides& strides) {
  switch (axis) {
    case 'd':
      return strides.depth;
    case 'h':
      return strides.height;
    case 'w':
      return strides.width;
    default:
      return strides.channels;
  }
}

/// The same elements with the first axis varying fastest in memory, seen as `shape`.
ConstView fortran_view(const Image& stored, std::string_view axes) {
  ConstView view = stored;
  auto stride = static_cast<std::int64_t>(bytes_of(view.pixel));
  for (const char axis : axes) {
    stride_along(axis, view.strides) = stride;
    stride *= extent_along(axis, view.shape);
  }
  return view;
}

void swap_bytes(std::byte* data, std::size_t size, std::size_t element) {
  for (std::byte* end = data + size; data != end; data += element) std::reverse(data, data + element);
}

std::size_t little_number(Bytes bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::size_t>(bytes[i]);
  return value;
}

/// The header's text and the elements behind it.
std::pair<std::string_view, Bytes> split(Bytes file) {
  if (file.size() < 12) fail("the header is incomplete");
  const auto version = std::to_integer<int>(file[6]);
  if (version < 1 || version > 3) {
    throw Error(ErrorCode::unsupported,
                ".npy version " + std::to_string(version) + "; halation reads 1 to 3");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t start = 8 + length_bytes;
  const std::size_t length = little_number(file.subspan(8, length_bytes));
  if (length > file.size() - start) fail("the header is incomplete");
  return {{reinterpret_cast<const char*>(file.data()) + start, length}, file.subspan(start + length)};
}

/// Extents that no memory could hold are the file's fault, not the caller's.
std::int64_t elements_of(const Shape& shape) {
  try {
    return shape.elements();
  } catch (const Error& error) {
    fail(error.what());
  }
}

/// An array in a file.
struct Stored {
  Shape shape;
  Element element = {};
  ArrayLayout layout = ArrayLayout::by_rank;
  bool fortran_order = false;
  Bytes elements;

  std::size_t bytes() const { return static_cast<std::size_t>(shape.elements()) * bytes_of(element.pixel); }
};

Stored stored_in(Bytes file, const Reading& reading) {
  const auto [text, elements] = split(file);
  const Header header = HeaderParser(text).parse();
  Stored stored;
  stored.element = element_named(header.descr);
  stored.fortran_order = header.fortran_order;
  stored.elements = elements;
  stored.layout = layout_of(reading.layout(), header.shape.size());
  const std::string_view axes = name_of(stored.layout);
  for (std::size_t i = 0; i < axes.size(); ++i) extent_along(axes[i], stored.shape) = header.shape[i];
  const std::int64_t count = elements_of(stored.shape);
  if (count == 0) throw Error(ErrorCode::io, "an array without elements (" + to_string(stored.shape) + ")");
  if (static_cast<std::size_t>(count) > elements.size() / bytes_of(stored.element.pixel)) {
    fail("it ends before its " + std::to_string(count) + " elements do");
  }
  return stored;
}

/// Copies elements as they lie in the file and makes them pixels.
void copy_elements(const std::byte* from, const Element& element, std::size_t size, std::byte* to) {
  std::memcpy(to, from, size);
  if (element.swapped) swap_bytes(to, size, alignment_of(element.pixel));
  if (element.is_bool) {
    std::transform(to, to + size, to, [](std::byte value) { return std::byte{value != std::byte{0}}; });
  }
}

std::vector<Page> decode(Bytes file, Reading& reading) {
  const Stored stored = stored_in(file, reading);
  const auto second_copy = stored.fortran_order ? static_cast<double>(stored.bytes()) : 0;
  Image image = reading.image({.shape = stored.shape, .pixel = stored.element.pixel, .beside_bytes = second_copy});
  copy_elements(stored.elements.data(), stored.element, stored.bytes(), image.view().data);
  std::vector<Page> pages(1);
  pages[0].layout = stored.layout;
  if (stored.fortran_order) {
    pages[0].image = Image(stored.shape, stored.element.pixel);
    copy(fortran_view(image, name_of(stored.layout)), pages[0].image);
  } else {
    pages[0].image = std::move(image);
  }
  return pages;
}

/// Parts of an array in C order: they lie one behind the other in the file.
class ArrayReader : public PartReader {
 public:
  explicit ArrayReader(const Stored& stored) : stored_(stored) {}

  void read(std::int64_t first, View to) override {
    const Element& element = stored_.element;
    const std::size_t before = stored_.bytes() / static_cast<std::size_t>(length_of(stored_.shape)) * static_cast<std::size_t>(first);
    const std::byte* from = stored_.elements.data() + before;
    const Shape& shape = to.shape;
    const auto row_bytes = static_cast<std::size_t>(shape.width * shape.channels) * bytes_of(element.pixel);
    const auto row_stride = static_cast<std::int64_t>(row_bytes);
    const bool rows_packed = rows_are_packed(to);
    if (rows_packed && (shape.height == 1 || to.strides.height == row_stride) &&
        (shape.depth == 1 || to.strides.depth == row_stride * shape.height)) {
      copy_elements(from, element, row_bytes * static_cast<std::size_t>(shape.height * shape.depth), to.data);
      return;
    }
    Image row;
    if (!rows_packed) row = Image({.width = shape.width, .channels = shape.channels}, element.pixel);
    for (std::int64_t z = 0; z < shape.depth; ++z) {
      for (std::int64_t y = 0; y < shape.height; ++y, from += row_bytes) {
        if (rows_packed) {
          copy_elements(from, element, row_bytes, &to.at<std::byte>({.z = z, .y = y}));
        } else {
          copy_elements(from, element, row_bytes, row.view().data);
          copy(row, to.crop({.z = z, .y = y, .width = shape.width}));
        }
      }
    }
  }

 private:
  Stored stored_;
};

std::vector<OpenPage> open(Bytes file, Reading& reading) {
  const Stored stored = stored_in(file, reading);
  std::vector<OpenPage> pages(1);
  pages[0].facts.shape = stored.shape;
  pages[0].facts.pixel = stored.element.pixel;
  pages[0].facts.layout = stored.layout;
  if (!stored.fortran_order) pages[0].reader = std::make_unique<ArrayReader>(stored);
  return pages;
}

std::string descr_of(Pixel pixel) {
  return (bytes_of(pixel) == 1 ? "|" : little_endian ? "<" : ">") + kind_of(pixel);
}

/// Python's tuple of the extents that are axes of the written array.
std::string shape_tuple(const Shape& shape, ArrayLayout layout) {
  const auto has = [&](char axis) {
    return layout != ArrayLayout::by_rank && name_of(layout).find(axis) != std::string_view::npos;
  };
  const bool depth = shape.depth > 1 || has('d');
  const bool channels = shape.channels > 1 || has('c');
  std::vector<std::int64_t> extents = {shape.width};
  if (shape.height > 1 || depth || channels || has('h')) extents.insert(extents.begin(), shape.height);
  if (depth) extents.insert(extents.begin(), shape.depth);
  if (channels) extents.push_back(shape.channels);
  std::string tuple;
  for (const std::int64_t extent : extents) tuple += (tuple.empty() ? "(" : ", ") + std::to_string(extent);
  return tuple + (extents.size() == 1 ? ",)" : ")");
}

class ArrayEncoder : public Encoder {
 public:
  ArrayEncoder(const PageView& page, Output& output) : output_(output) {
    std::string header = "{'descr': '" + descr_of(page.pixels.pixel) +
                         "', 'fortran_order': False, 'shape': " + shape_tuple(page.pixels.shape, page.layout) + ", }";
    constexpr std::size_t alignment = 64;
    const std::size_t before = magic.size() + 4;  // two bytes of version, two of length
    header.append(alignment - 1 - (before + header.size()) % alignment, ' ');
    header += '\n';
    std::string start(magic);
    start += {1, 0, static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
    write_bytes(start.data(), start.size());
    write_bytes(header.data(), header.size());
  }

  void write(const ConstView& part) override {
    const auto row_bytes = static_cast<std::size_t>(part.shape.width * part.shape.channels) * bytes_of(part.pixel);
    for (std::int64_t z = 0; z < part.shape.depth; ++z) {
      for (std::int64_t y = 0; y < part.shape.height; ++y) write_bytes(&part.at<std::byte>({.z = z, .y = y}), row_bytes);
    }
  }
  void finish() override {}

 private:
  void write_bytes(const void* data, std::size_t size) {
    if (!output_.write(data, size)) output_.throw_failure();
  }

  Output& output_;
};

std::unique_ptr<Encoder> create(std::span<const PageView> pages, const WriteOptions&, Output& output) {
  return std::make_unique<ArrayEncoder>(pages.front(), output);
}

constexpr std::string_view endings[] = {".npy"};

}  // namespace

constinit const Codec npy_codec = {
    .name = "npy",
    .title = ".npy",
    .endings = endings,
    .recognises = recognises,
    .decode = decode,
    .encode = nullptr,
    .holds = {.pixels = all_pixels,
              .pixels_in_words = "all pixels",
              .most_extent = std::int64_t{1} << 62,
              .most_channels = std::int64_t{1} << 62,
              .alpha = true,
              .cmyk = true,
              .pages = false,
              .volumes = true},
    .open = open,
    .create = create,
};

}  // namespace halation::io
