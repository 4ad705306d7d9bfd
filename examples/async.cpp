// Two halves of an array on two streams, so that copies and work of one half overlap the other's.
// PyCUDA: stream = cuda.Stream(); gpuarray.to_gpu_async(a, stream=stream); x_gpu.get_async(stream)
// Each context has one stream, so two streams need two contexts. Source and result are page-locked:
// with ordinary memory the calls would wait for the copies.
#include <array>
#include <iostream>
#include <numeric>
#include <span>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const std::array contexts{transfers::context(*device), transfers::context(*device)};

  constexpr std::size_t half = 2048;
  auto source = transfers::pinned_empty<float>(*device, {2, half});
  auto result = transfers::pinned_empty<float>(*device, {2, half});
  std::iota(source.begin(), source.end(), 0.0F);

  for (std::size_t i = 0; i < contexts.size(); ++i) {
    auto x = transfers::to_gpu_async(contexts[i], std::span(source).subspan(i * half, half));
    x *= 2;
    x.get_async(std::span(result).subspan(i * half, half));
  }  // x may be destroyed while its work is under way: the stream runs later uses of its memory
     // after it

  // No call has waited so far, so `result` must not be read before this.
  for (const auto& context : contexts) context.synchronize();

  for (std::size_t i = 0; i < source.size(); ++i)
    if (result[i] != 2 * source[i]) {
      std::cerr << "Wrong: element " << i << " is " << result[i] << ", not " << 2 * source[i]
                << ".\n";
      return 1;
    }
  std::cout << source.size() << " elements were doubled on two streams.\n";
}
