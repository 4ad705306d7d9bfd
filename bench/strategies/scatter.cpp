#include <algorithm>

#include "bench/strategy/pieces.hpp"
#include "bench/strategy/strategy.hpp"
#include "src/common/quantities.hpp"
#include "transfers/fast/scattered.hpp"

namespace bench_transfers::bench::scatter_strategies {
namespace {

using transfers::scattered_block;
using transfers::scattered_route;

constexpr auto kind = transfers::pinned();

/// Multiprocessors of the largest kernel that scattered_copy launches for the list.
std::size_t multiprocessors_for(std::size_t bytes, std::size_t block,
                                const transfers::device& device) {
  const auto pieces = bytes / std::min(block, transfers::scattered_piece::most_bytes);
  constexpr std::size_t pieces_of_a_block = 8;
  return std::min({(pieces + pieces_of_a_block - 1) / pieces_of_a_block,
                   static_cast<std::size_t>(device.description().cuda->multiprocessors),
                   std::size_t{transfers::stream::most_blocks_for_pieces}});
}

transfer prepare(const job& task, scattered_route copy_method, std::size_t block) {
  piecewise layout{host_payload(task, kind),
                   {task.memory.on_device().data(), task.bytes, true},
                   scattered_pieces(task.bytes, block),
                   task.direction};
  // The block has room for two payloads, so for the gaps as well.
  layout.host.bytes = 2 * task.bytes;

  std::vector<scattered_block> blocks;
  blocks.reserve(layout.pieces.size());
  for (const auto& piece : layout.pieces)
    blocks.push_back({layout.host.data + piece.offset, piece.bytes});
  const auto copier = std::make_shared<transfers::scattered_copy>(task.device, task.stream);
  copier->add({layout.host.data, layout.host.bytes});

  transfer copy;
  // Each operation processes the whole list. No device clock: enqueueing the list takes longer than
  // waiting for it.
  copy.steps = enqueue_and_wait(
      task.stream,
      [copier, blocks = std::move(blocks), copy_method, direction = layout.direction,
       device_memory = transfers::device_view(layout.device.data, layout.device.bytes)] {
        copier->enqueue(blocks, device_memory, direction, copy_method);
      });
  if (copy_method == scattered_route::kernel && task.device.description().cuda)
    copy.amount.multiprocessors = multiprocessors_for(task.bytes, block, task.device);
  // Thousands of calls may take longer than a repetition.
  copy.timing.least_operations = 1;
  set_ends(copy, std::move(layout), task.device, task.memory);
  return copy;
}

void add(const std::string& name, const std::string& summary, const std::string& calls,
         scattered_route copy_method, unsigned plainness,
         std::optional<machine::cuda_release> cuda = {}) {
  for (const std::size_t block : {512U, 4096U, 8192U, 65536U}) {
    const auto size = common::format_size(block);
    registration{
        strategy{.family = "scatter",
                 .parts = {method(name), setting(size + "_blocks"), in_memory(kind)},
                 .summary = "blocks of " + size + " scattered in pinned memory, " + summary,
                 .calls = calls_for(kind) + calls,
                 .variants = both_directions(),
                 .role = roles::scattered_copy,
                 .plainness = plainness,
                 .prepare = [copy_method,
                             block](const job& task) { return prepare(task, copy_method, block); },
                 .needs = {.host = kind, .host_payloads = 2, .cuda = cuda},
                 .sampling = {.smallest = std::size_t{1} << 20,
                              .largest = std::size_t{64} << 20,
                              .size_stride = 3,
                              .cold = false}}};
  }
}

const struct scattered_strategies {
  scattered_strategies() {
    add("loop", "a cudaMemcpyAsync for each",
        "for (size_t i = 0; i < count; ++i)\n"
        "  cudaMemcpyAsync(destinations[i], sources[i], sizes[i], cudaMemcpyDefault, stream);\n"
        "cudaStreamSynchronize(stream);",
        scattered_route::loop, 0);
    add("batch", "one cudaMemcpyBatchAsync",
        "cudaMemcpyAttributes order{cudaMemcpySrcAccessOrderStream};\n"
        "cudaMemcpyBatchAsync(destinations, sources, sizes, count, order, stream);\n"
        "cudaStreamSynchronize(stream);",
        scattered_route::batch, 1, cuda_with::batches);
    add("gather_kernel", "read or written in place by a kernel",
        "transfers::scattered_copy copy(gpu, gpu_stream);\n"
        "copy.add({host, bytes});\n"
        "copy.enqueue(blocks_on_host, {device, bytes}, transfers::direction::$[h2d|d2h]);\n"
        "gpu_stream.synchronize();",
        scattered_route::kernel, 2);
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::scatter_strategies
