// by_name.h: makes the members of an aggregate be given by name alone.
#pragma once

namespace halation {

/// First member of the aggregates whose members belong to axes: `{.y = 3, .x = 4}` is a `Position`, `{3, 4}` does not
/// compile, so no list of numbers means another order of axes than its writer thought of. Only `Owner` makes one, as the
/// default of that member.
template <class Owner>
class ByName {
  friend Owner;
  constexpr explicit ByName() = default;

 public:
  bool operator==(const ByName&) const = default;
};

}  // namespace halation
