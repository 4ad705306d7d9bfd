#include <algorithm>
#include <numeric>
#include <random>

#include "bench/strategy/directions.hpp"
#include "bench/strategy/pieces.hpp"
#include "src/common/sizes.hpp"
#include "transfers/fast/scattered.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::scattered_block;
using transfers::scattered_way;

constexpr auto kind = transfers::pinned();

/// Blocks in random order, the same in every run, with a block's length between two of them. What
/// does not fill a block comes last.
std::vector<piece> scatter(std::size_t bytes, std::size_t block) {
  std::vector<std::size_t> places(bytes / block);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::shuffle(places, std::mt19937_64(1));
  std::vector<piece> all;
  all.reserve(places.size() + 1);
  for (const auto place : places) all.push_back({place * 2 * block, block});
  all.push_back({places.size() * 2 * block, bytes % block});
  return all;
}

/// Those of the largest kernel, as scattered_copy splits the list up.
std::size_t multiprocessors_for(std::size_t bytes, std::size_t block,
                                const transfers::device& device) {
  const auto pieces = bytes / std::min(block, transfers::scattered_piece::most_bytes);
  constexpr std::size_t pieces_of_a_block = 8;
  return std::min({(pieces + pieces_of_a_block - 1) / pieces_of_a_block,
                   static_cast<std::size_t>(device.description().cuda->multiprocessors),
                   std::size_t{transfers::stream::most_blocks_for_pieces}});
}

transfer prepare(const job& wanted, scattered_way by, std::size_t block) {
  piecewise what{host_payload(wanted, kind),
                 {wanted.memory.on_device().data(), wanted.bytes, true},
                 scatter(wanted.bytes, block),
                 direction_of(wanted.variant)};
  // Two payloads lie in the block, so as much again is there for what is between.
  what.host.bytes = 2 * wanted.bytes;

  std::vector<scattered_block> blocks;
  blocks.reserve(what.pieces.size());
  for (const auto& one : what.pieces) blocks.push_back({what.host.data + one.offset, one.bytes});
  const auto copier = std::make_shared<transfers::scattered_copy>(wanted.device, wanted.stream);
  copier->add({what.host.data, what.host.bytes});

  transfer made;
  // The list is gone through in each operation, whatever is made of it for the device. No device
  // clock: enqueueing the list takes longer than it waits.
  made.steps =
      enqueue_and_wait(wanted.stream, [copier, blocks = std::move(blocks), by, way = what.way,
                                       there = std::span(what.device.data, what.device.bytes)] {
        copier->enqueue(blocks, there, way, by);
      });
  if (by == scattered_way::kernel && wanted.device.description().cuda)
    made.multiprocessors = multiprocessors_for(wanted.bytes, block, wanted.device);
  // Thousands of calls may take longer than a repetition.
  made.least_operations = 1;
  set_ends(made, std::move(what), wanted.device, wanted.memory);
  return made;
}

void add(const std::string& name, const std::string& summary, scattered_way by) {
  for (const std::size_t block : {512U, 4096U, 8192U, 65536U})
    registration{strategy{
        .name = "scatter/" + name + "/" + common::format_size(block) + "_blocks/" + to_string(kind),
        .summary =
            "blocks of " + common::format_size(block) + " scattered in pinned memory, " + summary,
        .variants = {"h2d", "d2h"},
        .host = kind,
        .prepare = [by, block](const job& wanted) { return prepare(wanted, by, block); },
        .smallest = std::size_t{1} << 20,
        .largest = std::size_t{64} << 20,
        .host_payloads = 2,
        .cold = false,
        .sparse = 3}};
}

const struct all {
  all() {
    add("loop", "a cudaMemcpyAsync for each", scattered_way::loop);
    add("batch", "one cudaMemcpyBatchAsync", scattered_way::batch);
    add("gather_kernel", "read or written in place by a kernel", scattered_way::kernel);
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
