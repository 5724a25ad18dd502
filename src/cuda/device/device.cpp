// device.cpp: which GPUs there are, and which one calls of this thread go to.
#include "cuda/device/device.h"

#include <cstdio>

#include "core/threads.h"
#include "cuda/device/runtime.h"
#include "halation/error.h"

namespace halation::cuda_backend {
namespace {

/// What the driver answered when it was first asked.
struct Count {
  cudaError_t status = cudaSuccess;
  int devices = 0;
  int forks = 0;  ///< before it was asked
};

const Count& count() {
  const HoldsForks held;
  static const Count answer = [] {
    Count asked;
    asked.forks = forks_before();
    asked.status = cudaGetDeviceCount(&asked.devices);
    if (asked.status != cudaSuccess) {
      asked.devices = 0;
      (void)cudaGetLastError();
    }
    return asked;
  }();
  return answer;
}

/// CUDA does not survive a fork: its calls fail in the child, or wait for threads that are gone.
bool lost_by_fork() { return count().devices > 0 && count().forks != forks_before(); }

}  // namespace

int device_count() { return lost_by_fork() ? 0 : count().devices; }

std::string why_none() {
  if (device_count() > 0) return "";
  if (lost_by_fork()) {
    return "no CUDA device: this process was forked from one that had used CUDA, which does not survive a fork; start processes by "
           "spawn or forkserver, or before CUDA is used";
  }
  switch (count().status) {
    case cudaSuccess:
    case cudaErrorNoDevice: return "no CUDA device: the driver finds none";
    case cudaErrorInsufficientDriver: return "no CUDA device: no NVIDIA driver, or one too old for CUDA " + std::to_string(CUDART_VERSION / 1000);
    default: return std::string("no CUDA device: ") + cudaGetErrorString(count().status);
  }
}

std::string describe(int index) {
  cudaDeviceProp properties{};
  HALATION_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
  int driver = 0;
  HALATION_CUDA_CHECK(cudaDriverGetVersion(&driver));
  char text[512];
  std::snprintf(text, sizeof text, "%s, compute capability %d.%d, %d multiprocessors, %.1f GB, L2 %.0f MB, driver for CUDA %d.%d",
                properties.name, properties.major, properties.minor, properties.multiProcessorCount,
                static_cast<double>(properties.totalGlobalMem) / 1e9, properties.l2CacheSize / 1048576.0, driver / 1000,
                driver % 1000 / 10);
  return text;
}

UseDevice::UseDevice(Device device) {
  const int devices = device_count();
  if (devices == 0) throw Error(ErrorCode::device, name_of(device) + ": " + why_none() + "; use cpu");
  if (device.index < 0 || device.index >= devices) {
    throw Error(ErrorCode::device, "no device " + name_of(device) + ": this machine has " + std::to_string(devices) +
                                       " CUDA device" + (devices == 1 ? "" : "s") + ", counted from 0");
  }
  int present = 0;
  HALATION_CUDA_CHECK(cudaGetDevice(&present));
  if (present == device.index) return;
  HALATION_CUDA_CHECK(cudaSetDevice(device.index));
  before_ = present;
}

UseDevice::~UseDevice() {
  if (before_) (void)cudaSetDevice(*before_);
}

}  // namespace halation::cuda_backend
