// float_state.h: the processor's floating-point state while halation computes, and the caller's again
// afterwards.
//
// Numbers too small to be normal (f32 below 2^-126, f64 below 2^-1022) are taken as 0, read or made: on
// Intel's cores each sum of such takes some 60 times as long as another, and the tails of Gaussians, fading
// sound and dark frames are full of them. `error_bound` counts what that takes. Everything else is as a
// program starts: rounding to nearest, no traps, whatever the caller has set.
#pragma once

#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
#define HALATION_FLOAT_STATE_X86
#elif defined(__aarch64__)
#define HALATION_FLOAT_STATE_ARM
#endif

namespace halation {

/// Puts the calling thread's state back when it ends, with the flags that the caller may read: oneTBB, too, takes a state of its own.
class KeepsFloatState {
 public:
  KeepsFloatState() : caller_(get()) {}
  ~KeepsFloatState() { set(caller_); }
  KeepsFloatState(const KeepsFloatState&) = delete;
  KeepsFloatState& operator=(const KeepsFloatState&) = delete;

 protected:
#if defined(HALATION_FLOAT_STATE_X86)
  using Word = unsigned int;
  static constexpr Word ours =
      0x1F80 | 0x8000 | 0x0040;  // all traps masked; results that are subnormal, operands that are: 0
  static Word get() { return _mm_getcsr(); }
  static void set(Word word) { _mm_setcsr(word); }
#elif defined(HALATION_FLOAT_STATE_ARM)
  struct Word {
    std::uint64_t control, flags;
  };
  static constexpr Word ours{.control = std::uint64_t{1} << 24, .flags = 0};  // FZ
  static Word get() {
    Word word{};
    asm volatile("mrs %0, fpcr" : "=r"(word.control));
    asm volatile("mrs %0, fpsr" : "=r"(word.flags));
    return word;
  }
  static void set(Word word) {
    asm volatile("msr fpcr, %0" : : "r"(word.control));
    asm volatile("msr fpsr, %0" : : "r"(word.flags));
  }
#else
  using Word = int;
  static constexpr Word ours = 0;
  static Word get() { return 0; }
  static void set(Word) {}
#endif

 private:
  Word caller_;
};

/// The state that halation computes in, of the calling thread, as long as it lives.
class FloatState : KeepsFloatState {
 public:
  FloatState() { set(ours); }
};

}  // namespace halation
