#include "bench/subjects/thrust_containers.hpp"

namespace bench_transfers::bench::subjects {

thrust_copy copy_with_thrust_on_host(std::string_view container, std::span<float> host,
                                     transfers::direction direction) {
  if (container == "device_vector")
    return between_host_and<thrust::device_vector<float>>(host, direction);
  if (container == "universal_vector")
    return between_host_and<thrust::universal_vector<float>>(host, direction);
  return between_pinned_and_device<thrust::universal_vector<float>>(host.size(), direction);
}

}  // namespace bench_transfers::bench::subjects
