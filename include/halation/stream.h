// stream.h: an order of work on a device.
#pragma once

namespace halation {

/// A queue on a CUDA device; the default is the device's default queue. Work on the CPU is finished when the
/// call returns and takes no stream.
struct Stream {
  void* handle = nullptr;  ///< a `cudaStream_t` of the caller's
};

}  // namespace halation
