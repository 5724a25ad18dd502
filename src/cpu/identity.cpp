// identity.cpp: which CPU this is, as far as times depend on it.
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "cpu/cpu.h"
#include "cpu/parts/kernels.h"

namespace halation::cpu_backend {
namespace {

#if defined(__x86_64__)
/// "AMD EPYC 9B14, signature 00a10f11": the name that the maker gave it; family, model and stepping as CPUID
/// packs them.
std::string model() {
  constexpr unsigned first_of_name = 0x80000002, last_of_name = 0x80000004;
  std::array<unsigned, 4> registers{};
  std::string name;
  for (unsigned leaf = first_of_name; leaf <= last_of_name; ++leaf) {
    if (__get_cpuid(leaf, &registers[0], &registers[1], &registers[2], &registers[3]) == 0) break;
    std::array<char, sizeof registers> part{};
    std::memcpy(part.data(), registers.data(), sizeof registers);
    name.append(part.data(), part.size());
  }
  name.resize(std::strlen(name.c_str()));  // zeros fill it up
  registers = {};
  __get_cpuid(1, &registers[0], &registers[1], &registers[2], &registers[3]);
  char signature[32];
  std::snprintf(signature, sizeof signature, ", signature %08x", registers[0]);
  return name + signature;
}
#else
/// Arm's main identification register, where the system shows it.
std::string model() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
  std::string word;
  return file >> word ? "MIDR " + word : "unnamed";
}
#endif

}  // namespace

std::string identity() {
  return "cpu " + model() + ", " + best_kernels<float>().instruction_set + ", " +
         std::to_string(std::thread::hardware_concurrency()) + " threads";
}

}  // namespace halation::cpu_backend
