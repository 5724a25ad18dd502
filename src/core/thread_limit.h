// thread_limit.h: what the environment says about CPU threads, read.
#pragma once

namespace halation {

/// The value of HALATION_THREADS as a number; no limit where it is not set or empty.
int thread_limit_from(const char* text);

}  // namespace halation
