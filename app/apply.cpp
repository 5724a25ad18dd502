// apply.cpp: `halation apply`: a filter, or a chain of them, over every page of one file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/command_line/arguments.h"
#include "app/command_line/filter_options.h"
#include "app/command_line/memory_option.h"
#include "app/filtering/in_strips.h"
#include "app/filtering/job.h"
#include "app/filtering/side_by_side.h"
#include "app/filtering/timing.h"
#include "halation/chain.h"
#include "halation/error.h"
#include "halation/io.h"
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
  halation apply gaussian_derivative scan.tif -o slope.tif --sigma 2,1 --order-x 1 --output-pixel f32
  halation apply custom photo.png -o out.png --weights "0 -1 0; -1 5 -1; 0 -1 0" --compare both.png
  halation apply "gaussian sigma=2 | unsharp_mask amount=0.5 | edges" photo.jpg -o edges.png
  halation apply gaussian huge.tif -o soft.tif --sigma 8 --memory 512M
  halation apply gaussian - -o - --sigma 2 < in.png > out.png

.npy, TIFF, BigTIFF and OpenEXR of more than some megabytes, read and written, go strip by strip: read, computed and written side by
side (the phases' sum is more than the total), in memory that does not grow with the image, and with the same bits whatever --memory is.)";

/// The command line as it was typed.
struct Flags {
  explicit Flags(Command& command);

  std::string filter, in, out;
  FilterOptions filter_options;
  Given border, border_value, extent, anchor, output_pixel, scale, offset, rounding, view, sum;
  Given device, accuracy, tune, threads, layout, page, quality, format, compare;
  bool correlate = false, linear = false, gray = false;
  bool timing = false, json = false, explain = false, quiet = false;
};

Flags::Flags(Command& command) : filter_options(command) {
  command.positional("filter", filter, "FILTER",
                     "a filter's name (see halation filters), custom with --weights, or a chain of filters with their parameters, "
                     "\"gaussian sigma=2 | edges\", rounded once, at the end");
  command.positional("input", in, "FILE",
                     "the image to filter, of any format that is written, or a GIF; - is standard input");
  command.required("-o,--output", out, "FILE",
                   "where the result goes, in the format of its ending (.png .jpg .tif .webp .exr .npy .bmp "
                   ".pnm .ppm .pgm .pam .pfm .avif); - is standard output");

  OptionGroup how = command.group("How it is applied");
  how.text(
      "--border", border, "constant|replicate|reflect|reflect101|wrap",
      "what lies outside the image, one for all axes, or one each for height,width or depth,height,width "
      "[reflect101]");
  how.text("--border-value", border_value, "V", "the value of the border constant [0]");
  how.text("--extent", extent, "same|valid|full",
           "which outputs exist: one for each pixel, those with the whole filter inside, all that it touches "
           "[same]");
  how.text(
      "--anchor", anchor, "Y,X",
      "the tap over the output pixel, counted from 0; X in 1D, Z,Y,X in 3D [the middle, n/2 rounded down]");
  how.flag("--correlate", correlate,
           "correlate in place of convolving (named filters give the same either way)");
  how.text("--scale", scale, "S", "S in out = round(S · sum + O) [1]");
  how.text("--offset", offset, "O", "O in out = round(S · sum + O) [0]");
  how.text("--output-pixel", output_pixel, "u8|u16|i16|f16|f32|f64",
           "pixels of the result [those of the input]");
  how.text("--rounding", rounding, "half_even|truncate", "how sums become integers [half_even]");
  how.text("--view", view, "signed|abs|stretch",
           "what the picture shows of results that its pixels cannot hold: zero as middle grey, all others as far from it as the "
           "weights make sure that nothing is lost (--scale adds contrast); magnitudes; or all from the smallest to the largest of "
           "a page. Alpha stays [values, rounded and saturated]");
  how.text("--sum", sum, "automatic|f64",
           "precision of sums: automatic is f32 where that is enough, of u8 also fixed point, off by 1/16 of a level at "
           "most [automatic]");

  OptionGroup colours = command.group("Colour");
  colours.flag("--linear", linear, "filter in linear light: sRGB is decoded, filtered and encoded again");
  colours.flag("--gray", gray, "filter the luma 0.299 R + 0.587 G + 0.114 B; the result is gray");

  OptionGroup machine = command.group("Machine");
  machine.text("--device", device, "auto|cpu|cuda|reference",
               "where to compute, cuda:1 for the second GPU; auto takes what ends soonest, start-up and transfers "
               "included [auto]");
  machine.text("--accuracy", accuracy, "exact|fast",
               "fast allows errors of up to 1/1024 of the brightest, where that is quicker: large smooth filters such as Gaussians, at a cost "
               "that hardly depends on their size, and on a GPU weights along both axes of pixels in floats [exact]");
  machine.text(
      "--tune", tune, "estimate|measure",
      "how the quickest method is found: from the rates of the device, or by timing each one first, which "
      "takes as long as a few runs and pays for files of many pages [estimate]");
  machine.text("--threads", threads, "N", "CPU threads, 0 for as many as HALATION_THREADS says, or all [0]");
  add_memory_option(machine);

  OptionGroup files = command.group("Files");
  files.text("--layout", layout, "w|hw|hwc|dhw|dhwc",
             "axes of a .npy input [by their number: w, hw, dhw, dhwc]");
  files.text("--page", page, "N",
             "the page of a TIFF or the picture of an animated GIF, counted from 1 [all pages of a TIFF, the first picture]");
  files.text("--format", format, "png|jpeg|tiff|webp|exr|npy|bmp|pnm|pfm|avif",
             "format of the result [by its ending; png for -o -]; GIF is read alone, AVIF where built with libavif");
  files.text("--quality", quality, "Q", "of JPEG [92], of WebP and AVIF [lossless], 1 to 100");
  files.text("--compare", compare, "FILE", "also writes original and result side by side, 8-bit");

  OptionGroup reports = command.group("Reports");
  reports.flag("--timing", timing, "timings, MPix/s, FPS and GFLOPS on standard error");
  reports.flag("--json", json, "the same as a JSON object on standard output (standard error with -o -)");
  reports.flag("--explain", explain, "what is computed and by which method");
  reports.flag("--quiet", quiet, "no line that tells how far it is, on a terminal");
  command.footer(footer);
}

/// The command line, checked as far as it can be without the image.
struct Request {
  std::string in, out;
  Given compare;
  Job job = {};
  ReadOptions read = {};
  WriteOptions write = {};
};

bool same_file(const std::string& a, const std::string& b) {
  const auto place = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal();
  };
  return place(a) == place(b);
}

/// One filter with the options that go with it, or a chain as text.
Chain chain_of(const Flags& flags) {
  if (flags.filter.find_first_of("|=") == std::string::npos) return flags.filter_options.make(flags.filter);
  flags.filter_options.refuse_any("in a chain parameters stand behind their filter, such as \"gaussian sigma=2 | edges\"");
  return chain_from(flags.filter);
}

Request request_of(const Flags& flags) {
  Request request{.in = flags.in, .out = flags.out, .compare = flags.compare};
  Job& job = request.job;
  job.chain = chain_of(flags);
  if (flags.anchor) job.anchor = anchor_from(*flags.anchor);
  if (flags.anchor && job.chain.stages.size() > 1)
    throw Error{ErrorCode::invalid_argument, "--anchor goes with one filter, got a chain of " + std::to_string(job.chain.stages.size())};

  const double value = flags.border_value ? number_from("--border-value", *flags.border_value) : 0;
  if (flags.border) job.borders = borders_from(*flags.border, value);
  const auto is_constant = [](const Border& border) { return border.mode == Border::Mode::constant; };
  if (flags.border_value && std::none_of(job.borders.begin(), job.borders.end(), is_constant))
    throw Error{ErrorCode::invalid_argument, "--border-value goes with --border constant"};

  Options& options = job.options;
  if (flags.extent) options.extent = extent_named(*flags.extent);
  if (flags.correlate) options.operation = Operation::correlation;
  if (flags.output_pixel) options.output = pixel_named(*flags.output_pixel);
  if (flags.scale) options.scale = number_from("--scale", *flags.scale);
  if (flags.offset) options.offset = number_from("--offset", *flags.offset);
  if (flags.view) job.view = display_named(*flags.view);
  if (flags.rounding) options.rounding = rounding_from(*flags.rounding);
  if (flags.sum) options.sum = sum_from(*flags.sum);
  if (flags.threads)
    options.threads = static_cast<int>(whole_number_from("--threads", *flags.threads, 0, 1024));
  if (flags.accuracy) options.accuracy = accuracy_named(*flags.accuracy);
  if (flags.tune) options.tune = tune_named(*flags.tune);
  if (flags.device) job.device = device_from(*flags.device);
  job.linear = flags.linear;
  job.gray = flags.gray;

  if (flags.layout) request.read.layout = array_layout_named(*flags.layout);
  if (flags.page) request.read.page = whole_number_from("--page", *flags.page, 1, 1 << 30);
  request.write.format = flags.format.value_or(request.out == "-" ? "png" : "");
  if (flags.quality) {
    request.write.quality = static_cast<int>(whole_number_from("--quality", *flags.quality, 1, 100));
    request.write.lossless = false;
  }
  if (request.compare && (request.compare == "-" || same_file(*request.compare, request.in) ||
                          same_file(*request.compare, request.out)))
    throw Error{ErrorCode::invalid_argument, "--compare needs a file of its own"};
  check_place(request.out, options.output, request.write);
  if (request.compare) check_place(*request.compare, Pixel::u8);
  return request;
}

std::vector<PageFacts> results_of(const std::vector<PageJob>& jobs, const std::vector<PageFacts>& pages) {
  std::vector<PageFacts> results;
  for (std::size_t i = 0; i < pages.size(); ++i) results.push_back(result_facts(jobs[i], pages[i]));
  return results;
}

/// Throws where a result could not be written, before it is worked for.
void check_outputs(const Request& request, const std::vector<PageFacts>& pages, const std::vector<PageFacts>& results) {
  for (const PageFacts& result : results)
    check_writable(request.out, result.pixel, result.shape, result.alpha, result.colour, pages.size(), request.write);
  if (!request.compare) return;
  const PageFacts& first = pages.front();
  const PageKind picture = kind_of_side_by_side({first.shape, first.colour, first.alpha},
                                                {results.front().shape, results.front().colour, results.front().alpha});
  check_writable(*request.compare, Pixel::u8, picture.shape, picture.alpha, picture.colour, 1);
}

/// The result comes last, so that it exists only where everything went well; without it no picture stays
/// either.
void write(const Request& request, const std::vector<Page>& pages, const std::vector<Page>& results,
           Timing& timing) {
  if (request.compare) {
    // Where a scale or a view was asked for, the result's values are its own; otherwise they are those of the original.
    const Pixel original_scale = pages.front().image.pixel();
    const Pixel result_scale =
        request.job.options.scale == 1 && !request.job.view ? original_scale : results.front().image.pixel();
    const Page picture = side_by_side(pages.front(), results.front(), original_scale, result_scale);
    write_pages(*request.compare, {&picture, 1});
  }
  try {
    timing.measure("write", [&] { write_pages(request.out, results, request.write); });
  } catch (...) {
    std::error_code ignored;
    if (request.compare && std::filesystem::is_regular_file(*request.compare, ignored))
      std::filesystem::remove(*request.compare, ignored);
    throw;
  }
}

nlohmann::ordered_json json_of(const Shape& shape, Pixel pixel) {
  return {{"depth", shape.depth},
          {"height", shape.height},
          {"width", shape.width},
          {"channels", shape.channels},
          {"pixel", name_of(pixel)}};
}

std::string json_report(const Request& request, const std::string& filter, const std::vector<PageFacts>& pages,
                        const Prepared& prepared, const Timing& timing, const Workload& work,
                        const std::string& note) {
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
  const Rates rates = rates_of(timing, work);
  report["mpix_per_second"] = rates.mpix_per_second;
  report["fps"] = rates.fps;
  report["gflops"] = rates.gflops;
  if (!note.empty()) report["note"] = note;
  return report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// The pages, to be read strip by strip, where that can be done.
PageSources opened_in_parts(const Request& request) {
  if (request.compare) return {};
  return open_pages(request.in, request.read);
}

void apply(const Flags& flags) {
  const Request request = request_of(flags);
  Timing timing;
  const PageSources sources = timing.measure("read", [&] { return opened_in_parts(request); });
  std::vector<Page> pages;
  std::vector<PageFacts> facts = facts_of(sources);
  const auto read_whole = [&] {
    timing.measure("read", [&] { pages = read_pages(request.in, request.read); });
    facts.clear();
    for (const Page& page : pages) facts.push_back(facts_of(page));
  };
  if (sources.empty()) read_whole();

  const Prepared prepared = prepare(request.job, facts, timing);
  const std::vector<PageJob>& jobs = prepared.jobs;
  const std::vector<PageFacts> output = results_of(jobs, facts);
  check_outputs(request, facts, output);
  const bool in_strips = pages.empty() && is_worth_strips(facts, output) && is_written_in_parts(request.out, output, request.write);
  if (!in_strips && pages.empty()) read_whole();

  Workload work;
  Clipped clipped;
  std::string explained;
  for (std::size_t i = 0; i < facts.size(); ++i) work += workload_of(jobs[i], facts[i]);
  if (in_strips) {
    const std::unique_ptr<PagesSink> out = create_pages(request.out, output, request.write);
    filter_in_strips(jobs, sources, *out, flags.quiet, timing, clipped, flags.explain ? &explained : nullptr);
  } else {
    std::vector<Page> results;
    for (std::size_t i = 0; i < pages.size(); ++i) results.push_back(run(jobs[i], pages[i], timing, &clipped));
    for (const PageJob& job : jobs) explained += explain(job);
    write(request, pages, results, timing);
  }

  const bool stdout_taken = request.out == "-";
  const std::string note = clipping_note(clipped, jobs.front());
  const bool json_on_stderr = flags.json && stdout_taken;  // which then holds nothing else
  if (!note.empty() && !json_on_stderr) notice(fmt::format("apply: {}\n", note));
  if (flags.explain) fmt::print(stdout_taken || flags.json ? stderr : stdout, "{}", explained);
  if (flags.timing) {
    fmt::print(stderr, "{}", table_of(timing, work));
    fmt::print(stderr, "device {}\n", prepared.why.empty() ? name_of(prepared.device) : "auto: " + prepared.why);
  }
  if (flags.json)
    fmt::print(stdout_taken ? stderr : stdout, "{}\n",
               json_report(request, flags.filter, facts, prepared, timing, work, note));
}

}  // namespace

void add_apply(Program& program) {
  Command& command = program.add("apply", "Filters an image and writes the result");
  const auto flags = std::make_shared<Flags>(command);
  command.does([flags] { apply(*flags); });
}

}  // namespace halation::app
