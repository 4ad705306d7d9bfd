#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"
#include "transfers/array/arithmetic.hpp"
#include "transfers/fast/round_trip.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::direction;
using transfers::host_memory_kind;
using transfers::round_trip_pipeline;
using transfers::stream;

using element = float;

void double_elements(stream& in, std::span<element> elements) {
  transfers::calculate(in, transfers::arithmetic::multiply, elements, 2);
}

/// Both ends and what must come back.
transfer frame_of(const job& task, host_memory_kind kind) {
  transfer trip;
  trip.source = host_payload(task, kind, 0);
  trip.destination = host_payload(task, kind, 1);
  trip.check.compare = [from = elements_of<const element>(*trip.source),
                        to = elements_of<element>(*trip.destination)] {
    return find_wrong_element<element>(to, [from](std::size_t i) { return 2 * from[i]; });
  };
  return trip;
}

/// Up, the work, down: one after the other, nothing at the same time. Pageable memory is staged
/// here as well, so that what pieces gain is theirs alone.
std::vector<step> serial_steps(const job& task, const transfer& trip, host_memory_kind kind) {
  auto* const there = task.memory.on_device().data();
  const std::span<element> elements(reinterpret_cast<element*>(there),
                                    task.bytes / sizeof(element));
  std::function<void(std::byte*, const std::byte*, direction)> copy;
  if (is_page_locked(kind))
    copy = [&device = task.device, bytes = task.bytes](auto* to, const auto* from, direction way) {
      device.copy(to, from, bytes, way);
    };
  else
    copy = [by = task.memory.staged_copier(), bytes = task.bytes](
               auto* to, const auto* from, direction way) { by->copy(to, from, bytes, way); };
  return {
      {"upload", [copy, there, from = trip.source->data] { copy(there, from, direction::h2d); }},
      {"compute",
       [&in = task.stream, elements] {
         double_elements(in, elements);
         in.synchronize();
       }},
      {"download",
       [copy, there, to = trip.destination->data] { copy(to, there, direction::d2h); }}};
}

/// How a variant is cut: "pieces_8", "pieces_32_streams_4"; "chosen" leaves it to the library.
struct cut {
  std::size_t piece_bytes = 0;  ///< 0: chosen
  round_trip_pipeline::shape shape = {};
};
cut cut_of(std::string_view variant, std::size_t bytes) {
  const auto number_after = [&](std::string_view word) -> unsigned long {
    const auto at = variant.find(word);
    if (at == std::string_view::npos) return 0;
    return std::stoul(std::string(variant.substr(at + word.size())));
  };
  const auto pieces = number_after("pieces_");
  if (pieces == 0) return {};
  constexpr std::size_t page = 4096;
  cut how;
  how.piece_bytes = (bytes / pieces + page - 1) / page * page;
  auto& shape = how.shape;
  shape.largest_piece = shape.largest_chunk = how.piece_bytes;
  // No more memory than all pieces have.
  const auto at_most = [&](unsigned& count, unsigned long most) {
    count = static_cast<unsigned>(std::min<unsigned long>(count, std::max(most, 1UL)));
  };
  if (const auto streams = number_after("streams_"); streams > 0)
    shape.streams = static_cast<unsigned>(streams);
  at_most(shape.streams, pieces);
  at_most(shape.threads, pieces);
  at_most(shape.chunks_per_thread, pieces / shape.threads);
  return how;
}

transfer prepare(const job& task, host_memory_kind kind) {
  auto trip = frame_of(task, kind);
  if (task.variant == "serial") {
    trip.steps = serial_steps(task, trip, kind);
    // It works in the block that others take to hold the pattern.
    trip.check.restore = [&device = task.device, &memory = task.memory, bytes = task.bytes] {
      device.write_pattern(memory.on_device().data(), 0, bytes, memory.pattern());
    };
    return trip;
  }
  const auto [piece, shape] = cut_of(task.variant, task.bytes);
  const auto by = std::make_shared<round_trip_pipeline>(task.device, shape);
  trip.steps = {
      {"round_trip", [by, piece = piece, from = trip.source->data, to = trip.destination->data,
                      bytes = task.bytes] {
         by->run(
             to, from, bytes,
             [](stream& in, std::byte* data, std::size_t, std::size_t count) {
               double_elements(in, {reinterpret_cast<element*>(data), count / sizeof(element)});
             },
             sizeof(element), piece);
       }}};
  return trip;
}

/// "serial" is the plainest; "chosen" leaves the pieces to the library.
std::vector<variant> cuts(bool with_streams) {
  std::vector<variant> variants{{.name = "serial", .plainness = 0},
                                {.name = "chosen", .plainness = 1}};
  for (const auto* const pieces : {"1", "2", "4", "8", "16", "32", "64"})
    variants.push_back({.name = std::string("pieces_") + pieces, .plainness = 2});
  if (!with_streams) return variants;
  for (const auto* const streams : {"1", "2", "4", "8"})
    variants.push_back({.name = std::string("pieces_32_streams_") + streams, .plainness = 2});
  return variants;
}

strategy there_and_back(host_memory_kind kind, std::vector<variant> variants) {
  return {.family = "overlap",
          .parts = {in_memory(kind)},
          .summary = "upload, 2 * a, download in pieces that overlap, " + transfers::describe(kind),
          .variants = std::move(variants),
          .role = roles::overlap,
          .direction = result_file::direction::both,
          .prepare = [kind](const job& task) { return prepare(task, kind); },
          .needs = {.host = kind,
                    .host_payloads = 2,
                    .more_host_memory = true,
                    .more_device_memory = true},
          .sampling = {.smallest = std::size_t{1} << 20,
                       .largest = std::size_t{256} << 20,
                       .size_stride = 2,
                       .cold = false}};
}

const registration pinned{there_and_back(transfers::pinned(), cuts(true))};
const registration pageable{there_and_back(transfers::pageable, cuts(false))};

}  // namespace
}  // namespace bench_transfers::bench
