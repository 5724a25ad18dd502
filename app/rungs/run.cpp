// run.cpp: verifies and times the rungs of the ladder, and derives rates.
#include "run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "app/report/records.h"
#include "halation/error.h"
#include "model/roofline.h"

namespace halation::app {
namespace {

using ladder::HostImages;
using ladder::HostMemory;
using ladder::Problem;
using ladder::Rung;

constexpr double sweep_budget_s = 0.05;  // of one rung at one radius
constexpr double patience_s = 2;         // a sweep leaves out a CPU rung that would take longer

bool on_gpu(const Rung& rung) { return rung.place == Rung::Place::gpu; }

/// The description whose name stands in the GPU's; the longest, as "RTX 4090" and "RTX 4090 D" may both be
/// known.
const model::DeviceDescription* known_device(const std::string& gpu_name) {
  const model::DeviceDescription* known = nullptr;
  for (const model::DeviceDescription& device : model::built_in_devices()) {
    if (gpu_name.find(device.model) != std::string::npos &&
        (!known || device.model.size() > known->model.size()))
      known = &device;
  }
  return known;
}

std::string why_not(const Rung& rung, int radius, const ladder::Gpu& gpu) {
  if (radius > rung.most_radius)
    return fmt::format("radius {} is above its limit of {}", radius, rung.most_radius);
  if (on_gpu(rung) && !gpu.usable) return gpu.why_not;
  return "";
}

/// Throws `Error` where every rung is a GPU's, and there is none.
void check_gpu(const LadderJob& job, const ladder::Gpu& gpu) {
  if (gpu.usable || !std::all_of(job.rungs.begin(), job.rungs.end(), [](const Rung* rung) { return on_gpu(*rung); })) return;
  throw Error{ErrorCode::device, fmt::format("ladder: {} needs a GPU; {}", job.rungs.front()->name, gpu.why_not)};
}

/// Images that cannot fit are refused before anything is allocated.
void check_memory(const LadderJob& job, const ladder::Gpu& gpu) {
  if (std::none_of(job.rungs.begin(), job.rungs.end(), [](const Rung* rung) { return on_gpu(*rung); }))
    return;
  const double needed = 2.0 * sizeof(float) * static_cast<double>(job.shape.elements());
  if (needed > static_cast<double>(gpu.free_bytes)) {
    throw Error{ErrorCode::out_of_memory,
                fmt::format("ladder: {} f32 needs {:.1f} GB for input and output on the GPU, {:.1f} GB of "
                            "{:.1f} GB are free on {}; choose a smaller --size",
                            job.size_text(), needed * 1e-9, static_cast<double>(gpu.free_bytes) * 1e-9,
                            static_cast<double>(gpu.memory_bytes) * 1e-9, gpu.name)};
  }
}

void check_radii(const LadderJob& job) {
  std::vector<int> radii = job.radii;
  if (job.radius) radii.push_back(*job.radius);
  const int least = *std::min_element(radii.begin(), radii.end());
  const auto most = [](const Rung* a, const Rung* b) { return a->most_radius < b->most_radius; };
  const Rung& furthest = **std::max_element(job.rungs.begin(), job.rungs.end(), most);
  if (least > furthest.most_radius) {
    throw Error{
        ErrorCode::invalid_argument,
        fmt::format("ladder: radius {} is above the limit of every rung asked for; {} goes furthest, to {}",
                    least, furthest.name, furthest.most_radius)};
  }
}

/// Computes and compares. Returns what is wrong, empty where nothing is, and raises the largest error seen.
std::string verify(const Rung& rung, const Problem& problem, HostImages& images,
                   const ladder::Expected& expected, double& largest_error) {
  ladder::run_once(rung, problem, images);
  const auto [largest, wrong_outputs] = expected.difference(rung, images.out);
  largest_error = std::max(largest_error, largest);
  if (wrong_outputs == 0) return "";
  return fmt::format(
      "wrong: {} of {} outputs differ by more than {:.2g} from the right ones ({}), the largest by {:.2g}",
      wrong_outputs, problem.elements(), expected.tolerance(rung), expected.oracle(), largest);
}

/// Calls `work`; a lack of memory becomes a sentence, everything else that is thrown goes on.
template <class Work>
std::string out_of_memory_in(Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    return error.what();
  }
}

/// Everything on paper: what the rung asks for, and the least time in which the device could give it.
void analyse(LadderRow& row, const LadderResults& results) {
  const LadderJob& job = results.job;
  try {
    row.paper = model::rung_work(row.rung->name, job.dims, *job.radius);
  } catch (const Error&) {
    return;  // an input tile of that radius leaves no output
  }
  row.operations = row.paper->operations;
  // The library may filter by factors, which this job's filter has.
  if (row.rung->name.ends_with("library"))
    row.operations = std::min(row.operations, 2.0 * job.dims * (2 * *job.radius + 1));
  const model::Work work{
      .bytes = row.paper->least_dram_bytes * job.outputs(),
      .operations = row.operations * job.outputs(),
      .launches = static_cast<int>(row.paper->global_stores * static_cast<double>(job.planes))};
  row.bound_s = model::roofline(results.device, work).seconds;
}

std::vector<LadderRow> rows_to_fill(const LadderResults& results) {
  const LadderJob& job = results.job;
  std::vector<LadderRow> rows;
  for (const HostMemory memory : job.memories) {
    for (const Rung* rung : job.rungs) {
      if (!on_gpu(*rung) && memory != job.memories.front()) continue;
      LadderRow row;
      row.rung = rung;
      row.memory = memory;
      row.not_run = why_not(*rung, *job.radius, results.gpu);
      analyse(row, results);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// The oracle takes four times the input's bytes at most; where the GPU has no room for that, the CPU finds
/// the right results.
bool oracle_fits_gpu(const LadderResults& results) {
  const double bytes = 4.0 * sizeof(float) * static_cast<double>(results.job.shape.elements());
  return results.gpu.usable && bytes < static_cast<double>(results.gpu.free_bytes);
}

void run_table(LadderResults& results) {
  const LadderJob& job = results.job;
  results.rows = rows_to_fill(results);
  std::map<HostMemory, HostImages> images;
  for (const LadderRow& row : results.rows) {
    if (row.ran()) images.try_emplace(row.memory, job.shape, row.memory);
  }
  if (const auto pinned = images.find(HostMemory::pinned); pinned != images.end() && results.gpu.usable)
    results.pinned_allocation_s = pinned->second.allocation_s;

  const Problem problem = gaussian_problem(job.dims, job.shape, *job.radius, job.outside);
  for (std::size_t i = 0; i < job.planes; ++i) {
    const Image plane = job.make_plane(i);
    const ladder::Expected expected(problem, plane, oracle_fits_gpu(results));
    results.oracle = expected.oracle();
    for (auto& [memory, host] : images) {
      copy(plane, host.in);
      for (LadderRow& row : results.rows) {
        if (row.memory != memory || !row.ran()) continue;
        row.tolerance = std::max(row.tolerance, expected.tolerance(*row.rung));
        row.not_run = out_of_memory_in([&, &host = host] {
          std::string wrong = verify(*row.rung, problem, host, expected, row.largest_error);
          if (wrong.empty()) row.timings += ladder::measure(*row.rung, problem, host, job.budget_s);
          return wrong;
        });
        row.failed = !row.ran();
      }
    }
  }
}

void run_sweep(LadderResults& results) {
  const LadderJob& job = results.job;
  if (job.radii.empty()) return;
  HostImages host(job.shape, HostMemory::pageable);
  copy(job.make_plane(0), host.in);
  std::map<const Rung*, double> seconds_per_tap;
  for (const int radius : job.radii) {
    const Problem problem = gaussian_problem(job.dims, job.shape, radius, job.outside);
    std::optional<ladder::Expected> expected;
    for (const Rung* rung : job.rungs) {
      SweepEntry entry{.rung = rung, .radius = radius, .not_run = why_not(*rung, radius, results.gpu)};
      const double guess_s = on_gpu(*rung) ? 0 : seconds_per_tap[rung] * job.taps(radius);
      if (entry.not_run.empty() && guess_s > patience_s)
        entry.not_run = fmt::format("would take about {:.0f} s", guess_s);
      if (entry.not_run.empty()) {
        if (!expected) expected.emplace(problem, host.in, oracle_fits_gpu(results));
        entry.not_run = out_of_memory_in([&] {
          double largest_error = 0;
          std::string wrong = verify(*rung, problem, host, *expected, largest_error);
          if (wrong.empty()) entry.kernel_s = ladder::measure_kernel_s(*rung, problem, host, sweep_budget_s);
          return wrong;
        });
        entry.failed = !entry.not_run.empty();
        seconds_per_tap[rung] = entry.kernel_s / job.taps(radius);
      }
      results.sweep.push_back(std::move(entry));
    }
  }
}

/// The last row before `row` that ran: with the same memory, or on the CPU, where memory makes no difference.
const LadderRow* previous_of(const LadderResults& results, const LadderRow& row) {
  const LadderRow* previous = nullptr;
  for (const LadderRow& earlier : results.rows) {
    if (&earlier == &row) break;
    if (earlier.ran() && (earlier.memory == row.memory || !on_gpu(*earlier.rung))) previous = &earlier;
  }
  return previous;
}

const LadderRow* baseline_of(const LadderResults& results) {
  for (const LadderRow& row : results.rows) {
    if (row.rung->name == baseline_rung(results.job.dims) && row.ran()) return &row;
  }
  return nullptr;
}

}  // namespace

std::string_view baseline_rung(int dims) { return dims == 2 ? "cpu_naive" : "cpu"; }

double LadderJob::taps(int of_radius) const { return std::pow(2.0 * of_radius + 1, dims); }

std::string LadderJob::size_text() const {
  const std::array<std::int64_t, 3> extents = shape.space();
  return fmt::format("{}", fmt::join(extents.end() - dims, extents.end(), "x"));
}

Problem gaussian_problem(int dims, const Shape& shape, int radius, float outside) {
  std::vector<double> factor;
  for (int i = -radius; i <= radius; ++i)
    factor.push_back(radius == 0 ? 1 : std::exp(-0.5 * i * i / (radius * radius)));
  const double sum = std::accumulate(factor.begin(), factor.end(), 0.0);
  for (double& weight : factor) weight /= sum;

  Problem problem{.dims = dims,
                  .depth = shape.depth,
                  .height = shape.height,
                  .width = shape.width,
                  .radius = radius,
                  .outside = outside,
                  .weights = {},
                  .factors = {}};
  const std::vector<double> none = {1.0};
  for (const double z : dims > 2 ? factor : none) {
    for (const double y : dims > 1 ? factor : none) {
      for (const double x : factor) problem.weights.push_back(static_cast<float>(z * y * x));
    }
  }
  for (int axis = 3 - dims; axis < 3; ++axis)
    problem.factors[static_cast<std::size_t>(axis)] = {factor.begin(), factor.end()};
  return problem;
}

std::string LadderResults::complaint() const {
  for (const LadderRow& row : rows) {
    if (row.failed) return fmt::format("{}: {}", row.rung->name, row.not_run);
  }
  for (const SweepEntry& entry : sweep) {
    if (entry.failed)
      return fmt::format("{} at radius {}: {}", entry.rung->name, entry.radius, entry.not_run);
  }
  return "";
}

LadderResults run_ladder(LadderJob job) {
  check_radii(job);
  LadderResults results;
  results.job = std::move(job);
  results.cpu = present_cpu();
  results.device = model::device_described("h200");
  results.gpu = ladder::present_gpu();
  check_gpu(results.job, results.gpu);
  if (results.gpu.usable) {
    check_memory(results.job, results.gpu);
    results.device_copy_bytes_per_s = ladder::device_copy_bytes_per_s();
    if (const model::DeviceDescription* known = known_device(results.gpu.name)) {
      results.device = *known;
      results.device.measured_copy_bytes_per_second = results.device_copy_bytes_per_s;
      results.device_is_present = true;
    }
  }
  if (results.job.radius) run_table(results);
  run_sweep(results);
  return results;
}

LadderRates rates_of(const LadderResults& results, const LadderRow& row) {
  LadderRates rates;
  if (!row.ran()) return rates;
  const auto& [kernel, total] = std::pair(row.timings.frame.kernel, row.timings.frame.total);
  const double outputs = results.job.outputs();
  rates.fps = 1 / total;
  rates.kernel_fps = 1 / kernel;
  rates.gflops = 1e-9 * 2 * results.job.taps(*results.job.radius) * outputs / kernel;
  rates.gb_per_s = 1e-9 * 8 * outputs / kernel;
  if (on_gpu(*row.rung)) {
    rates.share_of_copy = *rates.gb_per_s * 1e9 / results.device_copy_bytes_per_s;
    if (results.device_is_present && row.bound_s > 0) rates.share_of_bound = row.bound_s / kernel;
  }
  if (const LadderRow* baseline = baseline_of(results)) {
    rates.over_cpu_kernel = baseline->timings.frame.kernel / kernel;
    rates.over_cpu_total = baseline->timings.frame.total / total;
  }
  if (const LadderRow* previous = previous_of(results, row))
    rates.over_previous = previous->timings.frame.kernel / kernel;
  return rates;
}

}  // namespace halation::app
