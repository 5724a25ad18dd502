// families.cpp: the table of the CPU's families, and the choice among them.
#include "cpu/families.h"

#include <array>
#include <stdexcept>

namespace halation::cpu_backend {

Families::Offer Families::cheapest(const Request& request) const {
  Offer best;
  double least = 0;
  for (const Family* family : list_) {
    if (family->refuses(request) != nullptr) continue;
    const double seconds = family->seconds(request);
    if (best.family != nullptr && seconds / family->margin >= least) continue;
    best = {family, seconds};
    least = seconds / family->margin;
  }
  if (best.family == nullptr) throw std::logic_error("cpu: no family does the job");
  return best;
}

const Families& families() {
  static constexpr std::array list{&fixed_point_rows, &running_box, &float_lines, &axis_by_axis};
  static const Families table(list);
  return table;
}

}  // namespace halation::cpu_backend
