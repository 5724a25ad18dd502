// own_box.h: how far transforms may be off: what bounds each output over its own filter's box. Without it what is bright anywhere in a tile
// blurs what is dark (core/transform.h).
#pragma once

#include "core/job.h"

namespace halation {

/// Where `is_bounded_by_own_box`, each sum is off by at most own_box_factor · ρ u √samples ‖w‖₂ B, B = ‖x‖₂ over the box of its own filter:
/// own_box_factor · transform_error · B, twice that where sums are rounded to whole numbers. A box that holds only zeros makes exactly 0, and
/// where neither samples nor weights are negative, neither are sums.
///
/// Proof. Let T = ‖x‖₂ over a tile of N samples and t = T/√N/own_box_factor. A sum by this tile's transform is off by ρ u ‖w‖₂ T at most
/// (transform_error), and it is taken only where B ≥ t, so T ≤ own_box_factor √N B. A box in which any |x| ≥ t, or any part of which has
/// Σx² ≥ t², is such. The box of any other sum holds no |x| ≥ t. So its sum stays as it is when all of these are replaced by 0; T and t
/// are then those of what is left, which is transformed again. The largest |x| is at least T/√N > t, so that each time some are replaced.
/// What is summed by taps is off by less. Where a sum is known not to be negative, 0 is nearer to it than any negative number. ∎
///
/// Or else few outliers are replaced by 0, and their products added: all |x| ≥ own_box_factor b, b being at most B of any box, or all that are
/// not 0. What is left has T ≤ own_box_factor √N b, which is what a box without outliers asks for. With one it has B ≥ own_box_factor b, so that
/// its sum by this tile's transform is off by ρ u √N ‖w‖₂ B at most, a share 1/own_box_factor of what it may be. The sum of m products of
/// outliers by differences of sums S of a row of weights in the type of u is off by m u ‖w‖₂ B and, as |S| ≤ √taps ‖w of the row‖₂, by
/// 3 u √(taps m) ‖w‖₂ B. For at most 24 N / taps outliers a tile both are less than 20 u √N ‖w‖₂ B together, as m ≤ taps as well, and
/// (own_box_factor − 1) ρ is more than that: ρ ≥ 7. ∎
inline constexpr double own_box_factor = 4;

/// Whether the sums of a job by transforms keep to the bound above: where floats show what they are off by. Integers from integers differ
/// by a level at most, whatever the tile.
inline bool is_bounded_by_own_box(const Job& job) {
  return job.accuracy == Accuracy::exact && (is_float(job.in_pixel) || is_float(job.out_pixel));
}

}  // namespace halation
