#include "src/transfers/fast/calibrate_staging.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "src/transfers/fast/best_switch.hpp"
#include "src/transfers/fast/move_staged.hpp"

namespace transfers {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::array directions{direction::h2d, direction::d2h};
/// Longer than the threads of a ring look out for the next copy: then they sleep.
constexpr auto asleep = std::chrono::microseconds(200);
constexpr std::size_t largest_plain = 64 * mib;  ///< copy of the device's own that is timed

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
    copy(dst, src, bytes, direction);  // not timed: threads wake up, pages are touched
    std::vector<double> times;
    constexpr double enough = 10e-3;
    for (double total = 0; times.size() < 5 || (total < enough && times.size() < 9);) {
      if (pause.count() > 0) std::this_thread::sleep_for(pause);
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
  [[nodiscard]] double time_plain(std::size_t bytes, direction direction,
                                  std::chrono::microseconds pause = {}) {
    return time(bytes, direction, pause, [&](auto... arguments) { device.copy(arguments...); });
  }

  /// Product of the times at several sizes, so that the same relative change at any size has the
  /// same weight.
  [[nodiscard]] double cost(detail::chunk_ring& ring, const staging& settings,
                            direction direction) {
    double product = 1;
    for (const auto size : sizes) product *= time_staged(ring, settings, size, direction);
    return product;
  }
  static constexpr std::array sizes{mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib};
};

/// Other settings replace the usual ones only if they are faster by this factor at each size: times
/// vary by a few percent, and the usual settings are good at all sizes.
constexpr double worth_it = 0.97;

/// Returns the ring with the number of threads chosen.
std::unique_ptr<detail::chunk_ring> choose_threads(test_memory& memory, staging& settings) {
  const auto cost_of = [&](detail::chunk_ring& ring) {
    return memory.cost(ring, settings, direction::h2d) *
           memory.cost(ring, settings, direction::d2h);
  };
  auto best = detail::make_ring(memory.device, settings);
  double least = cost_of(*best) * std::pow(worth_it, directions.size() * test_memory::sizes.size());
  for (const unsigned threads : {2U, 4U, 8U, 12U, 16U}) {
    if (threads > usable_processors() || threads == settings.threads) continue;
    auto candidate = settings;
    candidate.threads = threads;
    auto ring = detail::make_ring(memory.device, candidate);
    const double candidate_cost = cost_of(*ring);
    if (candidate_cost > least) continue;
    least = candidate_cost;
    settings.threads = threads;
    best = std::move(ring);
  }
  return best;
}

void choose_chunks(test_memory& memory, detail::chunk_ring& ring, staging& settings) {
  for (const auto direction : directions) {
    const auto usual = settings[direction].least_chunk;
    double least =
        memory.cost(ring, settings, direction) * std::pow(worth_it, test_memory::sizes.size());
    for (const auto chunk : {usual / 2, usual * 2}) {
      auto candidate = settings;
      candidate[direction].least_chunk = chunk;
      const double candidate_cost = memory.cost(ring, candidate, direction);
      if (candidate_cost > least) continue;
      least = candidate_cost;
      settings[direction].least_chunk = chunk;
    }
  }
}

void choose_stores(test_memory& memory, detail::chunk_ring& ring, staging& settings) {
  for (const auto direction : directions)
    for (const auto& [stores, bytes] :
         {std::pair{&staging::route::streaming_stores, 16 * mib},
          std::pair{&staging::route::streaming_when_large, 256 * mib}}) {
      auto opposite = settings;
      opposite[direction].*stores = !(opposite[direction].*stores);
      if (memory.time_staged(ring, opposite, bytes, direction) <
          worth_it * memory.time_staged(ring, settings, bytes, direction))
        settings = opposite;
    }
}

/// The size from which on staging takes clearly less time than the device's own copies.
void choose_least_bytes(test_memory& memory, detail::chunk_ring& ring, staging& settings) {
  for (const auto direction : directions) {
    std::vector<std::size_t> sizes;
    std::vector<double> plain;
    std::vector<double> staged;
    for (std::size_t bytes = mib / 16; bytes <= largest_plain; bytes *= 2) {
      sizes.push_back(bytes);
      // Awake threads and sleeping ones count alike: products of both times.
      plain.push_back(worth_it * memory.time_plain(bytes, direction) *
                      memory.time_plain(bytes, direction, asleep));
      staged.push_back(memory.time_staged(ring, settings, bytes, direction) *
                       memory.time_staged(ring, settings, bytes, direction, asleep));
    }
    const auto first = detail::best_switch(plain, staged);
    settings[direction].least_bytes = first < sizes.size() ? sizes[first] : staging::never;
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
           worth_it * memory.time_plain(memory.room, direction);
  });
}

}  // namespace

staging detail::calibrate_staging(device& device,
                                  const std::function<std::chrono::nanoseconds()>& clock) {
  staging settings;
  if (!may_be_worth_it(device, clock)) {
    settings.h2d.least_bytes = settings.d2h.least_bytes = staging::never;
    return settings;
  }
  test_memory memory{device, clock, 256 * mib};
  const auto ring = choose_threads(memory, settings);
  choose_chunks(memory, *ring, settings);
  choose_stores(memory, *ring, settings);
  choose_least_bytes(memory, *ring, settings);
  return settings;
}

staging calibrate_staging(device& device) {
  return detail::calibrate_staging(
      device, [] { return std::chrono::steady_clock::now().time_since_epoch(); });
}

}  // namespace transfers
