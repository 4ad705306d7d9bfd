// Stands in for cuda/ when the program is built without nvcc.
#include "bench/subjects/async_memory.hpp"
#include "bench/subjects/host_launches.hpp"
#include "bench/subjects/in_place.hpp"
#include "bench/subjects/thrust_vectors.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::subjects {
namespace {

[[noreturn]] void refuse() {
  throw transfers::unsupported("<<<>>> and graphs are CUDA's; the host device has none");
}

}  // namespace

transfers::function empty_kernel(const transfers::device& /*device*/, std::size_t arguments) {
  return empty_host_kernel(arguments);
}
std::function<void()> plain_launch(const transfers::device& /*device*/,
                                   transfers::stream& /*stream*/, std::size_t /*arguments*/) {
  refuse();
}
std::function<void()> graph_launch(const transfers::device& /*device*/,
                                   transfers::stream& /*stream*/, std::size_t /*arguments*/) {
  refuse();
}
void check_launches(const transfers::device& /*device*/) {}
copying_kernel copy_pieces(const transfers::device& /*device*/) { return copy_pieces_on_host(); }

pieces_kernel copy_pieces_in_place(const transfers::device& /*device*/, transfers::stream& stream,
                                   const pieces_in_place& pieces) {
  return copy_pieces_in_place_on_host(stream, pieces);
}

std::function<std::shared_ptr<std::byte>(std::size_t)> async_allocator(
    const transfers::device& /*device*/, transfers::stream& /*stream*/) {
  throw transfers::unsupported("cudaMallocAsync is CUDA's own; the host device has no counterpart");
}

thrust_copy copy_with_thrust_on_cuda(std::string_view /*container*/, std::span<float> /*host*/,
                                     transfers::direction /*direction*/) {
  refuse();
}

}  // namespace bench_transfers::bench::subjects
