// choice_tool.h: what the tools share that look at all ways to do a seeded job.
#pragma once

#include <utility>

#include "core/backend.h"
#include "core/channels_apart.h"
#include "cpu/packed.h"
#include "halation/error.h"
#include "plan/check.h"
#include "plan/choose.h"
#include "sweep/arena.h"
#include "sweep/job_case.h"

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

/// A case's input and output as views of which nothing but how they lie is true.
inline std::pair<View, View> views_without_memory(const Job& job, const sweep::JobCase& job_case) {
  const auto view = [](const Shape& shape, Pixel pixel, Layout layout, sweep::Arrangement arrangement) {
    const sweep::Place place(shape, pixel, layout, arrangement);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): nothing lies there
    return View{reinterpret_cast<std::byte*>(place.start), shape, place.strides, pixel, {}};
  };
  return {view(job.in, job.in_pixel, job_case.in_layout, job_case.in_arrangement),
          view(job.out, job.out_pixel, job_case.out_layout, job_case.out_arrangement)};
}

}  // namespace halation::speed
