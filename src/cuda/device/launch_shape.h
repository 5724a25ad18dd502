// launch_shape.h: how a job is cut into blocks, what each block has to do, and which kernel does it: what a
// price is made of.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace halation::cuda_backend {

/// What makes an instance of a kernel slower, or quicker, than that over f32 pixels of one channel whose rows
/// begin on 16-byte boundaries.
enum class Trait : std::uint8_t {
  of_1_byte,  ///< elements of the input
  of_2_bytes,
  of_8_bytes,
  converts,     ///< outputs of another pixel than the input's, and than f32
  to_f32,       ///< outputs of f32, from others
  beside,       ///< channels side by side in a row
  unaligned,    ///< rows that begin on no 16-byte boundary
  strided,      ///< elements of a row apart
  one_by_one,   ///< rows longer than a block's lanes bring at once
  folded,       ///< a signal as rows that overlap
  wraps,        ///< the border along x
  far_borders,  ///< coordinates more than an image away
  checked,      ///< samples that may be infinite or NaN are looked for
  count
};
inline constexpr std::size_t trait_count = static_cast<std::size_t>(Trait::count);
inline constexpr std::array<std::string_view, trait_count> trait_names = std::to_array<std::string_view>(
    {"of 1 byte", "of 2 bytes", "of 8 bytes", "converts", "to f32", "beside", "unaligned", "strided",
     "one by one", "folded", "wraps", "far borders", "checked"});

class Traits {
 public:
  void set(Trait trait, bool is) { bits_ |= is ? 1U << static_cast<unsigned>(trait) : 0; }
  bool has(std::size_t trait) const { return (bits_ >> trait & 1U) != 0; }
  /// Calls `use(index)` for each.
  template <class Use>
  void for_each(const Use& use) const {
    for (unsigned left = bits_; left != 0; left &= left - 1)
      use(static_cast<std::size_t>(std::countr_zero(left)));
  }

 private:
  unsigned bits_ = 0;
};

struct LaunchShape {
  std::string_view kernel;  ///< whose figures count
  Traits traits{};
  bool sum_f64 = false;
  std::int64_t launches = 1;  ///< alike, one after another
  int starts = 0;             ///< of launches besides, which mostly have nothing to do
  std::int64_t blocks = 1;    ///< of each
  int together = 1;           ///< blocks that share a multiprocessor
  // What a block does: steps one after another, multiply-adds of a thread one after another, and of all its
  // threads outputs, elements brought to shared memory or registers, and multiply-adds; all but steps in
  // thousands.
  double steps = 0, chain = 0;
  double outputs = 0, staged = 0, mads = 0;
  double bytes = 0;  ///< read and written by all

  /// So many outputs, in thousands, shared evenly by all multiprocessors.
  void spread(double all_outputs, int multiprocessors) {
    blocks = multiprocessors;
    outputs = all_outputs / (multiprocessors * static_cast<double>(launches));
  }
};

/// Factors of all traits that change nothing.
constexpr std::array<double, trait_count> no_traits_count() {
  std::array<double, trait_count> all{};
  all.fill(1.0);
  return all;
}

/// What a kernel takes for each of these, as measured on a device.
struct KernelFigures {
  std::string kernel{};
  double start_us = 3;  ///< a launch
  double block_us = 0, step_us = 0,
         chain_us = 0;  ///< of a block where it runs, a step, a thousand multiply-adds of a thread
  double output_us = 0, steps_us = 0, staged_us = 0,
         mad_us = 0;  ///< a thousand outputs, a step, …, of a multiprocessor's time
  double memory_tb_s = 4,
         cached_tb_s = 6;  ///< terabytes a second that it reaches, and where the caches hold all
  std::array<double, trait_count> times =
      no_traits_count();  ///< so many times as long, start and memory aside
};

/// Calls `use(figure)` for each, in the order of texts; the factors of traits are none of these.
template <class Kernel, class Use>
void for_each_figure(Kernel& kernel, const Use& use) {
  use(kernel.start_us);
  use(kernel.block_us);
  use(kernel.step_us);
  use(kernel.chain_us);
  use(kernel.output_us);
  use(kernel.steps_us);
  use(kernel.staged_us);
  use(kernel.mad_us);
  use(kernel.memory_tb_s);
  use(kernel.cached_tb_s);
}

}  // namespace halation::cuda_backend
