// peer.h: other libraries that compute the same filters, found at run time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/matrix.h"
#include "bench/device_timer.h"
#include "halation/error.h"
#include "halation/filter.h"
#include "halation/image.h"

namespace halation::bench {

/// One way in which a peer computes a job.
struct Candidate {
  std::string how;     ///< the functions that it calls
  std::string border;  ///< what it takes to lie outside, as the job's border may be none of its own
  Work run;            ///< throws `Error` where the peer refuses
};

/// A library on this machine. Works on packed images in memory of the timer's device.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  /// On the CPU: how many threads what follows may take.
  virtual void use_threads(int /*threads*/) {}
  /// Every way that it has for the job, made ready from `in` to `out`; none where it has no such function.
  /// Throws `Error` where it has one that fails.
  virtual std::vector<Candidate> candidates(const Job& job, const Filter& filter, ConstView in, View out) = 0;
};

/// What was looked for: one of the two.
struct FoundPeer {
  std::string name;
  std::unique_ptr<Peer> peer;
  std::string why_not;  ///< "not found: libnppif.so.13"
};

// Each looks for its library, and says what it found.
FoundPeer find_npp();
FoundPeer find_cufft();
FoundPeer find_cudnn();
FoundPeer find_opencv();

/// A library opened at run time: neither its headers nor the library are needed to build. It stays loaded, as
/// libraries of GPU code do not expect to go.
class SharedLibrary {
 public:
  /// Opens the first of the names that the system's search finds; none where there is none.
  static std::optional<SharedLibrary> open(const std::vector<std::string>& names);

  /// A function of the type `F`; null where the library has none of that name.
  template <class F>
  F* find(const std::string& symbol) const {
    return reinterpret_cast<F*>(address_of(symbol));
  }
  /// Throws `Error{unsupported}` where the library has none of that name.
  template <class F>
  F* get(const std::string& symbol) const {
    F* function = find<F>(symbol);
    if (function == nullptr) throw Error{ErrorCode::unsupported, name_ + " has no " + symbol};
    return function;
  }
  const std::string& name() const { return name_; }

 private:
  SharedLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
  void* address_of(const std::string& symbol) const;

  void* handle_;
  std::string name_;
};

/// The peer `P`, made from the first of these libraries that is found.
template <class P>
FoundPeer find_peer(const std::string& name, const std::vector<std::string>& libraries) {
  try {
    if (const auto library = SharedLibrary::open(libraries)) return {name, std::make_unique<P>(*library), ""};
    return {name, nullptr, "not found: " + libraries.front()};
  } catch (const Error& error) {
    return {name, nullptr, std::string("not usable: ") + error.what()};
  }
}

/// Whether a filter should run with all its taps: not where it has factors and more taps than 15×15, which
/// takes seconds.
bool worth_running_dense(const Filter& filter);

/// The weights as a convolution has them, row by row, in f32.
std::vector<float> convolution_weights(const Filter& filter);

/// One factor of the weights likewise, axis 0 being z; {1} where the filter is flat along it.
std::vector<float> convolution_factor(const Filter& filter, std::size_t axis);

}  // namespace halation::bench
