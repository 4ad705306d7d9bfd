// Host memory that the GPU copies from and to at full speed, because it is page-locked.
// PyCUDA: cuda.pagelocked_empty, pagelocked_zeros, pagelocked_empty_like, pagelocked_zeros_like;
//         cuda.aligned_empty; cuda.register_host_memory
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <span>
#include <vector>

#include "transfers/transfers.hpp"

namespace {

/// Fills any host memory, sends it to the device and back into ordinary memory.
template <class Range>
bool makes_the_journey(const transfers::context& gpu, Range& memory) {
  std::ranges::fill(memory, 7.0F);
  return std::ranges::equal(transfers::to_gpu(gpu, memory).get(), memory);
}

template <class T>
bool is_aligned(const T* address, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

}  // namespace

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const transfers::context gpu(*device);

  // Flags are those of cudaHostAlloc. Not every device has all of them; why_unsupported() tells.
  auto flags = transfers::pin_flags::mapped;
  if (const auto with_portable = flags | transfers::pin_flags::portable;
      !device->why_unsupported(transfers::pinned(with_portable)))
    flags = with_portable;
  auto pinned = transfers::pinned_empty<float>(*device, {4, 4}, flags);
  auto zeros = transfers::pinned_zeros_like(*device, pinned);
  const bool all_zero = std::ranges::all_of(zeros, [](float x) { return x == 0; });
  std::cout << "pinned_empty gave " << transfers::describe(pinned.kind()) << '\n';

  // A larger alignment, in page-locked and in ordinary memory.
  constexpr std::size_t alignment = 65536;
  transfers::host_buffer<float> aligned_pinned(*device, 100, transfers::pinned(), alignment);
  transfers::host_buffer<float> aligned(100, alignment);

  // Existing memory stays page-locked as long as `lock` lives.
  std::vector<float> existing(100);
  const auto lock = device->lock(existing);
  std::cout << "locked " << lock.bytes().size() << " bytes of a std::vector\n";

  if (!all_zero) {
    std::cerr << "Wrong: pinned_zeros_like has something else in it.\n";
    return 1;
  }
  if (!is_aligned(aligned_pinned.data(), alignment) || !is_aligned(aligned.data(), alignment)) {
    std::cerr << "Wrong: memory is not aligned to " << alignment << " bytes.\n";
    return 1;
  }
  if (!makes_the_journey(gpu, pinned) || !makes_the_journey(gpu, zeros) ||
      !makes_the_journey(gpu, aligned_pinned) || !makes_the_journey(gpu, aligned) ||
      !makes_the_journey(gpu, existing)) {
    std::cerr << "Wrong: something else came back from the device.\n";
    return 1;
  }
  std::cout << "All five went to the device and back.\n";
}
