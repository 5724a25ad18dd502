// family_table.h: a backend's ways of doing jobs as one table: a record a family, and the choice among them.
#pragma once

#include <algorithm>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>

namespace halation {

/// Records of a backend: `refuses(request)` is null where the family does the job, else the reason in words; `seconds(request)` is
/// what the job should take, where it does it.
template <class Family, class Request>
class FamilyTable {
 public:
  explicit FamilyTable(std::span<const Family* const> list) : list_(list) {}
  std::span<const Family* const> list() const { return list_; }

  struct Offer {
    const Family* family = nullptr;
    double seconds = 0;
  };
  /// The family of which least time is expected; of equals the first of the list. Throws `std::logic_error` where none does the job.
  Offer cheapest(const Request& request) const {
    Offer best;
    for (const Family* family : list_) {
      if (family->refuses(request) != nullptr) continue;
      const double seconds = family->seconds(request);
      if (best.family == nullptr || seconds < best.seconds) best = {family, seconds};
    }
    if (best.family == nullptr) throw std::logic_error("no family of the backend does the job");
    return best;
  }
  bool any_takes(const Request& request) const {
    return std::any_of(list_.begin(), list_.end(), [&](const Family* family) { return family->refuses(request) == nullptr; });
  }
  /// "float lines; passed over: axis by axis, 1.29 times as long; running box: integers, not combined, alone". What the job takes is said
  /// once, by the plan, which knows of threads, bandwidth and rates too.
  std::string explain(const Request& request) const {
    const Offer chosen = cheapest(request);
    const auto expected = [&](const Family* family) {
      char text[48];
      std::snprintf(text, sizeof text, ", %.3g times as long", family->seconds(request) / chosen.seconds);
      return std::string(family->name) + text;
    };
    std::string text(chosen.family->name);
    const char* separator = "; passed over: ";
    for (const Family* family : list_) {
      if (family == chosen.family) continue;
      const char* const why = family->refuses(request);
      text += separator + (why == nullptr ? expected(family) : std::string(family->name) + ": " + why);
      separator = "; ";
    }
    return text;
  }

 private:
  std::span<const Family* const> list_;
};

}  // namespace halation
