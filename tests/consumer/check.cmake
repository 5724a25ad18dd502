# check.cmake: installs the build into a fresh tree and builds and runs a project that finds it there; the photograph program is
# the one printed in the README.
set(here ${CMAKE_CURRENT_LIST_DIR})
set(work ${build}/tests/consumer)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})

file(READ ${here}/photograph.cpp program)
string(REGEX REPLACE "^//[^\n]*\n" "" program "${program}")
file(READ ${source}/README.md readme)
string(FIND "${readme}" "```cpp\n${program}```" place)
if(place EQUAL -1)
  message(FATAL_ERROR "README.md does not show tests/consumer/photograph.cpp (without its first line)")
endif()

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${work} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${build} --config ${config} --prefix ${work}/install)
run(${CMAKE_COMMAND} -S ${here} -B ${work}/build -G ${generator}
  -D CMAKE_PREFIX_PATH=${work}/install -D CMAKE_BUILD_TYPE=${config} -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_CXX_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${work}/build --config ${config})
run(${work}/build/worked_example)
if(io)
  file(COPY ${source}/examples/astronaut.png DESTINATION ${work})
  run(${work}/build/photograph)
  file(SIZE ${work}/soft.png size)
  if(size LESS 10000)
    message(FATAL_ERROR "soft.png has only ${size} bytes")
  endif()
endif()
