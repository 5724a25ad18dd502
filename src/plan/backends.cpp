// backends.cpp: the one table of backends.
#include "plan/backends.h"

#include <stdexcept>

#include "core/threads.h"
#include "cpu/cpu.h"
#include "halation/error.h"
#include "plan/methods/methods.h"
#include "plan/other_pixels/other_pixels.h"
#include "reference/reference.h"
#ifdef HALATION_HAS_CUDA
#include "cuda/cuda.h"
#endif

namespace halation {
namespace {

/// The reference takes any pixels by itself.
std::vector<const Backend*> table() {
  static const WithOtherPixels on_cpu(cpu_backend::backend());
#ifdef HALATION_HAS_CUDA
  static const WithOtherPixels on_cuda(cuda_backend::backend());
  return {&reference_backend::backend(), &on_cpu, &on_cuda};
#else
  return {&reference_backend::backend(), &on_cpu};
#endif
}

[[noreturn]] void refuse(Device device) {
  throw Error(ErrorCode::unsupported, "this build has no backend for device " + name_of(device) + "; use cpu");
}

}  // namespace

const Backend& backend_for(Device device) {
  for (const Backend* backend : table()) {
    if (backend->kind() == device.kind) return *backend;
  }
  refuse(device);
}

std::string identity_of(Device device) {
  switch (device.kind) {
    case Device::Kind::cpu:
      return cpu_backend::identity();
    case Device::Kind::reference:
      return "reference on " + cpu_backend::identity();
    case Device::Kind::cuda: {
      std::string text;
      for (const DeviceInfo& info : backend_for(device).devices()) {
        if (info.device == device) text = "gpu " + info.description;
      }
      return text;
    }
  }
  throw std::logic_error("no such device");
}

const DeviceMemory* device_memory() {
#ifdef HALATION_HAS_CUDA
  return &cuda_backend::memory();
#else
  return nullptr;
#endif
}

const Queues* device_queues() {
#ifdef HALATION_HAS_CUDA
  return &cuda_backend::queues();
#else
  return nullptr;
#endif
}

const DeviceMemory& memory_of(Device device) {
  const DeviceMemory* memory = device_memory();
  if (memory == nullptr) refuse(device);
  return *memory;
}

std::vector<DeviceInfo> devices() {
  const HoldsForks held;  // tables are made and drivers are asked, once
  std::vector<DeviceInfo> all;
  for (const Backend* backend : table()) {
    for (DeviceInfo& info : backend->devices()) {
      for (const MethodRecord* const method : methods_of(*backend))
        info.methods.emplace_back(name_of(method->method));
      all.push_back(std::move(info));
    }
  }
  return all;
}

}  // namespace halation
