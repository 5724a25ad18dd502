// whole_images.cuh: many small images: a block takes some whole ones, brings them into shared memory with all that lies around them, and
// each of its threads computes a tile of outputs from there.
//
//   block → outputs    as many images as have 128 tiles, or one that has up to 256; a thread has 4 columns × 8 rows
//   shared memory      the images as f32, each with what the filter reads around it
//   staging            the threads of an image bring it: four elements at a time where rows lie on boundaries of as many and over their
//                      outputs; else, and beside them, element by element; from rows and columns that tables give
//   operations         dense: K² multiply-adds an output, those of tiles that reach out of an image included
//   traffic            DRAM: each element once; shared memory: (8 + K − 1) / 8 · (4 + 2 · K / 2) / 4 loads an output, four at once
//   outputs            four at a time likewise; else by way of shared memory, neighbours by neighbouring threads
//   limits             sums in f32; K = 3, 5, 7 (others are set into the next size with zeros, where 0 · input cannot be NaN); C = 1 to 4
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/parts/neighbours.cuh"
#include "cuda/parts/pixels.cuh"
#include "cuda/parts/with_pixel.cuh"
#include "cuda/whole_images/arguments.cuh"

namespace halation::cuda_backend {

namespace whole_images_steps {

/// Bytes of an image's plane from the first.
__device__ __forceinline__ std::int64_t place_of(const WholeImagesArguments& job, unsigned image, std::int64_t plane, std::int64_t batch,
                                                 std::int64_t channel) {
  const unsigned of_depth = job.depth.quotient(image);
  const unsigned of_batch = job.batch.quotient(of_depth);
  return (image - of_depth * job.depth.by) * plane + (of_depth - of_batch * job.batch.by) * batch + of_batch * channel;
}

/// Four elements side by side, as numbers.
template <class T>
__device__ __forceinline__ float4 four_numbers(const std::byte* from) {
  if constexpr (sizeof(T) == 4) {
    return __ldg(reinterpret_cast<const float4*>(from));
  } else if constexpr (sizeof(T) == 2) {
    const uint2 two = __ldg(reinterpret_cast<const uint2*>(from));
    return make_float4(number_in<T>(two.x, 0), number_in<T>(two.x, 2), number_in<T>(two.y, 0), number_in<T>(two.y, 2));
  } else {
    const unsigned word = __ldg(reinterpret_cast<const unsigned*>(from));
    return make_float4(number_in<T>(word, 0), number_in<T>(word, 1), number_in<T>(word, 2), number_in<T>(word, 3));
  }
}

/// A thread's image in shared memory, and its share of what is staged of it: as many threads have one image as it has tiles.
struct Share {
  const std::byte* from;  // the image
  float* first;           // number under its first output
  const int* columns;     // of the input for each staged one, in elements; −1 for the constant
  const int* rows;
  unsigned thread, threads;
};

/// All staged rows, four elements at a time, from the thread's number `first` on, where rows are copied so.
template <class T>
class Fours {
 public:
  static constexpr int at_once = 5;  // on their way

  __device__ __forceinline__ void load(const WholeImagesArguments& job, const Share& share, unsigned first) {
    const auto outside = static_cast<float>(job.border_y.constant);
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const unsigned four = first + k * share.threads;
      if (four >= all(job)) continue;
      const auto [y, across] = place_of(job, four);
      held_[k] = make_float4(outside, outside, outside, outside);
      if (const int row = share.rows[y]; row >= 0) held_[k] = four_numbers<T>(share.from + row * job.in_row + across * (4 * sizeof(T)));
    }
  }
  __device__ __forceinline__ void store(const WholeImagesArguments& job, const Share& share, unsigned first) const {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const unsigned four = first + k * share.threads;
      if (four >= all(job)) continue;
      const auto [y, across] = place_of(job, four);
      *reinterpret_cast<float4*>(share.first + y * job.pitch + 4 * across) = held_[k];
    }
  }
  static __device__ __forceinline__ unsigned all(const WholeImagesArguments& job) {
    return job.by_fours ? static_cast<unsigned>(job.staged_rows) * job.fours_across.by : 0;
  }

 private:
  struct Place {
    unsigned y, across;
  };
  static __device__ __forceinline__ Place place_of(const WholeImagesArguments& job, unsigned four) {
    const unsigned y = job.fours_across.quotient(four);
    return {y, four - y * job.fours_across.by};
  }

  float4 held_[at_once];
};

/// The columns beside them, or all, likewise one at a time.
template <class T, int Reach>
class Singles {
 public:
  static constexpr int at_once = 3;

  __device__ __forceinline__ void load(const WholeImagesArguments& job, const Share& share, unsigned first) {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const unsigned single = first + k * share.threads;
      to_[k] = -1;
      if (single >= all(job)) continue;
      const auto y = static_cast<int>(job.singles_across.quotient(single));
      int x = static_cast<int>(single) - y * static_cast<int>(job.singles_across.by);
      if (job.by_fours && x >= Reach) x += job.columns;
      to_[k] = y * job.pitch + x;
      const int row = share.rows[y];
      const int column = share.columns[x];
      // Where both axes are outside, height gives the constant, as Job::constant_at has it.
      held_[k] = static_cast<float>(row < 0 ? job.border_y.constant : job.border_x.constant);
      if (row >= 0 && column >= 0) held_[k] = load_constant<T, float>(share.from + row * job.in_row + column * static_cast<int>(sizeof(T)));
    }
  }
  __device__ __forceinline__ void store(const Share& share) const {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (to_[k] >= 0) share.first[to_[k] - Reach] = held_[k];
    }
  }
  static __device__ __forceinline__ unsigned all(const WholeImagesArguments& job) {
    return static_cast<unsigned>(job.staged_rows) * job.singles_across.by;
  }

 private:
  float held_[at_once];
  int to_[at_once];
};

/// Both together: what is waited for is waited for once.
template <class T, int Reach>
__device__ __forceinline__ void stage(const WholeImagesArguments& job, const Share& share) {
  Fours<T> fours;
  Singles<T, Reach> singles;
  unsigned four = share.thread, single = share.thread;
#pragma unroll 1
  while (four < fours.all(job) || single < singles.all(job)) {
    fours.load(job, share, four);
    singles.load(job, share, single);
    fours.store(job, share, four);
    singles.store(share);
    four += fours.at_once * share.threads;
    single += singles.at_once * share.threads;
  }
}

/// A tile's sums, from its first number on.
template <int K, int C, class Tile>
__device__ __forceinline__ void sum_tile(const WholeImagesArguments& job, const float* from, float (&sums)[Tile::rows][Tile::columns]) {
#pragma unroll
  for (int j = 0; j < Tile::rows + K - 1; ++j) {
    float window[Tile::window];
#pragma unroll
    for (int i = 0; i < Tile::window; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(from + j * job.pitch + i);
      window[i] = four.x;
      window[i + 1] = four.y;
      window[i + 2] = four.z;
      window[i + 3] = four.w;
    }
#pragma unroll
    for (int ky = 0; ky < K; ++ky) {
      if (j - ky < 0 || j - ky >= Tile::rows) continue;
#pragma unroll
      for (int kx = 0; kx < K; ++kx) {
#pragma unroll
        for (int v = 0; v < Tile::columns; ++v)
          sums[j - ky][v] += job.weights[ky * K + kx] * window[4 * Tile::pieces - Tile::reach + v + kx * C];
      }
    }
  }
}

}  // namespace whole_images_steps

template <int K, int C>
__global__ void __launch_bounds__(whole_images_most_threads,
                                  (whole_images_threads<K, C>() / whole_images_most_threads))
    whole_images_kernel(const __grid_constant__ WholeImagesArguments job) {
  using namespace whole_images_steps;
  using Tile = WholeImagesTile<K, C>;
  extern __shared__ float4 whole_images_memory[];
  auto* const numbers = reinterpret_cast<float*>(whole_images_memory);
  auto* const columns = reinterpret_cast<int*>(numbers + job.images * job.image_numbers);
  int* const rows_of_input = columns + job.staged_columns;
  const auto threads = static_cast<int>(blockDim.x);
  const auto thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < job.staged_columns; i += threads) {
    const int pixel = i / C;
    const int source = job.border_x.source<int>(pixel + job.first_x);
    columns[i] = source < 0 ? -1 : source * C + (i - pixel * C);
  }
  for (int i = thread; i < job.staged_rows; i += threads) rows_of_input[i] = job.border_y.source<int>(i + job.first_y);
  const unsigned first_image = blockIdx.x * job.images;
  const unsigned images = min(job.images, job.all_images - static_cast<int>(first_image));
  const unsigned image = job.tiles.quotient(threadIdx.x);  // of this thread
  const unsigned tile = threadIdx.x - image * job.tiles.by;
  const bool exists = image < images;
  float* const own_numbers = numbers + image * job.image_numbers;
  __syncthreads();
  if (exists) {
    const Share share{job.in + place_of(job, first_image + image, job.in_plane, job.in_batch, job.in_channel),
                      own_numbers + 4 * Tile::pieces,
                      columns,
                      rows_of_input,
                      tile,
                      job.tiles.by};
    with_bytes<float>(element_bytes(job.in_pixel), [&]<int Bytes>() {
      with_element<Bytes>(job.in_pixel, [&](auto element) {
        using T = decltype(element);
        stage<T, Tile::reach>(job, share);
      });
    });
  }
  __syncthreads();

  const auto tile_row = static_cast<int>(job.tiles_across.quotient(tile));
  const int row = tile_row * Tile::rows;
  const int column = (static_cast<int>(tile) - tile_row * static_cast<int>(job.tiles_across.by)) * Tile::columns;
  float sums[Tile::rows][Tile::columns] = {};
  if (exists) sum_tile<K, C, Tile>(job, own_numbers + row * job.pitch + column, sums);
  if (job.offset != 0) {
#pragma unroll
    for (auto& of_row : sums) {
#pragma unroll
      for (float& sum : of_row) sum += job.offset;
    }
  }
  const int rows = exists ? min(Tile::rows, job.rows - row) : 0;
  if (job.fours_out) {
    std::byte* const to = job.out + place_of(job, first_image + image, job.out_plane, job.out_batch, job.out_channel) + row * job.out_row;
    with_pixel(job.out_pixel, [&](auto element) {
      using T = decltype(element);
#pragma unroll
      for (int r = 0; r < Tile::rows; ++r) {
        if (r >= rows) break;
        store_four<T>(to + r * job.out_row + column * static_cast<int>(sizeof(T)), sums[r], job.rounding);
      }
    });
    return;
  }
  // By way of shared memory, over what was read: rows as they are in the output.
  __syncthreads();
  float* const own = own_numbers + row * job.columns + column;
#pragma unroll
  for (int r = 0; r < Tile::rows; ++r) {
#pragma unroll
    for (int v = 0; v < Tile::columns; ++v) {
      if (r < rows && column + v < job.columns) own[r * job.columns + v] = sums[r][v];
    }
  }
  __syncthreads();
  const int elements = job.rows * job.columns;
  for (unsigned i = 0; i < images; ++i) {
    const float* const from = numbers + i * job.image_numbers;
    std::byte* const to = job.out + place_of(job, first_image + i, job.out_plane, job.out_batch, job.out_channel);
    with_pixel(job.out_pixel, [&](auto element) {
      using T = decltype(element);
      // A thread's places advance by as many columns and rows each time.
      int y = thread / job.columns;
      int x = thread - y * job.columns;
      const int down = threads / job.columns;
      const int right = threads - down * job.columns;
      for (int e = thread; e < elements; e += threads) {
        store_as<T>(to + y * job.out_row + x * static_cast<int>(sizeof(T)), from[e], job.rounding);
        x += right;
        y += down;
        if (x >= job.columns) {
          x -= job.columns;
          ++y;
        }
      }
    });
  }
}

template <int K, int C>
WholeImagesKernel whole_images_of() {
  return {whole_images_kernel<K, C>, whole_images_threads<K, C>()};
}

template <int K>
WholeImagesKernel whole_images_kernel_of(int channels) {
  switch (channels) {
    case 2:
      return whole_images_of<K, 2>();
    case 3:
      return whole_images_of<K, 3>();
    case 4:
      return whole_images_of<K, 4>();
    default:
      return whole_images_of<K, 1>();
  }
}

}  // namespace halation::cuda_backend
