// choice_tool.h: what the tools share that look at all ways to do a seeded job.
#pragma once

#include "core/backend.h"
#include "core/channels_apart.h"
#include "cpu/packed.h"
#include "halation/error.h"
#include "plan/check.h"
#include "plan/choose.h"

namespace halation::speed {

/// Calls `use(method, choice)` for each of the backend's methods that does the filters, with what a plan by this method alone would
/// be.
template <class Use>
void for_each_method(PlanSpec spec, const Backend& backend, const Use& use) {
  for (const MethodRecord* const record : methods_of(backend)) {
    const Method method = record->method;
    spec.options.method = method;
    Choice choice;
    try {
      choice = choose(check(spec), spec.options, backend, spec.device);
    } catch (const Error&) {
      continue;  // not one for this filter
    }
    use(method, choice);
  }
}

/// Of a choice's one filter.
inline Method method_of(const Choice& choice) { return choice.reasons.front().method->method; }

/// What a CPU's families price: a job as its channels are filtered, and whether the images are packed.
struct AsFiltered {
  Job job;
  cpu_backend::Packed packed;

  AsFiltered(const Job& asked, const ConstView& in, const View& out)
      : job(cpu_backend::has_channels_inside(in, {&out, 1}) ? asked : with_channels_apart(asked)),
        packed(cpu_backend::packed_of(in, {&out, 1})) {}
};

}  // namespace halation::speed
