// choose_device.cpp: where a job on images in host memory ends soonest, start-up and transfers included.
#include "pipeline/choose_device.h"

#include <algorithm>
#include <cstdio>
#include <thread>

#include "halation/error.h"
#include "plan/backends.h"
#include "plan/choose.h"

namespace halation {
namespace {

// Rates for the estimate, from the timings in docs/performance.md. They need to be right within a factor of two: jobs for which both
// devices take the same time are rare, and then either will do.
constexpr double cpu_direct_per_second = 50e9;      // multiply-adds, one thread
constexpr double cpu_separable_per_second = 25e9;   // the same, lines written and read between the passes
constexpr double cpu_bytes_per_second = 8e9;        // input and output, one thread
constexpr double cpu_most_bytes_per_second = 30e9;  // all threads
constexpr double gpu_start_seconds = 0.2;           // driver and context
constexpr double gpu_direct_per_second = 2e12;      // multiply-adds
constexpr double upload_bytes_per_second = 10e9;    // from pageable memory
constexpr double download_bytes_per_second = 2e9;   // to pageable memory, touched for the first time

double bytes_in(const Job& job) {
  return static_cast<double>(job.in.elements()) * static_cast<double>(bytes_of(job.in_pixel));
}
double bytes_out(const Job& job) {
  return static_cast<double>(job.out.elements()) * static_cast<double>(job.outputs() * bytes_of(job.out_pixel));
}

double cpu_seconds(const Job& job) {
  const double threads = job.threads > 0 ? job.threads : std::max(1U, std::thread::hardware_concurrency());
  double sums = 0;
  for (const Taps& taps : job.filters) {
    const auto& [z, y, x] = taps.size;
    sums += taps.method == Method::separable ? static_cast<double>(z + y + x) / cpu_separable_per_second
                                             : static_cast<double>(z * y * x) / cpu_direct_per_second;
  }
  return sums * static_cast<double>(job.out.elements()) / threads +
         (bytes_in(job) + bytes_out(job)) / std::min(threads * cpu_bytes_per_second, cpu_most_bytes_per_second);
}

double gpu_seconds(const Job& job) {
  double taps_in_all = 0;
  for (const Taps& taps : job.filters) taps_in_all += static_cast<double>(taps.size[0] * taps.size[1] * taps.size[2]);
  return taps_in_all * static_cast<double>(job.out.elements()) / gpu_direct_per_second + bytes_in(job) / upload_bytes_per_second +
         bytes_out(job) / download_bytes_per_second;
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f ms", seconds * 1e3);
  return text;
}

/// Σ seconds(job) over all jobs as the backend of `device` would do them.
template <class Seconds>
double sum_of(std::span<const PlanSpec> jobs, Device device, const Seconds& seconds) {
  const Backend& backend = backend_for(device);
  double sum = 0;
  for (PlanSpec spec : jobs) {
    spec.device = device;
    sum += seconds(*choose(check(spec), spec.options, backend).job);
  }
  return sum;
}

}  // namespace

DeviceChoice choose_device(std::span<const PlanSpec> jobs) {
  const double on_cpu = sum_of(jobs, cpu(), cpu_seconds);
  const std::string about = "cpu, about " + milliseconds(on_cpu);
  if (device_memory() == nullptr) return {cpu(), about + "; this build has no GPU backend"};
  if (on_cpu <= gpu_start_seconds) return {cpu(), about + "; a GPU takes " + milliseconds(gpu_start_seconds) + " to start"};
  double on_gpu = gpu_start_seconds;
  try {
    on_gpu += sum_of(jobs, cuda(), gpu_seconds);
  } catch (const Error&) {
    return {cpu(), about + "; a GPU does not offer the method asked for"};
  }
  const std::string there = milliseconds(on_gpu) + " with start and transfers";
  if (on_cpu <= on_gpu) return {cpu(), about + "; a GPU would take about " + there};
  if (backend_for(cuda()).devices().empty()) return {cpu(), about + "; this machine has no GPU"};
  return {cuda(), name_of(cuda()) + ", about " + there + "; the CPU would take about " + milliseconds(on_cpu)};
}

}  // namespace halation
