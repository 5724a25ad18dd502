// coverage.h: how often each way of computing has met each kind of values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>

#include "job_case.h"

namespace halation::sweep {

/// Ways are a plan's methods, also where it chose them itself, its family of kernels, and the kinds of sums that its last lines name.
class Coverage {
 public:
  void add(const Plan& plan, const JobCase& job_case);

  /// A line a way: a column for each kind of values, in their order.
  void print(std::ostream& out) const;

 private:
  std::map<std::string, std::array<std::uint64_t, static_cast<std::size_t>(Values::count)>> counts_;
};

}  // namespace halation::sweep
