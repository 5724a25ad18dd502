# check.cmake: installs the build into a fresh tree and builds and runs a project that finds it there; the photograph program is
# the one printed in docs/library.md, and its three lines of work open the README.
set(here ${CMAKE_CURRENT_LIST_DIR})
set(work ${build}/tests/consumer)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})

file(READ ${here}/photograph.cpp program)
string(REGEX REPLACE "^//[^\n]*\n" "" program "${program}")
string(REGEX REPLACE "^.*using namespace halation;\n(.*)}\n$" "\\1" lines "${program}")
string(REGEX REPLACE "(^|\n)  " "\\1" lines "${lines}")

# Fails where `document` does not show `code`.
function(shows document code)
  file(READ ${source}/${document} text)
  string(FIND "${text}" "```cpp\n${code}```" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "${document} does not show what tests/consumer/photograph.cpp does:\n${code}")
  endif()
endfunction()
shows(docs/library.md "${program}")
shows(README.md "${lines}")

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
