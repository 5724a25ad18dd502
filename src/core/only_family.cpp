// only_family.cpp: one family of kernels asked for by name.
#include "core/only_family.h"

#include <utility>

namespace halation {
namespace {

std::string& name_asked_for() {
  thread_local std::string name;
  return name;
}

}  // namespace

OnlyFamily::OnlyFamily(std::string_view name) : before_(std::exchange(name_asked_for(), std::string(name))) {}
OnlyFamily::~OnlyFamily() { name_asked_for() = std::move(before_); }

const std::string& OnlyFamily::asked_for() { return name_asked_for(); }

}  // namespace halation
