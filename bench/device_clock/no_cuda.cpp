// Stands in for cuda/ when the program is built without nvcc.
#include "bench/device_clock/cuda_delay.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {

std::function<void(transfers::stream&)> cuda_delay(transfers::device& /*device*/) {
  throw transfers::unsupported("this program is built without CUDA");
}

}  // namespace bench_transfers::bench
