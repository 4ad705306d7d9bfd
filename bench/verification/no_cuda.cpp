// Stands in for cuda/ when the program is built without nvcc.
#include "bench/verification/cuda_pattern.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

[[noreturn]] void refuse() { throw transfers::unsupported("this program is built without CUDA"); }

}  // namespace

void write_cuda_pattern(transfers::device& /*device*/, std::byte* /*block*/, std::size_t /*offset*/,
                        std::size_t /*bytes*/, pattern /*content*/) {
  refuse();
}
pattern_check check_cuda_pattern(transfers::device& /*device*/, const std::byte* /*block*/,
                                 std::size_t /*offset*/, std::size_t /*bytes*/,
                                 pattern /*content*/) {
  refuse();
}

}  // namespace bench_transfers::bench
