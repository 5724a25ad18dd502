// backends.cpp: the one table of backends.
#include "plan/backends.h"

#include <array>

#include "cpu/cpu.h"
#include "halation/error.h"
#include "reference/reference.h"

namespace halation {
namespace {

std::array<const Backend*, 2> table() { return {&reference_backend::backend(), &cpu_backend::backend()}; }

}  // namespace

const Backend& backend_for(Device device) {
  for (const Backend* backend : table()) {
    if (backend->kind() == device.kind) return *backend;
  }
  throw Error(ErrorCode::unsupported, "this build has no backend for device " + name_of(device) + "; use cpu");
}

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> all;
  for (const Backend* backend : table()) {
    for (DeviceInfo& info : backend->devices()) all.push_back(std::move(info));
  }
  return all;
}

}  // namespace halation
