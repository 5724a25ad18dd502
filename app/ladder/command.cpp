// command.cpp: `halation ladder`: every rung of the teaching ladder on one job, verified, timed and compared.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/command_line/arguments.h"
#include "app/filtering/converted.h"
#include "app/report/records.h"
#include "app/rungs/random_job.h"
#include "app/rungs/run.h"
#include "app/rungs/table.h"
#include "app/subcommands.h"
#include "core/nearest.h"
#include "halation/colour.h"
#include "halation/error.h"
#include "halation/io.h"
#include "report.h"

namespace halation::app {
namespace {

using ladder::HostMemory;

constexpr int most_radius = 65536;
constexpr std::int64_t most_extent = std::int64_t{1} << 40;

constexpr const char* footer =
    R"(The filter is a Gaussian with weights exp(-(i/r)²/2), normalised, and what lies outside the image a
constant. Every rung is compared with the right result before it is timed.

Examples:
  halation ladder --memory both --report ladder.html
  halation ladder --size 8192x8192 --radius 8 --rung naive separable_optimised library
  halation ladder --radii 1:32 --rung texture separable_optimised
  halation ladder --image photo.jpg --radius 8)";

/// The command line as it was typed.
struct Flags {
  explicit Flags(Command& command);

  Given dims, size, image, radius, radii, memory, outside, json, report;
  std::vector<std::string> rungs;
  bool gray = false;
};

Flags::Flags(Command& command) {
  OptionGroup job = command.group("The job");
  job.text("--dims", dims, "1|2|3", "signals, images or volumes [those of the size or image, else 2]");
  job.text("--size", size, "HxW",
           "W in 1D, DxHxW in 3D [16777216, 2048x2048 or 256x256x256], of random values");
  job.text("--image", image, "FILE", "filter this image; a colour image runs as one plane a colour");
  job.flag("--gray", gray, "filter BT.601 luma of a colour image, one plane");
  job.text("--radius", radius, "R", "radius of the filter, 2R+1 taps an axis [1, without --radii]");
  job.text("--radii", radii, "FIRST:LAST", "sweep the radius and compare the kernels");
  job.text("--outside", outside, "V", "what lies outside the image [0]");
  OptionGroup how = command.group("How it is measured");
  how.text("--memory", memory, "pageable|pinned|both",
           "host memory that GPU rungs copy from and to [pageable]");
  how.texts("--rung", rungs, "RUNG", "run these alone [every rung]");
  OptionGroup results = command.group("Results");
  results.text("--json", json, "FILE",
               "write everything as JSON; - is standard output, instead of the table");
  results.text("--report", report, "FILE", "write a page with charts (HTML, self-contained)");
  command.footer(footer);
}

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error{ErrorCode::invalid_argument, "ladder: " + sentence};
}

/// "8192x8192" as extents, outermost first.
std::vector<std::int64_t> size_from(const std::string& text) {
  std::vector<std::int64_t> extents;
  for (const std::string_view part : split(text, 'x')) {
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), extent);
    if (error != std::errc{} || end != part.data() + part.size() || extent < 1 || extent > most_extent ||
        extents.size() == 3)
      throw Error{ErrorCode::invalid_argument,
                  fmt::format("--size must be W, HxW or DxHxW in whole numbers from 1, got '{}'", text)};
    extents.push_back(extent);
  }
  return extents;
}

/// "1:32" as every radius from the first to the second.
std::vector<int> radii_from(const std::string& text) {
  const std::vector<std::string_view> parts = split(text, ':');
  const auto number = [](std::string_view part) { return static_cast<int>(whole_number_from("--radii", part, 0, most_radius)); };
  const int first = parts.size() == 2 ? number(parts[0]) : 1, last = parts.size() == 2 ? number(parts[1]) : 0;
  if (first > last) throw Error{ErrorCode::invalid_argument, fmt::format("--radii must be FIRST:LAST with FIRST <= LAST, got '{}'", text)};
  std::vector<int> radii;
  for (int radius = first; radius <= last; ++radius) radii.push_back(radius);
  return radii;
}

std::vector<HostMemory> memories_from(const std::string& text) {
  if (text == "pageable") return {HostMemory::pageable};
  if (text == "pinned") return {HostMemory::pinned};
  if (text == "both") return {HostMemory::pageable, HostMemory::pinned};
  refuse_unknown("memory", text, {"pageable", "pinned", "both"});
}

void take_random_values(LadderJob& job, int dims, const std::optional<std::string>& size) {
  job = random_job(size ? size_from(*size) : usual_extents(dims == 0 ? 2 : dims));
  if (dims != 0 && dims != job.dims)
    refuse(fmt::format("--size {} has {} extents, --dims is {}", *size, job.dims, dims));
}

/// Throws `Error` where a value is infinite or not a number: every rung would differ from the oracle.
Image finite(Image plane, const std::string& path) {
  const auto* values = reinterpret_cast<const float*>(plane.view().data);
  if (!std::all_of(values, values + plane.shape().elements(),
                   [](float value) { return std::isfinite(value); }))
    refuse(path + " holds values that are not finite, of which no two rungs need to agree");
  return plane;
}

/// The colours of a file's first page as f32 planes, integers scaled to [0, 1].
void take_image(LadderJob& job, int dims, const std::string& path, bool gray) {
  const auto page = std::make_shared<Page>(std::move(read_pages(path).front()));
  ConstView colours = page->image.view();
  if (page->alpha) --colours.shape.channels;
  const Shape& shape = colours.shape;
  if (shape.batch > 1) refuse(fmt::format("{} is a batch of {} images; give one", path, shape.batch));
  job.dims = dims != 0 ? dims : shape.depth > 1 ? 3 : 2;
  if ((job.dims < 3 && shape.depth > 1) || (job.dims < 2 && shape.height > 1))
    refuse(fmt::format("{} is {}, too many axes for --dims {}", path, to_string(shape), job.dims));
  if (gray && shape.channels != 3 && shape.channels != 1)
    refuse(fmt::format("--gray needs 3 colours, {} has {}", path, shape.channels));

  const bool luma = gray && shape.channels == 3;
  const double scale = is_float(colours.pixel) ? 1 : 1 / largest(colours.pixel);
  job.shape = {.depth = shape.depth, .height = shape.height, .width = shape.width};
  job.planes = luma ? 1 : static_cast<std::size_t>(shape.channels);
  job.source = luma ? path + ", gray" : path;
  job.make_plane = [page, colours, path, scale, luma](std::size_t plane) {
    if (!luma)
      return finite(converted(colours.channel(static_cast<std::int64_t>(plane)), Pixel::f32, scale), path);
    const Options as_f32{.output = Pixel::f32, .scale = scale};
    return finite(convolve_colour(colours, Filter{{1.0}}, as_f32, {.gray = true}), path);
  };
}

LadderJob job_from(const Flags& flags) {
  LadderJob job;
  const int dims = flags.dims ? static_cast<int>(whole_number_from("--dims", *flags.dims, 1, 3)) : 0;
  if (flags.image && flags.size) refuse("--image has a size of its own; leave out --size");
  if (flags.gray && !flags.image) refuse("--gray needs an --image");
  if (flags.image) {
    take_image(job, dims, *flags.image, flags.gray);
  } else {
    take_random_values(job, dims, flags.size);
  }
  if (flags.radii) job.radii = radii_from(*flags.radii);
  if (flags.radius || !flags.radii)
    job.radius = static_cast<int>(whole_number_from("--radius", flags.radius.value_or("1"), 0, most_radius));
  if (flags.outside) {
    const double value = number_from("--outside", *flags.outside);
    if (std::fabs(value) > largest(Pixel::f32)) refuse(fmt::format("--outside must be a number of f32, got {}", *flags.outside));
    job.outside = static_cast<float>(value);
  }
  job.memories = memories_from(flags.memory.value_or("pageable"));
  // Up the ladder, in whatever order the names were given.
  for (const std::string& name : flags.rungs) (void)ladder::rung_named(job.dims, name);
  for (const ladder::Rung& rung : ladder::rungs(job.dims)) {
    if (flags.rungs.empty() ||
        std::find(flags.rungs.begin(), flags.rungs.end(), rung.name) != flags.rungs.end())
      job.rungs.push_back(&rung);
  }
  return job;
}

void run(const Flags& flags, const Command& command) {
  check_files(flags.json, flags.report, flags.image);
  LadderResults results = run_ladder(job_from(flags));
  results.command = command.as_typed();
  results.date = now_utc();
  if (flags.json != "-" && flags.report != "-") fmt::print("{}", text_of(results));
  if (flags.json) write_file(*flags.json, json_of(results));
  if (flags.report) write_file(*flags.report, report_of(results));
  // The tables have been shown by then; the exit code and one line say that something in them is wrong.
  if (const std::string complaint = results.complaint(); !complaint.empty())
    throw Error{ErrorCode::device, "ladder: " + complaint};
}

}  // namespace

void add_ladder(Program& program) {
  Command& command = program.add("ladder", "Times every rung of the teaching ladder on one job");
  const auto flags = std::make_shared<Flags>(command);
  command.does([flags, &command] { run(*flags, command); });
}

}  // namespace halation::app
