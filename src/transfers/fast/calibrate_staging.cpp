#include "src/transfers/fast/calibrate_staging.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "src/transfers/fast/move_in_chunks.hpp"

namespace transfers {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::array directions{direction::h2d, direction::d2h};

/// Source and destination of test copies.
struct test_memory {
  transfers::device& device;
  const std::function<std::chrono::nanoseconds()>& clock;
  std::size_t room;  ///< bytes of either
  host_memory host = device.allocate_host(room, pageable);
  device_memory on_device = device.allocate(room);

  /// Median time of one call, in seconds.
  template <class Copy>
  [[nodiscard]] double time(std::size_t bytes, direction direction, Copy&& copy) {
    auto* const dst = direction == direction::h2d ? on_device.data() : host.data();
    auto* const src = direction == direction::h2d ? host.data() : on_device.data();
    copy(dst, src, bytes, direction);  // not timed: threads wake up, pages are touched
    std::vector<double> times;
    constexpr double enough = 10e-3;
    for (double total = 0; times.size() < 5 || (total < enough && times.size() < 9);) {
      const auto start = clock();
      copy(dst, src, bytes, direction);
      times.push_back(std::chrono::duration<double>(clock() - start).count());
      total += times.back();
    }
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
    return times[times.size() / 2];
  }

  [[nodiscard]] double time_staged(detail::chunk_pipeline& pipeline, const staging::route& settings,
                                   std::size_t bytes, direction direction) {
    return time(bytes, direction, [&](auto... arguments) {
      detail::move_in_chunks(pipeline, settings, arguments...);
    });
  }
  [[nodiscard]] double time_plain(std::size_t bytes, direction direction) {
    return time(bytes, direction, [&](auto... arguments) { device.copy(arguments...); });
  }

  /// Product of the times at several sizes, so that the same relative change at any size has the
  /// same weight.
  [[nodiscard]] double cost(detail::chunk_pipeline& pipeline, const staging::route& settings,
                            direction direction) {
    double product = 1;
    for (const auto size : sizes) product *= time_staged(pipeline, settings, size, direction);
    return product;
  }
  static constexpr std::array sizes{16 * mib, 64 * mib, 256 * mib};
};

/// Other settings replace the usual ones only if they are faster by this factor at each size: times
/// vary by a few percent, and the usual settings are good at all sizes.
constexpr double worth_it = 0.97;

std::unique_ptr<detail::chunk_pipeline> make_pipeline(device& device, const staging& settings) {
  return std::make_unique<detail::chunk_pipeline>(
      device, detail::pipeline_shape{.threads = settings.threads,
                                     .slots = settings.chunks_per_thread,
                                     .streams = settings.threads,
                                     .host_bytes = settings.largest_chunk});
}

/// Returns the pipeline with the number of threads chosen.
std::unique_ptr<detail::chunk_pipeline> choose_threads(test_memory& memory, staging& settings) {
  const auto cost_of = [&](detail::chunk_pipeline& pipeline) {
    return memory.cost(pipeline, settings.h2d, direction::h2d) *
           memory.cost(pipeline, settings.d2h, direction::d2h);
  };
  auto best = make_pipeline(memory.device, settings);
  double least = cost_of(*best) * std::pow(worth_it, directions.size() * test_memory::sizes.size());
  for (const unsigned threads : {2U, 4U, 8U, 12U, 16U}) {
    if (threads > usable_processors() || threads == settings.threads) continue;
    auto candidate = settings;
    candidate.threads = threads;
    auto pipeline = make_pipeline(memory.device, candidate);
    const double candidate_cost = cost_of(*pipeline);
    if (candidate_cost > least) continue;
    least = candidate_cost;
    settings.threads = threads;
    best = std::move(pipeline);
  }
  return best;
}

void choose_chunks(test_memory& memory, detail::chunk_pipeline& pipeline, staging& settings) {
  for (const auto direction : directions) {
    const auto usual = settings[direction];
    double least =
        memory.cost(pipeline, usual, direction) * std::pow(worth_it, test_memory::sizes.size());
    for (const auto chunk : {usual.least_chunk / 2, usual.least_chunk * 2}) {
      auto candidate = usual;
      candidate.least_chunk = chunk;
      const double candidate_cost = memory.cost(pipeline, candidate, direction);
      if (candidate_cost > least) continue;
      least = candidate_cost;
      settings[direction] = candidate;
    }
  }
}

void choose_stores(test_memory& memory, detail::chunk_pipeline& pipeline, staging& settings) {
  for (const auto direction : directions) {
    auto& chosen = settings[direction];
    const auto opposite_is_faster = [&](bool staging::route::*stores, std::size_t bytes) {
      auto opposite = chosen;
      opposite.*stores = !(opposite.*stores);
      return memory.time_staged(pipeline, opposite, bytes, direction) <
             worth_it * memory.time_staged(pipeline, chosen, bytes, direction);
    };
    for (const auto& [stores, bytes] :
         {std::pair{&staging::route::streaming_stores, 16 * mib},
          std::pair{&staging::route::streaming_when_large, 256 * mib}})
      if (opposite_is_faster(stores, bytes)) chosen.*stores = !(chosen.*stores);
  }
}

/// Whether staging takes clearly less time than the device's own copies.
bool is_faster(test_memory& memory, detail::chunk_pipeline& pipeline, const staging& settings,
               std::size_t bytes, direction direction) {
  constexpr double clearly = 0.95;
  return memory.time_staged(pipeline, settings[direction], bytes, direction) <
         clearly * memory.time_plain(bytes, direction);
}

/// The smallest size from which on staging is faster at every size.
void choose_least_bytes(test_memory& memory, detail::chunk_pipeline& pipeline, staging& settings) {
  for (const auto direction : directions) {
    settings[direction].least_bytes = staging::never;
    for (std::size_t bytes = 64 * mib; bytes >= mib / 16; bytes /= 2) {
      if (!is_faster(memory, pipeline, settings, bytes, direction)) break;
      settings[direction].least_bytes = bytes;
    }
  }
}

/// If staging is not faster with the usual settings, no others are tried: such a machine has few
/// processors, or a device that copies ordinary memory itself.
bool may_be_worth_it(device& device, const std::function<std::chrono::nanoseconds()>& clock) {
  test_memory memory{device, clock, 64 * mib};
  const staging usual;
  const auto pipeline = make_pipeline(device, usual);
  return std::ranges::any_of(directions, [&](direction direction) {
    return is_faster(memory, *pipeline, usual, memory.room, direction);
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
  const auto pipeline = choose_threads(memory, settings);
  choose_chunks(memory, *pipeline, settings);
  choose_stores(memory, *pipeline, settings);
  choose_least_bytes(memory, *pipeline, settings);
  return settings;
}

staging calibrate_staging(device& device) {
  return detail::calibrate_staging(
      device, [] { return std::chrono::steady_clock::now().time_since_epoch(); });
}

}  // namespace transfers
