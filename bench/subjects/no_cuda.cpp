// Stands in for cuda/ when the program is built without nvcc.
#include "bench/subjects/async_memory.hpp"
#include "bench/subjects/batch_copy.hpp"
#include "bench/subjects/in_place.hpp"
#include "bench/subjects/launches.hpp"
#include "bench/subjects/parameters.hpp"
#include "bench/subjects/thrust_vectors.hpp"
#include "bench/subjects/waits.hpp"
#include "bench/subjects/work.hpp"
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
    const transfers::device& /*device*/, transfers::stream& /*stream*/, pooled_memory /*memory*/,
    freed_memory /*freed*/) {
  throw transfers::unsupported(
      "cudaMallocFromPoolAsync is CUDA's own; the host device has no counterpart");
}

flag_access flags_of(const transfers::device& device) {
  throw transfers::unsupported(why_no_schedule_flags(device).value_or("built without CUDA"));
}
std::function<void()> blocking_event_wait(const transfers::device& /*device*/,
                                          transfers::stream& stream) {
  return blocking_event_wait_on_host(stream);
}
std::function<void(std::uint32_t)> value_writer(const transfers::device& /*device*/,
                                                transfers::stream& stream, std::uint32_t& word) {
  return value_writer_on_host(stream, word);
}

std::function<void()> batched_copy(const transfers::device& /*device*/, transfers::stream& stream,
                                   const one_copy& copy, source_access_order order) {
  return batched_copy_on_host(stream, copy, order);
}

writing_kernel write_parameter(const transfers::device& /*device*/, std::size_t bytes) {
  return write_parameter_on_host(bytes);
}
writing_kernel write_from_memory(const transfers::device& /*device*/, std::size_t bytes) {
  return write_from_memory_on_host(bytes);
}

work_kernel multiplying_kernel(const transfers::device& /*device*/, std::uint64_t /*words*/) {
  return multiplying_kernel_on_host();
}

thrust_copy copy_with_thrust_on_cuda(std::string_view /*container*/, std::span<float> /*host*/,
                                     transfers::direction /*direction*/) {
  refuse();
}

}  // namespace bench_transfers::bench::subjects
