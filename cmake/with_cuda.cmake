# with_cuda.cmake: whether this build has the CUDA backend (HALATION_HAS_CUDA), and for which GPUs, said in one line.
#
#   HALATION_CUDA=AUTO   where a GPU and CUDA's compiler are
#                 ON     everywhere; an error without the compiler
#                 OFF    nowhere
#
# It is built for the GPU that is here, else for sm_90 and as PTX for every GPU since sm_75, or for what CMAKE_CUDA_ARCHITECTURES says.
find_program(HALATION_NVCC nvcc HINTS /usr/local/cuda/bin)
# What the driver of an NVIDIA GPU makes, and that of Windows.
file(GLOB gpus /dev/nvidia[0-9]* /usr/lib/wsl/lib/libcuda.so.1)
if(DEFINED HALATION_GPUS)  # a test's
  set(gpus ${HALATION_GPUS})
endif()

set(HALATION_HAS_CUDA FALSE)
string(TOUPPER "${HALATION_CUDA}" wish)
if(NOT wish MATCHES "^(AUTO|ON|OFF|1|0|TRUE|FALSE|YES|NO|Y|N)$")
  message(FATAL_ERROR "HALATION_CUDA must be AUTO, ON or OFF, got '${HALATION_CUDA}'")
elseif(wish STREQUAL "AUTO" AND NOT gpus)
  message(STATUS "CUDA: left out, because no GPU is here (HALATION_CUDA=ON builds it)")
elseif(wish STREQUAL "AUTO" AND NOT HALATION_NVCC)
  message(STATUS "CUDA: left out, because its compiler, nvcc, is not here, though a GPU is")
elseif(wish STREQUAL "AUTO" OR HALATION_CUDA)
  if(NOT HALATION_NVCC)
    message(FATAL_ERROR "HALATION_CUDA=${HALATION_CUDA} needs CUDA's compiler, nvcc, on the PATH or in /usr/local/cuda/bin; HALATION_CUDA=OFF leaves CUDA out")
  endif()
  set(HALATION_HAS_CUDA TRUE)
  if(DEFINED CMAKE_CUDA_ARCHITECTURES)
    message(STATUS "CUDA: built for ${CMAKE_CUDA_ARCHITECTURES}, by ${HALATION_NVCC}")
  elseif(gpus)
    set(CMAKE_CUDA_ARCHITECTURES native CACHE STRING "GPU architectures")
    message(STATUS "CUDA: built for the GPU that is here, by ${HALATION_NVCC}")
  else()
    set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90-real CACHE STRING "GPU architectures")
    message(STATUS "CUDA: built for sm_90 and as PTX for every GPU since sm_75, by ${HALATION_NVCC}")
  endif()
endif()
