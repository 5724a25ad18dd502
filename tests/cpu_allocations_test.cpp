// cpu_allocations_test.cpp: Plan::run takes no memory from the system on the CPU, with a workspace or, after a first run,
// without.
//
// This executable has malloc, its relatives and operator new in its own hands, for every library that it loads. While counting is
// on, each call notes who made it. oneTBB keeps its tasks in pools of its own, which it fills by such calls or past them
// (tbbmalloc); a pool may grow whenever more tasks are under way than ever before. So the calls that come from oneTBB are counted
// apart: of all others there may be none, of oneTBB's less than one a run.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "halation/halation.h"
#include "numbers.h"

// Sanitizers have malloc in their hands, and other C libraries no second name for it.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HALATION_COUNTS_ALLOCATIONS 1
#else
#define HALATION_COUNTS_ALLOCATIONS 0
#endif

namespace {

constexpr std::size_t most_callers = 4096;
std::atomic<bool> counting{false};
std::atomic<std::size_t> calls{0};
std::array<const void*, most_callers> callers;

[[maybe_unused]] void note(const void* caller) {
  if (!counting.load(std::memory_order_relaxed)) return;
  const std::size_t call = calls++;
  if (call < most_callers) callers[call] = caller;
}

}  // namespace

#if HALATION_COUNTS_ALLOCATIONS
// The C library's own names for what is replaced. NOLINTBEGIN(bugprone-reserved-identifier,cert-*,readability-*)
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);

void* malloc(std::size_t bytes) noexcept {
  note(__builtin_return_address(0));
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  note(__builtin_return_address(0));
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) noexcept {
  note(__builtin_return_address(0));
  return __libc_realloc(memory, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  note(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  note(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  note(__builtin_return_address(0));
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}
// NOLINTEND(bugprone-reserved-identifier,cert-*,readability-*)

// Beside malloc, so that the caller of new is noted and not the C++ library.
void* operator new(std::size_t bytes) {
  note(__builtin_return_address(0));
  if (void* memory = __libc_malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  note(__builtin_return_address(0));
  if (void* memory = __libc_memalign(static_cast<std::size_t>(alignment), bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { __libc_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { __libc_free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { __libc_free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { __libc_free(memory); }
#endif

namespace halation {
namespace {

/// What asked for memory while `work` ran.
struct Asked {
  std::size_t by_tbb = 0;
  std::vector<std::string> by_others;
};

template <class Work>
Asked asked_during(const Work& work) {
  calls = 0;
  counting = true;
  work();
  counting = false;
  const std::size_t noted = std::min(calls.load(), most_callers);
  Asked asked;
  for (std::size_t i = 0; i < noted; ++i) {
    Dl_info from{};
    const std::string file = dladdr(callers[i], &from) != 0 && from.dli_fname != nullptr ? from.dli_fname : "?";
    if (file.find("libtbb") != std::string::npos) {
      ++asked.by_tbb;
    } else {
      const auto offset = reinterpret_cast<const char*>(callers[i]) - reinterpret_cast<const char*>(from.dli_fbase);
      asked.by_others.push_back(file + " at " + std::to_string(offset) +
                                (from.dli_sname != nullptr ? std::string(", ") + from.dli_sname : ""));
    }
  }
  return asked;
}

class CpuAllocations : public testing::Test {
 protected:
  void SetUp() override {
    if (!HALATION_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc cannot be replaced here";
  }
};

TEST_F(CpuAllocations, AreCounted) {
  const auto calls_of = [](auto allocate, auto release) {
    return asked_during([&] {
             void* memory = allocate();
             asm volatile("" : "+g"(memory) : : "memory");  // or the optimiser removes both calls
             release(memory);
           })
        .by_others.size();
  };
  const auto free = [](void* memory) { std::free(memory); };
  EXPECT_EQ(calls_of([] { return std::malloc(10); }, free), 1U);
  EXPECT_EQ(calls_of([] { return std::calloc(10, 2); }, free), 1U);
  EXPECT_EQ(calls_of([] { return std::realloc(nullptr, 10); }, free), 1U);
  EXPECT_EQ(calls_of([] { return std::aligned_alloc(64, 128); }, free), 1U);
  EXPECT_EQ(calls_of([] { return operator new(10); }, [](void* memory) { operator delete(memory); }), 1U);
  constexpr std::align_val_t line{64};
  EXPECT_EQ(calls_of([] { return operator new(10, line); }, [](void* memory) { operator delete(memory, line); }), 1U);
  EXPECT_EQ(calls_of([] { return static_cast<void*>(nullptr); }, free), 0U);
}

std::vector<double> weights_of(std::int64_t count, double total) {
  Numbers numbers(5);
  std::vector<double> weights;
  for (std::int64_t i = 0; i < count; ++i) weights.push_back((numbers.next() + 0.1) * total / static_cast<double>(count));
  return weights;
}

Filter dense(std::int64_t height, std::int64_t width, std::int64_t depth = 1) {
  return Filter::dense({depth, height, width}, weights_of(depth * height * width, 1));
}

Filter product(std::int64_t taps) { return Filter::separable({.y = weights_of(taps, 1), .x = weights_of(taps, 1)}); }

Filter window(std::int64_t taps) {
  const std::vector<double> equal(static_cast<std::size_t>(taps), 1.0 / static_cast<double>(taps));
  return Filter::separable({.y = equal, .x = equal});
}

/// Where the elements of an image lie.
enum class Place { packed, planar, mirrored, half };

/// Views into one piece of memory per image: of `half`, the left halves of rows are in and the right halves out.
struct Images {
  Image first, second;
  View in, out;

  Images(const Plan& plan, const PlanSpec& spec, Place place) {
    Shape outer = spec.shape;
    if (place == Place::half) outer.width *= 2;
    const Layout layout = place == Place::planar ? Layout::planar : Layout::interleaved;
    first = Image(outer, spec.pixel, layout);
    second = Image(plan.output_shape(), plan.output_pixel(), layout);
    std::fill_n(first.view().data, outer.elements() * static_cast<std::int64_t>(bytes_of(spec.pixel)), std::byte{1});
    in = first.view();
    out = second.view();
    const auto part = [&](std::int64_t x) {
      return first.view().crop({.x = x, .depth = spec.shape.depth, .height = spec.shape.height, .width = spec.shape.width});
    };
    if (place == Place::half) {
      in = part(0);
      out = part(spec.shape.width);
    } else if (place == Place::mirrored) {
      in.data += (in.shape.width - 1) * in.strides.width;
      in.strides.width = -in.strides.width;
    }
  }
};

struct Job {
  const char* name;
  Pixel pixel;
  Filter filter;
  Method method;
  Shape shape = {.height = 300, .width = 1500};
  Place place = Place::packed;
  Borders border = Border::reflect101();
};

std::vector<Job> jobs() {
  const Shape colour{.height = 200, .width = 700, .channels = 3};
  const Shape volume{.depth = 40, .height = 50, .width = 60};
  return {
      {"f32 3x3", Pixel::f32, dense(3, 3), Method::direct},
      {"f64 3x3", Pixel::f64, dense(3, 3), Method::direct},
      {"u16 5x5", Pixel::u16, dense(5, 5), Method::direct},
      {"u8 3x3", Pixel::u8, dense(3, 3), Method::direct},
      {"u8 15x15 colour", Pixel::u8, dense(15, 15), Method::direct, colour},
      {"f32 separable", Pixel::f32, product(31), Method::separable},
      {"f64 separable", Pixel::f64, product(7), Method::separable},
      {"u8 separable", Pixel::u8, product(7), Method::separable},
      {"u8 separable colour", Pixel::u8, product(31), Method::separable, colour},
      {"f32 box", Pixel::f32, window(9), Method::box},
      {"f32 tall box", Pixel::f32, window(41), Method::box},
      {"f64 box", Pixel::f64, window(9), Method::box},
      {"u8 box", Pixel::u8, window(9), Method::box},
      {"u16 box", Pixel::u16, window(9), Method::box},
      {"f32 volume", Pixel::f32, dense(5, 5, 5), Method::direct, volume},
      {"u8 volume", Pixel::u8, dense(3, 3, 3), Method::direct, volume},
      {"f32 planar", Pixel::f32, dense(3, 3), Method::direct, colour, Place::planar},
      {"u8 mirrored", Pixel::u8, product(7), Method::separable, colour, Place::mirrored},
      {"f32 halves of an image", Pixel::f32, dense(3, 3), Method::direct, {.height = 300, .width = 1500}, Place::half},
      {"f32 constant around",
       Pixel::f32,
       dense(9, 9),
       Method::direct,
       {.height = 300, .width = 1500},
       Place::packed,
       Border::constant(2)},
      {"f32 16x16", Pixel::f32, dense(3, 3), Method::direct, {.height = 16, .width = 16}},
  };
}

/// Runs that are counted, after as many that warm up.
constexpr int runs = 100;

void expect_none(const char* name, const Plan& plan, const ConstView& in, std::span<const View> outs, int threads) {
  std::vector<std::byte> memory(plan.workspace_bytes() + 64);
  const std::size_t before = (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
  const std::span workspace = std::span(memory).subspan(before, plan.workspace_bytes());
  for (const bool given : {true, false}) {
    const RunOptions options{.stream = {}, .workspace = given ? workspace : std::span<std::byte>()};
    const auto run_all = [&] {
      for (int i = 0; i < runs; ++i) plan.run(in, outs, options);
    };
    run_all();
    const Asked asked = asked_during(run_all);
    const std::string what =
        std::string(name) + ", " + std::to_string(threads) + " threads, " + (given ? "a" : "no") + " workspace";
    EXPECT_TRUE(asked.by_others.empty()) << what << ": " << asked.by_others.size() << " calls, the first from "
                                         << asked.by_others.front();
    EXPECT_LT(asked.by_tbb, threads == 1 ? 1U : static_cast<std::size_t>(runs)) << what;
  }
}

TEST_F(CpuAllocations, NoneByRunsOfOneFilter) {
  for (const Job& job : jobs()) {
    for (const int threads : {1, 2}) {
      const PlanSpec spec{.shape = job.shape,
                          .pixel = job.pixel,
                          .filters = {job.filter},
                          .options = {.border = job.border, .method = job.method, .threads = threads}};
      const Plan plan(spec);
      const Images images(plan, spec, job.place);
      expect_none(job.name, plan, images.in, {&images.out, 1}, threads);
    }
  }
}

TEST_F(CpuAllocations, NoneByRunsOfSeveralFilters) {
  for (const Pixel pixel : {Pixel::u8, Pixel::f32, Pixel::f64}) {
    for (const Combine combine : {Combine::none, Combine::magnitude}) {
      for (const int threads : {1, 2}) {
        const PlanSpec spec{.shape = {.height = 100, .width = 900},
                            .pixel = pixel,
                            .filters = {dense(3, 3), product(3)},
                            .combine = combine,
                            .options = {.threads = threads}};
        const Plan plan(spec);
        Image in(spec.shape, pixel);
        std::fill_n(in.view().data, spec.shape.elements() * static_cast<std::int64_t>(bytes_of(pixel)), std::byte{1});
        std::vector<Image> images;
        std::vector<View> outs;
        for (std::size_t i = 0; i < plan.outputs(); ++i) outs.push_back(images.emplace_back(spec.shape, pixel).view());
        expect_none(combine == Combine::none ? "two filters" : "magnitude", plan, in.view(), outs, threads);
      }
    }
  }
}

}  // namespace
}  // namespace halation
