// left_out.cpp: `halation studio` in a program that is built without cpp-httplib.
#include "app/subcommands.h"
#include "halation/error.h"

namespace halation::app {

void add_studio(Program& program) {
  Command& studio = program.add("studio", "Is left out of this program; one that is built beside cpp-httplib has it");
  studio.takes_anything();
  studio.does([] {
    throw Error{ErrorCode::unsupported,
                "studio: this program was built without it; install libcpp-httplib-dev and build it again"};
  });
}

}  // namespace halation::app
