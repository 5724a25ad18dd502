// products.cpp: convolutions along all axes of packed arrays, product by product, zeros outside; whole numbers wrap.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "arrays.h"
#include "gil.h"
#include "module.h"
#include "whole_sums.h"

namespace halation::python {
namespace {

using Numbers = std::vector<std::int64_t>;

Numbers shape_of(const Array& array) { return {array.shape.begin(), array.shape.begin() + array.axes}; }

/// Packed rows of an array with whole_slack zeros before the first and behind each.
template <class T>
class PaddedRows {
 public:
  PaddedRows(const T* from, std::int64_t rows, std::int64_t n) : stride_(n + whole_slack) {
    padded_.resize(static_cast<std::size_t>(whole_slack + rows * stride_));
    for (std::int64_t row = 0; row < rows; ++row) {
      std::copy_n(from + row * n, n, padded_.data() + whole_slack + row * stride_);
    }
  }
  const T* row(std::int64_t index) const { return padded_.data() + whole_slack + index * stride_; }

 private:
  std::int64_t stride_;
  std::vector<T> padded_;
};

/// out[p] = Σ_k weights[k] · in[p + first − k].
template <class T>
class Products {
 public:
  Products(const T* in, Numbers shape, const T* weights, Numbers taps, T* out, Numbers outputs, Numbers first)
      : shape_(std::move(shape)),
        weights_(weights),
        taps_(std::move(taps)),
        out_(out),
        outputs_(std::move(outputs)),
        first_(std::move(first)),
        rows_(in, rows_of(shape_), shape_.back()),
        sums_(static_cast<std::size_t>(outputs_.back() + whole_slack)) {}

  void run() {
    const std::int64_t count = rows_of(outputs_);
    Numbers at(outputs_.size() - 1);
    for (std::int64_t row = 0; row < count; ++row) {
      met_.clear();
      collect(at, 0, 0, 0);
      sum_row(met_.data(), met_.size(), first_.back(), shape_.back(), taps_.back(), sums_.data(),
              outputs_.back());
      std::copy_n(sums_.data(), outputs_.back(), out_ + row * outputs_.back());
      for (std::size_t axis = at.size(); axis-- > 0;) {
        if (++at[axis] < outputs_[axis]) break;
        at[axis] = 0;
      }
    }
  }

 private:
  static std::int64_t rows_of(const Numbers& shape) {
    std::int64_t rows = 1;
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
    return rows;
  }

  /// Adds the rows that the row of outputs `at` is made of.
  void collect(const Numbers& at, std::size_t axis, std::int64_t row, std::int64_t taps_row) {
    if (axis == at.size()) {
      met_.push_back({.from = rows_.row(row), .weights = weights_ + taps_row * taps_.back()});
      return;
    }
    const std::int64_t source = at[axis] + first_[axis];
    const std::int64_t begin = std::max<std::int64_t>(0, source - shape_[axis] + 1),
                       end = std::min(taps_[axis], source + 1);
    for (std::int64_t k = begin; k < end; ++k) {
      collect(at, axis + 1, row * shape_[axis] + source - k, taps_row * taps_[axis] + k);
    }
  }

  Numbers shape_;
  const T* weights_;
  Numbers taps_;
  T* out_;
  Numbers outputs_, first_;
  PaddedRows<T> rows_;
  std::vector<T> sums_;  ///< of one row
  std::vector<WholeRow<T>> met_;
};

template <class T>
void sum(const Array& in, const Array& weights, const Array& out, const Numbers& first) {
  Products<T> products(reinterpret_cast<const T*>(in.data), shape_of(in),
                       reinterpret_cast<const T*>(weights.data), shape_of(weights),
                       reinterpret_cast<T*>(out.data), shape_of(out), first);
  const WithoutGil released;
  products.run();
}

void sum_products(nb::handle in, nb::handle weights, nb::handle out, const Numbers& first) {
  const Array from(in, Access::read), by(weights, Access::read), to(out, Access::write);
  if (from.kind == 'f') {
    from.item_bytes == 4 ? sum<float>(from, by, to, first) : sum<double>(from, by, to, first);
  } else if (from.item_bytes == 4) {
    sum<std::uint32_t>(from, by, to, first);
  } else {
    sum<std::uint64_t>(from, by, to, first);
  }
}

}  // namespace

void bind_products(nb::module_& module) {
  module.def("sum_products", &sum_products, nb::arg("array"), nb::arg("weights"), nb::arg("out"),
             nb::arg("first"),
             "out[p] = sum over k of weights[k] * array[p + first - k], zeros outside: packed arrays of float32, float64, uint32 or "
             "uint64 (modulo 2^32 or 2^64) with as many axes.");
}

}  // namespace halation::python
