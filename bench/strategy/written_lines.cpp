#include "bench/strategy/written_lines.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "bench/strategy/cache.hpp"
#include "bench/strategy/transfer.hpp"
#include "transfers/fast/streaming.hpp"

namespace bench_transfers::bench {
namespace {

constexpr std::size_t line = 64;

/// Longer than a copy between two preparations: threads that are awake poll until the next one.
constexpr std::chrono::seconds awake{1};

/// Makes each line the calling core's own, and modified.
void own(std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += line) {
    volatile auto& byte = bytes[at];
    byte = byte;
  }
}

/// Writes the same bytes anew, so that no cache holds their lines.
void stream(std::span<std::byte> bytes) {
  std::array<std::byte, 4096> same;
  for (std::size_t at = 0; at < bytes.size(); at += same.size()) {
    const auto part = bytes.subspan(at, std::min(same.size(), bytes.size() - at));
    std::ranges::copy(part, same.begin());
    transfers::streaming_store(part, std::span(same).first(part.size()));
  }
}

bool is_of_one(cache_state state) {
  return state == cache_state::written_by_one || state == cache_state::written_by_one_awake;
}

void wait(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace

bool falls_asleep(cache_state state) {
  return state == cache_state::written_by_one || state == cache_state::written_by_all;
}

bool is_of_other_threads(cache_state state) {
  return result_file::is_written(state) && state != cache_state::written_here;
}

line_preparation::line_preparation(cache_state state, std::chrono::microseconds sleep)
    : state_(state), sleep_(sleep) {
  if (is_of_other_threads(state))  // of a team for one, this thread only waits
    writers_ = std::make_unique<transfers::worker_team>(
        is_of_one(state) ? 2 : transfers::usable_processors(),
        falls_asleep(state) ? std::chrono::microseconds{0} : awake);
}

bool line_preparation::keeps_cores_busy() const noexcept {
  return writers_ && !falls_asleep(state_);
}

void line_preparation::operator()(const transfer& next) const {
  if (!is_needed()) return;
  for (const auto& end : {next.source, next.destination})
    if (end && !end->on_device) {
      if (state_ == cache_state::cold)
        flush_cache({end->data, end->bytes});
      else
        write({end->data, end->bytes});
    }
  if (falls_asleep(state_)) wait(sleep_);
}

void line_preparation::write(std::span<std::byte> bytes) const {
  const auto change = [&](std::size_t first, std::size_t count) {
    const auto part = bytes.subspan(first, count);
    (state_ == cache_state::streamed ? stream : own)(part);
  };
  if (!writers_)
    change(0, bytes.size());
  else if (is_of_one(state_))
    writers_->run([&](unsigned thread) {
      if (thread == 1) change(0, bytes.size());
    });
  else
    transfers::in_parts(*writers_, bytes.size(), line, change);
}

}  // namespace bench_transfers::bench
