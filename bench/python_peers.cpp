// python_peers.cpp: peers that are Python packages, run by a Python of the user's.
#include "bench/python_peers.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/built_in.h"
#include "bench/peer.h"
#include "bench/workload.h"
#include "halation/error.h"

namespace halation::bench {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// A folder of its own that goes with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "halation-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error{ErrorCode::io,
                  "bench: no temporary folder can be made in " + fs::temp_directory_path().string()};
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string put(const std::string& name, std::string_view text) const {
    const fs::path path = path_ / name;
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) throw Error{ErrorCode::io, "bench: cannot write " + path.string()};
    return path.string();
  }
  std::string path_of(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// What peers.py is told of a job.
Json line_of(const Row& row) {
  const Job& job = row.job;
  const Filter filter = filter_of(job);
  const FilterSize size = filter.size();
  Json line = {{"job", job.name},
               {"dims", job.dims()},
               {"batch", job.shape.batch},
               {"extents", {job.shape.depth, job.shape.height, job.shape.width}},
               {"channels", job.shape.channels},
               {"pixel", name_of(job.pixel)},
               {"output", name_of(job.output)},
               {"border", name_of(job.border.mode)},
               {"filter", name_of(job.filter)},
               {"taps", {size.depth, size.height, size.width}},
               {"weights", convolution_weights(filter)}};
  if (row.threads > 0) line["threads"] = row.threads;
  if (job.filter == FilterKind::gaussian) line["sigma"] = job.sigma;
  if (filter.factors()) {
    for (std::size_t axis = 0; axis < 3; ++axis) line["factors"].push_back(convolution_factor(filter, axis));
  }
  return line;
}

/// The row that a line of peers.py is about; null where there is none.
Row* row_of(Contest& contest, const Json& line) {
  const auto row = std::find_if(contest.rows.begin(), contest.rows.end(), [&](const Row& known) {
    return known.job.name == line.at("job").get<std::string>() && known.threads == line.value("threads", 0);
  });
  return row == contest.rows.end() ? nullptr : &*row;
}

void take_line(Contest& contest, const Json& line,
               const std::function<void(const Row&, std::string_view)>& before_each,
               const std::function<void(const Row&, const PeerRow&)>& after_each) {
  if (!line.contains("job")) {
    contest.peers.emplace_back(line.at("peer"), line.at("version"));
    return;
  }
  Row* row = row_of(contest, line);
  if (line.contains("starts")) {
    if (row != nullptr && before_each) before_each(*row, line["starts"].get<std::string>());
    return;
  }
  PeerRow peer{line.at("peer"),
               line.at("version"),
               line.at("how"),
               line.at("border"),
               status_named(line.at("status").get<std::string>()),
               line.value("reason", ""),
               {},
               line.value("copies_s", std::vector<double>{})};
  if (peer.status == PeerRow::Status::verified)
    peer.time = spread_of(line.at("times_s").get<std::vector<double>>());
  if (row == nullptr) return;
  row->peers.push_back(std::move(peer));
  if (after_each) after_each(*row, row->peers.back());
}

/// The last line of a file.
std::string last_line(const std::string& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

void add_python_peers(Contest& contest, const PythonPeers& peers,
                      const std::function<void(const Row& row, std::string_view who)>& before_each,
                      const std::function<void(const Row& row, const PeerRow& peer)>& after_each) {
  const TemporaryFolder folder;
  Json header = {{"device", contest.device.kind == Device::Kind::cuda ? "cuda" : "cpu"},
                 {"repeats", peers.repeats},
                 {"seconds", peers.seconds}};
  if (!peers.only.empty()) header["peers"] = peers.only;
  std::string input = header.dump() + "\n";
  for (const Row& row : contest.rows) {
    if (row.ran()) input += line_of(row).dump() + "\n";
  }
  for (const BuiltInFile& file : built_in_python_peers()) (void)folder.put(std::string(file.name), file.text);
  const std::string script = folder.path_of("peers.py");
  const std::string complaints = folder.path_of("complaints");
  const std::string command = quoted(peers.python) + " " + quoted(script) + " <" +
                              quoted(folder.put("jobs", input)) + " 2>" + quoted(complaints);
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw Error{ErrorCode::io, "bench: " + peers.python + " cannot be started"};
  std::string line, trouble;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) {
    line += part.data();
    if (line.back() != '\n') continue;
    try {
      take_line(contest, Json::parse(line), before_each, after_each);
    } catch (const std::exception&) {
      trouble = "it printed '" + line.substr(0, line.size() - 1) + "'";
    }
    line.clear();
  }
  const int status = pclose(pipe);
  if (status != 0) trouble = last_line(complaints);
  if (status != 0 || !trouble.empty())
    contest.peers.emplace_back(
        "Python", "ended early: " + (trouble.empty() ? "status " + std::to_string(status) : trouble));
}

}  // namespace halation::bench
