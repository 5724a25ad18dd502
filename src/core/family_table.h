// family_table.h: a backend's ways of doing jobs as one table: a record a family, and the choice among them.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.h"
#include "halation/error.h"

namespace halation {

/// Records of a backend: `refuses(request)` is null where the family does the job, else the reason in words; `seconds(request)` is
/// what the job should take, where it does it.
template <class Family, class Request>
class FamilyTable {
 public:
  explicit FamilyTable(std::span<const Family* const> list) : list_(list) {}
  std::span<const Family* const> list() const { return list_; }

  struct Choice {
    const Family* family = nullptr;
    double seconds = std::numeric_limits<double>::infinity();
  };
  /// The family of which least time is expected, of equals the first of the list; null where none does the
  /// job. `only`: its name, where no other may be taken.
  Choice cheapest_or_none(const Request& request, std::string_view only = {}) const {
    Choice best;
    for (const Family* family : list_) {
      if ((!only.empty() && family->name != only) || family->refuses(request) != nullptr) continue;
      const double seconds = family->seconds(request);
      if (best.family == nullptr || seconds < best.seconds) best = {family, seconds};
    }
    return best;
  }
  /// The same of a job that one of them does, or throws `std::logic_error`; `Error{unsupported}` where the
  /// only one refuses it.
  Choice cheapest(const Request& request, std::string_view only = {}) const {
    const Choice best = cheapest_or_none(request, only);
    if (best.family != nullptr) return best;
    if (only.empty()) throw std::logic_error("no family of the backend does the job");
    const auto is_it = [&](const Family* family) { return family->name == only; };
    const auto found = std::find_if(list_.begin(), list_.end(), is_it);
    throw Error(ErrorCode::unsupported,
                "family " + std::string(only) + ": " +
                    (found == list_.end() ? "there is none of that name" : (*found)->refuses(request)));
  }
  /// What each family makes of the request, in the order of the list.
  std::vector<halation::Offer> offers(const Request& request, std::string_view only = {}) const {
    std::vector<halation::Offer> all;
    all.reserve(list_.size());
    for (const Family* family : list_) {
      const bool is_asked_for = only.empty() || family->name == only;
      const char* const why_not = is_asked_for ? family->refuses(request) : "another family is asked for";
      all.push_back(why_not == nullptr
                        ? halation::Offer{.family = family->name, .seconds = family->seconds(request)}
                        : halation::Offer{.family = family->name, .why_not = why_not});
    }
    return all;
  }

 private:
  std::span<const Family* const> list_;
};

}  // namespace halation
