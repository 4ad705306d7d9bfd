#include "bench/strategy/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>

#include "bench/verification/pattern.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench {
namespace {

/// Calls work(piece, offset in device memory) for each piece, on all cores.
template <class Work>
void for_each_piece(const std::vector<piece>& pieces, Work&& work) {
  std::vector<std::size_t> offsets(pieces.size());
  std::size_t end = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    offsets[i] = end;
    end += pieces[i].bytes;
  }
  transfers::in_parallel(pieces.size(), {.worth_a_thread = 1024},
                         [&](std::size_t first, std::size_t count) {
                           for (auto i = first; i < first + count; ++i) work(pieces[i], offsets[i]);
                         });
}

/// Compares the pieces in host memory with `packed`, which holds them contiguously.
std::optional<std::string> find_wrong_piece(const piecewise& layout, const std::byte* packed) {
  std::atomic<std::size_t> wrong_pieces = 0;
  for_each_piece(layout.pieces, [&](const piece& piece, std::size_t offset) {
    if (std::memcmp(layout.host.data + piece.offset, packed + offset, piece.bytes) != 0)
      ++wrong_pieces;
  });
  if (wrong_pieces == 0) return std::nullopt;
  return fmt::format("{} of {} pieces differ", wrong_pieces.load(), layout.pieces.size());
}

/// Pageable memory that all cores have touched.
transfers::host_memory make_memory(transfers::device& device, std::size_t bytes,
                                   bench::pattern content) {
  auto memory = device.allocate_host(std::max<std::size_t>(bytes, 1), transfers::pageable);
  write_host_pattern(memory.data(), 0, bytes, content);
  return memory;
}

std::optional<std::string> verify_upload(const piecewise& layout, transfers::device& device) {
  const auto arrived = make_memory(device, layout.device.bytes, {});
  device.copy(arrived.data(), layout.device.data, layout.device.bytes, transfers::direction::d2h);
  return find_wrong_piece(layout, arrived.data());
}

std::optional<std::string> verify_download(const piecewise& layout, transfers::device& device,
                                           const buffers& memory) {
  const auto sent = make_memory(device, layout.device.bytes, memory.pattern());
  if (auto error = find_wrong_piece(layout, sent.data())) return error;
  // Poison the pieces again: then every byte must be poison.
  const auto poison = memory.pattern(true);
  for_each_piece(layout.pieces, [&](const piece& piece, std::size_t /*offset*/) {
    const auto first = layout.host.offset + piece.offset;
    for (auto i = first; i < first + piece.bytes; ++i)
      layout.host.data[i - layout.host.offset] =
          static_cast<std::byte>(poison.word(i / 8) >> (i % 8 * 8) & 0xFFU);
  });
  const auto between = check_host_pattern(layout.host.data - layout.host.offset, layout.host.offset,
                                          layout.host.bytes, poison);
  if (between.wrong_bytes == 0) return std::nullopt;
  return fmt::format("{} bytes written between the pieces", between.wrong_bytes);
}

}  // namespace

std::vector<piece> scattered_pieces(std::size_t bytes, std::size_t block) {
  std::vector<std::size_t> places(bytes / block);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::shuffle(places, std::mt19937_64(1));
  std::vector<piece> pieces;
  pieces.reserve(places.size() + 1);
  for (const auto place : places) pieces.push_back({place * 2 * block, block});
  pieces.push_back({places.size() * 2 * block, bytes % block});
  return pieces;
}

void set_ends(transfer& copy, piecewise layout, transfers::device& device, const buffers& memory) {
  copy.amount.bytes = layout.device.bytes;
  const bool upload = layout.direction == transfers::direction::h2d;
  copy.source = upload ? layout.host : layout.device;
  copy.destination = upload ? layout.device : layout.host;
  copy.check.compare = [layout = std::make_shared<const piecewise>(std::move(layout)), &device,
                        &memory] {
    return layout->direction == transfers::direction::h2d
               ? verify_upload(*layout, device)
               : verify_download(*layout, device, memory);
  };
}

}  // namespace bench_transfers::bench
