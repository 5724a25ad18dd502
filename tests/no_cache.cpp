// no_cache.cpp: what keeps tests that are run by hand from the user's cache of times; linked with every one.
#include <stdlib.h>

namespace {

/// Before the first plan is made. A cache that was named stays.
[[maybe_unused]] const int without_cache = ::setenv("HALATION_CACHE", "", 0);

}  // namespace
