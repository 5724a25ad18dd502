// kept_plans.cpp: a list of plans, the latest first, bounded in number and in bytes.
#include "plan/kept_plans.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

#include "core/job.h"
#include "core/only_family.h"
#include "core/threads.h"
#include "halation/convolve.h"
#include "halation/threads.h"

namespace halation {
namespace {

constexpr std::size_t most_plans = 32;
constexpr std::size_t most_bytes_unless_limited = std::size_t{128} << 20;

/// Names every member: one that is added must be compared as well.
bool are_same(const Options& a, const Options& b) {
  const auto& [border, extent, operation, output, scale, offset, rounding, overflow, sum, accuracy, method,
               tune, threads] = a;
  return method == b.method && extent == b.extent && operation == b.operation && output == b.output &&
         scale == b.scale && offset == b.offset && rounding == b.rounding && overflow == b.overflow &&
         sum == b.sum && accuracy == b.accuracy && tune == b.tune && threads == b.threads &&
         border == b.border;
}
bool are_same(const PlanSpec& a, const PlanSpec& b) {
  const auto& [shape, pixel, filters, combine, device, options, layout, input_alignment, output_alignment] =
      a;
  return shape == b.shape && pixel == b.pixel && combine == b.combine && device == b.device &&
         layout == b.layout && input_alignment == b.input_alignment &&
         output_alignment == b.output_alignment && are_same(options, b.options) &&
         filters == b.filters;  // sizes first, then weights
}

/// What a plan follows from beside its job: threads of whoever makes it, and for a GPU the process, since
/// children of a fork have none.
struct Maker {
  int threads;
  int forks;
  bool operator==(const Maker&) const = default;
};
Maker maker_of(const PlanSpec& spec) {
  if (spec.device.kind == Device::Kind::cuda) return {0, forks_before()};
  return {spec.options.threads > 0 ? arena_threads() : available_threads(), 0};
}

struct Entry {
  PlanSpec spec;
  Maker maker;
  Plan plan;
  std::size_t bytes;
};

/// Of the plan, and of the filters that `spec` keeps beside it.
std::size_t bytes_of_entry(const PlanSpec& spec, const Plan& plan) {
  std::size_t weights = 0;
  for (const Filter& filter : spec.filters) {
    const FilterSize size = filter.size();
    weights +=
        static_cast<std::size_t>(filter.factors() ? size.depth + size.height + size.width : size.taps());
  }
  return plan.constant_bytes() + weights * sizeof(double);
}

class List {
 public:
  std::optional<Plan> find(const PlanSpec& spec, const Maker& maker) {
    const HoldsForks held;  // no child finds the lock taken
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.maker == maker && are_same(entry.spec, spec);
    });
    if (found == entries_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, found);
    return found->plan;
  }

  void add(Entry entry) {
    std::list<Entry> dropped;  // ends after the lock: a plan takes its time, and a GPU's, to go
    const HoldsForks held;
    const std::lock_guard lock(mutex_);
    if (entry.bytes > most_bytes_) return;
    bytes_ += entry.bytes;
    entries_.push_front(std::move(entry));
    drop_what_is_too_much(dropped);
  }

  void forget(Device device) {
    std::list<Entry> dropped;
    const HoldsForks held;
    const std::lock_guard lock(mutex_);
    for (auto at = entries_.begin(); at != entries_.end();) {
      const auto next = std::next(at);
      if (at->spec.device == device) drop(at, dropped);
      at = next;
    }
  }

  void limit(std::size_t bytes) {
    std::list<Entry> dropped;
    const HoldsForks held;
    const std::lock_guard lock(mutex_);
    most_bytes_ = bytes;
    drop_what_is_too_much(dropped);
    if (bytes == 0) {
      dropped.splice(dropped.end(), entries_);
      bytes_ = 0;
    }
  }

  KeptPlans kept() {
    const HoldsForks held;
    const std::lock_guard lock(mutex_);
    return {entries_.size(), bytes_};
  }

 private:
  void drop(std::list<Entry>::iterator at, std::list<Entry>& dropped) {
    bytes_ -= at->bytes;
    dropped.splice(dropped.end(), entries_, at);
  }
  void drop_what_is_too_much(std::list<Entry>& dropped) {
    while (bytes_ > most_bytes_ || entries_.size() > most_plans) drop(std::prev(entries_.end()), dropped);
  }

  std::mutex mutex_;
  std::list<Entry> entries_;  ///< the latest first
  std::size_t bytes_ = 0, most_bytes_ = most_bytes_unless_limited;
};

List& list() {
  static List& only = *new List;  // never destroyed: at the end of the program a GPU's driver may be gone
  return only;
}

/// Deferred filters as they are for images of such a shape, so that those made anew for each call are told to
/// be the same.
PlanSpec settled(PlanSpec spec) {
  const int dims = spec.shape.dims();
  for (Filter& filter : spec.filters) {
    if (filter.dims() == 0) filter = filter.with_dims(dims);
  }
  return spec;
}

}  // namespace

Plan plan_kept_for(const PlanSpec& given) {
  if (!OnlyFamily::asked_for().empty()) return Plan(given);
  const PlanSpec spec = settled(given);
  const Maker maker = maker_of(spec);
  if (std::optional<Plan> kept = list().find(spec, maker)) return *kept;
  Plan plan(spec);
  list().add({spec, maker, plan, bytes_of_entry(spec, plan)});
  return plan;
}

void forget_plans_for(Device device) { list().forget(device); }

KeptPlans kept_plans() { return list().kept(); }

void limit_kept_plans(std::size_t bytes) { list().limit(bytes); }

}  // namespace halation
