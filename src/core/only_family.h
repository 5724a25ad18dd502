// only_family.h: one family of kernels asked for by name: for tests that are to know what they test, and
// tools that time every family.
#pragma once

#include <string>
#include <string_view>

namespace halation {

/// While it lives, plans that this thread makes are by this family, or refused with its reason; plans that
/// are kept do not count. Families of several passes choose their parts as ever.
class OnlyFamily {
 public:
  explicit OnlyFamily(std::string_view name);
  ~OnlyFamily();
  OnlyFamily(const OnlyFamily&) = delete;
  OnlyFamily& operator=(const OnlyFamily&) = delete;

  /// Empty where any may be taken.
  static const std::string& asked_for();

 private:
  std::string before_;
};

}  // namespace halation
