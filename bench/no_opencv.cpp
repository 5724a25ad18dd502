// no_opencv.cpp: what a build without OpenCV says of it.
#include "bench/peer.h"

namespace halation::bench {

FoundPeer find_opencv() { return {"OpenCV C++", nullptr, "this build has no OpenCV (-DHALATION_BENCH=ON)"}; }

}  // namespace halation::bench
