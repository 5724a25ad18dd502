// cuda_runtime.h: the names of CUDA's runtime that documents use, so that their programs compile where its toolkit is not.
#pragma once

using cudaStream_t = struct CUstream_st*;
enum cudaError_t { cudaSuccess };
constexpr unsigned cudaStreamNonBlocking = 1;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
