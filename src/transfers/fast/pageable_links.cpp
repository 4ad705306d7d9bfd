#include "src/transfers/fast/pageable_links.hpp"

#include <algorithm>

#include "src/transfers/fast/divide.hpp"
#include "src/transfers/fast/move_staged.hpp"
#include "transfers/core/workers.hpp"

namespace transfers::detail {
namespace {

/// Twice the threads and chunks of one link, however many links there are. By a probe of 64 MiB on
/// four H100s, four times as many got 58 and 59 GB/s (to the device, from it), and twice 72 and
/// 100.
staging staging_for(std::size_t links) {
  const unsigned times = links > 1 ? 2 : 1;
  staging settings;
  settings.threads = std::min(settings.threads * times, usable_processors());
  settings.chunks *= times;
  return settings;
}

}  // namespace

pageable_links::pageable_links(device& target, link_set& links)
    : target_(target), links_(links), settings_(staging_for(links.size())) {}

void pageable_links::copy_by_own_link(std::byte* dst, const std::byte* src, std::size_t bytes,
                                      direction direction) {
  const auto copier = target_.copier();
  if (copier && bytes >= copier->least_bytes(direction) && copier->acquire())
    copier->copy(dst, src, bytes, direction);
  else
    target_.copy(dst, src, bytes, direction);
}

void pageable_links::copy_by_all(std::byte* dst, const std::byte* src, std::size_t bytes,
                                 direction direction, std::span<const multipath::link> rates) {
  constexpr std::size_t chunks_until_repeated = 64;
  const auto turns = take_turns(rates, chunks_until_repeated);
  if (!ring_) ring_ = make_ring(target_, settings_);
  try {
    move_staged(*ring_, settings_, dst, src, bytes, direction,
                [&](std::size_t index, std::byte* to, const std::byte* from, std::size_t size,
                    transfers::direction way, stream& stream) {
                  links_.enqueue(turns[index % turns.size()], to, from, size, way, stream);
                });
    links_.require_sound();
  } catch (...) {
    links_.settle();
    throw;
  }
}

}  // namespace transfers::detail
