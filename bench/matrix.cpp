// matrix.cpp: the jobs of a benchmark, and the file that lists them.
#include "bench/matrix.h"

#include <fnmatch.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "halation/error.h"

namespace halation::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view schema = "halation-bench-matrix-1";
constexpr std::int64_t most_extent = std::int64_t{1} << 40;
constexpr int most_size = 4194303;
constexpr double most_sigma = 500;

template <class T, std::size_t N>
using Names = std::array<std::pair<std::string_view, T>, N>;

constexpr Names<FilterKind, 7> kinds = {{{"dense", FilterKind::dense},
                                         {"integer", FilterKind::integer},
                                         {"gaussian", FilterKind::gaussian},
                                         {"separable", FilterKind::separable},
                                         {"symmetric", FilterKind::symmetric},
                                         {"box", FilterKind::box},
                                         {"sobel", FilterKind::sobel}}};

constexpr Names<Target::Unit, 5> units = {{{"share of copy", Target::Unit::share_of_copy},
                                           {"GPix/s", Target::Unit::gpix_per_s},
                                           {"us", Target::Unit::us},
                                           {"share of job", Target::Unit::share_of_job},
                                           {"times the best peer", Target::Unit::times_best_peer}}};

constexpr Names<Device::Kind, 2> devices = {{{"cpu", Device::Kind::cpu}, {"cuda", Device::Kind::cuda}}};

template <class T, std::size_t N>
std::string_view name_in(const Names<T, N>& names, T value) {
  for (const auto& [name, known] : names) {
    if (known == value) return name;
  }
  throw std::logic_error("a value without a name");
}

[[noreturn]] void refuse(const std::string& sentence) { throw Error{ErrorCode::invalid_argument, sentence}; }

/// Calls `read`; its errors begin with `where`.
template <class Read>
auto within(const std::string& where, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error{error.code(), where + ": " + error.what()};
  }
}

void add_choice(std::string& choices, std::string_view choice) {
  if (!choices.empty()) choices += ", ";
  choices += choice;
}

template <class T, std::size_t N>
T named(const Names<T, N>& names, std::string_view what, const std::string& name) {
  std::string choices;
  for (const auto& [known, value] : names) {
    if (known == name) return value;
    add_choice(choices, known);
  }
  refuse("unknown " + std::string(what) + " '" + name + "'; choose from " + choices);
}

void only_fields(const Json& object, std::string_view what, const std::set<std::string_view>& known) {
  if (!object.is_object()) refuse(std::string(what) + " must be an object, got " + object.dump());
  const auto items = object.items();
  const auto unknown = std::find_if(items.begin(), items.end(),
                                    [&](const auto& item) { return known.count(item.key()) == 0; });
  if (unknown == items.end()) return;
  std::string choices;
  for (const std::string_view choice : known) add_choice(choices, choice);
  refuse(std::string(what) + " has a field '" + unknown.key() + "', which is none of " + choices);
}

std::string text_from(const Json& job, const char* field, const std::string& otherwise) {
  const auto found = job.find(field);
  if (found == job.end()) return otherwise;
  if (!found->is_string()) refuse(std::string(field) + " must be a text, got " + found->dump());
  return *found;
}

std::int64_t whole_from(const Json& value, const std::string& what, std::int64_t most) {
  if (!value.is_number_integer() || value < 1 || value > most)
    refuse(what + " must be a whole number from 1 to " + std::to_string(most) + ", got " + value.dump());
  return value;
}

double positive_from(const Json& object, const char* field) {
  const auto found = object.find(field);
  if (found == object.end() || !found->is_number() || *found <= 0)
    refuse(std::string(field) + " must be a number above 0, got " +
           (found == object.end() ? "nothing" : found->dump()));
  return *found;
}

void take_extents(Shape& shape, const Json& job) {
  const auto found = job.find("extents");
  if (found == job.end() || !found->is_array() || found->empty() || found->size() > 3)
    refuse("extents must be [width], [height, width] or [depth, height, width]" +
           (found == job.end() ? "" : ", got " + found->dump()));
  std::array<std::int64_t*, 3> axes = {&shape.width, &shape.height, &shape.depth};
  for (std::size_t i = 0; i < found->size(); ++i)
    *axes[i] = whole_from((*found)[found->size() - 1 - i], "extents", most_extent);
}

Target target_from(const Json& object) {
  only_fields(object, "target", {"unit", "least", "aim", "than", "or_share_of_copy"});
  Target target;
  target.unit = named(units, "unit", text_from(object, "unit", "share of copy"));
  target.least = positive_from(object, "least");
  target.aim = object.contains("aim") ? positive_from(object, "aim") : target.least;
  target.than = text_from(object, "than", "");
  if (target.than.empty() == (target.unit == Target::Unit::share_of_job))
    refuse("target: 'than' names the other job of the unit 'share of job', and stands there alone");
  if (object.contains("or_share_of_copy")) {
    if (target.unit == Target::Unit::share_of_copy)
      refuse("target: 'or_share_of_copy' stands beside another unit than 'share of copy'");
    target.or_share_of_copy = positive_from(object, "or_share_of_copy");
  }
  return target;
}

const std::set<std::string_view> job_fields = {"name",   "extents", "pixel",  "output",          "channels",
                                               "batch",  "filter",  "size",   "sigma",           "border",
                                               "method", "accuracy", "on",    "target",          "known_gpix_per_s"};

/// The sigma of a Gaussian of so many taps, as OpenCV chooses it.
double usual_sigma(int size) { return 0.3 * ((size - 1) / 2.0 - 1) + 0.8; }

/// Filter, size and sigma. A Gaussian of a given sigma has the taps that the library's own has: to 4 sigma.
void take_filter(Job& job, const Json& fields) {
  job.filter = named(kinds, "filter", text_from(fields, "filter", "dense"));
  const bool given = fields.contains("sigma");
  if (given) {
    if (job.filter != FilterKind::gaussian)
      refuse("'sigma' is of a gaussian, the filter is " + std::string(name_of(job.filter)));
    job.sigma = positive_from(fields, "sigma");
    if (job.sigma > most_sigma) refuse("sigma must be at most 500, got " + fields["sigma"].dump());
    job.size = 2 * static_cast<int>(std::lround(4 * job.sigma)) + 1;
  }
  if (fields.contains("size")) job.size = static_cast<int>(whole_from(fields["size"], "size", most_size));
  if (job.filter == FilterKind::gaussian && !given) job.sigma = usual_sigma(job.size);
  if (job.filter == FilterKind::sobel && job.size != 3)
    refuse("sobel has size 3, got " + std::to_string(job.size));
}

/// "512x512" of [512, 512]; else as JSON has it, texts without quotes.
std::string plain_text(const Json& value) {
  if (value.is_string()) return value;
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& part : value) text += (text.empty() ? "" : "x") + part.dump();
  return text;
}

/// Writes `text` wherever a text of the value, or of its parts, has `place`.
void replace_in(Json& value, const std::string& place, const std::string& text) {
  if (value.is_structured()) {
    for (Json& part : value) replace_in(part, place, text);
  } else if (value.is_string()) {
    std::string words = value;
    for (std::size_t at = words.find(place); at != std::string::npos;
         at = words.find(place, at + text.size()))
      words.replace(at, place.size(), text);
    value = words;
  }
}

/// Every combination of the values in "each", the last field's changing fastest, "{field}" in texts replaced.
std::vector<Json> multiplied_out(Json entry) {
  const Json each = entry.value("each", Json::object());
  entry.erase("each");
  std::vector<Json> jobs = {entry};
  if (!each.is_object()) refuse("'each' must be an object of fields with lists of values");
  for (const auto& [field, values] : each.items()) {
    if (!values.is_array() || values.empty()) refuse("'each' must give '" + field + "' a list of values");
    if (entry.contains(field)) refuse("'" + field + "' is given both by itself and in 'each'");
    std::vector<Json> more;
    for (const Json& job : jobs) {
      for (const Json& value : values) {
        more.push_back(job);
        replace_in(more.back(), "{" + field + "}", plain_text(value));
        more.back()[field] = value;
      }
    }
    jobs = std::move(more);
  }
  return jobs;
}

}  // namespace

std::string_view name_of(FilterKind kind) { return name_in(kinds, kind); }

std::string_view name_of(Target::Unit unit) { return name_in(units, unit); }

double Job::in_bytes() const {
  return static_cast<double>(shape.elements()) * static_cast<double>(bytes_of(pixel));
}

double Job::out_bytes() const {
  return static_cast<double>(shape.elements()) * static_cast<double>(bytes_of(output));
}

std::string Job::extents_text() const { return to_string({1, shape.depth, shape.height, shape.width, 1}); }

Job job_from(const Json& fields) {
  only_fields(fields, "it", job_fields);
  Job job;
  job.fields = fields.dump();
  job.name = fields.at("name");
  take_extents(job.shape, fields);
  if (fields.contains("channels")) job.shape.channels = whole_from(fields["channels"], "channels", 1024);
  if (fields.contains("batch")) job.shape.batch = whole_from(fields["batch"], "batch", most_extent);
  (void)job.shape.elements();
  job.pixel = pixel_named(text_from(fields, "pixel", "f32"));
  job.output = pixel_named(text_from(fields, "output", std::string(halation::name_of(job.pixel))));
  for (const Pixel pixel : {job.pixel, job.output}) {
    if (!is_native(pixel))
      refuse("pixel must be u8, u16, i16, f16, f32 or f64, got " + std::string(halation::name_of(pixel)));
  }
  take_filter(job, fields);
  job.border = {border_named(text_from(fields, "border", "reflect101")), 0};
  job.method = method_named(text_from(fields, "method", "automatic"));
  job.accuracy = accuracy_named(text_from(fields, "accuracy", "exact"));
  if (fields.contains("on")) job.on = named(devices, "device", text_from(fields, "on", ""));
  if (fields.contains("target")) job.target = target_from(fields["target"]);
  if (fields.contains("known_gpix_per_s")) {
    const Json& known = fields["known_gpix_per_s"];
    if (!known.is_object()) refuse("known_gpix_per_s must be an object, got " + known.dump());
    for (const auto& [peer, rate] : known.items())
      job.known_gpix_per_s[peer] = positive_from(known, peer.c_str());
  }
  return job;
}

std::vector<Job> jobs_from(std::string_view text, const std::string& source) {
  return within(source, [&] {
    Json matrix;
    try {
      matrix = Json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
      refuse("no JSON: byte " + std::to_string(error.byte) + " is unexpected");
    }
    only_fields(matrix, "the matrix", {"schema", "about", "jobs"});
    if (!matrix.contains("schema") || matrix["schema"] != schema)
      refuse("'schema' must be \"" + std::string(schema) + "\"");
    if (!matrix.contains("jobs") || !matrix["jobs"].is_array() || matrix["jobs"].empty())
      refuse("'jobs' must be a list of jobs");
    std::vector<Job> jobs;
    std::set<std::string> names;
    for (const Json& entry : matrix["jobs"]) {
      if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string())
        refuse("job " + std::to_string(jobs.size() + 1) + " has no name");
      for (const Json& fields :
           within("job '" + std::string(entry["name"]) + "'", [&] { return multiplied_out(entry); })) {
        const std::string name = fields["name"];
        if (!names.insert(name).second) refuse("two jobs are called '" + name + "'");
        jobs.push_back(within("job '" + name + "'", [&] { return job_from(fields); }));
      }
    }
    for (const Job& job : jobs) {
      if (job.target && !job.target->than.empty() && names.count(job.target->than) == 0)
        refuse("job '" + job.name + "': there is no job '" + job.target->than + "' to compare with");
    }
    return jobs;
  });
}

std::string_view matrix_format() {
  return R"(A matrix is JSON: {"schema": "halation-bench-matrix-1", "jobs": [JOB, ...]}. A job's fields, with [defaults]:
  name      of its own
  extents   [W], [H, W] or [D, H, W]; channels [1] and batch [1] beside them
  pixel     u8 u16 i16 f16 f32 f64 [f32]; output: another pixel of the result
  filter    dense (random weights), integer (random whole weights), gaussian, separable (random factors),
            symmetric (random factors that read the same from both ends), box or sobel [dense]
  size      taps along each axis [3]; sigma of a gaussian [0.3 ((size - 1) / 2 - 1) + 0.8], which without a
            size has taps as far as 4 sigma
  border    constant (0), replicate, reflect, reflect101, wrap [reflect101]
  method    automatic, direct, separable, ... [automatic]; accuracy: exact or fast [exact]
  on        cpu or cuda: where it runs unless --jobs names it [both]
  target    {"unit": "share of copy" | "GPix/s" | "us" | "share of job" | "times the best peer", "least": X,
            "aim": Y, "than": NAME, "or_share_of_copy": Z}: the last is enough as well
  known_gpix_per_s  {"NPP": X, ...}: peers measured before; on an H200 a run is void where one is 15% below
  each      {FIELD: [VALUES], ...}: one job for every combination, {FIELD} in texts replaced)";
}

std::vector<Job> jobs_matching(const std::vector<Job>& jobs, const std::vector<std::string>& patterns,
                               Device::Kind device) {
  std::vector<Job> chosen;
  if (patterns.empty()) {
    std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(chosen),
                 [&](const Job& job) { return !job.on || *job.on == device; });
    if (chosen.empty()) refuse("no job of the matrix is for " + std::string(name_in(devices, device)));
    return chosen;
  }
  const auto matches = [](const std::string& pattern, const Job& job) {
    return fnmatch(pattern.c_str(), job.name.c_str(), FNM_NOESCAPE) == 0;
  };
  for (const std::string& pattern : patterns) {
    if (std::none_of(jobs.begin(), jobs.end(), [&](const Job& job) { return matches(pattern, job); }))
      refuse("no job is called '" + pattern +
             "'; --jobs takes names, * for any characters (halation bench --list)");
  }
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(chosen), [&](const Job& job) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& p) { return matches(p, job); });
  });
  return chosen;
}

}  // namespace halation::bench
