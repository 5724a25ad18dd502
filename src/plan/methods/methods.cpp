// methods.cpp: the table of methods.
#include "plan/methods/methods.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/integer_weights.h"

namespace halation {

namespace methods {
extern const MethodRecord direct, separable, low_rank, banded, box, fft, multirate;
}  // namespace methods

std::span<const MethodRecord* const> all_methods() {
  static constexpr std::array list{&methods::direct,   &methods::separable, &methods::low_rank,
                                   &methods::banded,   &methods::box,       &methods::fft,
                                   &methods::multirate};
  return list;
}

std::vector<const MethodRecord*> methods_of(const Backend& backend) {
  const std::span<const Form> forms = backend.forms();
  std::vector<const MethodRecord*> list;
  for (const MethodRecord* const method : all_methods()) {
    if (std::find(forms.begin(), forms.end(), method->form) != forms.end()) list.push_back(method);
  }
  return list;
}

const MethodRecord& record_of(Method method) {
  for (const MethodRecord* const record : all_methods()) {
    if (record->method == method) return *record;
  }
  throw std::logic_error("no record of method " + std::string(name_of(method)));
}

double magnitudes_of(const FactorArray& factors) {
  double product = 1;
  for (const auto& factor : factors) product *= sum_of_magnitudes(factor);
  return product;
}

}  // namespace halation
