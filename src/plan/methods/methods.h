// methods.h: all methods, in the order in which backends that offer several are asked.
#pragma once

#include <span>
#include <vector>

#include "plan/methods/method.h"

namespace halation {

/// Of two that should take the same time the first is chosen; the first of all does any filter.
std::span<const MethodRecord* const> all_methods();

/// Those whose form the backend takes.
std::vector<const MethodRecord*> methods_of(const Backend& backend);

/// Throws `std::logic_error` for `automatic`.
const MethodRecord& record_of(Method method);

}  // namespace halation
