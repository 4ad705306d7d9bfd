#include "bench/subjects/thrust_containers.hpp"
#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/thrust_errors.hpp"

namespace bench_transfers::bench::subjects {
namespace {

thrust_copy make(std::string_view container, std::span<float> host, transfers::direction way) {
  if (container == "device_vector")
    return between_host_and<thrust::device_vector<float>>(host, way);
  if (container == "universal_vector")
    return between_host_and<thrust::universal_vector<float>>(host, way);
  return between_pinned_and_device<thrust::universal_host_pinned_vector<float>>(host.size(), way);
}

}  // namespace

thrust_copy copy_with_thrust_on_cuda(std::string_view container, std::span<float> host,
                                     transfers::direction way) {
  using transfers::detail::translated;
  auto copy = translated("a container of Thrust", [&] { return make(container, host, way); });
  // Thrust may issue copies that do not wait for the host's side (between two kinds of memory that
  // both carry the CUDA tag), and does not look at every status: the data must be usable when the
  // operation ends.
  copy.run = [run = std::move(copy.run)] {
    translated("thrust::copy", run);
    transfers::detail::cuda_check(cudaGetLastError(), "thrust::copy");
    transfers::detail::cuda_check(cudaStreamSynchronize(nullptr), "thrust::copy");
  };
  return copy;
}

}  // namespace bench_transfers::bench::subjects
