// dp4a.cuh: sums of integer weights over bytes, by products of four bytes at a time (DP4A).
//
// Of 3 and of 5 rows, words hold four neighbouring bytes of a column, so that four weights of it are one product: a stack for each
// column, onto which each row is pushed. 3 × 3 weights are 3 products an output and 5 × 5 are 5, and 2 more along the newest row;
// along rows alone they would be 3 and 10. 7 × 7 weights go along rows, two products each.
#pragma once

#include <cstdint>

#include "cuda/device/runtime.h"

namespace halation::cuda_backend {

/// sum + Σ byte · weight, of four unsigned bytes and four signed weights.
__device__ __forceinline__ std::int32_t four_products([[maybe_unused]] std::uint32_t bytes, [[maybe_unused]] std::int32_t weights,
                                                      std::int32_t sum) {
#if defined(__CUDA_ARCH__)
  asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(bytes), "r"(weights));
#endif
  return sum;
}

/// Which bytes an output's products of four bytes are of: a row's words w, or those that lie half a word later, t.
struct Product {
  int word;     // w[word], counted from the output's own
  bool later;   // t[word] instead
  int weights;  // which of a filter row's four words
};

/// The taps a, b, … of a filter row, by words: what each of four neighbouring outputs is multiplied with.
///   5 taps   abcd  bcde  ··e·  ·a··
///   7 taps   ·abc  defg  abcd  efg·
template <int K>
struct RowWords {
  static constexpr Product of(int byte, int i) {
    if constexpr (K == 5) {
      constexpr Product list[4][2] = {{{-1, true, 0}, {0, false, 2}},
                                      {{0, false, 1}, {-1, true, 3}},
                                      {{0, false, 0}, {0, true, 2}},
                                      {{0, true, 1}, {0, false, 3}}};
      return list[byte][i];
    } else {
      static_assert(K == 7);
      constexpr Product list[4][2] = {{{-1, false, 0}, {0, false, 1}},
                                      {{-1, true, 2}, {0, true, 3}},
                                      {{-1, true, 0}, {0, true, 1}},
                                      {{0, false, 2}, {1, false, 3}}};
      return list[byte][i];
    }
  }
};

/// A row (`Neighbours` of bytes) for products along it.
template <class Row, int V>
struct RowBytes {
  const Row& row;
  std::uint32_t later[V / 4 + 1];  // half a word after word i − 1

  explicit __device__ __forceinline__ RowBytes(const Row& of) : row(of) {
    static_assert(Row::halo_words == 1);
#pragma unroll
    for (int i = 0; i <= V / 4; ++i) later[i] = __byte_perm(row.word[i], row.word[i + 1], 0x5432);
  }
  /// Adds the `i`-th of two products of output v with a filter row's four words.
  template <int K>
  __device__ __forceinline__ std::int32_t add(int v, int i, const std::int32_t* words, std::int32_t sum) const {
    const Product product = RowWords<K>::of(v % 4, i);
    const int at = v / 4 + product.word + 1;
    return four_products(product.later ? later[at] : row.word[at], words[product.weights], sum);
  }
};

/// The last four bytes of each column of V outputs and of those that K taps reach on either side, C apart; the newest is the highest.
template <int K, int C, int V>
struct Stacks {
  static constexpr int reach = K / 2 * C;
  static_assert(K == 3 || (K == 5 && C == 1));

  std::uint32_t stack[V + 2 * reach];

  /// Sums of the outputs that the K rows up to this one give, which is pushed. The words are those of the filter's columns, K of
  /// them, and for 5 × 5 the four of its last row.
  template <class Row>
  __device__ __forceinline__ void add(const Row& row, const std::int32_t* words, std::int32_t (&sums)[V]) {
    if constexpr (K == 3) push(row);
#pragma unroll
    for (int kx = 0; kx < K; ++kx) {
#pragma unroll
      for (int v = 0; v < V; ++v) sums[v] = four_products(stack[v + kx * C], words[kx], kx == 0 ? 0 : sums[v]);
    }
    if constexpr (K == 5) {
      const RowBytes<Row, V> bytes(row);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int v = 0; v < V; ++v) sums[v] = bytes.template add<K>(v, i, words + K, sums[v]);
      }
      push(row);
    }
  }
  /// Without sums.
  template <class Row>
  __device__ __forceinline__ void push(const Row& row) {
#pragma unroll
    for (int i = 0; i < V + 2 * reach; ++i) {
      const int byte = i - reach + Row::reach;
      stack[i] = __byte_perm(stack[i], row.word[byte / 4], 0x4321 + (byte % 4 << 12));
    }
  }
};

}  // namespace halation::cuda_backend
