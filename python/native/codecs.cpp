// codecs.cpp: halation._codecs, image files as arrays, arrays as image files, and files filtered into files. A module of its own, so that
// the other one loads without the libraries of the formats.
#include <halation/error.h>
#include <halation/filter_file.h>
#include <halation/io.h>
#include <halation/threads.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "attended.h"
#include "gil.h"
#include "module.h"
#include "text.h"
#include "words.h"

namespace halation::python {
namespace {

constexpr std::pair<const char*, ColourModel> colour_models[] = {{"gray", ColourModel::gray},
                                                                 {"rgb", ColourModel::rgb},
                                                                 {"cmyk", ColourModel::cmyk},
                                                                 {"other", ColourModel::other}};

constexpr std::pair<const char*, ResolutionUnit> resolution_units[] = {
    {"inch", ResolutionUnit::inch}, {"centimetre", ResolutionUnit::centimetre}, {"unnamed", ResolutionUnit::unnamed}};

template <class Word, std::size_t count>
const char* name_in(const std::pair<const char*, Word> (&words)[count], Word wanted) {
  for (const auto& [name, word] : words) {
    if (word == wanted) return name;
  }
  throw Error(ErrorCode::invalid_argument, "not among the words");
}

template <class Word, std::size_t count>
Word named_in(const std::pair<const char*, Word> (&words)[count], const std::string& name, const std::string& what) {
  std::string choices;
  for (const auto& [known, word] : words) {
    if (name == known) return word;
    choices += (choices.empty() ? "" : ", ") + std::string(known);
  }
  throw Error(ErrorCode::invalid_argument, "unknown " + what + " '" + name + "'; choose from " + choices);
}

/// Whether an array of a layout has an axis: one of the layout's, or a longer one.
bool has_axis(const std::string_view layout, char axis, std::int64_t extent) {
  return extent > 1 || (layout != "by_rank" && layout.find(axis) != std::string_view::npos);
}

/// An image as NumPy's array, which owns it.
nb::object array_of(Image image, ArrayLayout layout) {
  auto owner = std::make_unique<Image>(std::move(image));
  const View view = owner->view();
  const auto item = static_cast<std::int64_t>(bytes_of(view.pixel));
  const std::tuple<char, std::int64_t, std::int64_t> axes[] = {
      {'d', view.shape.depth, view.strides.depth},
      {'h', view.shape.height, view.strides.height},
      {'w', view.shape.width, view.strides.width},
      {'c', view.shape.channels, view.strides.channels}};
  std::vector<std::size_t> shape;
  std::vector<std::int64_t> strides;
  for (const auto& [axis, extent, stride] : axes) {
    if (!has_axis(name_of(layout), axis, extent)) continue;
    shape.push_back(static_cast<std::size_t>(extent));
    strides.push_back(stride / item);
  }
  const nb::capsule keeper(owner.get(), [](void* kept) noexcept { delete static_cast<Image*>(kept); });
  owner.release();  // NOLINT(bugprone-unused-return-value): the capsule has it
  return nb::cast(nb::ndarray<nb::numpy>(view.data, shape.size(), shape.data(), keeper, strides.data(),
                                         dtype_of(view.pixel)));
}

nb::bytes bytes_from(const std::vector<std::byte>& data) { return nb::bytes(data.data(), data.size()); }

std::vector<std::byte> bytes_to(const nb::bytes& data) {
  const auto* const begin = static_cast<const std::byte*>(data.data());
  return {begin, begin + data.size()};
}

/// Names of files are bytes, which need not be text.
std::string path_of(const nb::bytes& name) { return {name.c_str(), name.size()}; }

nb::tuple read(const nb::bytes& name, const std::string& layout, std::int64_t page, bool upright) {
  const std::string path = path_of(name);
  const ReadOptions options{.layout = array_layout_named(layout), .page = page, .upright = upright};
  std::vector<Page> pages;
  {
    const WithoutGil released;
    pages = read_pages(path, options);
  }
  const auto count = std::ssize(pages);
  Page& first = pages.front();
  nb::dict facts;
  facts["icc"] = bytes_from(first.metadata.icc);
  facts["exif"] = bytes_from(first.metadata.exif);
  facts["xmp"] = bytes_from(first.metadata.xmp);
  facts["dots_per_inch"] = nb::make_tuple(first.metadata.dots_per_inch_y, first.metadata.dots_per_inch_x);
  facts["iptc"] = bytes_from(first.metadata.iptc);
  facts["geotiff"] = bytes_from(first.metadata.geotiff);
  facts["png_chunks"] = bytes_from(first.metadata.png_chunks);
  nb::list comments;
  for (const std::vector<std::byte>& comment : first.metadata.jpeg_comments) comments.append(bytes_from(comment));
  facts["jpeg_comments"] = nb::tuple(comments);
  facts["resolution_unit"] = name_in(resolution_units, first.metadata.resolution_unit);
  facts["tiff_tiles"] = nb::make_tuple(first.metadata.tiff.tile_height, first.metadata.tiff.tile_width);
  facts["big_tiff"] = first.metadata.tiff.big;
  facts["colour"] = name_in(colour_models, first.colour);
  facts["alpha"] = first.alpha;
  facts["linear_light"] = first.linear_light;
  return nb::make_tuple(array_of(std::move(first.image), first.layout), facts, count, first.pictures);
}

/// A page over the memory of an array, which must live as long.
Page page_over(const Array& array, const std::string& layout) {
  const std::optional<Pixel> pixel = array.any_pixel();
  if (!pixel || !shares_memory(array.device, cpu()))
    throw nb::type_error("write: an array of pixels in host memory is needed");
  if (static_cast<std::size_t>(array.axes) != layout.size()) {
    throw Error(ErrorCode::invalid_argument, "layout " + layout + " has " + std::to_string(layout.size()) +
                                                 " axes, the array " + std::to_string(array.axes));
  }
  const auto item = static_cast<std::int64_t>(bytes_of(*pixel));
  std::array<std::int64_t, 4> extents = {1, 1, 1, 1};
  std::array<std::int64_t, 4> steps = {0, 0, 0, item};
  constexpr std::string_view letters = "dhwc";
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const std::size_t slot = letters.find(layout[i]);
    extents.at(slot) = array.shape[i];
    steps.at(slot) = array.strides[i];
  }
  const Shape shape{
      .batch = 1, .depth = extents[0], .height = extents[1], .width = extents[2], .channels = extents[3]};
  const Strides strides{
      .batch = 0, .depth = steps[0], .height = steps[1], .width = steps[2], .channels = steps[3]};
  Page page;
  page.image = Image(View{array.data, shape, strides, *pixel, cpu()}, [](std::byte*) {});
  page.layout = array_layout_named(layout);
  return page;
}

void write(const nb::bytes& name, nb::handle image, const std::string& layout, const nb::dict& facts,
           const std::string& format, int quality, bool lossless) {
  const std::string path = path_of(name);
  const Array array(image, Access::read);
  Page page = page_over(array, layout);
  const auto [dpi_y, dpi_x] = nb::cast<std::pair<double, double>>(facts["dots_per_inch"]);
  const auto [tile_height, tile_width] = nb::cast<std::pair<std::int64_t, std::int64_t>>(facts["tiff_tiles"]);
  page.metadata = {.icc = bytes_to(nb::cast<nb::bytes>(facts["icc"])),
                   .exif = bytes_to(nb::cast<nb::bytes>(facts["exif"])),
                   .xmp = bytes_to(nb::cast<nb::bytes>(facts["xmp"])),
                   .dots_per_inch_y = dpi_y,
                   .dots_per_inch_x = dpi_x,
                   .tiff = {.tile_height = tile_height, .tile_width = tile_width, .big = nb::cast<bool>(facts["big_tiff"])},
                   .resolution_unit = named_in(resolution_units, nb::cast<std::string>(facts["resolution_unit"]), "resolution unit"),
                   .iptc = bytes_to(nb::cast<nb::bytes>(facts["iptc"])),
                   .geotiff = bytes_to(nb::cast<nb::bytes>(facts["geotiff"])),
                   .png_chunks = bytes_to(nb::cast<nb::bytes>(facts["png_chunks"]))};
  for (const nb::handle comment : facts["jpeg_comments"]) page.metadata.jpeg_comments.push_back(bytes_to(nb::cast<nb::bytes>(comment)));
  page.colour = named_in(colour_models, nb::cast<std::string>(facts["colour"]), "colour");
  page.alpha = nb::cast<bool>(facts["alpha"]);
  page.linear_light = nb::cast<bool>(facts["linear_light"]);
  const WithoutGil released;
  write_pages(path, {&page, 1}, {.format = format, .quality = quality, .lossless = lossless});
}

std::int64_t filter(const nb::bytes& in, const nb::bytes& out, const nb::list& stages, const nb::dict& words, const nb::dict& colours,
                    const nb::dict& files, const std::string& device, const nb::object& progress, int most_threads) {
  const ColourOptions colour = colours_of(colours);
  const Chain chain = chain_of(stages);
  const std::string source = path_of(in), target = path_of(out);
  Attended attended(progress);
  // GCC 12 destroys twice what braces without a type have made, where an initialiser behind them throws.
  const FileOptions options{.options = options_of(words),
                            .linear = colour.linear,
                            .gray = colour.gray,
                            .view = view_of(colours),
                            .devices = {device_named(device)},
                            .memory_bytes = nb::cast<std::size_t>(files["memory"]),
                            .read = ReadOptions{.layout = array_layout_named(nb::cast<std::string>(files["layout"])),
                                                .page = nb::cast<std::int64_t>(files["page"])},
                            .write = WriteOptions{.format = nb::cast<std::string>(files["format"]),
                                                  .quality = nb::cast<int>(files["quality"]),
                                                  .lossless = nb::cast<bool>(files["lossless"])},
                            .has_depth_border = nb::len(nb::handle(words["borders"])) != 2,
                            .progress = [&](const FileProgress& now) { now.done == 0 ? attended.check() : attended.tell(now.done, now.all); }};
  FileReport report;
  attended.run([&] {
    std::optional<ThreadLimit> limit;  // of the thread that makes the plans
    if (most_threads > 0) limit.emplace(most_threads);
    report = filter_file(chain, source, target, options);
  });
  return report.pictures;
}

}  // namespace
}  // namespace halation::python

NB_MODULE(_codecs, module) {
  namespace parts = halation::python;
  module.doc() = "The module behind halation.imread, halation.imwrite and halation.filter_file.";
  nanobind::set_leak_warnings(false);  // threads that wait for the end of the process (gil.h) keep what they work with
  parts::bind_errors(module, PyExc_ValueError);
  module.def("read", &parts::read, nanobind::arg("path"), nanobind::arg("layout"), nanobind::arg("page"),
             nanobind::arg("upright"),
             nanobind::sig("def read(path: bytes, layout: str, page: int, upright: bool) "
                           "-> tuple[numpy.typing.NDArray[typing.Any], dict[str, typing.Any], int, int]"),
             "A page of a file, counted from 1, or the first one, turned upright or as it was stored: "
             "(array, what the file says of it, how many pages were read, how many pictures an animation has).");
  module.def("write", &parts::write, nanobind::arg("path"), nanobind::arg("array"), nanobind::arg("layout"),
             nanobind::arg("facts"), nanobind::arg("format"), nanobind::arg("quality"),
             nanobind::arg("lossless"),
             nanobind::sig("def write(path: bytes, array: object, layout: str, facts: dict[str, typing.Any], format: str, "
                           "quality: int, lossless: bool) -> None"),
             "Writes an array as a file, with what `read` says of one.");
  module.def("filter", &parts::filter, nanobind::arg("input"), nanobind::arg("output"), nanobind::arg("stages"), nanobind::arg("options"),
             nanobind::arg("colour"), nanobind::arg("files"), nanobind::arg("device"), nanobind::arg("progress").none(),
             nanobind::arg("most_threads"),
             nanobind::sig("def filter(input: bytes, output: bytes, stages: list[typing.Any], options: dict[str, typing.Any], "
                           "colour: dict[str, typing.Any], files: dict[str, typing.Any], device: str, "
                           "progress: collections.abc.Callable[[int, int], object] | None, most_threads: int) -> int"),
             "Filters a file by a chain into another, and says how many pictures an animation has of which one was filtered; see words.h, and of `files` memory, layout, page, format, quality and lossless.");
}
