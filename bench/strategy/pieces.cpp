#include "bench/strategy/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "transfers/core/workers.hpp"

namespace bench_transfers::bench {
namespace {

/// Calls work(piece, offset on the device) for each, on all cores.
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

/// Compares the pieces in host memory with `packed`, in which they lie one behind the other.
std::optional<std::string> find_wrong_piece(const piecewise& what, const std::byte* packed) {
  std::atomic<std::size_t> wrong = 0;
  for_each_piece(what.pieces, [&](const piece& one, std::size_t offset) {
    if (std::memcmp(what.host.data + one.offset, packed + offset, one.bytes) != 0) ++wrong;
  });
  if (wrong == 0) return std::nullopt;
  return fmt::format("{} of {} pieces differ", wrong.load(), what.pieces.size());
}

/// Ordinary memory that all cores have touched.
transfers::host_memory make_memory(transfers::device& device, std::size_t bytes,
                                   transfers::pattern holding) {
  auto made = device.allocate_host(std::max<std::size_t>(bytes, 1), transfers::pageable);
  transfers::write_host_pattern(made.data(), 0, bytes, holding);
  return made;
}

std::optional<std::string> verify_upload(const piecewise& what, transfers::device& device) {
  const auto arrived = make_memory(device, what.device.bytes, {});
  device.copy(arrived.data(), what.device.data, what.device.bytes, transfers::direction::d2h);
  return find_wrong_piece(what, arrived.data());
}

std::optional<std::string> verify_download(const piecewise& what, transfers::device& device,
                                           const buffers& memory) {
  const auto sent = make_memory(device, what.device.bytes, memory.pattern());
  if (auto wrong = find_wrong_piece(what, sent.data())) return wrong;
  // With the pieces poisoned again, all must be poison.
  const auto poison = memory.pattern(true);
  for_each_piece(what.pieces, [&](const piece& one, std::size_t /*offset*/) {
    const auto first = what.host.offset + one.offset;
    for (auto i = first; i < first + one.bytes; ++i)
      what.host.data[i - what.host.offset] =
          static_cast<std::byte>(poison.word(i / 8) >> (i % 8 * 8) & 0xFFU);
  });
  const auto between = transfers::check_host_pattern(what.host.data - what.host.offset,
                                                     what.host.offset, what.host.bytes, poison);
  if (between.wrong_bytes == 0) return std::nullopt;
  return fmt::format("{} bytes written between the pieces", between.wrong_bytes);
}

}  // namespace

void set_ends(transfer& of, piecewise what, transfers::device& device, const buffers& memory) {
  of.amount.bytes = what.device.bytes;
  const bool upload = what.way == transfers::direction::h2d;
  of.source = upload ? what.host : what.device;
  of.destination = upload ? what.device : what.host;
  of.check.compare = [what = std::make_shared<const piecewise>(std::move(what)), &device, &memory] {
    return what->way == transfers::direction::h2d ? verify_upload(*what, device)
                                                  : verify_download(*what, device, memory);
  };
}

}  // namespace bench_transfers::bench
