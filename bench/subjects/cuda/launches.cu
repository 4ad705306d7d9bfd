#include "bench/subjects/host_launches.hpp"
#include "src/transfers/cuda/check.hpp"
#include "transfers/core/error.hpp"
#include "transfers/launch/graph.hpp"

namespace bench_transfers::bench::subjects {
namespace {

template <class... A>
__global__ void nothing(A...) {}

template <class T>
__device__ void move_one(T& to, T& from, bool exchange) {
  const T there = from;
  if (exchange) from = to;
  to = there;
}

__global__ void copy_all(piece_list all) {
  const std::size_t first = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const std::size_t stride = gridDim.x * std::size_t{blockDim.x};
  for (std::size_t k = 0; k < all.count; ++k) {
    const auto& one = all.pieces[k];
    const auto words = one.bytes / sizeof(uint4);
    for (std::size_t i = first; i < words; i += stride)
      move_one(reinterpret_cast<uint4*>(one.to)[i], reinterpret_cast<uint4*>(one.from)[i],
               all.exchange);
    for (std::size_t i = words * sizeof(uint4) + first; i < one.bytes; i += stride)
      move_one(one.to[i], one.from[i], all.exchange);
  }
}

using transfers::detail::cuda_check;

cudaStream_t stream_of(const transfers::device& on, transfers::stream& in) {
  if (on.description().kind != "cuda")
    throw transfers::unsupported("<<<>>> and graphs are CUDA's; the host device has none");
  return static_cast<cudaStream_t>(in.native_handle());
}

}  // namespace

transfers::function empty_kernel(const transfers::device& on, std::size_t arguments) {
  if (on.description().kind != "cuda") return empty_host_kernel(arguments);
  return with_arguments(arguments, []<class... A>() {
    return transfers::cuda_function("nothing", reinterpret_cast<const void*>(&nothing<A...>));
  });
}

std::function<void()> plain_launch(const transfers::device& on, transfers::stream& in,
                                   std::size_t arguments) {
  const auto stream = stream_of(on, in);
  auto launch = with_arguments(arguments, [stream]<class... A>() -> std::function<void()> {
    return [stream] { nothing<A...><<<1, 1, 0, stream>>>(A{}...); };
  });
  // What is measured is the launch alone: errors are looked for here and between operations.
  launch();
  cuda_check(cudaGetLastError(), "<<<>>>");
  return launch;
}

std::function<void()> graph_launch(const transfers::device& on, transfers::stream& in,
                                   std::size_t arguments) {
  return [replay = transfers::graph(in, plain_launch(on, in, arguments))] { replay.enqueue(); };
}

void check_launches(const transfers::device& on) {
  if (on.description().kind == "cuda") cuda_check(cudaGetLastError(), "<<<>>>");
}

copying_kernel copy_pieces(const transfers::device& on) {
  if (on.description().kind != "cuda") return copy_pieces_on_host();
  const auto blocks = static_cast<unsigned>(2 * on.description().cuda->multiprocessors);
  return {transfers::cuda_function("copy_all", reinterpret_cast<const void*>(&copy_all)),
          {.grid = {blocks}, .block = {512}}};
}

}  // namespace bench_transfers::bench::subjects
