// cuda.cpp: the CUDA backend as the table of backends sees it.
#include "cuda/cuda.h"

#include <utility>

#include "cuda/compose/numbers.h"
#include "cuda/device/copy.h"
#include "cuda/device/device.h"
#include "cuda/device/memory.h"
#include "cuda/device/queue.h"
#include "cuda/device/runtime.h"
#include "cuda/families.h"
#include "cuda/measured_figures.h"

namespace halation::cuda_backend {
namespace {

class CudaBackend final : public Backend, public DeviceMemory, public Queues {
 public:
  Device::Kind kind() const override { return Device::Kind::cuda; }

  std::vector<DeviceInfo> devices() const override {
    std::vector<DeviceInfo> all;
    all.reserve(static_cast<std::size_t>(device_count()));
    for (int index = 0; index < device_count(); ++index)
      all.push_back({halation::cuda(index), describe(index), {}});
    return all;
  }

  std::span<const Form> forms() const override { return Families::forms(); }

  std::vector<Offer> offers(const Job& job, std::span<const Taps> filters, Device device) const override {
    return families().offers(job, filters, gpu_of(device));
  }

  TransformFacts transform_facts(const Job& job, const Taps& taps, Device device) const override {
    return Families::transform_facts(job, taps, gpu_of(device));
  }

  std::string figures_of(std::span<const TimedOffer> offers, Device device) const override {
    return figures_from_times(offers, gpu_of(device));
  }
  std::string figures_machine(Device device) const override { return gpu_of(device).figures->device; }
  void use_figures(std::string_view text, Device device) const override {
    Figures measured = with(*gpu_of(device).figures, text);
    measured.device = "this machine";
    cuda_backend::use_figures(device, std::move(measured));
  }

  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job> job, Device device) const override {
    const UseDevice use(device);
    return families().make(job, gpu_of(device), all_row_layouts, job->family);
  }

  void read_numbers(const ConstView& from, std::span<const View> numbers, int, Stream stream) const override {
    cuda_backend::read_numbers(from, numbers, stream);
  }
  void write_elements(std::span<const ConstView> numbers, const View& to, const ElementRule& rule, int,
                      Stream stream) const override {
    cuda_backend::write_elements(numbers, to, rule, stream);
  }

  Memory allocate(std::size_t bytes, Device device, Stream stream, const std::string& what) const override {
    return cuda_backend::allocate(bytes, device, stream, what);
  }
  Memory allocate_pinned(std::size_t bytes, const std::string& what) const override {
    return cuda_backend::allocate_pinned(bytes, what);
  }
  void copy(const ConstView& from, const View& to, Stream stream) const override { cuda_backend::copy(from, to, stream); }

  void synchronise(Device device, Stream stream) const override {
    const UseDevice use(device);
    HALATION_CUDA_CHECK(cudaStreamSynchronize(static_cast<cudaStream_t>(stream.handle)));
  }

  TransferFigures transfer_figures() const override { return shipped_figures().transfers; }

  std::unique_ptr<Queue> make_queue(Device device) const override { return cuda_backend::make_queue(device); }
  bool is_pinned(const void* data) const override { return cuda_backend::is_pinned(data); }
};

const CudaBackend& instance() {
  static const CudaBackend backend;
  return backend;
}

}  // namespace

const Backend& backend() { return instance(); }
const DeviceMemory& memory() { return instance(); }
const Queues& queues() { return instance(); }

}  // namespace halation::cuda_backend
