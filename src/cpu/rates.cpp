// rates.cpp: the rows of figures.
#include "cpu/rates.h"

#include <string_view>

#include "cpu/parts/kernels.h"

namespace halation::cpu_backend {
namespace {

constexpr Rates vectors_32{.direct = {0.0225, 0.03, 0, 0},
                       .separable = {0.015, 0.03, 0, 0.0675},
                       .box = {0, 0.093, 0.164, 0.087},
                       .sums32_direct = {0.0168, 0.0285, 0, 0.163},
                       .sums32_separable = {0.0166, 0.0207, 0, 0.0866},
                       .box_integer = {0, 0.0416, 0.068, 0.103},
                       .byte = 0.03,
                       .staged_row = 20,
                       .outside_sample = 4.4,
                       .finished_row = 16,
                       .axis_multiply_add = 0.03,
                       .axis_single = 0.033,
                       .axis_box = 0.4,
                       .copied_sample = 0.1,
                       .gathered_sample = 0.8,
                       .converted_sample = 0.3,
                       .call = 20};

constexpr Rates vectors_64{.direct = {0.0148, 0.0185, 0, 0},
                     .separable = {0.008, 0.016, 0, 0.065},
                     .box = {0, 0.023, 0.124, 0.1},
                     .sums32_direct = {0.0075, 0.011, 0, 0.092},
                     .sums32_separable = {0.0043, 0.0072, 0, 0.031},
                     .box_integer = {0, 0.0189, 0.028, 0.031},
                     .byte = 0.02,
                     .staged_row = 18,
                     .outside_sample = 4,
                     .finished_row = 16,
                     .axis_multiply_add = 0.018,
                     .axis_single = 0.016,
                     .axis_box = 0.3,
                     .copied_sample = 0.07,
                     .gathered_sample = 0.7,
                     .converted_sample = 0.2,
                     .call = 12};

}  // namespace

const Rates& rates() {
  static const bool is_wide = std::string_view(best_kernels<float>().instruction_set).starts_with("AVX3");
  return is_wide ? vectors_64 : vectors_32;
}

}  // namespace halation::cpu_backend
