#include "tests/gpu/kernels_for_tests.hpp"
#include "transfers/fast/mailbox.cuh"

namespace {

__global__ void scale(float* data, float factor, unsigned elements) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < elements) data[i] *= factor;
}

__global__ void note_multiprocessor(unsigned* in_use, long long cycles) {
  unsigned multiprocessor = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  in_use[multiprocessor] = 1;
  // Wait until all blocks have begun, so that no block gets a multiprocessor that another has left.
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

__global__ void occupy(const unsigned* until) {
  const cuda::atomic_ref<const unsigned, cuda::thread_scope_system> word(*until);
  while (word.load(cuda::memory_order_relaxed) == 0) {
  }
}

__global__ void stay_silent(transfers::mailbox_end end) {
  transfers::mailbox_on_device box(end);
  for (std::uint32_t message = 0; box.receive(message);) {
  }
}

__global__ void leave() {}

__global__ void add_up(transfers::mailbox_end end, std::uint32_t* numbers, std::uint32_t most) {
  transfers::mailbox_on_device box(end);
  for (std::uint32_t count = 0; box.receive(count, cuda::memory_order_acquire);) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < count; ++i) sum += numbers[i];
    numbers[most] = sum;
    box.answer(count, cuda::memory_order_release);
  }
}

cudaStream_t handle_of(transfers::stream& stream) {
  return static_cast<cudaStream_t>(stream.native_handle());
}

}  // namespace

const void* scale_kernel() { return reinterpret_cast<const void*>(&scale); }
const void* note_multiprocessor_kernel() {
  return reinterpret_cast<const void*>(&note_multiprocessor);
}

const void* occupy_kernel() { return reinterpret_cast<const void*>(&occupy); }

transfers::mailbox::service silent_service() {
  return [](transfers::stream& stream, const transfers::mailbox_end& end) {
    stay_silent<<<1, 1, 0, handle_of(stream)>>>(end);
  };
}

transfers::mailbox::service absent_service() {
  return [](transfers::stream& stream, const transfers::mailbox_end&) {
    leave<<<1, 1, 0, handle_of(stream)>>>();
  };
}

transfers::mailbox::service adding_service(std::uint32_t* numbers, std::uint32_t most) {
  return [=](transfers::stream& stream, const transfers::mailbox_end& end) {
    add_up<<<1, 1, 0, handle_of(stream)>>>(end, numbers, most);
  };
}
