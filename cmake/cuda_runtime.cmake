# cuda_runtime.cmake: the target halation::cuda_runtime, CUDA's runtime linked statically: for the build and for projects that use a
# static halation. CMake 3.25's FindCUDAToolkit ends in an error where CUDA 13 is installed without NVTX.
find_package(Threads REQUIRED)
get_filename_component(halation_nvcc_dir "${CMAKE_CUDA_COMPILER}" DIRECTORY)
find_path(HALATION_CUDA_INCLUDE_DIR cuda_runtime.h
  HINTS ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES} ${halation_nvcc_dir}/../include ENV CUDA_PATH /usr/local/cuda
  PATH_SUFFIXES include)
find_library(HALATION_CUDART_STATIC cudart_static
  HINTS ${CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES} ${halation_nvcc_dir}/.. ENV CUDA_PATH /usr/local/cuda
  PATH_SUFFIXES lib64 lib lib/x64 targets/x86_64-linux/lib targets/sbsa-linux/lib)
if(NOT HALATION_CUDA_INCLUDE_DIR OR NOT HALATION_CUDART_STATIC)
  message(FATAL_ERROR "halation: CUDA's runtime (cuda_runtime.h, libcudart_static.a) is not where nvcc is; set CUDA_PATH, or "
    "HALATION_CUDA_INCLUDE_DIR and HALATION_CUDART_STATIC")
endif()
if(NOT TARGET halation::cuda_runtime)
  add_library(halation::cuda_runtime INTERFACE IMPORTED GLOBAL)
  target_include_directories(halation::cuda_runtime SYSTEM INTERFACE ${HALATION_CUDA_INCLUDE_DIR})
  target_link_libraries(halation::cuda_runtime INTERFACE ${HALATION_CUDART_STATIC} Threads::Threads ${CMAKE_DL_LIBS} rt)
endif()
