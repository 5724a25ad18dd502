# instruction_sets.cmake: for which of Highway's instruction sets kernels are compiled; each takes about a minute more.
#
#   HALATION_INSTRUCTION_SETS=native   the best that this machine has, and the plain one, which runs everywhere
#                             all      all that halation has kernels for: for programs that go to other machines
#
# HALATION_DISABLED_TARGETS names those to leave out, instead.
if(NOT HALATION_INSTRUCTION_SETS MATCHES "^(native|all)$")
  message(FATAL_ERROR "HALATION_INSTRUCTION_SETS must be native or all, got '${HALATION_INSTRUCTION_SETS}'")
endif()
set(disabled ${HALATION_DISABLED_TARGETS})
if(NOT disabled AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Beyond SSSE3, SSE4 has other conversions of pixels and nothing for sums. Beyond AVX3, the sets of Zen 4 and of Sapphire Rapids
  # have VNNI, which kernels ask for by themselves, and nothing else that they use; by their bits, since Highway 1.0.3 lacks names.
  set(never HWY_SSE4 0xd0)  # HWY_AVX3_DL, HWY_AVX3_ZEN4, HWY_AVX3_SPR
  set(sets SSSE3 AVX2 AVX3)
  list(JOIN never "|" disabled)
  if(HALATION_INSTRUCTION_SETS STREQUAL "native" AND NOT CMAKE_CROSSCOMPILING)
    if(NOT HALATION_NATIVE_SET)
      try_run(ran compiled ${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_LIST_DIR}/best_instruction_set.cpp
        COMPILE_DEFINITIONS "-DHWY_DISABLED_TARGETS=(${disabled})" LINK_LIBRARIES hwy::hwy CXX_STANDARD 17 RUN_OUTPUT_VARIABLE best)
      if(NOT compiled OR NOT ran EQUAL 0)
        message(FATAL_ERROR "halation: which instruction set this machine has could not be asked; HALATION_INSTRUCTION_SETS=all needs not ask")
      endif()
      set(HALATION_NATIVE_SET ${best} CACHE INTERNAL "Highway's name of the best instruction set here")
    endif()
    list(REMOVE_ITEM sets ${HALATION_NATIVE_SET})
    list(TRANSFORM sets PREPEND HWY_)
    list(JOIN sets "|" others)
    string(APPEND disabled "|${others}")
    message(STATUS "Instruction sets: ${HALATION_NATIVE_SET}, of this machine, and the plain one (HALATION_INSTRUCTION_SETS=all has all)")
  endif()
endif()
if(disabled)
  set_property(TARGET hwy::hwy APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS "HWY_DISABLED_TARGETS=(${disabled})")
endif()
