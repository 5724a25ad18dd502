// apply.cpp: `halation apply`: a filter, or a chain of them, over every page of one file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "app/command_line/arguments.h"
#include "app/command_line/job_options.h"
#include "app/filtering/files/file.h"
#include "app/report/text/printable.h"
#include "halation/error.h"
#include "halation/io.h"
#include "io/file.h"
#include "notice.h"
#include "subcommands.h"

namespace halation::app {
namespace {

constexpr const char* footer =
    R"(Timings: read, plan, compute and write, on a GPU also its start, allocate, upload and download, in milliseconds, and
  their total; count where clipped samples had to be counted;
  MPix/s = width · height · depth · pages of the input / compute
  FPS    = pages / total
  GFLOPS = 2 · taps · samples of the output / compute, with the taps of the dense filter whichever method ran

Examples:
  halation apply unsharp_mask photo.jpg -o crisp.jpg --sigma 2 --amount 1.5 --timing
  halation apply gaussian_derivative scan.tif -o slope.tif --sigma 2,1 --order-x 1 --output-pixel f32    (sigma 2 along y, 1 along x)
  halation apply custom photo.png -o out.png --weights "0 -1 0; -1 5 -1; 0 -1 0" --compare both.png
  halation apply "gaussian sigma=2 | unsharp_mask amount=0.5 | edges" photo.jpg -o edges.png
  halation apply gaussian huge.tif -o soft.tif --sigma 8 --memory 512M
  halation apply gaussian - -o - --sigma 2 < in.png > out.png

.npy, TIFF, BigTIFF and OpenEXR of more than some megabytes, read and written, go strip by strip: read, computed and written side by
side (the phases' sum is more than the total), in memory that does not grow with the image, and with the same bits whatever --memory is.)";

/// The command line as it was typed.
struct Flags {
  explicit Flags(Command& command);

  JobOptions job_options;
  std::string in, out;
  Given layout, page, quality, format, compare;
  bool timing = false, json = false, explain = false, quiet = false;
};

Flags::Flags(Command& command) : job_options(command) {
  command.positional("input", in, "FILE",
                     "the image to filter, of any format that is written, or a GIF; - is standard input");
  command.required("-o,--output", out, "FILE",
                   "where the result goes, in the format of its ending (.png .jpg .tif .webp .exr .npy .bmp "
                   ".pnm .ppm .pgm .pam .pfm .avif); - is standard output");

  OptionGroup files = command.group("Files");
  files.text("--layout", layout, "w|hw|hwc|dhw|dhwc",
             "axes of a .npy input [by their number: w, hw, dhw, dhwc]");
  files.text("--page", page, "N",
             "the page of a TIFF or the picture of an animated GIF, counted from 1 [all pages of a TIFF, the first picture]");
  files.text("--format", format, "png|jpeg|tiff|webp|exr|npy|bmp|pnm|ppm|pgm|pam|pfm|avif",
             "format of the result [by its ending; png for -o -]; GIF is read alone, AVIF where built with libavif");
  files.text("--quality", quality, "Q", "of JPEG [92], of WebP and AVIF [lossless], 1 to 100");
  files.text("--compare", compare, "FILE", "also writes original and result side by side, 8-bit");

  OptionGroup reports = command.group("Reports");
  reports.flag("--timing", timing, "timings, MPix/s, FPS and GFLOPS on standard error");
  reports.flag("--json", json, "the same as a JSON object on standard output (standard error with -o -)");
  reports.flag("--explain", explain, "what is computed and by which method");
  reports.flag("--quiet", quiet, "no line that tells how far it is, on a terminal");
  command.everyday(
      {"--output", "--border", "--scale", "--output-pixel", "--view", "--linear", "--device", "--compare", "--timing", "--explain"});
  command.footer(footer);
}

/// The command line, checked as far as it can be without the image.
FileJob request_of(const Flags& flags) {
  FileJob request{.in = flags.in, .out = flags.out, .compare = flags.compare, .job = flags.job_options.job(), .quiet = flags.quiet};
  if (flags.layout) request.read.layout = layout_from(*flags.layout);
  if (flags.page) request.read.page = whole_number_from("--page", *flags.page, 1, 1 << 30);
  request.write.format = flags.format.value_or(request.out == "-" ? "png" : "");
  if (flags.quality) {
    request.write.quality = static_cast<int>(whole_number_from("--quality", *flags.quality, 1, 100));
    request.write.lossless = false;
  }
  if (request.compare && (request.compare == "-" || io::is_same_place(*request.compare, request.in) ||
                          io::is_same_place(*request.compare, request.out)))
    throw Error{ErrorCode::invalid_argument, "--compare needs a file of its own"};
  check_place(request.out, request.job.options.output, request.write);
  if (request.compare) check_place(*request.compare, Pixel::u8);
  return request;
}

nlohmann::ordered_json json_of(const Shape& shape, Pixel pixel) {
  return {{"depth", shape.depth},
          {"height", shape.height},
          {"width", shape.width},
          {"channels", shape.channels},
          {"pixel", name_of(pixel)}};
}

std::string json_report(const FileJob& request, const std::string& filter, const FilteredFile& done, const std::string& note) {
  const std::vector<PageFacts>& pages = done.pages;
  const Prepared& prepared = done.prepared;
  const Timing& timing = done.timing;
  nlohmann::ordered_json report{{"filter", filter}, {"input", request.in}, {"output", request.out}};
  if (request.compare) report["compare"] = *request.compare;
  report["device"] = name_of(prepared.device);
  if (!prepared.why.empty()) report["device_chosen"] = prepared.why;
  const std::vector<PageJob>& jobs = prepared.jobs;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    nlohmann::ordered_json methods = nlohmann::ordered_json::array();
    for (const Plan& plan : jobs[i].prepared.plans()) {
      for (const Method method : plan.methods()) methods.push_back(name_of(method));
    }
    report["pages"].push_back({{"input", json_of(pages[i].shape, pages[i].pixel)},
                               {"output", json_of(jobs[i].output_shape, jobs[i].output_pixel)},
                               {"methods", std::move(methods)}});
  }
  for (const auto& [phase, seconds] : timing.phases()) report["milliseconds"][phase] = seconds * 1e3;
  report["milliseconds"]["total"] = timing.total_seconds() * 1e3;
  const Rates rates = rates_of(timing, done.work);
  report["mpix_per_second"] = rates.mpix_per_second;
  report["fps"] = rates.fps;
  report["gflops"] = rates.gflops;
  if (!note.empty()) report["note"] = note;
  if (!done.left_out.empty()) report["left_out"] = done.left_out;
  return json_text(std::move(report));
}

void apply(const Flags& flags) {
  const FileJob request = request_of(flags);
  const FilteredFile done = filter_file(request);

  const bool stdout_taken = request.out == "-";
  const std::string note = clipping_note(done.clipped, done.prepared.jobs.front());
  const bool json_on_stderr = flags.json && stdout_taken;  // which then holds nothing else
  if (!done.left_out.empty() && !json_on_stderr) notice(fmt::format("apply: {}\n", done.left_out));
  if (!note.empty() && !json_on_stderr) notice(fmt::format("apply: {}\n", note));
  if (flags.explain) fmt::print(stdout_taken || flags.json ? stderr : stdout, "{}", done.explained);
  if (flags.timing) {
    fmt::print(stderr, "{}", table_of(done.timing, done.work));
    fmt::print(stderr, "device {}\n", done.prepared.why.empty() ? name_of(done.prepared.device) : "auto: " + done.prepared.why);
  }
  if (flags.json)
    fmt::print(stdout_taken ? stderr : stdout, "{}",
               json_report(request, flags.job_options.filter(), done, note));
}

}  // namespace

void add_apply(Program& program) { program.add("apply", "Filters an image and writes the result", apply); }

}  // namespace halation::app
