// job.cpp: what is asked of every page of a file, and the doing of it.
#include "job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <span>
#include <utility>

#include "app/refuse.h"
#include "core/stopwatch.h"
#include "halation/error.h"
#include "halation/transfer.h"
#include "pipeline/choose_device.h"
#include "pipeline/colour/colour.h"
#include "pipeline/colour/display.h"

namespace halation::app {
namespace {

/// `filter` for images of `dims` dimensions, with the anchor asked for.
Filter settled(const Filter& filter, int dims, const std::vector<std::int64_t>& anchor) {
  Filter fitted = filter.with_dims(dims);
  if (anchor.empty()) return fitted;
  const auto given = static_cast<int>(anchor.size());
  if (given < fitted.dims()) {
    constexpr const char* notations[] = {"X", "Y,X", "Z,Y,X"};
    refuse(fmt::format("--anchor takes {} for a filter of {} dimensions, got {}",
                       notations[fitted.dims() - 1], fitted.dims(), fmt::join(anchor, ",")));
  }
  return fitted.with_anchor({.z = given > 2 ? anchor[given - 3] : 0,
                             .y = given > 1 ? anchor[given - 2] : 0,
                             .x = anchor[given - 1]});
}

Borders settled(const std::vector<Border>& borders, bool has_depth) {
  if (borders.size() == 1) return borders.front();
  if (borders.size() == 3) return {.z = borders[0], .y = borders[1], .x = borders[2]};
  if (has_depth)
    refuse(
        "--border takes one mode or depth,height,width where image or filter have depth, got height,width");
  return {.z = borders[0], .y = borders[0], .x = borders[1]};
}

}  // namespace

void check_place(const std::string& path, std::optional<Pixel> pixel, const WriteOptions& options) {
  // A format that refuses one pixel may hold another; anything else that is wrong is so for all of them.
  const std::span<const Pixel> candidates = pixel ? std::span<const Pixel>(&*pixel, 1) : native_pixels;
  for (const Pixel candidate : candidates) {
    try {
      return check_writable(path, candidate, {}, false, ColourModel::gray, 1, options);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported || candidate == candidates.back()) throw;
    }
  }
}

namespace {

PageJob prepare_page(const Job& job, const PageFacts& page, Device device, Tune tune) {
  const Shape& shape = page.shape;
  if (page.colour == ColourModel::cmyk && (job.gray || job.linear))
    refuse(fmt::format("{} needs gray or RGB, got an image in CMYK", job.gray ? "--gray" : "--linear"));

  Chain chain = job.chain;
  bool deep_filter = false;
  for (FilterSet& stage : chain.stages) {
    for (Filter& each : stage.filters) {
      each = settled(each, page.dims(), job.anchor);
      deep_filter = deep_filter || each.size().depth > 1;
    }
  }
  Options options = job.options;
  options.tune = tune;
  options.border = settled(job.borders, shape.depth > 1 || deep_filter);

  const std::int64_t alphas = page.alpha ? 1 : 0, colours = shape.channels - alphas;
  if (job.gray && colours != 1 && colours != 3) refuse(fmt::format("--gray needs gray or 3 colours, got {}", colours));
  const ColourOptions colour{.alpha = page.alpha, .linear = job.linear && !page.linear_light, .gray = job.gray && colours == 3};
  Shape filtered = shape;
  filtered.channels = colour.gray ? 1 : colours;
  const Options plain = job.view ? unrounded(options, page.pixel, colour) : options;
  const Options inner = is_any(colour) ? options_between(plain, page.pixel, colour) : plain;
  PreparedChain prepared(filtered, is_any(colour) ? *inner.output : page.pixel, chain, device, inner);
  Shape output_shape = prepared.output_shape();
  output_shape.channels += alphas;
  const Pixel output_pixel = options.output.value_or(page.pixel);
  const double colour_seconds =
      expected_colour_seconds(shape, page.pixel, output_shape, plain.output.value_or(page.pixel), colour, options.threads);
  return {.chain = std::move(chain),
          .options = options,
          .colour = colour,
          .view = job.view,
          .device = device,
          .more_gpus = job.more_gpus,
          .prepared = std::move(prepared),
          .colour_seconds = colour_seconds,
          .input_pixel = page.pixel,
          .output_shape = output_shape,
          .output_pixel = output_pixel,
          .output_colour = colour.gray ? ColourModel::gray : page.colour};
}

/// What `--view` does, in numbers.
std::string explained_view(const PageJob& job) {
  if (!job.view) return "";
  switch (*job.view) {
    case Display::signed_values: {
      Options plain = job.options;
      plain.scale = 1;
      plain.offset = 0;
      const Tone tone = signed_tone(results_of(job.chain, job.input_pixel, job.output_pixel, plain, job.colour.linear), job.output_pixel);
      return fmt::format("view signed: round({:.6g} * result + {:g})\n", tone.scale, tone.offset);
    }
    case Display::magnitude:
      return "view abs: the magnitude of the result, rounded\n";
    case Display::stretched:
      return "view stretch: the smallest value of each page becomes the least of its pixels, the largest the most\n";
  }
  throw Error(ErrorCode::invalid_argument, "not a view");
}

}  // namespace

Prepared prepare(const Job& job, const std::vector<PageFacts>& pages, Timing& timing) {
  Prepared prepared{.jobs = {}, .device = job.device.value_or(cpu()), .why = ""};
  const auto prepare_all = [&](Tune tune) {
    if (prepared.device.kind == Device::Kind::cuda)
      timing.measure("start", [&] { synchronise(prepared.device); });
    timing.measure("plan", [&] {
      prepared.jobs.clear();
      for (const PageFacts& page : pages) prepared.jobs.push_back(prepare_page(job, page, prepared.device, tune));
    });
  };
  // Nothing is timed on a device that may not be taken.
  prepare_all(job.device ? job.options.tune : Tune::estimate);
  if (job.device) return prepared;
  std::vector<PlannedJob> planned;
  for (const PageJob& each : prepared.jobs) {
    const std::vector<Plan>& plans = each.prepared.plans();
    for (std::size_t i = 0; i < plans.size(); ++i)
      planned.push_back({each.prepared.specs()[i], plans[i], i == 0, i + 1 == plans.size(), i == 0 ? each.colour_seconds : 0});
  }
  DeviceChoice choice = timing.measure("plan", [&] { return choose_device(planned); });
  prepared.why = std::move(choice.reason);
  if (choice.device != prepared.device || job.options.tune != Tune::estimate) {
    prepared.device = choice.device;
    prepare_all(job.options.tune);
  }
  return prepared;
}

double expected_seconds(const PageJob& job) {
  double sum = job.colour_seconds;
  for (const Plan& plan : job.prepared.plans()) sum += plan.expected_seconds();
  return sum;
}

Page run(const PageJob& job, const Page& page, Timing& timing, Clipped* clipped) {
  return run(job, page, page.image, timing, clipped);
}

bool takes_kept_pixels(const PageJob& job) {
  return !shares_memory(job.device, cpu()) && is_plain(job);
}

bool is_plain(const PageJob& job) { return !job.view && !is_any(job.colour); }

Page run(const PageJob& job, const Page& page, ConstView pixels, Timing& timing, Clipped* clipped) {
  TransferTimes times;
  Clipped of_page;
  Image filtered = timing.measure("compute", [&] {
    if (!job.view) return convolve_colour_on(job.device, pixels, job.chain, job.options, job.colour, &times);
    return convolve_display_on(job.device, pixels, job.chain, *job.view, job.options, job.colour, &times,
                               clipped != nullptr ? &of_page : nullptr);
  });
  if (times.total() > 0) {
    timing.move("compute", "allocate", times.allocate);
    timing.move("compute", "upload", times.upload);
    timing.move("compute", "download", times.download);
  }
  if (clipped != nullptr) {
    const bool counts = can_clip(job.chain, page.image.pixel(), job.output_pixel, job.options, job.colour);
    if (!job.view) of_page.samples = filtered.shape().elements();
    if (!job.view && counts)
      of_page = timing.measure("count", [&] { return counted(page.image, filtered, job.chain, job.options, job.colour, job.device); });
    *clipped += of_page;
  }
  return {.image = std::move(filtered),
          .colour = job.output_colour,
          .alpha = page.alpha,
          .linear_light = page.linear_light,
          .metadata = page.metadata,
          .layout = page.layout};
}

std::string clipping_note(const Clipped& clipped, const PageJob& job, const std::string& view) {
  return clipping_note(clipped,
                       {.chain = job.chain,
                        .options = job.options,
                        .input = job.input_pixel,
                        .output = job.output_pixel,
                        .linear = job.colour.linear,
                        .has_view = job.view.has_value(),
                        .view = view,
                        .floats = view.starts_with("--") ? "--output-pixel" : "output pixel"});
}

std::string explain(const PageJob& job) {
  std::vector<std::string> steps;
  if (job.colour.linear) steps.emplace_back("decoded to linear light");
  if (job.colour.gray) steps.emplace_back("reduced to luma");
  if (job.colour.alpha) steps.emplace_back("premultiplied by alpha");
  const std::string before =
      steps.empty() ? ""
                    : fmt::format("colours are {}, filtered as floats, and rounded once on the way back; expected {} beside filtering\n",
                                  fmt::join(steps, ", "), time_text(job.colour_seconds));
  return before + job.prepared.explain() + explained_view(job);
}

PageFacts result_facts(const PageJob& job, const PageFacts& page) {
  PageFacts facts = page;
  facts.shape = job.output_shape;
  facts.pixel = job.output_pixel;
  facts.colour = job.output_colour;
  return facts;
}

Workload workload_of(const PageJob& job, const PageFacts& page) {
  double taps = 0;
  for (const FilterSet& stage : job.chain.stages) {
    for (const Filter& filter : stage.filters) taps += static_cast<double>(filter.size().taps());
  }
  return {.pages = 1,
          .pixels = static_cast<double>(page.shape.width * page.shape.height * page.shape.depth),
          .operations = 2 * taps * static_cast<double>(job.output_shape.elements())};
}

}  // namespace halation::app
