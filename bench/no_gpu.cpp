// no_gpu.cpp: what a build without CUDA says of GPUs.
#include "bench/peer.h"
#include "bench/device_timer.h"
#include "halation/error.h"

namespace halation::bench {
namespace {

constexpr const char* why_not = "this build has no CUDA";

}  // namespace

std::unique_ptr<DeviceTimer> gpu_timer() {
  throw Error{ErrorCode::device, std::string("bench: ") + why_not};
}

FoundPeer find_npp() { return {"NPP", nullptr, why_not}; }
FoundPeer find_cufft() { return {"cuFFT", nullptr, why_not}; }
FoundPeer find_cudnn() { return {"cuDNN", nullptr, why_not}; }

}  // namespace halation::bench
