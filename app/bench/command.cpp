// command.cpp: `halation bench`: a matrix of jobs verified, timed, and compared with copies and with other
// libraries.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/command_line/arguments.h"
#include "app/notice.h"
#include "app/report/records.h"
#include "app/report/text/status_line.h"
#include "app/subcommands.h"
#include "bench/built_in.h"
#include "bench/contest.h"
#include "bench/peer_process.h"
#include "bench/python_peers.h"
#include "bench/rounds.h"
#include "core/nearest.h"
#include "halation/error.h"
#include "io/file.h"
#include "pipeline.h"
#include "progress.h"
#include "report.h"
#include "table.h"

namespace halation::app {
namespace {

constexpr int most_repeats = 1001;
constexpr int most_threads = 1024;
constexpr int most_rounds = 1001;
constexpr int most_peer_seconds = 86400;

constexpr const char* examples = R"(

Examples:
  halation bench --json gpu.json --report gpu.html
  halation bench --jobs 'f32 *' 'u8 *' --peers npp,cufft
  halation bench --device cpu --threads 1,2 --python venv/bin/python --json cpu.json --report cpu.html
  halation bench --device cpu --jobs 'cpu f32*' --peers none --target AVX2
  halation bench pipeline --device cpu --json pipeline.json
  bench/compare before.json after.json)";

/// The command line as it was typed.
struct Flags {
  explicit Flags(Command& command);

  Given matrix, device, target, threads, peers, peer_seconds, python, repeats, rounds, json, report, as_peer;
  std::vector<std::string> jobs;
  std::string what = "matrix";
  Given folder, megapixels, photographs;
  bool list = false, progress = false, quiet = false;
};

Flags::Flags(Command& command) {
  command.positional("what", what, "matrix|pipeline",
                     "matrix: filters by themselves; pipeline: whole jobs, from host memory or files and back, each stage by itself, and the "
                     "whole beside its limit (bus, disk, codecs) [matrix]",
                     Command::Need::optional);
  OptionGroup measured = command.group("What is measured");
  measured.text("--matrix", matrix, "FILE", "jobs of this file, in the form below [those built in]");
  measured.texts("--jobs", jobs, "NAME",
             "those of these names, with * for any characters [those for the device]");
  measured.text("--device", device, "auto|cpu|cuda", "where [auto: the GPU where there is one]");
  measured.text("--target", target, "NAME",
                "the CPU's instruction set (AVX3 stands for AVX-512) [the best that it has]; AVX2 holds OpenCV, IPP, Halide and "
                "libvips to it too");
  measured.text("--threads", threads, "LIST",
            "on the CPU each job runs with so many threads, apart by commas, 0 for all [1,0]");
  measured.text("--peers", peers, "LIST",
            "npp, cufft, cudnn, opencv, python, apart by commas, or none [all that fit the device]");
  measured.text("--python", python, "FILE",
            "the Python that has the packages of bench/requirements.txt, or those for GPUs [python3]");
  measured.text("--peer-seconds", peer_seconds, "N",
            "a peer that is at one job for longer is stopped: its row says that it took too long, or has the "
            "best way until then [60]");
  measured.text("--repeats", repeats, "N", "batches that each median is of [11]");
  measured.text("--rounds", rounds, "N",
            "where halation is not 1.3 times as fast as the best peer, it and the peers near that one are "
            "timed N times "
            "again, by turns, and medians of these count [0]");
  OptionGroup pipeline = command.group("Of bench pipeline");
  pipeline.text("--folder", folder, "DIR", "where its files lie meanwhile [the system's folder for temporary files]");
  pipeline.text("--megapixels", megapixels, "N", "of its large file [400]");
  pipeline.text("--photographs", photographs, "N", "how many [32]");
  OptionGroup results = command.group("Results");
  results.text("--json", json, "FILE",
               "write everything as JSON; - is standard output, instead of the table");
  results.text("--report", report, "FILE", "write a page with charts (HTML, self-contained)");
  results.flag("--progress", progress,
               "a line on standard error after each job, and after each of a peer in Python [on a terminal "
               "one line that says what "
               "is being timed]");
  results.flag("--quiet", quiet, "no progress on a terminal either");
  results.flag("--list", list, "print the names of the jobs, and run nothing");
  // How this program runs a peer in a process of its own; no user's option.
  command.group("").text("--as-peer", as_peer, "NAME", "");
  command.everyday({"--jobs", "--device", "--threads", "--peers", "--target", "--repeats", "--json", "--report", "--list", "--quiet"});
  command.footer(std::string(bench::matrix_format()) + examples);
}

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error{ErrorCode::invalid_argument, "bench: " + sentence};
}

std::vector<bench::Job> matrix_from(const Given& path) {
  if (!path) return bench::jobs_from(bench::built_in_matrix(), "the matrix that is built in");
  try {
    const io::Input file(*path);
    return bench::jobs_from({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, *path);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::io) throw;
    throw Error{error.code(), *path + ": " + error.what()};
  }
}

/// Where the jobs run; asks for a GPU unless the CPU is named.
Device::Kind device_from(const std::string& name, ladder::Gpu& gpu) {
  if (name == "cpu") return Device::Kind::cpu;
  if (name != "auto" && name != "cuda") refuse_unknown("device", name, {"auto", "cpu", "cuda"});
  gpu = ladder::present_gpu();
  if (name == "cuda" && !gpu.usable) throw Error{ErrorCode::device, "bench: no GPU: " + gpu.why_not};
  return gpu.usable ? Device::Kind::cuda : Device::Kind::cpu;
}

/// How many threads jobs run with on the CPU: distinct, in the order given.
std::vector<int> threads_from(const Given& list) {
  const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const std::string counts = list.value_or("1,0");
  std::vector<int> threads;
  for (const std::string_view text : split(counts, ',')) {
    const auto given = static_cast<int>(whole_number_from("--threads", text, 0, most_threads));
    const int count = given == 0 ? all : given;
    if (std::find(threads.begin(), threads.end(), count) == threads.end()) threads.push_back(count);
  }
  return threads;
}

/// A peer that this program can be itself, in a process of its own.
struct NativePeer {
  std::string_view name;
  bench::FoundPeer (*find)();
  bool gpu;
};
constexpr NativePeer native_peers[] = {{"npp", bench::find_npp, true},
                                       {"cufft", bench::find_cufft, true},
                                       {"cudnn", bench::find_cudnn, true},
                                       {"opencv", bench::find_opencv, false}};

const NativePeer* native_peer(std::string_view name) {
  const auto known = std::find_if(std::begin(native_peers), std::end(native_peers),
                                  [&](const NativePeer& peer) { return peer.name == name; });
  return known == std::end(native_peers) ? nullptr : known;
}

/// The peers asked for.
struct PeerNames {
  std::vector<const NativePeer*> native = {};
  bool python = false;
};

PeerNames peers_from(const Given& list, Device::Kind device) {
  const bool gpu = device == Device::Kind::cuda;
  const std::string names = list.value_or(gpu ? "npp,cufft,cudnn,python" : "opencv,python");
  PeerNames peers;
  if (names == "none") return peers;
  for (const std::string_view name : split(names, ',')) {
    if (const NativePeer* known = native_peer(name)) {
      if (known->gpu != gpu)
        refuse(fmt::format("the peer {} runs on {}", name,
                           known->gpu ? "GPUs, the jobs on the CPU" : "the CPU, the jobs on a GPU"));
      peers.native.push_back(known);
    } else if (name == "python") {
      peers.python = true;
    } else {
      refuse_unknown("peer", name, {"npp", "cufft", "cudnn", "opencv", "python", "none"});
    }
  }
  return peers;
}

/// Each in a process of its own: this program again.
std::vector<std::unique_ptr<bench::Contender>> started(const PeerNames& peers, Device::Kind device,
                                                       int repeats, double seconds) {
  std::vector<std::unique_ptr<bench::Contender>> contenders;
  for (const NativePeer* peer : peers.native) {
    const std::string name(peer->name);
    contenders.push_back(std::make_unique<bench::PeerProcess>(
        name, bench::PeerProcessOptions{
                  .command = {std::filesystem::read_symlink("/proc/self/exe"), "bench", "--as-peer", name},
                  .device = device,
                  .repeats = repeats,
                  .seconds = seconds}));
  }
  return contenders;
}

void be_peer(const std::string& name) {
  const NativePeer* peer = native_peer(name);
  if (peer == nullptr) refuse("no peer is called '" + name + "'");
  bench::serve_peer(peer->find, peer->gpu ? bench::gpu_timer : bench::cpu_timer);
}

std::vector<std::string> labels_of(const std::vector<bench::Job>& jobs, const std::vector<int>& threads) {
  std::vector<std::string> labels;
  for (const bench::Job& job : jobs) {
    bench::Row row;
    row.job = job;
    for (const int count : threads) {
      row.threads = count;
      labels.push_back(row.label());
    }
  }
  return labels;
}

void write_results(const Flags& flags, const BenchResults& results) {
  if (flags.json) write_file(*flags.json, json_of(results));
  if (flags.report) write_file(*flags.report, report_of(results));
}

/// A folder of its own, gone with everything in it at the end.
class BenchFolder {
 public:
  explicit BenchFolder(const Given& parent)
      : path_((parent ? std::filesystem::path(*parent) : std::filesystem::temp_directory_path()) / "halation-bench-XXXXXX") {
    std::string name = path_.string();
    if (::mkdtemp(name.data()) == nullptr) throw Error{ErrorCode::io, "bench: no folder can be made in " + path_.parent_path().string()};
    path_ = name;
  }
  ~BenchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  BenchFolder(const BenchFolder&) = delete;
  BenchFolder& operator=(const BenchFolder&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void run_pipeline(const Flags& flags, const Command& command) {
  if (flags.matrix || flags.target || flags.threads || flags.peers || flags.peer_seconds || flags.python || flags.rounds || flags.report ||
      !flags.jobs.empty() || flags.list)
    refuse("pipeline takes --device, --repeats, --folder, --megapixels, --photographs, --json, --progress and --quiet");
  PipelineResults results;
  ladder::Gpu gpu;
  const Device::Kind kind = device_from(flags.device.value_or("auto"), gpu);
  PipelineBench bench{.device = kind == Device::Kind::cuda ? cuda() : cpu(), .folder = {}};
  bench.repeats = static_cast<int>(whole_number_from("--repeats", flags.repeats.value_or("11"), 1, most_repeats));
  bench.megapixels = static_cast<double>(whole_number_from("--megapixels", flags.megapixels.value_or("400"), 1, 1'000'000));
  bench.photographs = static_cast<int>(whole_number_from("--photographs", flags.photographs.value_or("32"), 1, 10'000));
  results.circumstances = bench::circumstances(command.as_typed());
  results.device = name_of(bench.device);
  results.gpu = kind == Device::Kind::cuda ? fmt::format("{}, driver {}", gpu.name, gpu.driver) : "";
  const BenchFolder folder(flags.folder);
  bench.folder = folder.path();
  StatusLine status;
  const BenchProgress::Kind shown = progress_kind(flags.progress, flags.quiet);
  results.rows = run_pipeline_bench(bench, [&](std::string_view name) {
    if (shown == BenchProgress::Kind::status) status.show(std::string(name));
    if (shown == BenchProgress::Kind::lines) notice(fmt::format("{}\n", name));
  });
  status.clear();
  if (flags.json != "-") fmt::print("{}", text_of(results));
  if (flags.json) write_file(*flags.json, json_of(results));
}

void run(const Flags& flags, const Command& command) {
  if (flags.as_peer) return be_peer(*flags.as_peer);
  check_files(flags.json, flags.report, flags.matrix);
  if (flags.progress && flags.quiet) refuse("--progress and --quiet are not for one run");
  if (flags.what == "pipeline") return run_pipeline(flags, command);
  if (flags.what != "matrix") refuse(fmt::format("unknown kind '{}'; choose from matrix, pipeline", flags.what));
  if (flags.folder || flags.megapixels || flags.photographs) refuse("--folder, --megapixels and --photographs are for bench pipeline");
  const std::vector<bench::Job> matrix = matrix_from(flags.matrix);
  const auto repeats =
      static_cast<int>(whole_number_from("--repeats", flags.repeats.value_or("11"), 1, most_repeats));
  const auto rounds =
      static_cast<int>(whole_number_from("--rounds", flags.rounds.value_or("0"), 0, most_rounds));
  const auto peer_seconds = static_cast<int>(
      whole_number_from("--peer-seconds", flags.peer_seconds.value_or("60"), 1, most_peer_seconds));
  BenchResults results;
  if (flags.target && flags.device != "cpu") refuse("--target is for --device cpu");
  if (flags.target) setenv("HALATION_TARGET", flags.target->c_str(), 1);  // before anything asks the CPU what it has
  const Device::Kind device = device_from(flags.device.value_or("auto"), results.gpu);
  if (device != Device::Kind::cpu && flags.threads) refuse("--threads is for jobs on the CPU");
  const std::vector<int> threads =
      device == Device::Kind::cpu ? threads_from(flags.threads) : std::vector<int>{0};
  const std::vector<bench::Job> jobs = bench::jobs_matching(matrix, flags.jobs, device);
  const PeerNames peers = peers_from(flags.peers, device);
  if (flags.list) {
    for (const bench::Job& job : jobs) fmt::print("{}\n", job.name);
    return;
  }
  results.circumstances = bench::circumstances(command.as_typed());
  const std::unique_ptr<bench::DeviceTimer> timer =
      device == Device::Kind::cuda ? bench::gpu_timer() : bench::cpu_timer();
  BenchProgress progress(progress_kind(flags.progress, flags.quiet), labels_of(jobs, threads));
  const auto before = [&](const bench::Row& row, std::string_view who) { progress.before(row, who); };
  bench::ContestOptions options{.repeats = repeats,
                                .threads = threads,
                                .peers = started(peers, device, repeats, peer_seconds),
                                .before_each = before,
                                .after_each = [&](const bench::Row& row) { progress.after(row); }};
  results.contest = bench::run_contest(jobs, *timer, options);
  std::optional<bench::PythonPeers> python;
  if (peers.python)
    python = {.python = flags.python.value_or("python3"),
              .repeats = repeats,
              .seconds = static_cast<double>(peer_seconds)};
  // What has been measured is kept, whatever becomes of other programs.
  const auto keep = [&] {
    results.void_reasons = results.contest.void_reasons(results.gpu.name);
    if (flags.json != "-" && flags.report != "-") write_results(flags, results);
  };
  if (python) {
    keep();
    bench::add_python_peers(
        results.contest, *python, before,
        [&](const bench::Row& row, const bench::PeerRow& peer) { progress.after(row, peer); });
  }
  if (rounds > 0) {
    keep();
    bench::repeat_close_rows(results.contest, *timer, std::move(options), python, rounds);
  }
  progress.clear();
  results.void_reasons = results.contest.void_reasons(results.gpu.name);
  if (flags.json != "-" && flags.report != "-") fmt::print("{}", text_of(results));
  write_results(flags, results);
  // The tables have been shown by then; the exit code and one line say that something in them is wrong.
  if (const std::string complaint = results.contest.complaint(); !complaint.empty())
    throw Error{ErrorCode::device, "bench: " + complaint};
}

}  // namespace

void add_bench(Program& program) {
  Command& command = program.add("bench", "Times a matrix of jobs beside copies and other libraries");
  const auto flags = std::make_shared<Flags>(command);
  command.does([flags, &command] { run(*flags, command); });
}

}  // namespace halation::app
