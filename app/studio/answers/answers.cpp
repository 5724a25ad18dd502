// answers.cpp: what the page is told, as JSON.
#include "answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "app/command_line/filter_options.h"
#include "app/refuse.h"
#include "app/report/filter_facts.h"
#include "app/studio/picture/histogram.h"
#include "code_lines.h"
#include "halation/display.h"
#include "halation/error.h"
#include "halation/filters.h"

namespace halation::app {
namespace {

constexpr std::int64_t response_points = 65;  // along each axis, odd: one lies at 0

std::string_view name_of(ColourModel colour) {
  switch (colour) {
    case ColourModel::gray: return "gray";
    case ColourModel::rgb: return "rgb";
    case ColourModel::cmyk: return "cmyk";
    case ColourModel::other: return "other";
  }
  return "other";
}

Json json_of(const Parameter& parameter) {
  Json json{{"name", parameter.name},
            {"meaning", parameter.meaning},
            {"unit", parameter.unit},
            {"default", default_of(parameter)},
            {"least", parameter.least},
            {"most", parameter.most},
            {"integer", parameter.integer},
            {"per_axis", parameter.per_axis},
            {"allowed", allowed_values(parameter)}};
  if (!parameter.choices.empty()) json["choices"] = parameter.choices;
  return json;
}

Json json_of(const PageFacts& facts) {
  return {{"width", facts.shape.width},   {"height", facts.shape.height}, {"depth", facts.shape.depth},
          {"channels", facts.shape.channels}, {"pixel", halation::name_of(facts.pixel)}, {"colour", name_of(facts.colour)},
          {"alpha", facts.alpha},         {"linear_light", facts.linear_light}};
}

Json json_of(const Filter& filter) {
  const FilterSize size = filter.size();
  Json json = app::json_of(filter, weight_facts(filter));
  json["anchor"] = {{"y", filter.anchor().y}, {"x", filter.anchor().x}};
  json["correlation"] = filter.is_correlation();
  if (size.height > most_shown_taps || size.width > most_shown_taps) return json;
  json["weights"] = slice_of(filter);
  json["response"] = {{"points", response_points}, {"values", response_of(summed_along_z(filter), size.height, size.width, response_points)}};
  return json;
}

const FilterSet& stage_of(const Chain& chain, std::size_t stage) {
  if (stage >= chain.stages.size()) refuse(fmt::format("stage is in [0, {}), got {}", chain.stages.size(), stage));
  return chain.stages[stage];
}

std::string result_name(const std::string& name) {
  const std::filesystem::path path(name);
  std::string same = path.stem().string() + "_filtered" + path.extension().string();
  try {
    check_place(same, std::nullopt);
    return same;
  } catch (const Error&) {  // a format that is read and not written, or no ending that tells of one
    return path.stem().string() + "_filtered.png";
  }
}

}  // namespace

std::vector<Filter> telling(const FilterSet& set) {
  if (set.filters.size() == 1) return set.filters;
  std::vector<Filter> filters;
  for (const Filter& filter : set.filters) {
    const std::vector<double> weights = filter.weights();
    if (std::any_of(weights.begin(), weights.end(), [](double weight) { return weight != 0; })) filters.push_back(filter);
  }
  return filters;
}

Json filters_answer(const Workspace& workspace) {
  Json answer;
  for (const NamedFilter& filter : named_filters()) {
    Json parameters = Json::array();
    for (const Parameter& parameter : filter.parameters) parameters.push_back(json_of(parameter));
    answer["filters"].push_back({{"name", filter.name},
                                 {"summary", filter.summary},
                                 {"formula", filter.formula},
                                 {"source", filter.source},
                                 {"dims", filter.dims},
                                 {"parameters", std::move(parameters)}});
  }
  for (const Border::Mode mode : {Border::Mode::reflect101, Border::Mode::reflect, Border::Mode::replicate, Border::Mode::wrap, Border::Mode::constant})
    answer["borders"].push_back(halation::name_of(mode));
  for (const Pixel pixel : native_pixels) answer["pixels"].push_back(halation::name_of(pixel));
  for (const Display view : {Display::signed_values, Display::magnitude, Display::stretched}) answer["views"].push_back(halation::name_of(view));
  for (const DeviceInfo& info : devices())
    answer["devices"].push_back({{"name", halation::name_of(info.device)}, {"description", info.description}});
  answer["device"] = halation::name_of(workspace.device());
  answer["device_asked_for"] = workspace.device_is_asked_for();
  return answer;
}

Json picture_answer(const Workspace& workspace) {
  if (!workspace.has_picture()) return {{"picture", nullptr}};
  const Picture picture = workspace.picture();
  Json facts = json_of(picture.facts);
  facts["name"] = picture.name;
  facts["pages"] = picture.pages;
  facts["number"] = picture.number;
  return {{"picture", std::move(facts)}};
}

Json weights_answer(Workspace& workspace, const Picture& picture, const Asked& asked, std::size_t stage, const Turn& turn) {
  const std::shared_ptr<const PageJob> job = workspace.job(picture, asked, turn);
  Json answer{{"stages", job->chain.stages.size()}, {"stage", stage}, {"filters", Json::array()}};
  const FilterSet& set = stage_of(job->chain, stage);
  answer["combine"] = set.combine == Combine::magnitude ? "magnitude" : "none";
  for (const Filter& filter : telling(set)) answer["filters"].push_back(json_of(filter));
  return answer;
}

Json explain_answer(Workspace& workspace, const Picture& picture, const Asked& asked, const Turn& turn) {
  const auto answer_on = [&](const Asked& there) {
    const std::shared_ptr<const PageJob> job = workspace.job(picture, there, turn);
    Json stages = Json::array();
    for (const Plan& plan : job->prepared.plans()) {
      Json filters = Json::array();
      for (const std::vector<RankedMethod>& ranking : plan.ranking()) filters.push_back(app::json_of(ranking));
      stages.push_back(std::move(filters));
    }
    const Pixel pixel = job->prepared.specs().back().pixel;
    const double most =
        is_float(pixel) ? (is_float(job->input_pixel) || job->colour.linear ? 1 : largest(job->input_pixel)) : largest(pixel);
    const double seconds = expected_seconds(*job);
    return Json{{"device", halation::name_of(job->device)},
                {"text", explain(*job)},
                {"stages", std::move(stages)},
                {"expected_seconds", seconds},
                {"error_bound", job->prepared.plans().back().error_bound(most)},
                {"largest_input", most},
                {"output",
                 {{"width", job->output_shape.width},
                  {"height", job->output_shape.height},
                  {"pixel", halation::name_of(job->output_pixel)}}}};
  };
  Json answer = answer_on(asked);
  answer["elsewhere"] = Json::array();
  for (const DeviceInfo& info : devices()) {
    const std::string name = halation::name_of(info.device);
    if (info.device.kind == Device::Kind::reference || name == answer["device"]) continue;
    Asked there = asked;
    there.options["device"] = name;
    try {
      Json other = answer_on(there);
      other.erase("text");
      answer["elsewhere"].push_back(std::move(other));
    } catch (const Error& error) {  // which the device that was asked for does not have
      answer["elsewhere"].push_back({{"device", name}, {"stages", Json::array()}, {"error", error.what()}});
    }
  }
  return answer;
}

namespace {

Json counts_of(const Histogram& histogram) {
  Json channels = Json::array();
  for (const Histogram::Counts& channel : histogram.channels()) channels.push_back(channel);
  return {{"channels", std::move(channels)}, {"not_numbers", histogram.not_numbers()}};
}

Workspace::Visitor counting(std::optional<Histogram>& histogram) {
  return {.begin = [&](const PageFacts& facts, const Position&) { histogram.emplace(facts); },
          .take = [&](const ConstView& part, std::int64_t) { histogram->take(part); }};
}

}  // namespace

Json histogram_answer(Workspace& workspace, const Picture& picture, const Turn& turn) {
  std::optional<Histogram> histogram;
  workspace.visit_original(picture, turn, counting(histogram));
  return {{"original", counts_of(*histogram)}};
}

Json histogram_answer(Workspace& workspace, const Picture& picture, const Asked& asked, const Turn& turn) {
  std::optional<Histogram> histogram;
  const Clipping clipping = workspace.clipping(picture, asked, turn, counting(histogram));
  return {{"result", counts_of(*histogram)},
          {"clipped", {{"known", clipping.known}, {"share", clipping.clipped.share()}, {"note", clipping.note}}}};
}

Json code_answer(const std::string& name, const Asked& asked) {
  const CodeLines lines = code_lines(asked, name, result_name(name));
  return {{"command", lines.command}, {"python", lines.python}, {"cpp", lines.cpp}, {"save_as", result_name(name)}};
}

}  // namespace halation::app
