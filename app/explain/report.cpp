// report.cpp: what `halation explain` answers as a page with charts.
#include "report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "app/command_line/arguments.h"
#include "app/report/page.h"
#include "app/report/records.h"
#include "app/report/svg.h"
#include "app/report/text/table.h"
#include "charts.h"
#include "core/stopwatch.h"
#include "weight_charts.h"

namespace halation::app {
namespace {

std::string paragraph(std::string_view words) {
  return words.empty() ? "" : fmt::format("<p>{}</p>\n", escaped_markup(words));
}

std::string title_of(std::string_view words) { return fmt::format("<h3>{}</h3>\n", escaped_markup(words)); }

std::string list_of(const std::vector<Fact>& facts) {
  std::string list;
  for (const Fact& fact : facts)
    list += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped_markup(fact.name), escaped_markup(fact.text));
  return "<dl>\n" + list + "</dl>\n";
}

/// A chart and what belongs to it, side by side where there is room.
std::string pair_of(const std::string& first, const std::string& second) {
  return fmt::format("<div class=\"pair\">\n<div>\n{}</div>\n<div>\n{}</div>\n</div>\n", first, second);
}

std::string markup_of(const Drawing& drawing) { return drawing.chart + paragraph(drawing.note); }

std::string place_text(const std::string& device) { return device == "cpu" ? "CPU" : "GPU " + device; }

/// "gaussian", or of several filters "edges, filter 2".
std::string name_of_filter(const Explanation& explanation, std::size_t i) {
  const std::string& name = explanation.filters[i].filter.name();
  return explanation.filters.size() == 1 ? name : fmt::format("{}, filter {}", name, i + 1);
}

/// One sentence a filter; one for all where they are alike.
std::vector<std::string> without_copies(std::vector<std::string> sentences) {
  std::vector<std::string> kept;
  for (std::string& sentence : sentences) {
    if (std::find(kept.begin(), kept.end(), sentence) == kept.end()) kept.push_back(std::move(sentence));
  }
  return kept;
}

/// What a plan says of its filters' methods, a line each: "gaussian 17x17: separable, 34 multiply-adds a
/// sample instead of 289".
std::vector<std::string> choices_of(const PlanAnswer& answer) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(answer.text, '\n')) {
    if (!line.empty() && !line.starts_with(' ')) lines.emplace_back(line.substr(0, line.find("; expected")));
  }
  // The first is the job.
  if (lines.size() <= answer.ranking.size()) return std::vector<std::string>(answer.ranking.size());
  return {lines.begin() + 1, lines.begin() + 1 + static_cast<std::ptrdiff_t>(answer.ranking.size())};
}

/// Why that method, and what the next best would take.
std::string reason_of(const Question& question, const std::vector<RankedMethod>& ranking) {
  const auto next = std::find_if(ranking.begin() + 1, ranking.end(),
                                 [](const RankedMethod& method) { return method.why_not.empty(); });
  std::vector<std::string> parts;
  if (const std::optional<MethodTime> time = time_of(ranking, ranking.front()))
    parts.push_back(fmt::format("{} {}", time_text(time->seconds), time->measured ? "measured" : "expected"));
  if (question.options.method != Method::automatic) {
    parts.emplace_back("as --method asks");
  } else if (next == ranking.end()) {
    parts.emplace_back("the only method to choose from");
  } else if (const std::optional<MethodTime> other = time_of(ranking, *next)) {
    const std::string ratio = ratio_text(other->over_chosen);
    parts.push_back(ratio == "1"
                        ? fmt::format("{} would take as long", name_of(next->method))
                        : fmt::format("{} would take {} times as long", name_of(next->method), ratio));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> choice_sentences(const Question& question, const PlanAnswer& answer) {
  if (answer.ranking.empty())
    return {fmt::format("{}: {}", place_text(answer.device), answer.text.substr(0, answer.text.find('\n')))};
  const std::vector<std::string> choices = choices_of(answer);
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < answer.ranking.size(); ++i) {
    const std::vector<RankedMethod>& ranking = answer.ranking[i];
    if (ranking.empty()) continue;
    const std::string choice = choices[i].empty() ? std::string(name_of(ranking.front().method)) : choices[i];
    sentences.push_back(
        fmt::format("{}, {}; {}", place_text(answer.device), choice, reason_of(question, ranking)));
  }
  return without_copies(std::move(sentences));
}

/// The least time on the GPU asked about, and which limit holds.
std::string limit_sentence(const Question& question, const std::vector<MethodCost>& costs) {
  const auto least = std::min_element(
      costs.begin(), costs.end(),
      [](const MethodCost& a, const MethodCost& b) { return a.roofline.seconds < b.roofline.seconds; });
  const model::DeviceDescription& gpu = *question.gpu;
  const std::string limit = [&] {
    switch (least->roofline.bound) {
      case model::Bound::memory:
        return fmt::format("bytes, {:g} a pixel at {:.4g} TB/s", least->bytes,
                           gpu.bytes_per_second() * 1e-12);
      case model::Bound::arithmetic:
        return fmt::format("operations, {:g} a pixel at {:.4g} T/s", least->operations,
                           gpu.operations_per_second(question.pixel == Pixel::f64) * 1e-12);
      case model::Bound::launch:
        return fmt::format("the start of a kernel, {}", time_text(model::launch_seconds));
    }
    return std::string();
  }();
  return fmt::format("{}: {} at least, by {}; the limit is {}", gpu.title.substr(0, gpu.title.find(',')),
                     time_text(least->roofline.seconds), name_of(least->method), limit);
}

std::vector<std::string> lead(const Explanation& explanation) {
  std::vector<std::string> sentences;
  for (const PlanAnswer& answer : explanation.plans) {
    const std::vector<std::string> more = choice_sentences(explanation.question, answer);
    sentences.insert(sentences.end(), more.begin(), more.end());
  }
  std::vector<std::string> limits;
  for (const ExplainedFilter& each : explanation.filters)
    limits.push_back(limit_sentence(explanation.question, each.costs));
  limits = without_copies(std::move(limits));
  const bool each = explanation.filters.size() > 1 && limits.size() == 1;
  for (const std::string& limit : limits) sentences.push_back(each ? limit + ", for each filter" : limit);
  return sentences;
}

std::vector<Fact> facts(const Explanation& explanation) {
  const Question& question = explanation.question;
  std::string job = fmt::format("{} {}", to_string(question.shape), name_of(question.pixel));
  for (const PlanAnswer& answer : explanation.plans) {
    if (answer.ranking.empty()) continue;
    job = answer.text.substr(0, answer.text.find('\n'));
    break;
  }
  std::vector<Fact> list = {{"job", std::move(job)}};
  if (question.filter.combine == Combine::magnitude)
    list.push_back(
        {"result", fmt::format("the root of the sum of squares of {} filters", explanation.filters.size())});
  for (const PlanAnswer& answer : explanation.plans) {
    if (answer.error_bound)
      list.push_back({explanation.plans.size() > 1 ? "error bound, " + answer.device : "error bound",
                      error_bound_text(answer)});
  }
  const std::string on_paper = on_paper_text(explanation);
  list.push_back({"limits of", fmt::format("{}: {}{}{}", question.gpu->title, limits_text(question), on_paper.empty() ? "" : "; ", on_paper)});
  list.push_back({"CPU here", present_cpu()});
  list.push_back({"date", now_utc()});
  return list;
}

/// The methods that a plan does not choose from, and why.
std::string passed_over(const std::vector<RankedMethod>& ranking) {
  std::vector<std::string> reasons;
  for (const RankedMethod& method : ranking) {
    if (!method.why_not.empty())
      reasons.push_back(fmt::format("{} ({})", name_of(method.method), method.why_not));
  }
  return reasons.empty() ? "" : fmt::format("Not to choose from: {}.", fmt::join(reasons, ", "));
}

std::string methods_section(const Explanation& explanation) {
  struct Part {
    std::string title, chart, words;
  };
  std::vector<Part> parts;
  for (std::size_t plan = 0; plan < explanation.plans.size(); ++plan) {
    const PlanAnswer& answer = explanation.plans[plan];
    if (answer.ranking.empty())
      parts.push_back({title_of(place_text(answer.device)), "", paragraph(answer.text)});
    for (std::size_t i = 0; i < answer.ranking.size(); ++i) {
      if (answer.ranking[i].empty()) continue;
      parts.push_back(
          {title_of(fmt::format("{} on {}", name_of_filter(explanation, i), place_text(answer.device))),
           methods_chart(answer.ranking[i], fmt::format("methods{}-{}", plan, i)),
           paragraph(passed_over(answer.ranking[i]))});
    }
  }
  if (parts.size() == 1) return parts.front().title + pair_of(parts.front().chart, parts.front().words);
  std::string content;
  for (const Part& part : parts) content += "<div>\n" + part.title + part.chart + part.words + "</div>\n";
  return content.empty() ? "" : "<div class=\"pair\">\n" + content + "</div>\n";
}

std::string roofline_words(const Explanation& explanation) {
  const bool f64 = explanation.question.pixel == Pixel::f64;
  return fmt::format(
      "The least time of each method on paper, the start of a kernel included: left of the ridge bytes bind, "
      "right of it arithmetic in {}. Each sample is read "
      "and written once. Tensor cores and products of integers can pass the roof. Slope and roof are those "
      "of {}: {}.",
      f64 ? "f64" : "f32", explanation.question.gpu->title, limits_text(explanation.question));
}

std::string roofline_section(const Explanation& explanation) {
  const std::string chart = roofline_chart(explanation);
  return chart.empty() ? "" : pair_of(chart, paragraph(roofline_words(explanation)));
}

std::vector<Fact> facts(const ExplainedFilter& each) {
  const model::WeightFacts& facts = each.facts;
  const auto yes_or_no = [](bool fact) { return std::string(fact ? "yes" : "no"); };
  return {{"size", fmt::format("{}, {} weights", size_text(facts.size), facts.size.taps())},
          {"sum", fmt::format("{:.6g}", facts.sum)},
          {"symmetry", symmetry_text(facts)},
          {"rank", rank_text(facts)},
          {"separable", facts.separable ? "yes, a product of factors" : "no"},
          {"integers", yes_or_no(facts.integers)},
          {"all equal", yes_or_no(facts.equal)}};
}

std::string weights_section(const Explanation& explanation) {
  std::string content;
  for (std::size_t i = 0; i < explanation.filters.size(); ++i) {
    const ExplainedFilter& each = explanation.filters[i];
    if (explanation.filters.size() > 1) content += title_of(name_of_filter(explanation, i));
    content +=
        pair_of(markup_of(weights_drawing(each.filter, fmt::format("weights{}", i))), list_of(facts(each)));
  }
  return content;
}

std::string response_section(const Explanation& explanation) {
  std::string content;
  for (std::size_t i = 0; i < explanation.filters.size(); ++i) {
    const Filter& filter = explanation.filters[i].filter;
    if (explanation.filters.size() > 1) content += title_of(name_of_filter(explanation, i));
    const Drawing curves = response_drawing(filter, fmt::format("response{}", i)),
                  map = response_map(filter, fmt::format("spectrum{}", i));
    content += map.chart.empty() ? pair_of(curves.chart, paragraph(curves.note) + paragraph(map.note))
                                 : pair_of(markup_of(curves), markup_of(map));
  }
  return content;
}

Table costs_table(const Explanation& explanation, std::size_t i) {
  Table table{"On paper: " + name_of_filter(explanation, i),
              "method",
              {"operations/pixel", "bytes/pixel", "operations/byte", "least time, ms", "GPix/s", "bound by"},
              {}};
  for (const MethodCost& cost : explanation.filters[i].costs)
    table.rows.push_back(
        {std::string(name_of(cost.method)),
         {fmt::format("{}", cost.operations), fmt::format("{}", cost.bytes),
          fmt::format("{:.1f}", cost.operations / cost.bytes),
          fmt::format("{:.4g}", cost.roofline.seconds * 1e3), fmt::format("{:.1f}", cost.gpix_per_second),
          std::string(model::name_of(cost.roofline.bound))},
         ""});
  return table;
}

Table ranking_table(const Explanation& explanation, const PlanAnswer& answer, std::size_t i) {
  const std::vector<RankedMethod>& ranking = answer.ranking[i];
  Table table{fmt::format("{} on {}", name_of_filter(explanation, i), place_text(answer.device)),
              "method",
              {"expected, ms", "measured, ms", "times the one chosen", "why not"},
              {}};
  const auto ms = [](const std::optional<double>& seconds) {
    return seconds ? fmt::format("{:.4g}", *seconds * 1e3) : std::string("-");
  };
  for (const RankedMethod& method : ranking) {
    const std::optional<MethodTime> time = time_of(ranking, method);
    table.rows.push_back({std::string(name_of(method.method)),
                          {ms(method.expected_seconds), ms(method.measured_seconds),
                           time ? ratio_text(time->over_chosen) : "-", method.why_not},
                          ""});
  }
  return table;
}

std::string figures(const Explanation& explanation) {
  std::string content;
  for (std::size_t i = 0; i < explanation.filters.size(); ++i)
    content += markup_of(costs_table(explanation, i));
  for (const PlanAnswer& answer : explanation.plans) {
    for (std::size_t i = 0; i < answer.ranking.size(); ++i)
      content += markup_of(ranking_table(explanation, answer, i));
  }
  for (const PlanAnswer& answer : explanation.plans)
    content += title_of("Plan on " + place_text(answer.device)) +
               fmt::format("<pre>{}</pre>\n", escaped_markup(answer.text));
  return content;
}

Table tiles_table(const Tiling& tiling) {
  Table table{"Tiles, by where they lie", "tile", {"loads", "accesses replaced", "reduction"}, {}};
  for (const NamedTile& each : tiles_of(tiling)) {
    const model::TileTraffic traffic = model::traffic(each.axes);
    table.rows.push_back({std::string(each.name),
                          {fmt::format("{}", traffic.loads), fmt::format("{}", traffic.accesses),
                           fmt::format("{:.1f}", traffic.reduction())},
                          ""});
  }
  return table;
}

Table reductions_table(const Tiling& tiling) {
  const Numbers tiles = usual_tiles(tiling), masks = usual_masks(tiling);
  const std::vector<std::vector<double>> values = model::reduction_table(tiling.dims, tiles, masks);
  Table table{"Bandwidth reduction of inside tiles, accesses replaced / loads", "mask \\ tile", {}, {}};
  for (const std::int64_t tile : tiles) table.headings.push_back(fmt::format("{}", tile));
  for (std::size_t row = 0; row < masks.size(); ++row) {
    table.rows.push_back({fmt::format("{}", masks[row]), {}, ""});
    for (const double value : values[row]) table.rows.back().cells.push_back(fmt::format("{:.1f}", value));
  }
  return table;
}

Table intensity_table(const Tiling& tiling) {
  const auto [dims, tile, mask] = tiling;
  const auto row = [](std::string name, double value) {
    return Table::Row{std::move(name), {fmt::format("{:.2f}", value)}, ""};
  };
  Table table{"Operations a byte loaded from global memory",
              "where filter and image lie",
              {"operations a byte"},
              {row("filter and image in global memory", model::operations_per_byte(false)),
               row("filter in constant memory", model::operations_per_byte(true)),
               row(fmt::format("and an input tile of {}", power(tile + mask - 1, dims)),
                   model::tiled_operations_per_byte(dims, tile + mask - 1, mask))}};
  if (tile > mask)
    table.rows.push_back(row(fmt::format("and an input tile of {}", power(tile, dims)),
                             model::tiled_operations_per_byte(dims, tile, mask)));
  return table;
}

std::string tile_words(const Tiling& tiling) {
  std::string words =
      fmt::format("A block computes {} outputs and loads {} elements for them, each once. ",
                  power(tiling.tile, tiling.dims), power(tiling.tile + tiling.mask - 1, tiling.dims));
  if (!draws_uses(tiling))
    return words +
           fmt::format("Along an axis their uses rise from 1 by 1 to {}, stay there, and fall to 1 again.",
                       std::min(tiling.tile, tiling.mask));
  return words + (tiling.dims == 3
                      ? "The plane in the middle is drawn; each element is shaded by how many outputs use it."
                      : "Each element is shaded by how many outputs use it.");
}

Table blocks_table(const OccupancyQuestion& question) {
  Table table{
      "Other sizes of block", "threads a block", {"blocks", "threads", "occupancy", "limited by"}, {}};
  for (const int threads : block_sizes(*question.device)) {
    model::BlockNeeds needs = question.needs;
    needs.threads_per_block = threads;
    const model::Occupancy found = model::occupancy(*question.device, needs);
    table.rows.push_back({fmt::format("{}", threads),
                          {fmt::format("{}", found.blocks), fmt::format("{}", found.threads),
                           fmt::format("{:.1f}%", 100 * found.fraction), found.limited_by()},
                          ""});
  }
  return table;
}

Table held_table(const model::DeviceDescription& device, const model::Occupancy& found) {
  return {"On a multiprocessor",
          "what",
          {"held", "of"},
          {{"blocks", {fmt::format("{}", found.blocks), fmt::format("{}", device.max_blocks)}, ""},
           {"threads", {fmt::format("{}", found.threads), fmt::format("{}", device.max_threads)}, ""},
           {"warps", {fmt::format("{}", found.warps), fmt::format("{}", device.max_warps())}, ""}}};
}

Table allowed_table(const model::DeviceDescription& device, const model::Occupancy& found) {
  Table table{"Blocks that each resource alone allows", "resource", {"blocks"}, {}};
  for (const model::Resource resource : model::all_resources)
    table.rows.push_back({std::string(model::name_of(resource)),
                          {allowed(device, found.blocks_allowed[static_cast<std::size_t>(resource)])},
                          ""});
  return table;
}

}  // namespace

std::string report_of(const Explanation& explanation, std::string_view command) {
  const Question& question = explanation.question;
  const std::string& name = explanation.filters.front().filter.name();
  return page("halation explain " + name,
              fmt::format("{} over {} {}", name, to_string(question.shape), name_of(question.pixel)),
              lead(explanation), facts(explanation), command,
              section("Methods",
                      "What each way to compute the filter takes, as many times the time of the one chosen.",
                      methods_section(explanation)) +
                  section("Roofline", "", roofline_section(explanation)) +
                  section("Weights", "", weights_section(explanation)) +
                  section("Frequency response",
                          "How much of a wave of each frequency the filter lets through; 0.5 cycles a sample "
                          "is the finest that samples hold.",
                          response_section(explanation)) +
                  folded("Figures", "", figures(explanation)));
}

std::string report_of(const Tiling& tiling, std::string_view command) {
  const model::TileTraffic inside = model::traffic(tiles_of(tiling).front().axes);
  const std::string outputs = power(tiling.tile, tiling.dims), mask = power(tiling.mask, tiling.dims);
  const std::string sentence = fmt::format(
      "A tile of {} outputs under a mask of {} loads {} elements in place of {} accesses: {:.1f} times fewer",
      outputs, mask, inside.loads, inside.accesses, inside.reduction());
  return page(
      "halation explain tiling", fmt::format("A tile of {} outputs, mask {}", outputs, mask), {sentence},
      {{"job", fmt::format("{} outputs a block, mask {}, f32", outputs, mask)},
       {"counted", "inside the image; at its borders what lies outside is neither loaded nor accessed"}},
      command,
      section("The tile", tile_words(tiling), pair_of(tile_chart(tiling), markup_of(tiles_table(tiling)))) +
          section(
              "Larger tiles, larger masks", "",
              pair_of(reduction_chart(tiling), paragraph("Accesses to global memory that an inside tile "
                                                         "replaces, over its loads. The larger point is the "
                                                         "tile asked about. However large the tile, the "
                                                         "ratio stays below the number of taps."))) +
          folded("Figures", "", markup_of(reductions_table(tiling)) + markup_of(intensity_table(tiling))));
}

std::string report_of(const OccupancyQuestion& question, std::string_view command) {
  const model::DeviceDescription& device = *question.device;
  const model::BlockNeeds& needs = question.needs;
  const model::Occupancy found = model::occupancy(device, needs);
  const std::string sentence = fmt::format(
      "{:.1f}% occupancy: {} block{} of {} threads on a multiprocessor, limited by {}", 100 * found.fraction,
      found.blocks, found.blocks == 1 ? "" : "s", needs.threads_per_block, found.limited_by());
  std::vector<Fact> facts = {
      {"kernel",
       fmt::format("{} registers a thread, {} threads and {} bytes of shared memory a block",
                   needs.registers_per_thread, needs.threads_per_block, needs.shared_bytes_per_block)},
      {"GPU", fmt::format("{} ({})", device.name, device.title)}};
  if (needs.registers_per_thread > 0)
    facts.push_back({"registers", fmt::format("{} on a multiprocessor allow {} threads", device.registers,
                                              found.threads_by_registers)});
  return page(
      "halation explain occupancy", fmt::format("Occupancy on {}", device.name), {sentence}, facts, command,
      section(
          "What limits it",
          "The blocks that each resource alone allows; the least of these is what a multiprocessor holds.",
          pair_of(limits_chart(question), markup_of(held_table(device, found)))) +
          section("Other sizes of block", "",
                  pair_of(block_sizes_chart(question),
                          paragraph("The same kernel with other numbers of threads a block: warps held, of "
                                    "those that a multiprocessor has "
                                    "room for. Where none is held, one block alone is too large."))) +
          folded("Figures", "", markup_of(allowed_table(device, found)) + markup_of(blocks_table(question))));
}

}  // namespace halation::app
