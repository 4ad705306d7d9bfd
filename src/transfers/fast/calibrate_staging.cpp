#include "src/transfers/fast/calibrate_staging.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "src/transfers/core/relax.hpp"
#include "src/transfers/core/units.hpp"
#include "src/transfers/fast/best_switch.hpp"
#include "src/transfers/fast/move_staged.hpp"

namespace transfers {
namespace {

using detail::mib;
constexpr std::array directions{direction::h2d, direction::d2h};
/// Longer than the threads of a ring look out for the next copy: then they sleep.
constexpr auto asleep = 10 * worker_team::usual_look_out;
constexpr std::size_t largest_plain = 64 * mib;  ///< copy of the device's own that is timed

/// The caller has other work meanwhile, as a program that copies now and then: its processor does
/// not sleep.
void stay_busy(std::chrono::microseconds time) {
  using clock = std::chrono::steady_clock;
  for (const auto end = clock::now() + time; clock::now() < end;) detail::relax();
}

/// Source and destination of test copies.
struct test_memory {
  transfers::device& device;
  const std::function<std::chrono::nanoseconds()>& clock;
  std::size_t room;  ///< bytes of either
  host_memory host = device.allocate_host(room, pageable);
  device_memory on_device = device.allocate(room);

  /// Median time of one call, in seconds, after a pause.
  template <class Copy>
  [[nodiscard]] double time(std::size_t bytes, direction direction, std::chrono::microseconds pause,
                            Copy&& copy) {
    auto* const dst = direction == direction::h2d ? on_device.data() : host.data();
    auto* const src = direction == direction::h2d ? host.data() : on_device.data();
    // Not timed: pages are touched, and threads wake up, of which each copy wakes only some.
    const int untimed = pause.count() > 0 || bytes >= 16 * mib ? 1 : 10;
    for (int i = 0; i < untimed; ++i) copy(dst, src, bytes, direction);
    std::vector<double> times;
    constexpr double enough = 5e-3;
    for (double total = 0; times.size() < 5 || (total < enough && times.size() < 31);) {
      stay_busy(pause);
      const auto start = clock();
      copy(dst, src, bytes, direction);
      times.push_back(std::chrono::duration<double>(clock() - start).count());
      total += times.back();
    }
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
    return times[times.size() / 2];
  }

  [[nodiscard]] double time_staged(detail::chunk_ring& ring, const staging& settings,
                                   std::size_t bytes, direction direction,
                                   std::chrono::microseconds pause = {}) {
    return time(bytes, direction, pause, [&](auto* dst, const auto* src, auto size, auto to) {
      detail::move_staged(ring, settings, dst, src, size, to);
    });
  }
  [[nodiscard]] double time_plain(detail::chunk_ring& ring, std::size_t bytes, direction direction,
                                  std::chrono::microseconds pause = {}) {
    return time(bytes, direction, pause, [&](auto... arguments) { ring.copy_whole(arguments...); });
  }
};

/// A ring and its settings.
struct candidate {
  staging settings;
  std::shared_ptr<detail::chunk_ring> ring;
};

/// Other settings replace the usual ones only if they are faster by this factor in the geometric
/// mean of all sizes: times vary by a few percent, and the usual settings are good at all sizes.
constexpr double worth_staging = 0.97;

/// Whether `other` is clearly faster than `usual`, as the product of the ratios at all sizes, in
/// each of several rounds. Both are timed in turn, so that a disturbance meets both.
bool is_clearly_faster(test_memory& memory, const candidate& other, const candidate& usual,
                       std::span<const direction> tried, std::span<const std::size_t> sizes) {
  constexpr int rounds = 2;
  for (int round = 0; round < rounds; ++round) {
    double product = 1;
    for (const auto direction : tried)
      for (const auto size : sizes)
        product *= memory.time_staged(*other.ring, other.settings, size, direction) /
                   memory.time_staged(*usual.ring, usual.settings, size, direction) / worth_staging;
    if (product > 1) return false;
  }
  return true;
}

candidate with_threads(device& device, const staging& settings, unsigned threads) {
  candidate other{settings, nullptr};
  other.settings.threads = threads;
  other.ring = detail::make_ring(device, other.settings);
  return other;
}

void choose_threads(test_memory& memory, candidate& best) {
  constexpr std::array sizes{mib, 4 * mib, 16 * mib, 64 * mib, detail::largest_test_copy};
  const auto usual = best.settings.threads;
  for (const unsigned threads : {2U, 4U, 8U, 16U}) {
    if (threads > usable_processors() || threads == usual) continue;
    auto other = with_threads(memory.device, best.settings, threads);
    if (is_clearly_faster(memory, other, best, directions, sizes)) best = std::move(other);
  }
}

void choose_stores(test_memory& memory, candidate& best) {
  using sizes = std::vector<std::size_t>;
  for (const auto direction : directions)
    for (const auto& [stores, tried] :
         {std::pair{&staging::route::streaming_stores, sizes{mib, 4 * mib, 16 * mib, 64 * mib}},
          std::pair{&staging::route::streaming_when_large, sizes{detail::largest_test_copy}}}) {
      auto opposite = best;
      opposite.settings[direction].*stores = !(best.settings[direction].*stores);
      if (is_clearly_faster(memory, opposite, best, std::span(&direction, 1), tried))
        best = opposite;
    }
}

/// The size from which on staging takes clearly less time than the device's own copies, after a
/// pause.
std::size_t least_staged(test_memory& memory, detail::chunk_ring& ring, const staging& settings,
                         direction direction, std::chrono::microseconds pause) {
  std::vector<std::size_t> sizes;
  std::vector<double> plain;
  std::vector<double> staged;
  for (std::size_t bytes = mib / 16; bytes <= largest_plain; bytes *= 2) {
    sizes.push_back(bytes);
    plain.push_back(worth_staging * memory.time_plain(ring, bytes, direction, pause));
    staged.push_back(memory.time_staged(ring, settings, bytes, direction, pause));
  }
  const auto first = detail::best_switch(plain, staged);
  return first < sizes.size() ? sizes[first] : staging::never;
}

void choose_least_bytes(test_memory& memory, detail::chunk_ring& ring, staging& settings) {
  for (const auto to : directions) {
    settings[to].least_bytes = least_staged(memory, ring, settings, to, {});
    settings[to].least_bytes_alone = least_staged(memory, ring, settings, to, asleep);
  }
}

/// If staging is not faster with the usual settings, no others are tried: such a machine has few
/// processors, or a device that copies ordinary memory itself.
bool may_be_worth_it(device& device, const std::function<std::chrono::nanoseconds()>& clock) {
  test_memory memory{device, clock, largest_plain};
  const staging usual;
  const auto ring = detail::make_ring(device, usual);
  return std::ranges::any_of(directions, [&](direction direction) {
    return memory.time_staged(*ring, usual, memory.room, direction) <
           worth_staging * memory.time_plain(*ring, memory.room, direction);
  });
}

}  // namespace

staging detail::calibrate_staging(device& device,
                                  const std::function<std::chrono::nanoseconds()>& clock) {
  staging settings;
  if (!may_be_worth_it(device, clock)) {
    for (const auto to : directions)
      settings[to].least_bytes = settings[to].least_bytes_alone = staging::never;
    return settings;
  }
  test_memory memory{device, clock, detail::largest_test_copy};
  auto best = with_threads(device, settings, settings.threads);
  choose_threads(memory, best);
  choose_stores(memory, best);
  choose_least_bytes(memory, *best.ring, best.settings);
  return best.settings;
}

staging calibrate_staging(device& device) {
  return detail::calibrate_staging(
      device, [] { return std::chrono::steady_clock::now().time_since_epoch(); });
}

}  // namespace transfers
