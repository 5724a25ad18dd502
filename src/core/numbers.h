// numbers.h: images of any integers as images of f64, and back, in host memory.
#pragma once

#include <span>

#include "core/elements.h"
#include "core/job.h"
#include "halation/view.h"

namespace halation {

/// What sums of a job become.
ElementRule rule_of(const Job& job);

/// Elements as numbers in one image of f64; integers of 64 bits as two, their upper and their lower halves.
void read_numbers(const ConstView& from, std::span<const View> numbers, int threads);

/// Numbers of one image of f64, or of two that are halves, as elements.
void write_elements(std::span<const ConstView> numbers, const View& to, const ElementRule& rule, int threads);

}  // namespace halation
