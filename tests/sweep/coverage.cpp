// coverage.cpp: ways are read off `Plan::explain`, which says what runs.
#include "coverage.h"

#include <algorithm>
#include <iomanip>
#include <set>
#include <string_view>

namespace halation::sweep {
namespace {

/// What stands between two words, from the last place of the first; empty where they are not there.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.rfind(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  return text.substr(0, text.find(end));
}

}  // namespace

void Coverage::add(const Plan& plan, const JobCase& job_case) {
  std::set<std::string> ways;
  for (const Method method : plan.methods()) {
    ways.insert("method " + std::string(name_of(method)));
    if (job_case.spec.options.method == Method::automatic) ways.insert("chosen: " + std::string(name_of(method)));
  }
  const std::string explained = plan.explain();
  const std::string sums = explained.find("sums in f64") == std::string::npos ? "f32" : "f64";
  const std::string family(between(explained, "\nfamily: ", ";"));
  ways.insert("family " + family + ", sums in " + sums);
  for (std::string_view passes = between(explained, "over packed sums (", ")"); !passes.empty();) {
    const std::size_t comma = passes.find(", ");
    ways.insert("axis by axis: " + std::string(passes.substr(0, comma)));
    passes.remove_prefix(comma == std::string_view::npos ? passes.size() : comma + 2);
  }
  if (const std::string_view bits = between(explained, "fixed point of 16 bits, sums of ", ","); !bits.empty())
    ways.insert("fixed point: sums of " + std::string(bits) + " bits");
  for (const std::string& way : ways) ++counts_[way][static_cast<std::size_t>(job_case.values)];
}

void Coverage::print(std::ostream& out) const {
  std::size_t widest = 0;
  for (const auto& [way, counts] : counts_) widest = std::max(widest, way.size());
  out << "columns:";
  for (std::size_t kind = 0; kind < static_cast<std::size_t>(Values::count); ++kind) out << " " << name_of(static_cast<Values>(kind));
  out << "\n";
  for (const auto& [way, counts] : counts_) {
    out << std::left << std::setw(static_cast<int>(widest)) << way << std::right;
    for (const std::uint64_t count : counts) out << std::setw(6) << count;
    out << "\n";
  }
}

}  // namespace halation::sweep
