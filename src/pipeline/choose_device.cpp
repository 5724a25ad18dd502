// choose_device.cpp: where a job on images in host memory ends soonest, start-up and transfers included.
#include "pipeline/choose_device.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/stopwatch.h"
#include "halation/threads.h"
#include "plan/backends.h"

namespace halation {
namespace {

// Rates for the estimate, from the timings in docs/notebook/transfers.md. They need to be right within a
// factor of two: jobs for which both devices take the same time are rare, and then either will do.
constexpr double cpu_direct_per_second = 50e9;      // multiply-adds, one thread
constexpr double cpu_passes_per_second = 25e9;      // the same, lines written and read between the passes
constexpr double cpu_bytes_per_second = 8e9;        // input and output, one thread
constexpr double cpu_most_bytes_per_second = 30e9;  // all threads
constexpr double gpu_start_seconds = 0.2;           // driver and context
constexpr double gpu_per_second = 2e12;             // multiply-adds
constexpr double upload_bytes_per_second = 10e9;    // from pageable memory
constexpr double download_bytes_per_second = 5e9;   // to pageable memory, prefaulted

/// Multiply-adds a sample, or as many as take as long: what transforms and boxes take hardly depends on the filter (docs/measured/cpu.md:
/// 4096×4096 f32 by two threads under 63×63 taps, and boxes).
double cpu_work(Method method, const FilterSize& size) {
  switch (method) {
    case Method::separable:
      return static_cast<double>(size.depth + size.height + size.width);
    case Method::box:
      return 16;
    case Method::fft:
      return size.depth > 1 ? 300 : 150;
    case Method::multirate:
      return 60;
    case Method::direct:
      return static_cast<double>(size.taps());
    case Method::low_rank:  // of 2 to 4 terms, as most are
      return 3 * static_cast<double>(size.height + size.width);
    case Method::automatic:
    case Method::banded:
      break;
  }
  throw std::logic_error("no plan has method " + std::string(name_of(method)));
}
/// The same, but for transforms: some 50 samples a nanosecond (docs/measured/gpu.md, Large filters).
double gpu_work(Method method, const FilterSize& size) { return method == Method::fft ? 40 : cpu_work(method, size); }

double samples_out(const PlannedJob& job) {
  return static_cast<double>(job.on_cpu.output_shape().elements());
}
double bytes_in(const PlannedJob& job) {
  return static_cast<double>(job.spec.shape.elements()) * static_cast<double>(bytes_of(job.spec.pixel));
}
double bytes_out(const PlannedJob& job) {
  return samples_out(job) * static_cast<double>(job.on_cpu.outputs() * bytes_of(job.on_cpu.output_pixel()));
}

/// Σ seconds(method, size) over the filters. A plan leaves out filters that add nothing to a magnitude;
/// here they count like the last.
template <class Seconds>
double sum_over_filters(const PlannedJob& job, const Seconds& seconds) {
  const std::vector<Method>& methods = job.on_cpu.methods();
  double sum = 0;
  for (std::size_t i = 0; i < job.spec.filters.size(); ++i) {
    const FilterSize size = job.spec.filters[i].with_dims(job.spec.shape.dims()).size();
    sum += seconds(methods[std::min(i, methods.size() - 1)], size);
  }
  return sum;
}

double cpu_seconds(const PlannedJob& job) {
  const int asked = job.spec.options.threads;
  const double threads = asked > 0 ? asked : available_threads();
  const double a_sample = sum_over_filters(job, [](Method method, const FilterSize& size) {
    return cpu_work(method, size) / (method == Method::direct ? cpu_direct_per_second : cpu_passes_per_second);
  });
  return job.host_seconds + a_sample * samples_out(job) / threads +
         (bytes_in(job) + bytes_out(job)) / std::min(threads * cpu_bytes_per_second, cpu_most_bytes_per_second);
}

bool offers(const Backend& backend, Method method) {
  const auto methods = backend.methods();
  return method == Method::automatic || std::find(methods.begin(), methods.end(), method) != methods.end();
}

double gpu_seconds(const PlannedJob& job, const Backend& gpu) {
  const double a_sample = sum_over_filters(job, [&](Method method, const FilterSize& size) {
    return gpu_work(offers(gpu, method) ? method : Method::direct, size) / gpu_per_second;
  });
  const double up = job.begins_on_host ? bytes_in(job) / upload_bytes_per_second : 0;
  const double down = job.ends_on_host ? bytes_out(job) / download_bytes_per_second : 0;
  return job.host_seconds + a_sample * samples_out(job) + up + down;
}

}  // namespace

DeviceChoice choose_device(std::span<const PlannedJob> jobs) {
  double on_cpu = 0;
  for (const PlannedJob& job : jobs) on_cpu += cpu_seconds(job);
  const std::string about = "cpu, about " + time_text(on_cpu);
  if (device_memory() == nullptr) return {cpu(), about + "; this build has no GPU backend"};
  if (on_cpu <= gpu_start_seconds) return {cpu(), about + "; a GPU takes " + time_text(gpu_start_seconds) + " to start"};
  const Backend& gpu = backend_for(cuda());
  double on_gpu = gpu_start_seconds;
  for (const PlannedJob& job : jobs) {
    if (!offers(gpu, job.spec.options.method))
      return {cpu(), about + "; a GPU does not offer the method asked for"};
    on_gpu += gpu_seconds(job, gpu);
  }
  const std::string there = time_text(on_gpu) + " with start and transfers";
  if (on_cpu <= on_gpu) return {cpu(), about + "; a GPU would take about " + there};
  if (gpu.devices().empty()) return {cpu(), about + "; this machine has no GPU"};
  return {cuda(), name_of(cuda()) + ", about " + there + "; the CPU would take about " + time_text(on_cpu)};
}

}  // namespace halation
