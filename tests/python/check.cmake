# check.cmake: puts the package into the environment of `python` as its wheel would, from what `build` has compiled, and runs the tests that
# it carries, then type checkers and SciPy's tests.
file(REMOVE_RECURSE ${work}/package)
file(COPY ${source}/python/halation DESTINATION ${work}/package PATTERN "_native*" EXCLUDE PATTERN "_codecs*" EXCLUDE PATTERN "__pycache__" EXCLUDE)
file(MAKE_DIRECTORY ${work}/elsewhere)

# From a folder of its own, so that nothing is imported from the sources.
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${work}/elsewhere COMMAND_ERROR_IS_FATAL ANY)
endfunction()

execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --component python --prefix ${work}/package
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${python} -c "import sysconfig; print(sysconfig.get_path('purelib'))"
  OUTPUT_VARIABLE packages OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${packages}/halation.pth "${work}/package\n")
if(io)  # without which tests of files are skipped
  run(${python} -c "import halation._codecs")
endif()
execute_process(COMMAND ${python} -m pytest -q -p no:cacheprovider --pyargs halation
  WORKING_DIRECTORY ${work}/elsewhere OUTPUT_VARIABLE said ECHO_OUTPUT_VARIABLE COMMAND_ERROR_IS_FATAL ANY)
run(${python} ${source}/tests/python/types/check.py ${source} ${work}/types)
file(WRITE ${work}/pytest.txt "${said}")  # `make test` ends with its last line
run(${python} ${source}/tests/python/scipy_suite.py)
