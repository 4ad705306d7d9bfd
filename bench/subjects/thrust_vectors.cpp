#include "bench/subjects/thrust_vectors.hpp"

namespace bench_transfers::bench::subjects {

thrust_copy copy_with_thrust(const transfers::device& device, std::string_view container,
                             std::span<float> host, transfers::direction direction) {
  return device.description().kind == "cuda" ? copy_with_thrust_on_cuda(container, host, direction)
                                             : copy_with_thrust_on_host(container, host, direction);
}

}  // namespace bench_transfers::bench::subjects
