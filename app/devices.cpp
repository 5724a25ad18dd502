// devices.cpp: `halation devices`: what can compute here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "halation/device.h"
#include "subcommands.h"

namespace halation::app {

void add_devices(Program& program) {
  program.add("devices", "Lists what can compute here, and by which methods").does([] {
    for (const DeviceInfo& info : devices())
      fmt::print("{:<12}{}\n{:<12}methods: {}\n", name_of(info.device), info.description, "",
                 fmt::join(info.methods, ", "));
  });
}

}  // namespace halation::app
