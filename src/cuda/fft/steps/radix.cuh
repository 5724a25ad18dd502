// radix.cuh: discrete Fourier transforms of 2 to 16 complex numbers in registers, and roots of unity.
//
// Forward transforms (Sign −1) leave their results in an order of their own, digits reversed; inverse ones (Sign +1) take that order and
// leave the natural one. Neither is scaled: one after the other multiplies by the length. Source: J. W. Cooley and J. W. Tukey, An
// Algorithm for the Machine Calculation of Complex Fourier Series, 1965.
#pragma once

#include "cuda/device/runtime.h"

namespace halation::cuda_backend {

template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T x, y;
};

template <class T>
__device__ __forceinline__ Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.x + b.x, a.y + b.y};
}
template <class T>
__device__ __forceinline__ Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.x - b.x, a.y - b.y};
}
template <class T>
__device__ __forceinline__ Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {fma(a.x, b.x, -a.y * b.y), fma(a.x, b.y, a.y * b.x)};
}
/// a times the conjugate of b.
template <class T>
__device__ __forceinline__ Complex<T> times_conjugate(Complex<T> a, Complex<T> b) {
  return {fma(a.x, b.x, a.y * b.y), fma(a.y, b.x, -a.x * b.y)};
}
/// Sign · i · a.
template <int Sign, class T>
__device__ __forceinline__ Complex<T> times_i(Complex<T> a) {
  return Sign < 0 ? Complex<T>{a.y, -a.x} : Complex<T>{-a.y, a.x};
}

/// cos and sin of 2π · turns for compilers, within an ulp or two of f64.
constexpr Complex<double> root_of(double turns) {
  while (turns >= 0.5) turns -= 1;
  while (turns < -0.5) turns += 1;
  // Taylor's series within an eighth of a turn; the rest by quarters.
  const int quarters = static_cast<int>(turns * 4 + (turns < 0 ? -0.5 : 0.5));
  const double angle = (turns - quarters * 0.25) * 6.283185307179586476925286766559;
  double cosine = 1, sine = angle, term = angle;
  for (int n = 2; n < 24; ++n) {
    term *= angle / n;
    if (n % 4 == 0) cosine += term;
    else if (n % 4 == 1) sine += term;
    else if (n % 4 == 2) cosine -= term;
    else sine -= term;
  }
  switch ((quarters + 4) % 4) {
    case 1: return {-sine, cosine};
    case 2: return {-cosine, -sine};
    case 3: return {sine, -cosine};
    default: return {cosine, sine};
  }
}

/// e^(2πi · (scale · j · k + shift · j)) at j · 16 + k, of j below Count and k below 16.
template <class T, int Count>
struct Roots {
  Complex<T> of[Count * 16];

  constexpr Roots(double scale, double shift) : of() {
    for (int j = 0; j < Count; ++j) {
      for (int k = 0; k < 16; ++k) {
        const Complex<double> root = root_of(scale * (j * k) + shift * j);
        of[j * 16 + k] = {static_cast<T>(root.x), static_cast<T>(root.y)};
      }
    }
  }
};

/// e^(2πi · Numerator / Denominator), conjugated where Sign is −1: part of the instructions.
template <int Sign, int Numerator, int Denominator, class T>
__device__ __forceinline__ Complex<T> times_root(Complex<T> a) {
  if constexpr (Numerator % Denominator == 0) {
    return a;
  } else if constexpr (4 * Numerator % Denominator == 0) {
    constexpr int quarters = 4 * Numerator / Denominator % 4;
    if constexpr (quarters == 2) return {-a.x, -a.y};
    else return times_i<quarters == 1 ? Sign : -Sign>(a);
  } else {
    constexpr Complex<double> root = root_of(static_cast<double>(Numerator) / Denominator);
    constexpr Complex<T> as_t{static_cast<T>(root.x), static_cast<T>(Sign * root.y)};
    return a * as_t;
  }
}

template <class T>
__device__ __forceinline__ void transform_2(Complex<T>& a, Complex<T>& b) {
  const Complex<T> difference = a - b;
  a = a + b;
  b = difference;
}

template <int Sign, class T>
__device__ __forceinline__ void transform_3(Complex<T>& a, Complex<T>& b, Complex<T>& c) {
  constexpr T half_root_3 = static_cast<T>(Sign * 0.86602540378443864676);
  const Complex<T> sum = b + c;
  const Complex<T> difference = b - c;
  const Complex<T> middle{fma(T(-0.5), sum.x, a.x), fma(T(-0.5), sum.y, a.y)};
  a = a + sum;
  b = {fma(-half_root_3, difference.y, middle.x), fma(half_root_3, difference.x, middle.y)};
  c = {fma(half_root_3, difference.y, middle.x), fma(-half_root_3, difference.x, middle.y)};
}

template <int Sign, class T>
__device__ __forceinline__ void transform_4(Complex<T>& a, Complex<T>& b, Complex<T>& c, Complex<T>& d) {
  const Complex<T> t0 = a + c, t1 = a - c, t2 = b + d, t3 = times_i<Sign>(b - d);
  a = t0 + t2;
  c = t0 - t2;
  b = t1 + t3;
  d = t1 - t3;
}

template <int Sign, class T>
__device__ __forceinline__ void transform_5(Complex<T>& a, Complex<T>& b, Complex<T>& c, Complex<T>& d, Complex<T>& e) {
  constexpr T cos1 = static_cast<T>(0.30901699437494742410), cos2 = static_cast<T>(-0.80901699437494742410);
  constexpr T sin1 = static_cast<T>(Sign * 0.95105651629515357212), sin2 = static_cast<T>(Sign * 0.58778525229247312917);
  const Complex<T> outer = b + e, inner = c + d, outer_difference = b - e, inner_difference = c - d;
  const Complex<T> first{fma(cos2, inner.x, fma(cos1, outer.x, a.x)), fma(cos2, inner.y, fma(cos1, outer.y, a.y))};
  const Complex<T> second{fma(cos1, inner.x, fma(cos2, outer.x, a.x)), fma(cos1, inner.y, fma(cos2, outer.y, a.y))};
  const Complex<T> first_turned{fma(sin1, outer_difference.x, sin2 * inner_difference.x), fma(sin1, outer_difference.y, sin2 * inner_difference.y)};
  const Complex<T> second_turned{fma(sin2, outer_difference.x, -sin1 * inner_difference.x), fma(sin2, outer_difference.y, -sin1 * inner_difference.y)};
  a = a + outer + inner;
  b = first + times_i<1>(first_turned);
  e = first - times_i<1>(first_turned);
  c = second + times_i<1>(second_turned);
  d = second - times_i<1>(second_turned);
}

/// Of P points that lie Step apart: natural order in, natural order out.
template <int Sign, int P, int Step, class T>
__device__ __forceinline__ void transform_points(Complex<T>* v) {
  static_assert(P >= 1 && P <= 5);
  if constexpr (P == 2) transform_2(v[0], v[Step]);
  else if constexpr (P == 3) transform_3<Sign>(v[0], v[Step], v[2 * Step]);
  else if constexpr (P == 4) transform_4<Sign>(v[0], v[Step], v[2 * Step], v[3 * Step]);
  else if constexpr (P == 5) transform_5<Sign>(v[0], v[Step], v[2 * Step], v[3 * Step], v[4 * Step]);
}

template <int Sign, int P, int Q, int J, int I, class T>
__device__ __forceinline__ void turn_points(Complex<T>* v) {
  if constexpr (J < P) {
    v[Q * J + I] = times_root<Sign, I * J, P * Q>(v[Q * J + I]);
    if constexpr (I + 1 < Q) turn_points<Sign, P, Q, J, I + 1>(v);
    else turn_points<Sign, P, Q, J + 1, 1>(v);
  }
}

/// Length P · Q by two steps, P apart Q and then Q side by side: result j + P · m lies at Q · j + m.
template <int Sign, int P, int Q, class T>
__device__ __forceinline__ void transform_two_steps(Complex<T>* v) {
  if constexpr (Sign < 0) {
#pragma unroll
    for (int i = 0; i < Q; ++i) transform_points<Sign, P, Q>(v + i);
    if constexpr (Q > 1) turn_points<Sign, P, Q, 1, 1>(v);
#pragma unroll
    for (int j = 0; j < P; ++j) transform_points<Sign, Q, 1>(v + Q * j);
  } else {
#pragma unroll
    for (int j = 0; j < P; ++j) transform_points<Sign, Q, 1>(v + Q * j);
    if constexpr (Q > 1) turn_points<Sign, P, Q, 1, 1>(v);
#pragma unroll
    for (int i = 0; i < Q; ++i) transform_points<Sign, P, Q>(v + i);
  }
}

/// Of 8 points: as two of four, with 24 additions fewer than by general roots.
template <int Sign, class T>
__device__ __forceinline__ void transform_8(Complex<T>* v) {
  constexpr T q = static_cast<T>(0.70710678118654752440);
  // Even points in v0, v2, v4, v6, odd ones in v1, v3, v5, v7; natural order in and out.
  transform_4<Sign>(v[0], v[2], v[4], v[6]);
  transform_4<Sign>(v[1], v[3], v[5], v[7]);
  const Complex<T> o0 = v[1], o2 = times_i<Sign>(v[5]);
  const Complex<T> o1 = Sign < 0 ? Complex<T>{v[3].x + v[3].y, v[3].y - v[3].x} : Complex<T>{v[3].x - v[3].y, v[3].y + v[3].x};
  const Complex<T> o3 = Sign < 0 ? Complex<T>{v[7].y - v[7].x, -(v[7].x + v[7].y)} : Complex<T>{-(v[7].x + v[7].y), v[7].x - v[7].y};
  const Complex<T> e0 = v[0], e1 = v[2], e2 = v[4], e3 = v[6];
  v[0] = e0 + o0;
  v[4] = e0 - o0;
  v[1] = {fma(q, o1.x, e1.x), fma(q, o1.y, e1.y)};
  v[5] = {fma(-q, o1.x, e1.x), fma(-q, o1.y, e1.y)};
  v[2] = e2 + o2;
  v[6] = e2 - o2;
  v[3] = {fma(q, o3.x, e3.x), fma(q, o3.y, e3.y)};
  v[7] = {fma(-q, o3.x, e3.x), fma(-q, o3.y, e3.y)};
}

/// Of N points, 2, 4, 6, 8, 10, 12 or 16.
template <int Sign, int N, class T>
__device__ __forceinline__ void transform(Complex<T>* v) {
  static_assert(N == 2 || N == 4 || N == 6 || N == 8 || N == 10 || N == 12 || N == 16);
  if constexpr (N == 8) transform_8<Sign>(v);
  else if constexpr (N == 2 || N == 4) transform_points<Sign, N, 1>(v);
  else if constexpr (N == 6) transform_two_steps<Sign, 2, 3>(v);
  else if constexpr (N == 10) transform_two_steps<Sign, 2, 5>(v);
  else if constexpr (N == 12) transform_two_steps<Sign, 4, 3>(v);
  else transform_two_steps<Sign, 4, 4>(v);
}

template <int Sign, int I, class T, int N>
__device__ __forceinline__ void turn_packed_from(Complex<T> (&v)[N]) {
  v[I] = times_root<Sign, I, 4 * N>(v[I]);
  if constexpr (I + 1 < N) turn_packed_from<Sign, I + 1>(v);
}

/// Every N-th of a column's turns by which rows packed as real and imaginary parts keep apart: e^(Sign · πi · k / 2N) · v[k].
template <int Sign, class T, int N>
__device__ __forceinline__ void turn_packed(Complex<T> (&v)[N]) {
  turn_packed_from<Sign, 1>(v);
}

/// Which result of a transform of N lies at place p.
template <int N>
constexpr int result_of(int p) {
  return N == 16 ? p / 4 + 4 * (p % 4) : N == 12 ? p / 3 + 4 * (p % 3) : N == 10 ? p / 5 + 2 * (p % 5) : N == 6 ? p / 3 + 2 * (p % 3) : p;
}
constexpr int result_at(int p) { return result_of<16>(p); }

}  // namespace halation::cuda_backend
