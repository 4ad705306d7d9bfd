#include <algorithm>
#include <numeric>
#include <random>

#include "bench/strategy/pieces.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/subjects/in_place.hpp"

namespace bench_transfers::bench::zero_copy_access_strategies {
namespace {

using subjects::pieces_in_place;

constexpr auto kind = transfers::pinned();

/// Pieces of host memory that a kernel accesses, in the kernel's order.
struct shape {
  std::string name, summary;
  std::size_t piece_bytes;
  std::size_t distance;   ///< between the beginnings of two pieces, in bytes
  std::size_t first = 0;  ///< offset of the first piece, in bytes
  bool shuffled = false;
};

constexpr std::size_t widest_distance = 256;

std::vector<std::size_t> offsets_of(const shape& shape, std::size_t count) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (shape.shuffled) std::ranges::shuffle(places, std::mt19937_64(1));
  for (auto& place : places) place = shape.first + place * shape.distance;
  return places;
}

transfer prepare(const job& task, const shape& shape) {
  const auto offsets = offsets_of(shape, task.bytes / shape.piece_bytes);
  piecewise layout{host_payload(task, kind),
                   {task.memory.on_device().data(), offsets.size() * shape.piece_bytes, true},
                   {},
                   task.direction};
  layout.host.bytes = offsets.size() * shape.distance;
  pieces_in_place pieces{
      seen_by_kernel(layout.host), {}, shape.piece_bytes, layout.device.data, layout.direction};
  for (const auto offset : offsets) {
    layout.pieces.push_back({offset, shape.piece_bytes});
    pieces.offsets.push_back(static_cast<std::uint32_t>(offset / pieces_in_place::unit));
  }
  auto kernel = subjects::copy_pieces_in_place(task.device, task.stream, pieces);

  transfer access;
  access.enqueue = std::move(kernel.enqueue);
  access.amount.multiprocessors = kernel.multiprocessors;
  access.steps = enqueue_and_wait(task.stream, access.enqueue);
  set_ends(access, std::move(layout), task.device, task.memory);
  return access;
}

void add(const shape& shape) {
  registration{strategy{
      .family = "zero_copy_access",
      .parts = {setting(shape.name), in_memory(kind)},
      .summary = "a kernel reads or writes pinned memory in place: " + shape.summary,
      .variants = both_accesses(),
      .role = roles::kernel_access,
      .prepare = [shape](const job& task) { return prepare(task, shape); },
      .needs = {.host = kind,
                .host_payloads = std::max<std::size_t>(1, shape.distance / shape.piece_bytes)},
      .sampling = {.smallest = 1024,
                   .largest = std::size_t{16} << 20,
                   .size_stride = 100,  // the largest alone
                   .cold = false}}};
}

const struct access_strategies {
  access_strategies() {
    add({"contiguous", "all of it", 128, 128});
    add({"strided_32B", "32 bytes of every 256", 32, widest_distance});
    add({"strided_64B", "64 bytes of every 256", 64, widest_distance});
    add({"strided_128B", "128 bytes of every 256", 128, widest_distance});
    add({"misaligned_128B", "128 bytes of every 256, 16 behind a multiple of 128", 128,
         widest_distance, 16});
    add({"random_32B", "pieces of 32 bytes in random order", 32, 32, 0, true});
    add({"random_64B", "pieces of 64 bytes in random order", 64, 64, 0, true});
    add({"random_128B", "pieces of 128 bytes in random order", 128, 128, 0, true});
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::zero_copy_access_strategies
