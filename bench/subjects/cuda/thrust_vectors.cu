#include "bench/cuda/thrust_errors.hpp"
#include "bench/subjects/thrust_containers.hpp"

namespace bench_transfers::bench::subjects {
namespace {

thrust_copy make(std::string_view container, std::span<float> host,
                 transfers::direction direction) {
  if (container == "device_vector")
    return between_host_and<thrust::device_vector<float>>(host, direction);
  if (container == "universal_vector")
    return between_host_and<thrust::universal_vector<float>>(host, direction);
  return between_pinned_and_device<thrust::universal_host_pinned_vector<float>>(host.size(),
                                                                                direction);
}

}  // namespace

thrust_copy copy_with_thrust_on_cuda(std::string_view container, std::span<float> host,
                                     transfers::direction direction) {
  auto copy = translated("a container of Thrust", [&] { return make(container, host, direction); });
  // Thrust may issue copies that are asynchronous to the host (between two kinds of memory that
  // both have the CUDA tag), and does not check every status. The data must be usable when the
  // operation ends.
  copy.run = [run = std::move(copy.run)] {
    translated("thrust::copy", run);
    cuda_check(cudaGetLastError(), "thrust::copy");
    cuda_check(cudaStreamSynchronize(nullptr), "thrust::copy");
  };
  return copy;
}

}  // namespace bench_transfers::bench::subjects
