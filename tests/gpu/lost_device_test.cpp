// lost_device_test.cpp: a kernel of the process' own traps between runs of a plan: every call of the library
// then says so, what it holds goes without a crash, and the device serves other processes as before.
//
// Such an error cannot be undone inside a process, so all of it happens in a child that the test starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "images.h"
#include "trap.h"

namespace halation::gpu_test {
namespace {

struct Call {
  std::string name;
  std::function<void()> make;
  std::string says;  // where the sentence says that it failed
};

/// Whether the call fails as it should; tells of it where it does not.
bool refuses(const Call& call) {
  const auto wrong = [&](const std::string& what) {
    std::cerr << call.name << ": " << what << "\n";
    return false;
  };
  try {
    call.make();
  } catch (const Error& error) {
    const std::string sentence = error.what();
    const auto has = [&](const std::string& part) { return sentence.find(part) != std::string::npos; };
    if (error.code() != ErrorCode::device) return wrong("another code than device: " + sentence);
    if (!has("cuda: ")) return wrong("another error than CUDA's: " + sentence);
    if (!has(call.says)) return wrong("nothing about " + call.says + ": " + sentence);
    if (!has("this process has lost the device: start it again"))
      return wrong("nothing of what to do: " + sentence);
    return true;
  } catch (const std::exception& error) {
    return wrong(std::string("another exception than halation::Error: ") + error.what());
  }
  return wrong("no error");
}

/// The whole life of a process that loses its device: how many calls did not fail as they should.
int wrong_after_a_trap() {
  const Shape shape{.height = 67, .width = 131};
  const Image host = whole_image(shape, Pixel::f32, 1);
  const PlanSpec spec{.shape = shape,
                      .pixel = Pixel::f32,
                      .filters = {whole_filter({.height = 3, .width = 3}, 1)},
                      .device = cuda()};
  PlanSpec with_memory = spec;  // beyond the weights that travel with each launch
  with_memory.filters = {whole_filter({.height = 71, .width = 71}, 2)};
  with_memory.options.method = Method::direct;

  const Plan plan(spec);
  const Plan plan_with_memory(with_memory);
  const Image in = to_device(host, cuda());
  Image out = allocate(shape, Pixel::f32, cuda());
  Image pinned = allocate_pinned(shape, Pixel::f32);
  plan.run(in, out);
  copy(out.view(), pinned.view(), {});
  synchronise(cuda());
  if (!same_bits(pinned, convolve(host, spec.filters.front(), spec.options))) {
    std::cerr << "the device filtered wrongly before it was lost\n";
    return 1;
  }

  plan.run(in, out);
  launch_trap();
  const std::vector<Call> calls{
      {"the first wait", [] { synchronise(cuda()); }, "cudaStreamSynchronize"},
      {"a run", [&] { plan.run(in, out); }, " in "},
      {"a run with weights in memory", [&] { plan_with_memory.run(in, out); }, " in shared tile"},
      {"an upload", [&] { copy(host.view(), out.view(), {}); }, "cudaMemcpy"},
      {"a download", [&] { copy(out.view(), pinned.view(), {}); }, "cudaMemcpy"},
      {"an upload into new memory", [&] { (void)to_device(host, cuda()); }, " in "},
      {"a download into new memory", [&] { (void)to_device(out, cpu()); }, " in "},
      {"an allocation", [&] { (void)allocate(shape, Pixel::f32, cuda()); },
       "the allocation of device memory for image 67x131 f32"},
      {"a convolution", [&] { (void)convolve(in, spec.filters.front()); }, " in "},
      {"a plan with weights in memory", [&] { const Plan another(with_memory); }, " in "},
      // Others may be made, where CUDA lets them: they ask nothing of the device until they run.
      {"a new plan and its run",
       [&] {
         const Plan another(spec);
         another.run(in, out);
       },
       " in "},
      {"a wait", [] { synchronise(cuda()); }, "cudaStreamSynchronize"},
  };
  int wrong = 0;
  for (int turn = 0; turn < 3; ++turn) {
    for (const Call& call : calls) wrong += refuses(call) ? 0 : 1;
  }
  return wrong;  // and all images and plans go
}

/// The life of a process that loses its device while strips are on their way: how many runs did not fail as they should.
int wrong_after_a_trap_between_strips() {
  const Shape shape{.height = 4096, .width = 1024};
  const Image pageable = whole_image(shape, Pixel::f32, 1);
  Image pinned = allocate_pinned(shape, Pixel::f32);
  copy(pageable.view(), pinned.view());
  Image out = allocate_pinned(shape, Pixel::f32);
  std::int64_t strips_before = 3;
  StripFilter filter(shape, Pixel::f32, whole_filter({.height = 3, .width = 3}, 1), {}, {}, {},
                     {.devices = {cuda()}, .strip_bytes = 1 << 20, .progress = [&](const StripProgress&) {
                        if (--strips_before == 0) launch_trap();
                      }});
  FrameFilter frames(shape, Pixel::f32, whole_filter({.height = 3, .width = 3}, 1), {}, {}, {}, {.devices = {cuda()}});
  /// A source that is no view, so that strips are read by a thread of the run's own.
  class Rows final : public Source {
   public:
    explicit Rows(ConstView view) : view_(view) {}
    const Shape& shape() const override { return view_.shape(); }
    Pixel pixel() const override { return view_.pixel(); }
    void read(std::int64_t first, View to) override { view_.read(first, to); }

   private:
    ViewSource view_;
  };
  const std::vector<Call> calls{
      {"strips from pinned memory", [&] { filter.run(pinned, out); }, " in "},
      {"strips from memory that is not pinned", [&] { filter.run(pageable, out); }, " in "},
      {"strips of a source",
       [&] {
         Rows source(pinned);
         ViewSink sink(out);
         filter.run(source, sink);
       },
       " in "},
      {"frames",
       [&] {
         frames.run({.read = [&](std::int64_t frame, View) -> std::optional<ConstView> {
                       if (frame == 9) return {};
                       return pinned.view();
                     },
                     .write = [](std::int64_t, ConstView) {}});
       },
       " in "},
  };
  int wrong = 0;
  for (std::size_t turn = 0; turn < 3; ++turn) {
    for (const Call& call : calls) wrong += refuses(call) ? 0 : 1;
  }
  return wrong;
}

TEST(LostDevice, StripsEndAndSaySo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(wrong_after_a_trap_between_strips() == 0 ? EXIT_SUCCESS : EXIT_FAILURE),
              testing::ExitedWithCode(EXIT_SUCCESS), "");
  expect_working_device();
}

TEST(LostDevice, EveryCallSaysSoAndOtherProcessesGoOn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the child is this program, started anew
  EXPECT_EXIT(std::exit(wrong_after_a_trap() == 0 ? EXIT_SUCCESS : EXIT_FAILURE),
              testing::ExitedWithCode(EXIT_SUCCESS), "");
  expect_working_device();
}

TEST(LostDevice, TakesNoMemoryOfOtherProcesses) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  expect_working_device();
  const std::size_t before = free_bytes();
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EXIT(std::exit(wrong_after_a_trap() == 0 ? EXIT_SUCCESS : EXIT_FAILURE),
                testing::ExitedWithCode(EXIT_SUCCESS), "");
  }
  constexpr std::size_t of_others = std::size_t{32} << 20;
  EXPECT_GE(free_bytes() + of_others, before) << "memory was lost";
  expect_working_device();
}

}  // namespace
}  // namespace halation::gpu_test
