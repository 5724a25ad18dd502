// left_out.cpp: `halation bench` in a program that is built without it, as by make demo and pip.
#include "app/subcommands.h"
#include "halation/error.h"

namespace halation::app {

void add_bench(Program& program) {
  Command& bench = program.add("bench", "Is left out of this program; make bench and make install build it");
  bench.takes_anything();
  bench.does([] {
    throw Error{ErrorCode::unsupported,
                "bench: this program was built without it, as make demo and pip build it; make install builds it, and so does "
                "-DHALATION_APP_BENCH=ON"};
  });
}

}  // namespace halation::app
