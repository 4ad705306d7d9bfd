#include <memory>
#include <optional>
#include <span>

#include "bench/strategy/elements.hpp"
#include "bench/strategy/heap.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"
#include "transfers/array/arithmetic.hpp"
#include "transfers/array/gpu_array.hpp"
#include "transfers/fast/round_trip.hpp"

namespace bench_transfers::bench::overlap_strategies {
namespace {

using transfers::direction;
using transfers::host_memory_kind;
using transfers::round_trip_pipeline;
using transfers::stream;

using element = float;

void double_elements(stream& stream, transfers::device_view<element> elements) {
  transfers::calculate(stream, transfers::arithmetic::multiply, elements, 2);
}

void double_piece(stream& stream, std::byte* piece, std::size_t /*first*/, std::size_t bytes) {
  double_elements(stream, {reinterpret_cast<element*>(piece), bytes / sizeof(element)});
}

/// Upload, computation and download, one after the other. Pageable memory is staged here as well,
/// so that the difference to pieces is due to the overlap alone.
std::vector<step> serial_steps(const job& task, const transfer& trip, host_memory_kind kind) {
  auto* const device_data = task.memory.on_device().data();
  const transfers::device_view<element> elements(reinterpret_cast<element*>(device_data),
                                                 task.bytes / sizeof(element));
  std::function<void(std::byte*, const std::byte*, direction)> copy;
  if (is_page_locked(kind))
    copy = [&device = task.device, bytes = task.bytes](auto* dst, const auto* src,
                                                       direction direction) {
      device.cuda_memcpy(dst, src, bytes, direction, true);
    };
  else
    copy = [copier = task.memory.staged_copier(), bytes = task.bytes](auto* dst, const auto* src,
                                                                      direction direction) {
      copier->copy(dst, src, bytes, direction);
    };
  return {{"upload", [copy, device_data,
                      src = trip.source->data] { copy(device_data, src, direction::h2d); }},
          {"compute",
           [&stream = task.stream, elements] {
             double_elements(stream, elements);
             stream.synchronize();
           }},
          {"download", [copy, device_data, dst = trip.destination->data] {
             copy(dst, device_data, direction::d2h);
           }}};
}

/// The library's round trip into new memory, which the operation before it has given back.
transfer prepare_fresh(const job& task, host_memory_kind kind) {
  disable_malloc_caching();
  round_trip_ends<element> trip(task, kind);
  const auto pipeline = std::make_shared<round_trip_pipeline>(task.device);
  const auto result = std::make_shared<std::optional<transfers::host_array<element>>>();
  trip.arrive_in(result);
  trip.frame.steps = {
      {"free", [result] { result->reset(); }},
      {"round_trip", [pipeline, result, src = trip.frame.source->data, bytes = task.bytes] {
         auto& fresh = result->emplace(transfers::shape{bytes / sizeof(element)});
         pipeline->run(reinterpret_cast<std::byte*>(fresh.data()), src, bytes, double_piece,
                       sizeof(element));
       }}};
  return trip.frame;
}

/// How a variant cuts the payload: "pieces_8", "pieces_32_streams_4"; "chosen" leaves it to the
/// library.
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
  cut result;
  result.piece_bytes = (bytes / pieces + page - 1) / page * page;
  auto& shape = result.shape;
  shape.largest_piece = shape.largest_chunk = result.piece_bytes;
  // Streams, threads and chunks for at most all pieces.
  const auto at_most = [&](unsigned& count, unsigned long most) {
    count = static_cast<unsigned>(std::min<unsigned long>(count, std::max(most, 1UL)));
  };
  if (const auto streams = number_after("streams_"); streams > 0)
    shape.streams = static_cast<unsigned>(streams);
  at_most(shape.streams, pieces);
  at_most(shape.chunks, pieces);
  return result;
}

transfer prepare(const job& task, host_memory_kind kind) {
  if (task.variant == "fresh") return prepare_fresh(task, kind);
  auto trip = round_trip_ends<element>(task, kind).frame;
  if (task.variant == "serial") {
    trip.steps = serial_steps(task, trip, kind);
    // The operation changes the device block, in which other benchmarks expect the pattern.
    trip.check.restore = [&device = task.device, &memory = task.memory, bytes = task.bytes] {
      write_pattern(device, memory.on_device().data(), 0, bytes, memory.pattern());
    };
    return trip;
  }
  const auto [piece, shape] = cut_of(task.variant, task.bytes);
  const auto pipeline = std::make_shared<round_trip_pipeline>(task.device, shape);
  trip.steps = {{"round_trip", [pipeline, piece = piece, src = trip.source->data,
                                dst = trip.destination->data, bytes = task.bytes] {
                   pipeline->run(dst, src, bytes, double_piece, sizeof(element), piece);
                 }}};
  return trip;
}

/// "serial" is the plainest; "chosen" leaves the pieces to the library, and "fresh" as well.
std::vector<variant> cuts(bool with_streams) {
  std::vector<variant> variants{
      {.name = "serial",
       .plainness = 0,
       .procedure = with_streams ? 2U : 1U,
       .calls = calls_for(with_streams ? transfers::pinned() : transfers::pageable) +
                "cudaMemcpy(device, host, bytes, cudaMemcpyDefault);\n"
                "kernel<<<blocks, threads, 0, stream>>>(device, device, bytes);\n"
                "cudaStreamSynchronize(stream);\n"
                "cudaMemcpy(result, device, bytes, cudaMemcpyDefault);",
       .holds_launches = true},
      {.name = "chosen", .plainness = 1}};
  for (const auto* const pieces : {"1", "2", "4", "8", "16", "32", "64"})
    variants.push_back({.name = std::string("pieces_") + pieces, .plainness = 2});
  if (!with_streams) {
    variants.push_back({.name = "fresh", .plainness = 1});
    return variants;
  }
  for (const auto* const streams : {"1", "2", "4", "8"})
    variants.push_back({.name = std::string("pieces_32_streams_") + streams, .plainness = 2});
  return variants;
}

strategy there_and_back(host_memory_kind kind, std::vector<variant> variants) {
  return {.family = "overlap",
          .parts = {in_memory(kind)},
          .summary = "upload, 2 * a, download in pieces that overlap, " + transfers::describe(kind),
          .calls = calls_for(kind) +
                   "transfers::round_trip_pipeline pipeline(gpu);\n"
                   "pipeline.run(result, host, bytes, work, sizeof(float));",
          .variants = std::move(variants),
          .role = roles::overlap,
          .direction = result_file::direction::both,
          .prepare = [kind](const job& task) { return prepare(task, kind); },
          .needs = {.host = kind,
                    .host_payloads = 2,
                    .more_host_memory = 1,
                    .more_device_memory = 1,
                    .staged_copier = !is_page_locked(kind)},
          .sampling = {.smallest = std::size_t{1} << 20,
                       .largest = std::size_t{256} << 20,
                       .size_stride = 2,
                       .cold = false}};
}

const registration pinned{there_and_back(transfers::pinned(), cuts(true))};
const registration pageable{there_and_back(transfers::pageable, cuts(false))};

}  // namespace
}  // namespace bench_transfers::bench::overlap_strategies
