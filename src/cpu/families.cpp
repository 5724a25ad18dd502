// families.cpp: the table of the CPU's families.
#include "cpu/families.h"

#include <array>

namespace halation::cpu_backend {

const Families& families() {
  static constexpr std::array list{&int8, &running_box, &float_lines, &axis_by_axis, &fft, &multirate};
  static const Families table(list);
  return table;
}

}  // namespace halation::cpu_backend
