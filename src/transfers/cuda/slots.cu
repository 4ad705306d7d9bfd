#include <cuda/atomic>

#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/copy_units.cuh"
#include "src/transfers/cuda/kernels.hpp"

namespace transfers::detail {
namespace {

/// Threads of a block that move bytes. One more warp has a scout, who looks for the next chunk
/// meanwhile: taking it and waiting for its word takes microseconds.
constexpr unsigned movers = 512;
constexpr unsigned scout = movers;
constexpr unsigned block_threads = movers + 32;
constexpr std::uint64_t none = ~std::uint64_t{0};

using system_word = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;

/// Inline PTX, because cuda::atomic_ref stores the loaded value to local memory first.
__device__ std::uint64_t load(const slot_copy& copy, std::size_t word) {
  std::uint64_t value = 0;
  asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(copy.words + word) : "memory");
  return value;
}
__device__ void store(const slot_copy& copy, std::size_t word, std::uint64_t value) {
  system_word(copy.words[word]).store(value, cuda::memory_order_release);
}

/// Says that this block runs, and then looks whether the host has cancelled the run. The host does
/// both in the other order, so at least one of them sees the other (the fences are the reason).
__device__ bool enter(const slot_copy& copy) {
  system_word(copy.words[copy.begun_word(blockIdx.x)]).store(copy.run, cuda::memory_order_relaxed);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_system);
  return load(copy, copy.cancelled_word()) < copy.run;
}

/// The next chunk that the host has made ready; none if no chunk is left, or the run is cancelled.
__device__ std::uint64_t take(const slot_copy& copy) {
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device> taken(*copy.taken);
  const auto chunk = taken.fetch_add(1, cuda::memory_order_relaxed);
  if (chunk >= copy.chunks()) return none;
  const auto needed = copy.needed_by_device(chunk);
  if (needed == 0) return chunk;
  // A load crosses the link, so the other word is read only now and then.
  do {
    constexpr int looks = 64;
#pragma unroll 1
    for (int i = 0; i < looks; ++i)
      if (load(copy, copy.host_word(chunk)) >= needed) return chunk;
  } while (load(copy, copy.cancelled_word()) < copy.run);
  return none;
}

__device__ void move(const slot_copy& copy, std::uint64_t chunk) {
  const auto part = copy.part_of(chunk);
  auto* const in_slot = copy.memory + chunk % copy.slots * copy.slot_bytes + part.in_slot;
  auto* const in_data = copy.data + part.offset;
  // Numbers of 32 bits make the loops cheaper.
  const auto bytes = static_cast<unsigned>(part.bytes);
  if (copy.to_device)
    copy_as<uint4>(in_data, in_slot, bytes, threadIdx.x, movers);
  else
    copy_as<uint4>(in_slot, in_data, bytes, threadIdx.x, movers);
}

/// Whether a block takes its next chunk before it has moved this one. Of the last chunks each is
/// for the block that is idle first.
__device__ bool takes_ahead(const slot_copy& copy, std::uint64_t chunk) {
  return chunk + 2 * std::uint64_t{gridDim.x} < copy.chunks();
}

/// Moves a chunk by all movers, and tells the host.
__device__ void move_and_tell(const slot_copy& copy, std::uint64_t chunk) {
  move(copy, chunk);
  // A barrier of the movers alone. It orders their accesses before the release.
  asm volatile("bar.sync 1, %0;" ::"n"(movers) : "memory");
  if (threadIdx.x == 0) store(copy, copy.device_word(chunk), copy.done(chunk));
}

__global__ void __launch_bounds__(block_threads) copy_all(slot_copy copy) {
  __shared__ std::uint64_t chunks[2];
  __shared__ bool entered;
  if (threadIdx.x == 0) entered = enter(copy);
  if (threadIdx.x == scout) chunks[0] = take(copy);
  __syncthreads();
  for (unsigned turn = 0; entered && chunks[turn] != none; turn ^= 1U) {
    const auto chunk = chunks[turn];
    const bool ahead = takes_ahead(copy, chunk);
    if (threadIdx.x < movers) move_and_tell(copy, chunk);
    if (threadIdx.x == scout && ahead) chunks[turn ^ 1U] = take(copy);
    if (!ahead) {
      __syncthreads();
      if (threadIdx.x == scout) chunks[turn ^ 1U] = take(copy);
    }
    __syncthreads();
  }
  if (threadIdx.x == scout) store(copy, copy.left_word(blockIdx.x), copy.run);
}

}  // namespace

void launch_slots(const slot_copy& copy, unsigned blocks, cudaStream_t stream) {
  copy_all<<<blocks, block_threads, 0, stream>>>(copy);
  cuda_check(cudaGetLastError(), "launch of the kernel that copies slots");
}

}  // namespace transfers::detail
