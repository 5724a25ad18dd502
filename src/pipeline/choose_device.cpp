// choose_device.cpp: where a job on images in host memory ends soonest, start-up and transfers included.
#include "pipeline/choose_device.h"

#include <string>

#include "core/stopwatch.h"
#include "halation/error.h"
#include "plan/backends.h"
#include "plan/choose.h"

namespace halation {
namespace {

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

double gpu_seconds(const PlannedJob& job, const TransferFigures& figures) {
  PlanSpec spec = job.spec;
  spec.device = cuda();
  const double up = job.begins_on_host ? bytes_in(job) / figures.upload_bytes_per_second : 0;
  const double down = job.ends_on_host ? bytes_out(job) / figures.download_bytes_per_second : 0;
  return static_cast<double>(job.times) * (job.host_seconds + expected_seconds(spec) + up + down);
}

}  // namespace

DeviceChoice choose_device(std::span<const PlannedJob> jobs) {
  double on_cpu = 0;
  for (const PlannedJob& job : jobs) on_cpu += cpu_seconds(job);
  const std::string about = "cpu, about " + time_text(on_cpu);
  const DeviceMemory* const memory = device_memory();
  if (memory == nullptr) return {cpu(), about + "; this build has no GPU backend"};
  const TransferFigures figures = memory->transfer_figures();
  if (on_cpu <= figures.start_seconds)
    return {cpu(), about + "; a GPU takes " + time_text(figures.start_seconds) + " to start"};
  if (backend_for(cuda()).devices().empty()) return {cpu(), about + "; this machine has no GPU"};
  double on_gpu = figures.start_seconds;
  try {
    for (const PlannedJob& job : jobs) on_gpu += gpu_seconds(job, figures);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return {cpu(), about + "; a GPU does not do it: " + error.what()};
  }
  const std::string there = time_text(on_gpu) + " with start and transfers";
  if (on_cpu <= on_gpu) return {cpu(), about + "; a GPU would take about " + there};
  return {cuda(), name_of(cuda()) + ", about " + there + "; the CPU would take about " + time_text(on_cpu)};
}

}  // namespace halation
