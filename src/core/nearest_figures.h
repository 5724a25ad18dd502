// nearest_figures.h: figures by which what is expected comes near to what was measured.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace halation {

/// The logarithm of expected over measured, and what it counts.
struct Misfit {
  double logarithm, weight;

  /// Its square where it is small, itself where it is large (soft L1).
  double counted() const { return 2 * small * small * weight * (root() - 1); }
  /// What its square has to count so that the slopes are those of `counted`.
  double weight_of_square() const { return weight / root(); }

 private:
  static constexpr double small = 0.1;
  double root() const { return std::sqrt(1 + logarithm * logarithm / (small * small)); }
};

/// Solves A x = b in place of b, of a symmetric A, its rows one after the other, whose lower half is read
/// (Cholesky). False where A is not positive definite.
inline bool solve(std::vector<double> a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 0)) return false;
      a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return true;
}

/// Logarithms of figures of which the misfits count least: `misfits(logarithms)` are those of all times, in
/// one order. Where little was measured they stay near `start`; none goes further from it than `apart` says.
/// Steps are damped least squares, with slopes by differences (Levenberg 1944, Marquardt 1963).
template <class Misfits>
std::vector<double> nearest_figures(const std::vector<double>& start, const std::vector<double>& apart,
                                    const Misfits& misfits) {
  constexpr double stays = 0.1;  // what a figure that is off by a factor of e counts
  constexpr int most_steps = 60;
  constexpr double difference = 1e-3, least_damping = 1e-4, most_damping = 1e6, worth_a_step = 1e-5;
  const std::size_t n = start.size();
  const auto counted = [&](const std::vector<double>& at, const std::vector<Misfit>& off) {
    double sum = 0;
    for (const Misfit& each : off) sum += each.counted();
    for (std::size_t i = 0; i < n; ++i) sum += stays * (at[i] - start[i]) * (at[i] - start[i]);
    return sum;
  };
  std::vector<double> at = start;
  std::vector<Misfit> off = misfits(at);
  double least = counted(at, off);
  double damping = 1e-2;
  for (int step = 0; step < most_steps && damping < most_damping; ++step) {
    std::vector<std::vector<double>> slopes(n);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> beside = at;
      beside[i] += difference;
      const std::vector<Misfit> there = misfits(beside);
      for (std::size_t k = 0; k < off.size(); ++k)
        slopes[i].push_back((there[k].logarithm - off[k].logarithm) / difference);
    }
    std::vector<double> squares(n * n), down(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < off.size(); ++k)
        down[i] -= off[k].weight_of_square() * slopes[i][k] * off[k].logarithm;
      for (std::size_t j = 0; j <= i; ++j) {
        for (std::size_t k = 0; k < off.size(); ++k)
          squares[i * n + j] += off[k].weight_of_square() * slopes[i][k] * slopes[j][k];
      }
      squares[i * n + i] += stays;
      down[i] -= stays * (at[i] - start[i]);
    }
    double gained = 0;
    while (gained <= 0 && damping < most_damping) {
      std::vector<double> damped = squares, way = down;
      for (std::size_t i = 0; i < n; ++i) damped[i * n + i] *= 1 + damping;
      std::vector<double> next = at;
      if (solve(std::move(damped), way)) {
        for (std::size_t i = 0; i < n; ++i)
          next[i] = std::clamp(at[i] + way[i], start[i] - apart[i], start[i] + apart[i]);
        std::vector<Misfit> there = misfits(next);
        gained = least - counted(next, there);
        if (gained > 0) {
          at = std::move(next);
          off = std::move(there);
        }
      }
      damping = gained > 0 ? std::max(least_damping, damping / 4) : damping * 4;
    }
    if (gained <= worth_a_step * least) break;
    least -= gained;
  }
  return at;
}

}  // namespace halation
