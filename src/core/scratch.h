// scratch.h: pieces of a workspace, each checked against what was counted for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace halation {

/// Hands out pieces of memory, one after another, each on a cache line: the caller's on the host, or on a device. Who counts what a run
/// needs adds up `bytes`, in the order of `take`.
class Scratch {
 public:
  explicit Scratch(std::span<std::byte> memory) : left_(memory) {}

  /// The next `count` elements. Throws where fewer are left, in every build: a missing byte that nobody counted would be another worker's.
  template <class T>
  T* take(std::int64_t count) {
    return reinterpret_cast<T*>(part(bytes<T>(count)).left_.data());
  }
  /// The next `size` bytes as scratch of their own.
  Scratch part(std::int64_t size) {
    if (size < 0 || static_cast<std::size_t>(size) > left_.size()) refuse(size);
    const auto taken = static_cast<std::size_t>(size);
    const Scratch piece(left_.first(taken));
    left_ = left_.subspan(taken);
    return piece;
  }
  std::span<std::byte> left() const { return left_; }

  template <class T>
  static constexpr std::int64_t bytes(std::int64_t count) {
    return (count * static_cast<std::int64_t>(sizeof(T)) + 63) / 64 * 64;
  }

 private:
  [[noreturn]] void refuse(std::int64_t size) const {
    throw std::logic_error("scratch: " + std::to_string(size) + " bytes were asked for, " + std::to_string(left_.size()) + " are left");
  }

  std::span<std::byte> left_;
};

}  // namespace halation
