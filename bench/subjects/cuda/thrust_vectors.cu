#include "bench/cuda/thrust_errors.hpp"
#include "bench/subjects/thrust_containers.hpp"

namespace bench_transfers::bench::subjects {

thrust_copy copy_with_thrust_on_cuda(std::string_view container, std::span<float> host,
                                     transfers::direction direction) {
  using pinned = thrust::universal_host_pinned_vector<float>;
  auto copy = translated("a container of Thrust",
                         [&] { return copy_with_containers<pinned>(container, host, direction); });
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
