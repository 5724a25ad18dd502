# instruction_sets.cmake: which of Highway's instruction sets builds for x86-64 leave out, since each makes the kernels take a minute or
# more to compile. HALATION_DISABLED_TARGETS names others.
if(NOT HALATION_DISABLED_TARGETS AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Beyond SSSE3, SSE4 has other conversions of pixels and nothing for sums. Beyond AVX3, the sets of Zen 4 and of Sapphire Rapids
  # have VNNI, which kernels ask for by themselves, and nothing else that they use; by their bits, since Highway 1.0.3 lacks names.
  set(zen4_and_like 0xd0)  # HWY_AVX3_DL, HWY_AVX3_ZEN4, HWY_AVX3_SPR
  set(HALATION_DISABLED_TARGETS "HWY_SSE4|${zen4_and_like}")
  if(HALATION_SANITIZE)  # all but the widest that this machine has, and the plain one, which every build has
    set(narrow HWY_AVX3)
    if(EXISTS /proc/cpuinfo)
      file(STRINGS /proc/cpuinfo wide REGEX "avx512bw" LIMIT_COUNT 1)
      if(wide)
        set(narrow HWY_AVX2)
      endif()
    endif()
    string(APPEND HALATION_DISABLED_TARGETS "|HWY_SSSE3|${narrow}")
  endif()
endif()
if(HALATION_DISABLED_TARGETS)
  set_property(TARGET hwy::hwy APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS "HWY_DISABLED_TARGETS=(${HALATION_DISABLED_TARGETS})")
endif()
