#include "bench/subjects/thrust_vectors.hpp"

namespace bench_transfers::bench::subjects {

thrust_copy copy_with_thrust(const transfers::device& on, std::string_view container,
                             std::span<float> host, transfers::direction way) {
  return on.description().kind == "cuda" ? copy_with_thrust_on_cuda(container, host, way)
                                         : copy_with_thrust_on_host(container, host, way);
}

}  // namespace bench_transfers::bench::subjects
