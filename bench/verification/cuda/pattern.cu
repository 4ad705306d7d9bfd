#include <algorithm>
#include <memory>

#include "bench/cuda/check.hpp"
#include "bench/verification/cuda_pattern.hpp"
#include "bench/verification/words.hpp"

namespace bench_transfers::bench {
namespace {

constexpr unsigned threads_of_block = 256;
constexpr std::size_t most_blocks = 16384;

template <class Visit>
__global__ void visit_words(std::size_t first, std::size_t end, Visit visit) {
  const auto threads = std::size_t{gridDim.x} * threads_of_block;
  for (auto word = first + std::size_t{blockIdx.x} * threads_of_block + threadIdx.x; word < end;
       word += threads)
    visit(word);
}

/// On the default stream, so that no stream of the benchmark's own takes a part of the GPU's queues
/// from those that it measures.
template <class Visit>
void visit(const byte_range& range, const Visit& each, const char* doing) {
  const auto words = range.words();
  if (words == 0) return;
  const auto blocks = std::min((words + threads_of_block - 1) / threads_of_block, most_blocks);
  visit_words<<<static_cast<unsigned>(blocks), threads_of_block, 0, cudaStreamLegacy>>>(
      range.first_word(), range.first_word() + words, each);
  cuda_check(cudaGetLastError(), doing);
  cuda_check(cudaStreamSynchronize(cudaStreamLegacy), doing);
}

/// The counters of a pattern_check, in the type of CUDA's atomic functions.
struct damage {
  unsigned long long wrong_bytes = no_damage.wrong_bytes;
  unsigned long long first_wrong = no_damage.first_wrong;
};

struct note_damage {
  check_word check;
  damage* noted;

  __device__ void operator()(std::size_t word) const {
    const auto found = check(word);
    if (found.wrong_bytes == 0) return;
    atomicAdd(&noted->wrong_bytes, found.wrong_bytes);
    atomicMin(&noted->first_wrong, found.first_wrong);
  }
};

struct cuda_free {
  void operator()(damage* memory) const { cudaFree(memory); }
};

}  // namespace

void write_cuda_pattern(transfers::device& device, std::byte* block, std::size_t offset,
                        std::size_t bytes, pattern content) {
  const auto current = device.make_current();
  const byte_range range{offset, offset + bytes};
  visit(range, write_word{block, range, content}, "writing the test pattern");
}

pattern_check check_cuda_pattern(transfers::device& device, const std::byte* block,
                                 std::size_t offset, std::size_t bytes, pattern content) {
  if (bytes == 0) return {};
  constexpr const char* doing = "checking the test pattern";
  const auto current = device.make_current();
  const byte_range range{offset, offset + bytes};
  damage* allocated = nullptr;
  cuda_check(cudaMalloc(&allocated, sizeof *allocated), doing);
  const std::unique_ptr<damage, cuda_free> noted(allocated);
  damage found;
  cuda_check(cudaMemcpy(allocated, &found, sizeof found, cudaMemcpyHostToDevice), doing);
  visit(range, note_damage{{block, range, content}, allocated}, doing);
  cuda_check(cudaMemcpy(&found, allocated, sizeof found, cudaMemcpyDeviceToHost), doing);
  return {found.wrong_bytes, found.first_wrong};
}

}  // namespace bench_transfers::bench
