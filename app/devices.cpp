// devices.cpp: `halation devices`: what can compute here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "halation/device.h"
#include "subcommands.h"

namespace halation::app {

Subcommand add_devices(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("devices", "Lists what can compute here, and by which methods");
  return {&command, [] {
            for (const DeviceInfo& info : devices())
              fmt::print("{:<12}{}\n{:<12}methods: {}\n", name_of(info.device), info.description, "",
                         fmt::join(info.methods, ", "));
          }};
}

}  // namespace halation::app
