// scratch_test.cpp: pieces of a workspace: what was counted for them is all that they get, and guards between workers.
#include "core/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "cpu/tiles/scratch.h"

namespace halation {
namespace {

using cpu_backend::WorkerScratch;

/// What a call that must not succeed says.
template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "none";
}

TEST(Scratch, HandsOutCacheLines) {
  alignas(64) std::array<std::byte, 256> memory{};
  Scratch scratch(memory);
  EXPECT_EQ(static_cast<void*>(scratch.take<float>(1)), memory.data());
  EXPECT_EQ(static_cast<void*>(scratch.take<double>(9)), memory.data() + 64);
  EXPECT_EQ(scratch.left().data(), memory.data() + 192);
  EXPECT_EQ(scratch.left().size(), 64U);
  EXPECT_EQ(static_cast<void*>(scratch.take<std::uint8_t>(64)), memory.data() + 192);
  EXPECT_EQ(static_cast<void*>(scratch.take<float>(0)), memory.data() + 256);
}

TEST(Scratch, CountsAsItHandsOut) {
  EXPECT_EQ(Scratch::bytes<float>(0), 0);
  EXPECT_EQ(Scratch::bytes<float>(1), 64);
  EXPECT_EQ(Scratch::bytes<double>(8), 64);
  EXPECT_EQ(Scratch::bytes<double>(9), 128);
}

TEST(Scratch, RefusesWhatNobodyCounted) {
  alignas(64) std::array<std::byte, 128> memory{};
  Scratch scratch(memory);
  scratch.take<float>(16);
  EXPECT_EQ(refusal_of([&] { scratch.take<double>(9); }), "scratch: 128 bytes were asked for, 64 are left");
  EXPECT_EQ(refusal_of([&] { scratch.part(-1); }), "scratch: -1 bytes were asked for, 64 are left");
  EXPECT_EQ(refusal_of([&] { scratch.part(65); }), "scratch: 65 bytes were asked for, 64 are left");
  EXPECT_EQ(refusal_of([&] { scratch.take<double>(8); }), "none") << "what was refused took nothing";
  EXPECT_EQ(refusal_of([&] { scratch.take<char>(1); }), "scratch: 64 bytes were asked for, 0 are left");
}

TEST(Scratch, PartsAreScratchOfTheirOwn) {
  alignas(64) std::array<std::byte, 256> memory{};
  Scratch scratch(memory);
  Scratch part = scratch.part(128);
  EXPECT_EQ(scratch.left().data(), memory.data() + 128);
  EXPECT_EQ(static_cast<void*>(part.take<float>(32)), memory.data());
  EXPECT_EQ(refusal_of([&] { part.take<float>(1); }), "scratch: 64 bytes were asked for, 0 are left");
  EXPECT_EQ(static_cast<void*>(scratch.take<float>(32)), memory.data() + 128);
}

TEST(WorkerScratch, GivesEachWorkerAPartOfItsOwn) {
  alignas(64) std::array<std::byte, 1024> memory{};
  const auto bytes = static_cast<std::size_t>(WorkerScratch::bytes(3, 128));
  ASSERT_LE(bytes, memory.size());
  const WorkerScratch own(std::span<std::byte>(memory).first(bytes), 3, 128);
  const std::byte* end = memory.data();
  for (int worker = 0; worker < 3; ++worker) {
    const std::span<std::byte> part = own.of(worker).left();
    EXPECT_GE(part.data(), end);
    EXPECT_EQ(part.size(), 128U);
    EXPECT_EQ((part.data() - memory.data()) % 64, 0);
    std::fill(part.begin(), part.end(), std::byte{1});
    end = part.data() + part.size();
  }
  EXPECT_LE(end, memory.data() + bytes);
}

/// Writes one byte behind the part of the worker.
void write_behind(int worker) {
  alignas(64) std::array<std::byte, 1024> memory{};
  const WorkerScratch own(std::span<std::byte>(memory).first(static_cast<std::size_t>(WorkerScratch::bytes(3, 128))), 3, 128);
  volatile std::byte* part = own.of(worker).left().data();
  part[128] = std::byte{1};
}

TEST(WorkerScratchDeathTest, EndsTheProgramOfWhoWritesBehindHisPart) {
  if (WorkerScratch::bytes(1, 128) == 128) GTEST_SKIP() << "builds without assertions have no guards";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
#if defined(__SANITIZE_ADDRESS__)
  const char* const said = "use-after-poison";  // on the spot
#else
  const char* const said = "halation: a worker wrote behind its scratch";
#endif
  for (const int worker : {0, 2}) EXPECT_DEATH(write_behind(worker), said);
}

}  // namespace
}  // namespace halation
