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
transfer frame_of(const job& wanted, host_memory_kind kind) {
  transfer trip;
  trip.source = host_payload(wanted, kind, 0);
  trip.destination = host_payload(wanted, kind, 1);
  trip.verify = [from = elements_of<const element>(*trip.source),
                 to = elements_of<element>(*trip.destination)] {
    return find_wrong_element<element>(to, [from](std::size_t i) { return 2 * from[i]; });
  };
  return trip;
}

/// Up, the work, down: one after the other, nothing at the same time. Pageable memory is staged
/// here as well, so that what pieces gain is theirs alone.
std::vector<step> serial_steps(const job& wanted, const transfer& trip, host_memory_kind kind) {
  auto* const there = wanted.memory.on_device().data();
  const std::span<element> elements(reinterpret_cast<element*>(there),
                                    wanted.bytes / sizeof(element));
  std::function<void(std::byte*, const std::byte*, direction)> copy;
  if (is_page_locked(kind))
    copy = [&device = wanted.device, bytes = wanted.bytes](
               auto* to, const auto* from, direction way) { device.copy(to, from, bytes, way); };
  else
    copy = [by = wanted.memory.staged_copier(), bytes = wanted.bytes](
               auto* to, const auto* from, direction way) { by->copy(to, from, bytes, way); };
  return {
      {"upload", [copy, there, from = trip.source->data] { copy(there, from, direction::h2d); }},
      {"compute",
       [&in = wanted.stream, elements] {
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

transfer prepare(const job& wanted, host_memory_kind kind) {
  auto trip = frame_of(wanted, kind);
  if (wanted.variant == "serial") {
    trip.steps = serial_steps(wanted, trip, kind);
    // It works in the block that others take to hold the pattern.
    trip.restore = [&device = wanted.device, &memory = wanted.memory, bytes = wanted.bytes] {
      device.write_pattern(memory.on_device().data(), 0, bytes, memory.pattern());
    };
    return trip;
  }
  const auto [piece, shape] = cut_of(wanted.variant, wanted.bytes);
  const auto by = std::make_shared<round_trip_pipeline>(wanted.device, shape);
  trip.steps = {
      {"round_trip", [by, piece = piece, from = trip.source->data, to = trip.destination->data,
                      bytes = wanted.bytes] {
         by->run(
             to, from, bytes,
             [](stream& in, std::byte* data, std::size_t, std::size_t count) {
               double_elements(in, {reinterpret_cast<element*>(data), count / sizeof(element)});
             },
             sizeof(element), piece);
       }}};
  return trip;
}

const std::vector<std::string> cuts{"serial",   "chosen",    "pieces_1",  "pieces_2", "pieces_4",
                                    "pieces_8", "pieces_16", "pieces_32", "pieces_64"};

std::vector<std::string> with_streams(std::vector<std::string> variants) {
  for (const auto* const streams : {"1", "2", "4", "8"})
    variants.push_back(std::string("pieces_32_streams_") + streams);
  return variants;
}

strategy there_and_back(host_memory_kind kind, std::vector<std::string> variants) {
  return {.name = "overlap/" + to_string(kind),
          .summary = "upload, 2 * a, download in pieces that overlap, " + describe(kind),
          .variants = std::move(variants),
          .host = kind,
          .prepare = [kind](const job& wanted) { return prepare(wanted, kind); },
          .smallest = std::size_t{1} << 20,
          .largest = std::size_t{256} << 20,
          .host_payloads = 2,
          .takes_host_memory = true,
          .takes_device_memory = true,
          .cold = false,
          .sparse = 2,
          .one_way = false};
}

const registration pinned{there_and_back(transfers::pinned(), with_streams(cuts))};
const registration pageable{there_and_back(transfers::pageable, cuts)};

}  // namespace
}  // namespace bench_transfers::bench
