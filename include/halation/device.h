// device.h: where pixels lie and where filtering runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halation {

/// A place that computes. `cpu` and `reference` share host memory; each CUDA device has memory of its own.
struct Device {
  enum class Kind { cpu, reference, cuda };
  Kind kind = Kind::cpu;
  int index = 0;

  bool operator==(const Device&) const = default;
};

/// The CPU: SIMD and threads.
constexpr Device cpu() { return {}; }
/// Plain loops with sums in double: slow, and right by construction.
constexpr Device reference() { return {Device::Kind::reference, 0}; }
/// CUDA device `index`, in the driver's order.
constexpr Device cuda(int index = 0) { return {Device::Kind::cuda, index}; }

/// "cpu", "reference", "cuda:0".
std::string name_of(Device device);

/// The inverse of `name_of` ("cuda" is "cuda:0"). Throws `Error{invalid_argument}` naming the choices.
Device device_named(std::string_view name);

/// True where code running on `b` can read memory that belongs to `a` without a copy.
constexpr bool shares_memory(Device a, Device b) {
  return a == b || (a.kind != Device::Kind::cuda && b.kind != Device::Kind::cuda);
}

/// One device that this build can use on this machine.
struct DeviceInfo {
  Device device;
  std::string description;           ///< model, instruction set, threads or memory, on one line
  std::vector<std::string> methods;  ///< the methods it offers
};

/// Every usable device, the reference first. Cost: a few microseconds without CUDA; with it, a driver start.
std::vector<DeviceInfo> devices();

}  // namespace halation
