// batch.cpp: `halation batch`: a filter, or a chain of them, over many files.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/command_line/arguments.h"
#include "app/command_line/job_options.h"
#include "app/filtering/files/batch.h"
#include "app/filtering/files/made_by.h"
#include "app/report/text/printable.h"
#include "app/report/text/status_line.h"
#include "core/memory.h"
#include "halation/error.h"
#include "halation/threads.h"
#include "notice.h"
#include "subcommands.h"

namespace halation::app {
namespace {

constexpr const char* footer =
    R"(Files keep their names, their place below the folder that was given, and their metadata. A file that cannot be filtered is told of
and the others are gone on with; the exit code is 1 then. Results appear once they are complete: what was stopped goes on with --resume.

Examples:
  halation batch "gaussian sigma=3" photos -o soft --recursive
  halation batch "unsharp_mask amount=0.5" 'shots/**/*.jpg' -o crisp --quality 90 --resume
  halation batch edges a.tif b.tif stack.tif -o edges --view abs --json > report.json)";

struct Flags {
  explicit Flags(Command& of);

  JobOptions job_options;
  Command& command;
  std::vector<std::string> in;
  std::string folder;
  Given layout, page, quality, format, workers;
  bool recursive = false, resume = false, json = false, quiet = false;
};

Flags::Flags(Command& of) : job_options(of), command(of) {
  command.positionals("inputs", in, "FILE...",
                      "files, folders (all images in them) and patterns in quotes, such as 'photos/**/*.jpg'; not standard input");
  command.required("-o,--output", folder, "DIR", "the folder of the results, made where it is missing");

  OptionGroup files = command.group("Files");
  files.flag("--recursive", recursive,
             "images of folders in folders too, which are kept; links to folders are entered where they are named, and not below");
  files.flag("--resume", resume,
             "skips files whose results are there, no older than they are, and made of them by this filter and these options");
  files.text("--layout", layout, "w|hw|hwc|dhw|dhwc", "axes of .npy inputs [by their number: w, hw, dhw, dhwc]");
  files.text("--page", page, "N",
             "the page of TIFFs or the picture of animated GIFs, counted from 1; files without it fail [all pages, the first picture]");
  files.text("--format", format, "png|jpeg|tiff|webp|exr|npy|bmp|pnm|ppm|pgm|pam|pfm|avif",
             "format of the results, and their endings [that of each input; png for a GIF or PBM]");
  files.text("--quality", quality, "Q", "of JPEG [92], of WebP and AVIF [lossless], 1 to 100");
  files.text("--workers", workers, "N", "files at a time [as many as there are processors, or --threads]");

  OptionGroup reports = command.group("Reports");
  reports.flag("--json", json, "what became of each file as a JSON object on standard output");
  reports.flag("--quiet", quiet, "failures alone");
  command.everyday(
      {"--output", "--border", "--output-pixel", "--view", "--linear", "--device", "--recursive", "--resume", "--workers", "--json"});
  command.footer(footer);
}

std::string ending_of_format(const Given& format) {
  if (!format) return "";
  if (*format == "jpeg") return ".jpg";
  if (*format == "tiff") return ".tif";
  return "." + *format;
}

/// What results depend on, as far as the command says: the chain, the version and every option given but those of the filter, which the chain
/// has, and those here, which say which files, how fast and what is told of it; of weights, which a file may hold, their values.
std::string made_by(const Flags& flags, const Chain& chain) {
  static constexpr std::string_view others[] = {"filter",  "inputs",    "--output",  "--recursive", "--resume", "--json",
                                                "--quiet", "--workers", "--threads", "--device",    "--tune",   "--memory"};
  const JobOptions& options = flags.job_options;
  std::string text = fmt::format("halation {}\n{}\n", HALATION_VERSION, understood_chain(options.filter_options().as_chain(options.filter())));
  for (const Declared& option : flags.command.declared()) {
    if (!option.is_given || option.heading == filter_heading || std::find(std::begin(others), std::end(others), option.name()) != std::end(others)) continue;
    text += fmt::format("{} {}\n", option.name(), fmt::join(option.values, "\n"));
  }
  for (const FilterSet& stage : chain.stages) {
    for (const Filter& filter : stage.filters) {
      if (filter.dims() == 0) continue;  // a named one, which its parameters say
      const std::vector<double> weights = filter.weights();
      const std::string_view bytes(reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof(double));
      text += fmt::format("{} {}x{}x{}\n", fingerprint_of(bytes), filter.size().depth, filter.size().height, filter.size().width);
    }
  }
  return text;
}

BatchJob job_of(const Flags& flags) {
  BatchJob batch{.job = flags.job_options.job(), .resume = flags.resume};
  batch.made_by = made_by(flags, batch.job.chain);
  if (flags.layout) batch.read.layout = layout_from(*flags.layout);
  if (flags.page) batch.read.page = whole_number_from("--page", *flags.page, 1, 1 << 30);
  batch.write.format = flags.format.value_or("");
  if (flags.format) check_place("*" + ending_of_format(flags.format), batch.job.options.output, batch.write);
  if (flags.quality) {
    batch.write.quality = static_cast<int>(whole_number_from("--quality", *flags.quality, 1, 100));
    batch.write.lossless = false;
  }
  const int threads = batch.job.options.threads;
  batch.workers = threads > 0 ? threads : available_threads();
  if (flags.workers) batch.workers = static_cast<int>(whole_number_from("--workers", *flags.workers, 1, 1024));
  if (batch.workers > 1) batch.job.options.threads = 1;  // of each file: the others have theirs
  return batch;
}

/// Throws where a name stands for a standard stream, or that of the results for a file.
void check_names(const std::vector<std::string>& in, const std::string& folder) {
  if (std::find(in.begin(), in.end(), "-") != in.end())
    throw Error{ErrorCode::invalid_argument,
                "batch reads files, not standard input, which halation apply does; a file of the name - is given as ./-"};
  if (folder == "-") throw Error{ErrorCode::invalid_argument, "-o needs a folder, not standard output; one of the name - is given as ./-"};
  std::error_code ignored;
  if (std::filesystem::exists(folder, ignored) && !std::filesystem::is_directory(folder, ignored))
    throw Error{ErrorCode::io, folder + ": is a file; a folder was expected"};
}

/// All that is added up.
struct Sums {
  std::size_t done = 0, skipped = 0, failed = 0, made_again = 0, changed = 0;
  double pixels = 0, bytes_in = 0, bytes_out = 0;

  void add(const BatchResult& result) {
    switch (result.state) {
      case BatchResult::State::done: ++done; break;
      case BatchResult::State::skipped: ++skipped; break;
      case BatchResult::State::failed: ++failed; break;
    }
    if (result.made_again && result.state == BatchResult::State::done) ++made_again;
    if (result.changed) ++changed;
    pixels += result.pixels;
    bytes_in += result.bytes_in;
    bytes_out += result.bytes_out;
  }
};

std::string summary(const Sums& sums, double seconds) {
  return fmt::format(
      "{} done, {} skipped, {} failed in {:.1f} s: {:.1f} files/s, {:.1f} MPix/s, {} read, {} written\n", sums.done, sums.skipped, sums.failed,
      seconds, static_cast<double>(sums.done) / seconds, sums.pixels / seconds * 1e-6, size_in_words(sums.bytes_in), size_in_words(sums.bytes_out));
}

/// In how many files samples were clipped, and what `halation apply` would say of the one that lost most; empty where none is worth saying.
std::string clipping_line(const std::vector<BatchResult>& results) {
  const auto is_clipped = [](const BatchResult& each) { return each.clipped.share() > clipping_worth_saying; };
  const auto count = std::count_if(results.begin(), results.end(), is_clipped);
  if (count == 0) return "";
  const auto most = std::max_element(results.begin(), results.end(),
                                     [](const BatchResult& a, const BatchResult& b) { return a.clipped.share() < b.clipped.share(); });
  return fmt::format("samples clipped in {} of them, {}{}: {}\n", count, count > 1 ? "most in " : "", most->file.in, most->sentence);
}

/// Of those that failed.
std::string missing_page_line(const std::vector<BatchResult>& results, const Given& page) {
  const auto count = std::count_if(results.begin(), results.end(), [](const BatchResult& each) { return each.lacks_page; });
  return count == 0 ? "" : fmt::format("{} of those that failed {} no page {}\n", count, count == 1 ? "has" : "have", *page);
}

/// What there is beside it, a line each.
std::vector<std::string> remarks(const Flags& flags, const Sums& sums, const std::vector<BatchResult>& results,
                                 const PassedOver& passed_over) {
  std::vector<std::string> lines;
  if (sums.made_again > 0)
    lines.push_back(
        fmt::format("{} of them again: the results there were made otherwise (filter, options, input or version), or nothing says how\n",
                    sums.made_again));
  if (sums.changed > 0)
    lines.push_back(fmt::format("{} skipped whose size has changed since batch made {}: edited, or cut off; without {} batch makes {} again\n", sums.changed,
                                sums.changed == 1 ? "it" : "them", sums.changed == 1 ? "that result" : "those results", sums.changed == 1 ? "it" : "them"));
  for (const std::string& line : {clipping_line(results), missing_page_line(results, flags.page)}) {
    if (!line.empty()) lines.push_back(line);
  }
  for (const auto& [format, files] : passed_over.unread)
    lines.push_back(fmt::format("{} passed over: halation reads no {}\n", files.size(), format));
  if (passed_over.others > 0)
    lines.push_back(fmt::format("{} other file{} passed over\n", passed_over.others, passed_over.others == 1 ? "" : "s"));
  return lines;
}

std::string_view name_of(BatchResult::State state) {
  switch (state) {
    case BatchResult::State::done: return "done";
    case BatchResult::State::skipped: return "skipped";
    case BatchResult::State::failed: return "failed";
  }
  throw Error(ErrorCode::invalid_argument, "not a state");
}

std::string json_report(const std::string& chain, const std::vector<BatchResult>& results, const PassedOver& passed_over, const Sums& sums,
                        double seconds) {
  nlohmann::ordered_json report{{"chain", chain},
                                {"done", sums.done},
                                {"skipped", sums.skipped},
                                {"failed", sums.failed},
                                {"seconds", seconds},
                                {"files_per_second", static_cast<double>(sums.done) / seconds},
                                {"mpix_per_second", sums.pixels / seconds * 1e-6},
                                {"passed_over", passed_over.unread},
                                {"other_files", passed_over.others},
                                {"files", nlohmann::ordered_json::array()}};
  for (const BatchResult& result : results) {
    nlohmann::ordered_json file{{"input", result.file.in}, {"output", result.file.out}, {"state", name_of(result.state)}};
    if (result.state == BatchResult::State::done) file["milliseconds"] = result.seconds * 1e3;
    if (!result.sentence.empty()) file[result.state == BatchResult::State::failed ? "error" : "note"] = result.sentence;
    if (result.made_again) file["made_again"] = true;
    if (result.changed) file["changed"] = true;
    if (!result.left_out.empty()) file["left_out"] = result.left_out;
    report["files"].push_back(std::move(file));
  }
  return json_text(std::move(report));
}

void batch(const Flags& flags) {
  const BatchJob job = job_of(flags);
  check_names(flags.in, flags.folder);
  const auto [files, passed_over] = batch_files(flags.in, flags.recursive, flags.folder, ending_of_format(flags.format));
  const bool shows = !flags.quiet && StatusLine::is_possible();
  StatusLine line;
  Sums sums;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const std::size_t count = files.size();
  const std::vector<BatchResult> results = run_batch(files, job, [&](const BatchResult& result) {
    sums.add(result);
    const bool failed = result.state == BatchResult::State::failed;
    if (failed || (!result.left_out.empty() && !flags.quiet)) {
      line.clear();
      notice(fmt::format("batch: {}\n", failed ? result.sentence : result.left_out));
    }
    const std::size_t ended = sums.done + sums.skipped + sums.failed;
    const double seconds = elapsed();
    if (shows)
      line.show(fmt::format("{} of {} files, {:.1f} MPix/s, {:.0f} s left", ended, count, sums.pixels / seconds * 1e-6,
                            seconds / static_cast<double>(ended) * static_cast<double>(count - ended)));
  });
  line.clear();
  const double seconds = elapsed();
  if (!flags.quiet) {
    notice(summary(sums, seconds));
    for (const std::string& remark : remarks(flags, sums, results, passed_over)) notice(remark);
  }
  if (flags.json) fmt::print("{}", json_report(flags.job_options.filter(), results, passed_over, sums, seconds));
  if (sums.failed > 0) {
    throw Error{ErrorCode::io, fmt::format("batch: {} of {} files could not be filtered", sums.failed, files.size())};
  }
}

}  // namespace

void add_batch(Program& program) { program.add("batch", "Filters many files, as many at a time as there are processors", batch); }

}  // namespace halation::app
