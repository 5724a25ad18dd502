// batch.cpp: many files filtered side by side.
//
// Each worker reads, filters and writes a file after the other by itself. Reading and writing are most of the work, and codecs run in one
// thread: as many files at a time as there are processors keep all of them busy without anything to hand over.
#include "batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>
#include <shared_mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "halation/error.h"
#include "io/in_parts.h"
#include "made_by.h"

namespace halation::app {
namespace {

namespace fs = std::filesystem;

double size_of(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  return error ? 0 : static_cast<double>(size);
}

/// An empty result is none: a machine that stopped, or a copy that did, has left its name only.
bool is_there(const BatchFile& file) {
  std::error_code of_in, of_out;
  const fs::file_time_type in = fs::last_write_time(file.in, of_in);
  const fs::file_time_type out = fs::last_write_time(file.out, of_out);
  return !of_in && !of_out && out >= in && size_of(file.out) > 0;
}

/// How many there are, of an animation pictures; none where it cannot be read.
std::optional<std::int64_t> pages_of(const std::string& path, ReadOptions options) {
  options.page = 0;
  try {
    if (const io::PageSources sources = io::opened_in_parts(path, options); !sources.empty()) return sources.size();
    const std::vector<Page> pages = read_pages(path, options);
    return std::max(static_cast<std::int64_t>(pages.size()), pages.front().pictures);
  } catch (const std::exception&) {
    return {};
  }
}

class Batch {
 public:
  Batch(const std::vector<BatchFile>& files, const BatchJob& job, const std::function<void(const BatchResult&)>& each)
      : job_(job), each_(each) {
    for (const BatchFile& file : files) results_.push_back({.file = file});
  }

  std::vector<BatchResult> run() {
    const auto work = [this](std::size_t worker) {
      const Job job = job_of(worker);
      for (std::size_t i = next_++; i < results_.size(); i = next_++) {
        finish(results_[i], job);
        const std::lock_guard lock(told_);
        each_(results_[i]);
      }
    };
    std::vector<std::thread> threads;
    const std::size_t wanted = std::min(static_cast<std::size_t>(job_.workers), results_.size());
    try {
      while (threads.size() + 1 < wanted) threads.emplace_back(work, threads.size() + 1);
    } catch (const std::system_error&) {  // those that there are do it
    }
    work(0);
    for (std::thread& thread : threads) thread.join();
    return std::move(results_);
  }

 private:
  /// Of several GPUs each worker has one.
  Job job_of(std::size_t worker) const {
    Job job = job_.job;
    const std::size_t gpu = worker % (job.more_gpus.size() + 1);
    if (gpu > 0) job.device = job.more_gpus[gpu - 1];
    job.more_gpus.clear();
    return job;
  }

  /// Of what a result is made of and by. The input's size tells one that was replaced by an older file.
  std::string fingerprint(const BatchFile& file) const {
    return fingerprint_of(fmt::format("{}{}{}{}{}", job_.made_by, '\0', file.origin, '\0', size_of(file.in)));
  }
  /// A fingerprint, and the size of the result that is there.
  static std::string with_size(const std::string& fingerprint, const BatchFile& file) {
    return fmt::format("{}:{}", fingerprint, size_of(file.out));
  }

  void finish(BatchResult& result, const Job& job) {
    if (!result.file.refused.empty()) {
      result.sentence = result.file.in + ": " + result.file.refused;
      return;
    }
    if (job_.resume && is_there(result.file)) {
      const std::string noted = made_by_.noted(result.file.out), expected = fingerprint(result.file);
      if (noted.starts_with(expected)) {
        result.state = BatchResult::State::skipped;
        result.changed = noted != with_size(expected, result.file);
        return;
      }
      result.made_again = true;
    }
    const auto begin = std::chrono::steady_clock::now();
    if (!try_to_filter(result, job, false)) try_to_filter(result, job, true);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  /// False where memory did not suffice beside other files.
  bool try_to_filter(BatchResult& result, const Job& job, bool alone) {
    std::shared_lock beside_others(memory_, std::defer_lock);
    std::unique_lock without_others(memory_, std::defer_lock);
    alone ? without_others.lock() : beside_others.lock();
    try {
      filter(result, job);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::out_of_memory && !alone && job_.workers > 1) return false;
      fail(result, error.what());
      if (error.code() == ErrorCode::invalid_argument && job_.read.page > 0) find_page(result);
    } catch (const std::bad_alloc&) {
      if (!alone && job_.workers > 1) return false;
      fail(result, result.file.in + ": not enough memory");
    } catch (const std::exception& error) {
      fail(result, result.file.in + ": " + error.what());
    }
    return true;
  }

  void filter(BatchResult& result, const Job& what) {
    const std::string folder = fs::path(result.file.out).parent_path().string();
    std::error_code error;
    if (!folder.empty()) fs::create_directories(folder, error);
    if (error) throw Error{ErrorCode::io, folder + ": cannot be made: " + error.message()};
    const bool is_noted = !job_.made_by.empty();
    const std::string before = is_noted ? made_by_.noted(result.file.out) : "", now = fingerprint(result.file);
    if (!before.empty() && !before.starts_with(now)) made_by_.forget(result.file.out);
    FileJob job{.in = result.file.in, .out = result.file.out, .compare = {}, .job = what, .read = job_.read, .write = job_.write, .quiet = true};
    const FilteredFile done = filter_file(job);
    if (is_noted) made_by_.note(result.file.out, with_size(now, result.file));
    result.state = BatchResult::State::done;
    result.sentence = clipping_note(done.clipped, done.prepared.jobs.front());
    result.left_out = done.left_out;
    result.clipped = done.clipped;
    result.pixels = done.work.pixels;
    result.bytes_in = size_of(result.file.in);
    result.bytes_out = size_of(result.file.out);
  }

  /// Says so where the file has no such page, which may be why it failed.
  void find_page(BatchResult& result) const {
    const std::int64_t pages = pages_of(result.file.in, job_.read).value_or(job_.read.page);
    result.lacks_page = pages < job_.read.page;
    if (result.lacks_page)
      result.sentence = fmt::format("{}: has no page {}, only {}, and gets no result", result.file.in, job_.read.page, pages);
  }

  /// Sentences of files begin with the file's name.
  static void fail(BatchResult& result, std::string sentence) {
    if (!sentence.starts_with(result.file.in) && !sentence.starts_with(result.file.out)) sentence = result.file.in + ": " + sentence;
    result.sentence = std::move(sentence);
  }

  const BatchJob& job_;
  const std::function<void(const BatchResult&)>& each_;
  std::vector<BatchResult> results_;
  std::atomic<std::size_t> next_{0};
  MadeBy made_by_;
  std::mutex told_;
  std::shared_mutex memory_;
};

}  // namespace

std::vector<BatchResult> run_batch(const std::vector<BatchFile>& files, const BatchJob& job,
                                   const std::function<void(const BatchResult&)>& each) {
  return Batch(files, job, each).run();
}

}  // namespace halation::app
