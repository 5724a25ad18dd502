// numbers.h: images of any integers as images of f64, and back, on a GPU (core/numbers.h).
#pragma once

#include <span>

#include "core/elements.h"
#include "halation/stream.h"
#include "halation/view.h"

namespace halation::cuda_backend {

void read_numbers(const ConstView& from, std::span<const View> numbers, Stream stream);
void write_elements(std::span<const ConstView> numbers, const View& to, const ElementRule& rule, Stream stream);

}  // namespace halation::cuda_backend
