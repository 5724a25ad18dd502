// list.h: what each rung's file defines; ladder.cpp makes the list of it.
//
// NAME(problem, in, out) of a rung on the CPU computes; NAME(problem) of a rung on the GPU makes a run ready,
// and exists in builds with CUDA alone. Limits stand here rather than in CUDA files, so that every build can
// list them; a GPU rung sizes its arrays by its limit.
#pragma once

#include <memory>

#include "ladder/ladder.h"

namespace halation::ladder {

void cpu_1d(const Problem& problem, const float* in, float* out);
std::unique_ptr<GpuRun> basic_1d(const Problem& problem);
std::unique_ptr<GpuRun> constant_1d(const Problem& problem);
std::unique_ptr<GpuRun> tiled_halo_1d(const Problem& problem);
std::unique_ptr<GpuRun> tiled_cached_1d(const Problem& problem);
std::unique_ptr<GpuRun> library_1d(const Problem& problem);

void cpu_naive_2d(const Problem& problem, const float* in, float* out);
void cpu_library_2d(const Problem& problem, const float* in, float* out);
std::unique_ptr<GpuRun> naive_2d(const Problem& problem);
std::unique_ptr<GpuRun> constant_2d(const Problem& problem);
std::unique_ptr<GpuRun> tiled_input_block_2d(const Problem& problem);
std::unique_ptr<GpuRun> tiled_output_block_2d(const Problem& problem);
std::unique_ptr<GpuRun> tiled_cached_2d(const Problem& problem);
std::unique_ptr<GpuRun> texture_2d(const Problem& problem);
std::unique_ptr<GpuRun> separable_shared_2d(const Problem& problem);
std::unique_ptr<GpuRun> separable_optimised_2d(const Problem& problem);
std::unique_ptr<GpuRun> library_2d(const Problem& problem);

void cpu_3d(const Problem& problem, const float* in, float* out);
std::unique_ptr<GpuRun> naive_3d(const Problem& problem);
std::unique_ptr<GpuRun> constant_3d(const Problem& problem);
std::unique_ptr<GpuRun> tiled_3d(const Problem& problem);
std::unique_ptr<GpuRun> library_3d(const Problem& problem);

/// The largest radius of each rung, or of all rungs of so many dimensions that keep the filter in memory.
namespace most_radius {
inline constexpr int in_memory_1d = 65'536;    ///< a loop of any length
inline constexpr int constant_1d = 8'191;      ///< 2r + 1 floats in the 64 KB of constant memory
inline constexpr int tiled_halo_1d = 6'016;    ///< 256 + 2r floats in 48 KB of shared memory
inline constexpr int tiled_cached_1d = 8'191;  ///< as constant

inline constexpr int in_memory_2d = 256;  ///< loops of any length
inline constexpr int constant_2d = 63;    ///< (2r + 1)² floats in the 64 KB of constant memory
inline constexpr int tiled_2d = 16;       ///< (2r + 1)² floats in a kernel parameter, 4.4 KB
inline constexpr int separable_2d = 64;   ///< 80 + 2r rows of 16 or 32 floats in 48 KB of shared memory

inline constexpr int in_memory_3d = 32;  ///< loops of any length
inline constexpr int constant_3d = 12;   ///< (2r + 1)³ floats in the 64 KB of constant memory
inline constexpr int tiled_3d = 7;       ///< (32 + 2r)·(4 + 2r)² floats in 64 KB of shared memory
}  // namespace most_radius

}  // namespace halation::ladder
