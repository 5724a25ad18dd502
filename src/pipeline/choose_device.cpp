// choose_device.cpp: where a job on images in host memory ends soonest, start-up and transfers included.
#include "pipeline/choose_device.h"

#include <string>

#include "core/stopwatch.h"
#include "halation/error.h"
#include "plan/backends.h"
#include "plan/choose.h"

namespace halation {
namespace {

// From the timings in docs/notebook/transfers.md. They need to be right within a factor of two: jobs for
// which both devices take the same time are rare, and then either will do.
constexpr double gpu_start_seconds = 0.2;           // driver and context
constexpr double upload_bytes_per_second = 10e9;    // from pageable memory
constexpr double download_bytes_per_second = 5e9;   // to pageable memory, prefaulted

double bytes_in(const PlannedJob& job) {
  return static_cast<double>(job.spec.shape.elements()) * static_cast<double>(bytes_of(job.spec.pixel));
}
double bytes_out(const PlannedJob& job) {
  return static_cast<double>(job.on_cpu.output_shape().elements()) *
         static_cast<double>(job.on_cpu.outputs() * bytes_of(job.on_cpu.output_pixel()));
}

double cpu_seconds(const PlannedJob& job) {
  return static_cast<double>(job.times) * (job.host_seconds + job.on_cpu.expected_seconds());
}

double gpu_seconds(const PlannedJob& job) {
  PlanSpec spec = job.spec;
  spec.device = cuda();
  const double up = job.begins_on_host ? bytes_in(job) / upload_bytes_per_second : 0;
  const double down = job.ends_on_host ? bytes_out(job) / download_bytes_per_second : 0;
  return static_cast<double>(job.times) * (job.host_seconds + expected_seconds(spec) + up + down);
}

}  // namespace

DeviceChoice choose_device(std::span<const PlannedJob> jobs) {
  double on_cpu = 0;
  for (const PlannedJob& job : jobs) on_cpu += cpu_seconds(job);
  const std::string about = "cpu, about " + time_text(on_cpu);
  if (device_memory() == nullptr) return {cpu(), about + "; this build has no GPU backend"};
  if (on_cpu <= gpu_start_seconds) return {cpu(), about + "; a GPU takes " + time_text(gpu_start_seconds) + " to start"};
  if (backend_for(cuda()).devices().empty()) return {cpu(), about + "; this machine has no GPU"};
  double on_gpu = gpu_start_seconds;
  try {
    for (const PlannedJob& job : jobs) on_gpu += gpu_seconds(job);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return {cpu(), about + "; a GPU does not do it: " + error.what()};
  }
  const std::string there = time_text(on_gpu) + " with start and transfers";
  if (on_cpu <= on_gpu) return {cpu(), about + "; a GPU would take about " + there};
  return {cuda(), name_of(cuda()) + ", about " + there + "; the CPU would take about " + time_text(on_cpu)};
}

}  // namespace halation
