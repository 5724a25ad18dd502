# check.cmake: builds the wheel, installs it into a fresh virtual environment, and runs the tests that it carries, then SciPy's.
# With -D io=ON the wheel carries image formats, with -D program=ON the program too; files are compared with those of `built_program`, where
# there is one.
file(REMOVE_RECURSE ${work}/venv ${work}/wheel)
file(MAKE_DIRECTORY ${work}/elsewhere)

# From a folder of its own, so that nothing is imported from the sources.
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${work}/elsewhere COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${python} -m venv ${work}/venv)
set(python ${work}/venv/bin/python)
set(pip ${python} -m pip --disable-pip-version-check --quiet)
run(${pip} install "scikit-build-core>=0.10" "nanobind>=2.4" "numpy>=1.25" "scipy>=1.16" pytest hypothesis
  "dask[array]>=2024.8" "opencv-python-headless>=4.8" "zarr>=3")
set(ENV{CMAKE_BUILD_PARALLEL_LEVEL} 2)
run(${pip} wheel --no-deps --no-build-isolation --wheel-dir ${work}/wheel
  --config-settings build-dir=${work}/build
  --config-settings cmake.define.CMAKE_CXX_COMPILER=${compiler}
  --config-settings cmake.define.CMAKE_CXX_COMPILER_LAUNCHER=${launcher}
  --config-settings "cmake.define.CMAKE_CXX_FLAGS_RELEASE=${flags}"
  --config-settings cmake.define.HALATION_WERROR=${werror}
  --config-settings cmake.define.HALATION_CUDA=OFF
  --config-settings cmake.define.HALATION_IO=${io}
  --config-settings cmake.define.HALATION_APP=${program}
  ${source})
file(GLOB wheels ${work}/wheel/*.whl)
run(${pip} install --no-deps ${wheels})
if(io)  # without which tests of files are skipped
  run(${python} -c "import halation._codecs")
endif()
set(ENV{HALATION_PROGRAM} "${built_program}")
execute_process(COMMAND ${python} -m pytest -q -p no:cacheprovider --pyargs halation
  WORKING_DIRECTORY ${work}/elsewhere OUTPUT_VARIABLE said ECHO_OUTPUT_VARIABLE COMMAND_ERROR_IS_FATAL ANY)
# Versions that agree on the names of errors, which refused.py has.
run(${pip} install mypy==2.4.1 basedpyright==1.40.2)
run(${python} ${source}/tests/python/types/check.py ${source} ${work}/types)
file(WRITE ${work}/pytest.txt "${said}")  # `make test` ends with its last line
run(${python} ${source}/tests/python/scipy_suite.py)
