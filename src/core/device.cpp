// device.cpp: the words for devices, and which of them share memory.
#include "halation/device.h"

#include <charconv>
#include <stdexcept>

#include "core/nearest.h"
#include "halation/error.h"

namespace halation {

std::string name_of(Device device) {
  switch (device.kind) {
    case Device::Kind::cpu: return "cpu";
    case Device::Kind::reference: return "reference";
    case Device::Kind::cuda: return "cuda:" + std::to_string(device.index);
  }
  throw std::logic_error("no such device");
}

Device device_named(std::string_view name) {
  if (name == "cpu") return cpu();
  if (name == "reference") return reference();
  if (name == "cuda") return cuda();
  if (name.starts_with("cuda:")) {
    const std::string_view digits = name.substr(5);
    int index = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error == std::errc() && end == digits.data() + digits.size() && index >= 0) return cuda(index);
  }
  throw Error(ErrorCode::invalid_argument, "unknown device '" + std::string(name) +
                                               "'; choose from cpu, reference, cuda, cuda:0, cuda:1, …" +
                                               meant(name, {"cpu", "reference", "cuda"}));
}

bool shares_memory(Device a, Device b) {
  const bool a_is_cuda = a.kind == Device::Kind::cuda;
  const bool b_is_cuda = b.kind == Device::Kind::cuda;
  return a_is_cuda || b_is_cuda ? a == b : true;
}

}  // namespace halation
