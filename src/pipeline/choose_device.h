// choose_device.h: where a job on images in host memory ends soonest, start-up and transfers included.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "halation/plan.h"

namespace halation {

/// A job on images in host memory, and its plan on the CPU.
struct PlannedJob {
  const PlanSpec& spec;
  const Plan& on_cpu;
  bool begins_on_host = true;  ///< its input is not the result of another one
  bool ends_on_host = true;
  double host_seconds = 0;  ///< beside filtering, on the CPU whichever device filters
  std::int64_t times = 1;   ///< that it is done
};

struct DeviceChoice {
  Device device;
  std::string reason;  ///< "cpu, about 12 ms; a GPU would start and transfer for longer"
};

/// Chooses for all jobs together, by what plans expect. A GPU is looked for only where it could win: starting
/// its driver takes longer than most jobs.
DeviceChoice choose_device(std::span<const PlannedJob> jobs);

}  // namespace halation
