// report.cpp: the results of the ladder as a page with charts.
#include "report.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "app/report/page.h"
#include "app/report/svg.h"
#include "charts.h"
#include "table.h"

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
      "halation ladder", "The ladder of convolution", facts(results), results.command,
      section("Kernel time",
              "What each rung's kernels take, images being on the device: each step up the ladder against "
              "the one before.",
              kernel_chart(results)) +
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
          section("Figures", "", tables) +
          section("What the sources measured",
                  "The figures that the tutorials and slides behind the ladder give for their versions, on "
                  "the hardware of their day.",
                  sources));
}

}  // namespace halation::app
