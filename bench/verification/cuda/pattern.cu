#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/transform_reduce.h>

#include "bench/cuda/thrust_errors.hpp"
#include "bench/verification/cuda_pattern.hpp"
#include "bench/verification/words.hpp"

namespace bench_transfers::bench {
namespace {

using word_iterator = thrust::counting_iterator<std::size_t>;

// The default stream, so that no stream of the benchmark's own takes a part of the GPU's queues
// from those that it measures. Both functions return when their work is done.
auto policy() { return thrust::cuda::par.on(cudaStreamLegacy); }

}  // namespace

void write_cuda_pattern(transfers::device& device, std::byte* block, std::size_t offset,
                        std::size_t bytes, pattern content) {
  const auto current = device.make_current();
  const byte_range range{offset, offset + bytes};
  translated("writing the test pattern", [&] {
    thrust::for_each_n(policy(), word_iterator(range.first_word()), range.words(),
                       write_word{block, range, content});
  });
  cuda_check(cudaStreamSynchronize(cudaStreamLegacy), "writing the test pattern");
}

pattern_check check_cuda_pattern(transfers::device& device, const std::byte* block,
                                 std::size_t offset, std::size_t bytes, pattern content) {
  if (bytes == 0) return {};
  const auto current = device.make_current();
  const byte_range range{offset, offset + bytes};
  const word_iterator first(range.first_word());
  return translated("checking the test pattern", [&] {
    return thrust::transform_reduce(policy(), first,
                                    first + static_cast<std::ptrdiff_t>(range.words()),
                                    check_word{block, range, content}, no_damage, merge_checks{});
  });
}

}  // namespace bench_transfers::bench
