#include "bench/cuda/check.hpp"
#include "bench/subjects/launches.hpp"
#include "transfers/core/error.hpp"
#include "transfers/launch/graph.hpp"

namespace bench_transfers::bench::subjects {
namespace {

template <class... A>
__global__ void nothing(A...) {}

template <class T>
__device__ void move_element(T& dst, T& src, bool exchange) {
  const T value = src;
  if (exchange) src = dst;
  dst = value;
}

__global__ void copy_all(piece_list list) {
  const std::size_t first = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const std::size_t stride = gridDim.x * std::size_t{blockDim.x};
  for (std::size_t k = 0; k < list.count; ++k) {
    const auto& piece = list.pieces[k];
    const auto words = piece.bytes / sizeof(uint4);
    for (std::size_t i = first; i < words; i += stride)
      move_element(reinterpret_cast<uint4*>(piece.dst)[i], reinterpret_cast<uint4*>(piece.src)[i],
                   list.exchange);
    for (std::size_t i = words * sizeof(uint4) + first; i < piece.bytes; i += stride)
      move_element(piece.dst[i], piece.src[i], list.exchange);
  }
}

cudaStream_t stream_of(const transfers::device& device, transfers::stream& stream) {
  if (device.description().kind != "cuda")
    throw transfers::unsupported("<<<>>> and graphs are CUDA's; the host device has none");
  return static_cast<cudaStream_t>(stream.native_handle());
}

}  // namespace

transfers::function empty_kernel(const transfers::device& device, std::size_t arguments) {
  if (device.description().kind != "cuda") return empty_host_kernel(arguments);
  return with_arguments(arguments, []<class... A>() {
    return transfers::cuda_function("nothing", reinterpret_cast<const void*>(&nothing<A...>));
  });
}

std::function<void()> plain_launch(const transfers::device& device, transfers::stream& stream,
                                   std::size_t arguments) {
  const auto native_stream = stream_of(device, stream);
  auto launch = with_arguments(arguments, [native_stream]<class... A>() -> std::function<void()> {
    return [native_stream] { nothing<A...><<<1, 1, 0, native_stream>>>(A{}...); };
  });
  // The launch alone is timed: errors are checked here and between operations.
  launch();
  cuda_check(cudaGetLastError(), "<<<>>>");
  return launch;
}

std::function<void()> graph_launch(const transfers::device& device, transfers::stream& stream,
                                   std::size_t arguments) {
  return [replay = transfers::graph(stream, plain_launch(device, stream, arguments))] {
    replay.enqueue();
  };
}

void check_launches(const transfers::device& device) {
  if (device.description().kind == "cuda") cuda_check(cudaGetLastError(), "<<<>>>");
}

copying_kernel copy_pieces(const transfers::device& device) {
  if (device.description().kind != "cuda") return copy_pieces_on_host();
  const auto blocks = static_cast<unsigned>(2 * device.description().cuda->multiprocessors);
  return {transfers::cuda_function("copy_all", reinterpret_cast<const void*>(&copy_all)),
          {.grid = {blocks}, .block = {512}}};
}

}  // namespace bench_transfers::bench::subjects
