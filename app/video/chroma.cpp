// chroma.cpp: what becomes of the chroma planes of a frame whose luma is filtered.
#include "chroma.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "app/command_line/arguments.h"
#include "halation/transfer.h"
#include "plan/backends.h"

namespace halation::app {
namespace {

constexpr int frame_dims = 2;

struct NamedStage {
  const NamedFilter& filter;
  Arguments arguments;
};

std::string_view without_quotes(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && (value.front() == '\'' || value.front() == '"');
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

/// A stage of a chain that has been found right: a name, and name=value between blanks. Values of named filters hold none.
NamedStage stage_from(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view blanks = " \t\r\n";
  for (std::size_t begin = 0; (begin = text.find_first_not_of(blanks, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  NamedStage stage{filter_named(words.front()), {}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    std::string name(words[i].substr(0, equals));
    std::replace(name.begin(), name.end(), '-', '_');
    const auto parameter = std::find_if(stage.filter.parameters.begin(), stage.filter.parameters.end(),
                                        [&](const Parameter& known) { return known.name == name; });
    stage.arguments[name] = parse_values(stage.filter, *parameter, without_quotes(words[i].substr(equals + 1)));
  }
  return stage;
}

bool is_custom(std::string_view stage) {
  const std::size_t first = stage.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && stage.substr(first).starts_with(custom_name);
}

/// The stages by their parameters; nothing where one is weights.
std::optional<std::vector<NamedStage>> named_stages(const std::string& text, const FilterOptions& options) {
  std::vector<NamedStage> stages;
  if (!is_chain(text)) {
    if (text == custom_name) return {};
    const NamedFilter& filter = filter_named(text);
    stages.push_back({filter, options.arguments_for(filter)});
    return stages;
  }
  for (const std::string_view stage : split(text, '|')) {
    if (is_custom(stage)) return {};
    stages.push_back(stage_from(stage));
  }
  return stages;
}

double brought(const Parameter& parameter, double value, int shift) {
  double smaller = std::ldexp(value, -shift);
  if (shift > 0 && parameter.integer) {
    // A window keeps its middle; taps on each side reach no less far.
    smaller = parameter.name == "size" ? 2 * std::round((smaller - 1) / 2) + 1 : std::ceil(smaller);
  }
  return std::clamp(smaller, parameter.least, parameter.most);
}

/// False where there is no length, or one that cannot be brought.
bool bring_lengths(NamedStage& stage, const FrameFormat& format) {
  bool has_length = false;
  for (const Parameter& parameter : stage.filter.parameters) {
    if (parameter.unit != "px") continue;
    has_length = true;
    auto given = stage.arguments.find(parameter.name);
    if (given == stage.arguments.end()) {
      if (!parameter.by_default) continue;  // it follows from others
      given = stage.arguments.insert({parameter.name, {*parameter.by_default}}).first;
    }
    const double along_y = given->second.front(), along_x = given->second.back();
    if (format.chroma_x == format.chroma_y || parameter.per_axis) {
      given->second = {brought(parameter, along_y, format.chroma_y), brought(parameter, along_x, format.chroma_x)};
      if (!parameter.per_axis) given->second.pop_back();
    } else {
      return false;
    }
  }
  return has_length;
}

/// As `ColourOptions` has it for alpha.
bool cancels(const Filter& filter) {
  const std::vector<double> weights = filter.weights();
  const double size = std::accumulate(weights.begin(), weights.end(), 0.0, [](double sum, double w) { return sum + std::abs(w); });
  return std::abs(filter.sum()) <= size / 256;
}

}  // namespace

std::optional<Chain> chroma_chain(const std::string& text, const FilterOptions& options, const FrameFormat& format) {
  std::optional<std::vector<NamedStage>> stages = named_stages(text, options);
  if (!stages) return {};
  Chain chain;
  for (NamedStage& stage : *stages) {
    if (!bring_lengths(stage, format)) return {};
    chain.stages.push_back(make_filter(stage.filter.name, stage.arguments, frame_dims));
  }
  if (shows_change(chain)) return {};
  return chain;
}

bool shows_change(const Chain& chain) {
  return std::any_of(chain.stages.begin(), chain.stages.end(),
                     [](const FilterSet& stage) { return stage.combine != Combine::none || cancels(stage.filters.front()); });
}

Options chroma_options(const Options& of_luma, const Chain& chain, const FrameFormat& format) {
  Options options = of_luma;
  double sum = options.scale;
  for (const FilterSet& stage : chain.stages) sum *= stage.filters.front().sum();
  // Weights of sum 1 leave the zero where it is but for the last bits of their sum.
  options.offset = std::abs(sum - 1) < 1e-9 ? 0 : format.zero() * (1 - sum);
  for (Border* border : {&options.border.z, &options.border.y, &options.border.x}) {
    if (border->mode == Border::Mode::constant) border->value = format.zero();
  }
  return options;
}

ChromaFilter::ChromaFilter(const Shape& planes, Pixel pixel, const Chain& chain, const Options& options, Device device)
    : chain_(planes, pixel, chain, device, options) {
  if (!shares_memory(device, cpu())) {
    result_ = allocate_pinned(planes, pixel);
    queue_ = device_queues()->make_queue(device);
    in_ = allocate(planes, pixel, device, Layout::interleaved, queue_->stream());
    out_ = allocate(planes, pixel, device, Layout::interleaved, queue_->stream());
    between_ = chain_.images_between(queue_->stream());
  } else {
    result_ = Image(planes, pixel);
    between_ = chain_.images_between();
  }
}

View ChromaFilter::run(const std::byte* planes) {
  const Shape& shape = chain_.input_shape();
  const ConstView from{planes, shape, strides_of(shape, chain_.input_pixel()), chain_.input_pixel()};
  if (!queue_) {
    chain_.run(from, result_, between_);
    return result_;
  }
  const Stream stream = queue_->stream();
  copy(from, in_.view(), stream);
  chain_.run(in_, out_, between_, stream);
  copy(out_.view(), result_.view(), stream);
  synchronise(out_.device(), stream);
  return result_;
}

}  // namespace halation::app
