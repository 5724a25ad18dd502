// transfer.h: memory on devices, and pixels on their way between them.
#pragma once

#include "halation/image.h"
#include "halation/stream.h"

namespace halation {

/// An image in memory of `device`, packed and uninitialised. On a GPU the memory comes from the library's own pool in the order of
/// `stream`: usable there at once, elsewhere after `synchronise`; it goes back to the pool with the image, in the same order,
/// so a stream that is given must outlive the image.
/// Throws `Error{out_of_memory}` where the device does not have the bytes, `Error{device}` where there is no such device.
Image allocate(const Shape& shape, Pixel pixel, Device device, Layout layout = Layout::interleaved, Stream stream = {});

/// An image in host memory that GPUs reach without a detour (pinned, page-locked): copies to and from it run at the speed of the bus
/// and beside other work. Allocation is slow (about 0.3 ms a MB): keep it. Without a GPU it is ordinary memory.
Image allocate_pinned(const Shape& shape, Pixel pixel, Layout layout = Layout::interleaved);

/// Copies pixels between views of the same shape and pixel, of any strides, on any devices. Between host views it is done when the
/// call returns. With a GPU it is queued on `stream`; both views must last until that has come by, and a pageable host view (any that
/// is not pinned) makes the call wait for its part. Throws `Error{invalid_argument}` where shape or pixel differ.
void copy(ConstView from, View to, Stream stream);

/// A packed copy in memory of `device`, complete when the call returns.
Image to_device(ConstView image, Device device);

/// Waits until everything queued on the stream of `device` has been done. Throws `Error{device}` where some of it failed.
void synchronise(Device device, Stream stream = {});

}  // namespace halation
