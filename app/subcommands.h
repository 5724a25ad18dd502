// subcommands.h: what the program can be told to do.
#pragma once

#include "app/command_line/command.h"

namespace halation::app {

// Each adds a command, with all that it takes.
void add_apply(Program& program);
void add_batch(Program& program);
void add_video(Program& program);
void add_filters(Program& program);
void add_explain(Program& program);
void add_tune(Program& program);
void add_ladder(Program& program);
void add_bench(Program& program);
void add_devices(Program& program);
void add_interactive(Program& program);
void add_studio(Program& program);
void add_completion(Program& program);

}  // namespace halation::app
