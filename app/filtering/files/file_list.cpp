// file_list.cpp: the files that `halation batch` was given, and where their results go.
#include "file_list.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "halation/error.h"
#include "halation/io.h"
#include "io/file.h"
#include "io/formats.h"

namespace halation::app {
namespace {

namespace fs = std::filesystem;

bool is_among(const std::vector<std::string>& endings, const fs::path& path) {
  return std::find(endings.begin(), endings.end(), io::ending_of(path)) != endings.end();
}

bool is_image(const fs::path& path) {
  static const std::vector<std::string> endings = readable_endings();
  return is_among(endings, path);
}

bool is_written(const fs::path& path) {
  static const std::vector<std::string> endings = writable_endings();
  return is_among(endings, path);
}

/// Of the format of a file's bytes, ".jpg"; ".png" where that is not written, or is not seen.
std::string ending_of_content(const fs::path& path) {
  try {
    if (std::error_code ignored; fs::is_regular_file(path, ignored)) {  // a pipe can be read but once
      const io::Input file(path.string());
      const fs::path ending(io::codec_of(file.bytes()).endings.front());
      if (is_written(fs::path("any") += ending)) return ending.string();
    }
  } catch (const Error&) {  // reading it will say why
  }
  return ".png";
}

[[noreturn]] void refuse(const std::string& sentence) { throw Error{ErrorCode::io, sentence}; }

std::string unreadable(const std::error_code& error) { return "cannot be read: " + error.message(); }

/// The outermost folder on the way that is missing: "folder photos/june does not exist"; empty where all are there.
std::string missing_folder(const fs::path& way) {
  fs::path folder;
  for (const fs::path& part : way) {
    folder /= part;
    std::error_code error;
    if (fs::exists(folder, error)) continue;
    return fmt::format("folder {} {}", folder.string(), error ? unreadable(error) : "does not exist");
  }
  return "";
}

/// Why nothing is seen there; empty where something is.
std::string missing(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) return "";
  if (std::string folder = missing_folder(path.parent_path()); !folder.empty()) return folder;
  return error ? unreadable(error) : "no such file or folder";
}

/// A file, and its name below the folder of results; or a folder that cannot be read.
struct Found {
  fs::path path;
  fs::path below;
  std::string refused = {};  ///< as in `BatchFile`
};

/// Calls `visit` with all that lies in a folder, which says whether to enter what is a folder itself; links to folders are not entered.
/// Folders that cannot be read go to `found`. `below`: of where it is, for its own calls.
void look_through(const fs::path& folder, const std::function<bool(const fs::directory_entry&, const Found&)>& visit,
                  std::vector<Found>& found, const fs::path& below = {}) {
  const fs::path here = below.empty() ? folder : folder / below;
  std::error_code error;
  fs::directory_iterator at(here.empty() ? "." : here, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    const fs::path below_it = below / at->path().filename();
    std::error_code ignored;
    if (visit(*at, {folder / below_it, below_it}) && at->symlink_status(ignored).type() == fs::file_type::directory)
      look_through(folder, visit, found, below_it);
  }
  if (error) found.push_back({here, below, unreadable(error)});
}

/// Where a name leads, links followed, whether or not something is there.
std::string place_of(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  const fs::path place = error ? fs::path() : fs::weakly_canonical(whole, error);
  return (error ? path.lexically_normal() : place).string();
}

bool is_in(const fs::path& place, const fs::path& folder) {
  const fs::path below = place.lexically_relative(folder);
  return !below.empty() && *below.begin() != "..";
}

/// What was found in a folder, in alphabetical order; without results of this run or one before, where their folder lies in that one.
std::vector<Found> sorted_inputs(const fs::path& folder, const std::string& results, std::vector<Found> inside) {
  const fs::path place = place_of(folder);
  if (!is_in(place, results)) std::erase_if(inside, [&](const Found& each) { return is_in(place / each.below, results); });
  std::sort(inside.begin(), inside.end(), [](const Found& a, const Found& b) { return a.path < b.path; });
  return inside;
}

/// "2 HEIC, 1 PDF, 3 other files"; empty where there is nothing.
std::string counted(const PassedOver& passed_over) {
  std::string text;
  for (const auto& [format, files] : passed_over.unread) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", files.size(), format);
  if (passed_over.others > 0)
    text += fmt::format("{}{} other file{}", text.empty() ? "" : ", ", passed_over.others, passed_over.others == 1 ? "" : "s");
  return text;
}

/// Images go to `found`, and throws where there is none.
void add_folder(const fs::path& folder, bool recursive, const std::string& results, std::vector<Found>& found,
                PassedOver& all_passed_over) {
  std::vector<Found> inside;
  PassedOver passed_over;
  const auto visit = [&](const fs::directory_entry& entry, const Found& each) {
    if (each.below.filename().string().starts_with('.')) return false;  // hidden
    std::error_code ignored;
    if (entry.is_regular_file(ignored)) {
      inside.push_back(each);
    } else if (!entry.is_directory(ignored)) {
      ++passed_over.others;  // a link to nothing, a pipe
    }
    return recursive;
  };
  look_through(folder, visit, inside);
  const std::size_t before = found.size();
  for (const Found& each : sorted_inputs(folder, results, std::move(inside))) {
    if (!each.refused.empty() || is_image(each.path)) {
      found.push_back(each);
    } else if (const std::string_view format = unread_format(io::ending_of(each.path)); !format.empty()) {
      passed_over.unread[std::string(format)].push_back(each.path.string());
    } else {
      ++passed_over.others;
    }
  }
  if (found.size() == before) {
    const std::string others = counted(passed_over), deeper = recursive ? "" : "; --recursive looks into its folders";
    if (others.empty()) refuse(fmt::format("{}: no image in this folder{}", folder.string(), deeper));
    refuse(fmt::format("{}: no image that halation reads in this folder, but {}; it reads {}{}", folder.string(), others,
                       fmt::join(readable_endings(), " "), deeper));
  }
  for (const auto& [format, files] : passed_over.unread) {
    std::vector<std::string>& all = all_passed_over.unread[format];
    all.insert(all.end(), files.begin(), files.end());
  }
  all_passed_over.others += passed_over.others;
}

/// Whether the parts of a path match those of a pattern, one by one; ** matches any number of them.
bool matches(const std::vector<std::string>& pattern, std::size_t at, const std::vector<std::string>& parts, std::size_t part) {
  if (at == pattern.size()) return part == parts.size();
  if (pattern[at] == "**") {
    for (std::size_t skipped = part; skipped <= parts.size(); ++skipped) {
      if (matches(pattern, at + 1, parts, skipped)) return true;
    }
    return false;
  }
  return part < parts.size() && ::fnmatch(pattern[at].c_str(), parts[part].c_str(), FNM_PERIOD) == 0 &&
         matches(pattern, at + 1, parts, part + 1);
}

/// Whether a folder of these parts may hold matches.
bool may_hold_matches(const std::vector<std::string>& pattern, const std::vector<std::string>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (pattern[i] == "**") return true;
    if (i + 1 == pattern.size() || ::fnmatch(pattern[i].c_str(), parts[i].c_str(), FNM_PERIOD) != 0) return false;
  }
  return true;
}

bool is_pattern(std::string_view name) { return name.find_first_of("*?[") != std::string_view::npos; }

/// The files that match, below the last folder that the pattern names outright.
void add_matches(const std::string& name, const std::string& results, std::vector<Found>& found, PassedOver& passed_over) {
  fs::path folder;
  std::vector<std::string> pattern;
  for (const fs::path& part : fs::path(name)) {
    if (pattern.empty() && !is_pattern(part.string())) {
      folder /= part;
    } else {
      pattern.push_back(part.string());
    }
  }
  const fs::path start = folder.empty() ? fs::path(".") : folder;
  if (const std::string sentence = missing_folder(start); !sentence.empty()) refuse(fmt::format("{}: {}", name, sentence));
  if (std::error_code ignored; !fs::is_directory(start, ignored)) refuse(fmt::format("{}: {} is no folder", name, start.string()));
  std::vector<Found> inside;
  const auto visit = [&](const fs::directory_entry& entry, const Found& each) {
    std::vector<std::string> parts;
    for (const fs::path& part : each.below) parts.push_back(part.string());
    std::error_code ignored;
    if (entry.is_directory(ignored)) return may_hold_matches(pattern, parts);
    if (!matches(pattern, 0, parts, 0)) return false;
    if (entry.is_regular_file(ignored)) {
      inside.push_back(each);
    } else {
      ++passed_over.others;  // a link to nothing, or a pipe, which would be waited for
    }
    return false;
  };
  look_through(folder, visit, inside);
  const std::vector<Found> inputs = sorted_inputs(start, results, std::move(inside));
  if (inputs.empty()) refuse(fmt::format("{}: no file matches", name));
  found.insert(found.end(), inputs.begin(), inputs.end());
}

std::vector<Found> all_found(const std::vector<std::string>& names, bool recursive, const std::string& results, PassedOver& passed_over) {
  std::vector<Found> found;
  for (const std::string& name : names) {
    std::error_code ignored;
    if (fs::is_directory(name, ignored)) {
      add_folder(name, recursive, results, found, passed_over);
    } else if (!fs::exists(name, ignored) && is_pattern(name)) {
      add_matches(name, results, found, passed_over);
    } else {
      found.push_back({name, fs::path(name).filename()});  // one that is missing is a failure among others
    }
  }
  return found;
}

}  // namespace

BatchList batch_files(const std::vector<std::string>& names, bool recursive, const std::string& folder, const std::string& ending) {
  BatchList list;
  const std::vector<Found> found = all_found(names, recursive, place_of(folder), list.passed_over);
  std::map<std::string, fs::path> inputs;  // by their places
  for (const Found& each : found) inputs.try_emplace(place_of(each.path), each.path);

  const auto result_of = [&](const Found& each) {
    fs::path out = fs::path(folder) / each.below;
    if (!each.refused.empty()) return out;
    if (!ending.empty()) {
      out.replace_extension(ending);
    } else if (!is_written(out)) {
      out.replace_extension(is_image(out) ? ".png" : ending_of_content(each.path));  // a GIF or PBM, or it has no ending of an image
    }
    return out;
  };
  std::vector<fs::path> results;
  std::transform(found.begin(), found.end(), std::back_inserter(results), result_of);
  std::map<std::string, std::size_t> taken;  // places of results, by whom; first by those that keep their names
  for (std::size_t i = 0; i < found.size(); ++i) {
    const fs::path& out = results[i];
    if (out.filename() == found[i].below.filename()) taken.try_emplace(place_of(out), i);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Found& each = found[i];
    const fs::path& out = results[i];
    BatchFile file{.in = each.path.string(), .out = out.string()};
    const std::string in_place = place_of(each.path), out_place = place_of(out);
    file.origin = fs::path(in_place).lexically_relative(fs::path(out_place).parent_path()).string();
    const auto replaced = inputs.find(out_place);
    if (!each.refused.empty()) {
      file.refused = each.refused;
    } else if (std::string sentence = missing(each.path); !sentence.empty()) {
      file.refused = std::move(sentence);
    } else if (in_place == out_place) {
      file.refused = "its result would replace it; choose another folder";
    } else if (replaced != inputs.end()) {
      file.refused = fmt::format("its result would replace {}, which is to be filtered too", replaced->second.string());
    } else if (const std::size_t owner = taken.try_emplace(out_place, i).first->second; owner != i) {
      const fs::path& other = found[owner].path;
      file.refused = place_of(other) == in_place ? "is named twice" : fmt::format("its result would replace that of {}", other.string());
    }
    list.files.push_back(std::move(file));
  }
  return list;
}

}  // namespace halation::app
