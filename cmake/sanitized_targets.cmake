# sanitized_targets.cmake: instruction sets that builds with sanitizers leave out on x86-64, where each makes the kernels take
# minutes more to compile: all but the widest that this machine has, and the plain one, which every build has.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(HALATION_DISABLED_TARGETS "HWY_SSSE3|HWY_SSE4|HWY_AVX3")
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo wide REGEX "avx512bw" LIMIT_COUNT 1)
    if(wide)
      set(HALATION_DISABLED_TARGETS "HWY_SSSE3|HWY_SSE4|HWY_AVX2")
    endif()
  endif()
endif()
