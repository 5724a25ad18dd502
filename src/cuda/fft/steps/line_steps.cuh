// line_steps.cuh: transforms of R · R · A complex numbers in shared memory, R (16 or 12) of them a thread.
#pragma once

#include "cuda/fft/samples.cuh"

namespace halation::cuda_backend {

/// Of three steps: R numbers that lie R · A apart, R that lie A apart, A neighbours. What they leave behind stays where it is, so that
/// digits are reversed.
template <class T, int A, int R = 16>
struct FftLineSize {
  static constexpr int length = R * R * A;
  static constexpr int threads = R * A;
  static constexpr int blocks = (sizeof(T) == 8 ? 512 : 768) / threads;
  static constexpr std::size_t shared_bytes = length / R * (R + 1) * sizeof(Complex<T>);
  static_assert(R % A == 0);
  /// Where number n lies: one place after R is left free, so that neighbours and those A or R · A apart fall into all banks. Of multiples
  /// of R, and of A with what is less, it is the sum of the parts'.
  __device__ __forceinline__ static constexpr int place(int n) { return n + n / R; }
};

/// Number t + R · A · i in, where t is the thread's, as v[i]; `first` is the numbers' place in shared memory. Out: results in an order of
/// their own. Roots: e^(−2πi · t · (k + shift) / length) at R · A · k + t, and then e^(−2πi · n · k / (R · A)) at A · k + n.
template <class T, int A, int R>
__device__ __forceinline__ void line_forth(Complex<T> (&v)[R], Complex<T>* first, const Complex<T>* roots) {
  using Size = FftLineSize<T, A, R>;
  constexpr int step = R * A;
  const int t = thread_now();
  transform<-1, R>(v);
#pragma unroll
  for (int i = 0; i < R; ++i) first[Size::place(step * result_of<R>(i)) + Size::place(t)] = v[i] * ldg(roots + step * result_of<R>(i) + t);
  __syncthreads();
  const int n = t % A;
  Complex<T>* const second = first + Size::place(step * (t / A)) + n;
#pragma unroll
  for (int i = 0; i < R; ++i) v[i] = second[Size::place(A * i)];
  transform<-1, R>(v);
#pragma unroll
  for (int i = 0; i < R; ++i)
    second[Size::place(A * result_of<R>(i))] = result_of<R>(i) == 0 ? v[i] : v[i] * ldg(roots + Size::length + A * result_of<R>(i) + n);
  __syncthreads();
#pragma unroll
  for (int j = 0; j < R / A; ++j) {
    const Complex<T>* const third = first + Size::place(A * (t + step * j));
#pragma unroll
    for (int i = 0; i < A; ++i) v[A * j + i] = third[i];
    transform<-1, A>(v + A * j);
  }
}

/// The way back.
template <class T, int A, int R>
__device__ __forceinline__ void line_back(Complex<T> (&v)[R], Complex<T>* first, const Complex<T>* roots) {
  using Size = FftLineSize<T, A, R>;
  constexpr int step = R * A;
  const int t = thread_now();
#pragma unroll
  for (int j = 0; j < R / A; ++j) {
    transform<1, A>(v + A * j);
    Complex<T>* const third = first + Size::place(A * (t + step * j));
#pragma unroll
    for (int i = 0; i < A; ++i) third[i] = v[A * j + i];
  }
  __syncthreads();
  const int n = t % A;
  Complex<T>* const second = first + Size::place(step * (t / A)) + n;
#pragma unroll
  for (int i = 0; i < R; ++i) {
    v[i] = second[Size::place(A * result_of<R>(i))];
    if (result_of<R>(i) != 0) v[i] = times_conjugate(v[i], ldg(roots + Size::length + A * result_of<R>(i) + n));
  }
  transform<1, R>(v);
#pragma unroll
  for (int i = 0; i < R; ++i) second[Size::place(A * i)] = v[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < R; ++i) v[i] = times_conjugate(first[Size::place(step * result_of<R>(i)) + Size::place(t)], ldg(roots + step * result_of<R>(i) + t));
  transform<1, R>(v);
}

}  // namespace halation::cuda_backend
