// report.cpp: the results of the ladder as a page with charts.
#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "app/report/page.h"
#include "app/report/svg.h"
#include "app/rungs/table.h"
#include "charts.h"

namespace halation::app {
namespace {

/// What the sources measured, for the rungs of the same idea.
const std::array<Table, 2>& source_tables() {
  static const std::array<Table, 2> tables = {{
      {"xFilters: 2048x2048 f32, 3x3, RTX 3090, milliseconds",
       "version",
       {"total", "kernel", "rung here"},
       {{"CPU", {"60.7", "", "cpu_naive"}, ""},
        {"GPU naive", {"9.44", "0.046", "naive"}, ""},
        {"GPU constant memory", {"9.16", "0.058", "constant"}, ""},
        {"GPU constant memory, tiled", {"9.39", "0.058", "tiled_input_block"}, ""},
        {"GPU naive, pinned memory", {"5.42", "0.045", "naive, pinned"}, ""}}},
      {"Slides: 2000x2000, radius 8, a GPU of the G80 era, milliseconds",
       "version",
       {"time", "over the one before", "rung here"},
       {{"CPU naive", {"2330", "", "cpu_naive"}, ""},
        {"GPU naive", {"693", "3.3x", "naive"}, ""},
        {"shared memory", {"663", "1.05x", "tiled_output_block"}, ""},
        {"separable", {"72", "9.2x", "separable_shared"}, ""},
        {"separable, optimised", {"38", "1.9x", "separable_optimised"}, ""}}},
  }};
  return tables;
}

/// What stands at the top of the page.
std::vector<Fact> facts(const LadderResults& results) {
  std::vector<Fact> list = {{"job", job_text(results)}, {"CPU", results.cpu}, {"GPU", gpu_text(results)}};
  if (!results.oracle.empty())
    list.push_back({"oracle", results.oracle + "; each rung was compared with it before it was timed"});
  if (results.pinned_allocation_s > 0) {
    list.push_back(
        {"pinned memory", fmt::format("allocated once for input and output in {} ms, which is in no total",
                                      short_number(results.pinned_allocation_s * 1e3))});
  }
  list.push_back({"date", results.date});
  return list;
}

/// What the run comes to.
std::vector<std::string> lead(const LadderResults& results) {
  const LadderRow* library = nullptr;
  const LadderRow* best = nullptr;  // of the rungs that teach
  const auto on_gpu = [](const LadderRow& row) { return row.rung->place == ladder::Rung::Place::gpu; };
  const bool gpu = std::any_of(results.rows.begin(), results.rows.end(), [&](const LadderRow& row) { return row.ran() && on_gpu(row); });
  for (const LadderRow& row : results.rows) {
    if (!row.ran() || on_gpu(row) != gpu) continue;
    const bool is_library = row.rung->name.ends_with("library");
    const LadderRow*& least = is_library ? library : best;
    if (least == nullptr || row.timings.frame.kernel < least->timings.frame.kernel) least = &row;
  }
  if (library == nullptr || best == nullptr) return {};
  return {fmt::format("The library{} takes {} ms, the quickest rung that teaches, {}, {} ms", gpu ? "'s kernel" : " on the CPU", short_number(library->timings.frame.kernel * 1e3),
                      best->rung->name, short_number(best->timings.frame.kernel * 1e3))};
}

/// Why a rung may be slower than the one before; docs/ladder.md has the figures.
struct Reason {
  std::string_view rung, why;
};
constexpr std::array reasons = {
    Reason{"constant", "beyond the radii that are known to the compiler the filter is too much for the small constant cache beside the arithmetic."},
    Reason{"tiled_input_block", "each tap is a read of shared memory, which hands out no more bytes a clock than the first cache, and the threads over the halo rest."},
    Reason{"tiled_output_block", "a small filter leaves a block little to do between its two waits: most of its later loads are masked off, and runs of 16 elements begin "
                                 "beside the boundaries of lines. With many taps that is paid once, and the rung leads the dense ones."},
    Reason{"tiled_cached", "each tap asks whether its element lies in the tile, which is more work than its multiply-add, and the lanes of a warp go both ways."},
    Reason{"texture", "the texture unit answers 4 fetches a clock where plain reads get 32, and the image is first copied into the order that textures need."},
    Reason{"separable_shared", "two passes read and write the image twice. That pays where a filter has many taps: 2(2r + 1) multiply-adds in place of (2r + 1) squared."},
    Reason{"separable_optimised", "the image goes over memory twice, and of few taps there is little to save."},
};

std::string steps_down(const LadderResults& results) {
  std::string list;
  for (const LadderRow& row : results.rows) {
    const bool counts = row.ran() && row.rung->place == ladder::Rung::Place::gpu && row.memory == results.job.memories.front();
    const double over = counts ? rates_of(results, row).over_previous.value_or(1) : 1;
    const auto* reason = std::find_if(reasons.begin(), reasons.end(), [&](const Reason& each) { return each.rung == row.rung->name; });
    if (over >= 1 || reason == reasons.end()) continue;
    list += fmt::format("<p><b>{}</b>, {} times as long as the rung before: {}</p>\n", row.rung->name, short_number(1 / over), escaped_markup(reason->why));
  }
  return list;
}

std::string roofline_words(const LadderResults& results) {
  return fmt::format(
      "Each rung by what it asks global memory for: left of the ridge bytes bind, right of it arithmetic. A "
      "point above the slope gets "
      "most of its bytes from a cache; hollow points are on paper. Rungs that may use the filter's factors "
      "count "
      "the operations of these alone, and the library as one that reads each element once. Slope and roof "
      "are "
      "those of {}{}.",
      results.device.title,
      results.gpu.usable && !results.device_is_present ? ", as the model does not know the present GPU" : "");
}

}  // namespace

std::string report_of(const LadderResults& results) {
  std::string tables;
  for (const Table& table : tables_of(results)) tables += markup_of(table);
  if (!results.rows.empty()) tables += "<p>" + escaped_markup(notes_of(results)) + "</p>\n";
  std::string sources;
  for (const Table& table : source_tables()) sources += markup_of(table);
  return page(
      "halation ladder", "The ladder of convolution", lead(results), facts(results), results.command,
      section("Kernel time",
              "What each rung's kernels take, images being on the device: each step up the ladder against "
              "the one before.",
              kernel_chart(results)) +
          section("Steps down", "Rungs that were slower than the one before in this run, and why. A step up is an idea, not a promise.",
                  steps_down(results)) +
          section("Where the time goes",
                  "An image from the host and back, by phases. Where the kernel is a small part the copies "
                  "decide; pinned host memory speeds them up, and a second filter on the image that is still "
                  "on the device saves the upload.",
                  phases_chart(results)) +
          section("Time over radius",
                  "A dense filter costs (2r + 1) to the power of the dimensions, a separable one 2r + 1 an "
                  "axis: the lines part as the radius grows.",
                  radius_chart(results)) +
          section("Roofline", roofline_words(results), roofline_chart(results)) +
          folded("Figures", "", tables) +
          folded("What the sources measured",
                  "The figures that the tutorials and slides behind the ladder give for their versions, on "
                  "the hardware of their day.",
                  sources));
}

}  // namespace halation::app
