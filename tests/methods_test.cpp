// methods_test.cpp: a method is added by a record: what it needs, the weights that it makes, its bound and its words.
#include "plan/methods/methods.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/convert.h"
#include "core/integer_weights.h"
#include "halation/halation.h"
#include "message_of.h"
#include "plan/backends.h"
#include "plan/check.h"
#include "plan/choose.h"

namespace halation {
namespace {

/// Where the one weight stands that is not 0; none where there are others.
std::optional<Space> only_weight(const FilterAnalysis& analysis) {
  const std::vector<double> weights = analysis.weights();
  const auto is_weight = [](double weight) { return weight != 0; };
  if (std::count_if(weights.begin(), weights.end(), is_weight) != 1) return {};
  const auto at = std::find_if(weights.begin(), weights.end(), is_weight) - weights.begin();
  const Space& size = analysis.place().size;
  return Space{at / (size[1] * size[2]), at / size[2] % size[1], at % size[2]};
}

Taps one_tap(const FilterAnalysis& analysis) {
  Taps taps = analysis.place();
  const Space at = *only_weight(analysis);
  for (std::size_t axis = 0; axis < 3; ++axis) taps.lead[axis] += at[axis];
  taps.size = {1, 1, 1};
  const std::vector<double> weights = analysis.weights();
  taps.weights = {*std::max_element(weights.begin(), weights.end(),
                                    [](double a, double b) { return std::fabs(a) < std::fabs(b); })};
  return taps;
}

/// The method of this test, by the name of one that it is listed instead of: integers under a filter of one
/// weight are moved, and the zeros around that are not summed.
const MethodRecord moving{.method = Method::low_rank,
                        .form = Form::dense,
                        .fits = [](FilterAnalysis& analysis, const Job& job) {
                          return !is_float(job.in_pixel) && only_weight(analysis).has_value();
                        },
                        .why_not = [](FilterAnalysis&, const Job&) { return std::string("several weights"); },
                        .refusal = [](FilterAnalysis&, const Job&) { return std::string("has several weights"); },
                        .sketch =
                            [](FilterAnalysis& analysis, const Job&, Taps& taps) {
                              if (only_weight(analysis)) taps = one_tap(analysis);
                            },
                        .weigh =
                            [](FilterAnalysis& analysis, const Job& job, const Where&) {
                              Weighed filter{.taps = one_tap(analysis), .bound = {}};
                              filter.magnitudes = sum_of_magnitudes(filter.taps.weights);
                              filter.bound = error_bound(filter.taps, filter.magnitudes, 0, job);
                              return filter;
                            },
                        .words = [](const Taps&, double) { return std::string(" as one tap"); }};

std::vector<const MethodRecord*> with_moving(const Backend& backend) {
  std::vector<const MethodRecord*> methods = methods_of(backend);
  std::erase_if(methods, [](const MethodRecord* method) { return method->method == moving.method; });
  methods.push_back(&moving);
  return methods;
}

Choice chosen(const PlanSpec& spec) {
  const Backend& backend = backend_for(spec.device);
  return choose(check(spec), spec.options, backend, spec.device, with_moving(backend));
}

TEST(Methods, AreAddedByARecord) {
  std::vector<double> weights(std::size_t{15} * 17, 0.0);
  weights[40] = -3;
  const Image image = [] {
    Image made({.height = 60, .width = 90}, Pixel::i16);
    for (std::int64_t i = 0; i < 5400; ++i)
      reinterpret_cast<std::int16_t*>(made.view().data)[i] = static_cast<std::int16_t>(i * 7919 % 2003 - 1000);
    return made;
  }();
  const PlanSpec spec{.shape = image.shape(),
                      .pixel = image.pixel(),
                      .filters = {Filter::dense({.height = 15, .width = 17}, weights)},
                      .options = {.border = Border::wrap()}};
  const Choice choice = chosen(spec);
  EXPECT_EQ(choice.reasons.at(0).method, &moving);
  EXPECT_EQ(choice.job->filters.at(0).size, (Space{1, 1, 1}));

  const auto runner = backend_for(spec.device).prepare(choice.job, spec.device);
  Image out(image.shape(), Pixel::i16);
  std::vector<std::byte> workspace(runner->workspace_bytes() + 64);
  auto* const begin = workspace.data() + (64 - reinterpret_cast<std::uintptr_t>(workspace.data()) % 64) % 64;
  const View view = out.view();
  runner->run(image, {&view, 1}, {begin, runner->workspace_bytes()}, {});
  const Image expected = convolve(image, spec.filters[0], spec.options, reference());
  EXPECT_EQ(std::memcmp(out.view().data, expected.view().data, std::size_t{2} * 5400), 0);
}

TEST(Methods, RefuseByTheirOwnWords) {
  PlanSpec spec{.shape = {.height = 60, .width = 90},
                .pixel = Pixel::i16,
                .filters = {Filter::dense({.height = 1, .width = 3}, {1, 0, 5})}};
  EXPECT_NE(chosen(spec).reasons.at(0).method, &moving);
  spec.options.method = moving.method;
  EXPECT_THAT(message_of([&] { (void)chosen(spec); }), testing::HasSubstr("has several weights"));
}

TEST(Methods, HaveARecordEach) {
  for (const MethodRecord* const record : all_methods()) EXPECT_EQ(&record_of(record->method), record);
}

}  // namespace
}  // namespace halation
