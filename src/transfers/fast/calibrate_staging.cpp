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
constexpr std::array ways{direction::h2d, direction::d2h};

/// Memory to copy from and to.
struct ground {
  device& on;
  const std::function<std::chrono::nanoseconds()>& now;
  std::size_t room;  ///< bytes of either
  host_memory host = on.allocate_host(room, pageable);
  device_memory on_device = on.allocate(room);

  /// Median time of one call, in seconds.
  template <class Copy>
  [[nodiscard]] double time(std::size_t bytes, direction way, Copy&& copy) {
    auto* const to = way == direction::h2d ? on_device.data() : host.data();
    auto* const from = way == direction::h2d ? host.data() : on_device.data();
    copy(to, from, bytes, way);  // not timed: threads wake up, pages are touched
    std::vector<double> times;
    constexpr double enough = 10e-3;
    for (double all = 0; times.size() < 5 || (all < enough && times.size() < 9);) {
      const auto start = now();
      copy(to, from, bytes, way);
      times.push_back(std::chrono::duration<double>(now() - start).count());
      all += times.back();
    }
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
    return times[times.size() / 2];
  }

  [[nodiscard]] double time_staged(detail::chunk_pipeline& by, const staging::way& how,
                                   std::size_t bytes, direction which) {
    return time(bytes, which, [&](auto... what) { detail::move_in_chunks(by, how, what...); });
  }
  [[nodiscard]] double time_plain(std::size_t bytes, direction which) {
    return time(bytes, which, [&](auto... what) { on.copy(what...); });
  }

  /// Times at several sizes, multiplied: what is a part faster at one size may be the same part
  /// slower at another.
  [[nodiscard]] double cost(detail::chunk_pipeline& by, const staging::way& how, direction which) {
    double product = 1;
    for (const auto size : sizes) product *= time_staged(by, how, size, which);
    return product;
  }
  static constexpr std::array sizes{16 * mib, 64 * mib, 256 * mib};
};

/// Other settings must be so much faster than the usual ones, at each size, to be taken: times vary
/// by a few percent, and the usual ones are good at all sizes.
constexpr double worth_it = 0.97;

std::unique_ptr<detail::chunk_pipeline> make_pipeline(device& on, const staging& how) {
  return std::make_unique<detail::chunk_pipeline>(
      on, detail::pipeline_shape{.threads = how.threads,
                                 .slots = how.chunks_per_thread,
                                 .streams = how.threads,
                                 .host_bytes = how.largest_chunk});
}

/// Returns the pipeline with the number of threads chosen.
std::unique_ptr<detail::chunk_pipeline> choose_threads(ground& where, staging& how) {
  const auto cost_of = [&](detail::chunk_pipeline& by) {
    return where.cost(by, how.h2d, direction::h2d) * where.cost(by, how.d2h, direction::d2h);
  };
  auto best = make_pipeline(where.on, how);
  double least = cost_of(*best) * std::pow(worth_it, ways.size() * ground::sizes.size());
  for (const unsigned threads : {2U, 4U, 8U, 12U, 16U}) {
    if (threads > usable_processors() || threads == how.threads) continue;
    auto candidate = how;
    candidate.threads = threads;
    auto by = make_pipeline(where.on, candidate);
    const double found = cost_of(*by);
    if (found > least) continue;
    least = found;
    how.threads = threads;
    best = std::move(by);
  }
  return best;
}

void choose_chunks(ground& where, detail::chunk_pipeline& by, staging& how) {
  for (const auto which : ways) {
    const auto usual = how.in(which);
    double least = where.cost(by, usual, which) * std::pow(worth_it, ground::sizes.size());
    for (const auto chunk : {usual.least_chunk / 2, usual.least_chunk * 2}) {
      auto candidate = usual;
      candidate.least_chunk = chunk;
      const double found = where.cost(by, candidate, which);
      if (found > least) continue;
      least = found;
      how.in(which) = candidate;
    }
  }
}

void choose_stores(ground& where, detail::chunk_pipeline& by, staging& how) {
  for (const auto which : ways) {
    auto& chosen = how.in(which);
    const auto other_is_faster = [&](bool staging::way::*stores, std::size_t bytes) {
      auto other = chosen;
      other.*stores = !(other.*stores);
      return where.time_staged(by, other, bytes, which) <
             worth_it * where.time_staged(by, chosen, bytes, which);
    };
    for (const auto& [stores, bytes] : {std::pair{&staging::way::streaming_stores, 16 * mib},
                                        std::pair{&staging::way::streaming_when_large, 256 * mib}})
      if (other_is_faster(stores, bytes)) chosen.*stores = !(chosen.*stores);
  }
}

/// Whether staging takes clearly less time than the device's own copies.
bool is_faster(ground& where, detail::chunk_pipeline& by, const staging& how, std::size_t bytes,
               direction which) {
  constexpr double clearly = 0.95;
  return where.time_staged(by, how.in(which), bytes, which) <
         clearly * where.time_plain(bytes, which);
}

/// The smallest size from which on staging is faster at every size.
void choose_least_bytes(ground& where, detail::chunk_pipeline& by, staging& how) {
  for (const auto which : ways) {
    how.in(which).least_bytes = staging::never;
    for (std::size_t bytes = 64 * mib; bytes >= mib / 16; bytes /= 2) {
      if (!is_faster(where, by, how, bytes, which)) break;
      how.in(which).least_bytes = bytes;
    }
  }
}

/// Where it is not faster as it usually is, nothing more is tried: such a machine has few
/// processors, or a device that copies ordinary memory itself.
bool may_be_worth_it(device& on, const std::function<std::chrono::nanoseconds()>& now) {
  ground where{on, now, 64 * mib};
  const staging usual;
  const auto by = make_pipeline(on, usual);
  return std::ranges::any_of(
      ways, [&](direction which) { return is_faster(where, *by, usual, where.room, which); });
}

}  // namespace

staging detail::calibrate_staging(device& on,
                                  const std::function<std::chrono::nanoseconds()>& now) {
  staging how;
  if (!may_be_worth_it(on, now)) {
    how.h2d.least_bytes = how.d2h.least_bytes = staging::never;
    return how;
  }
  ground where{on, now, 256 * mib};
  const auto by = choose_threads(where, how);
  choose_chunks(where, *by, how);
  choose_stores(where, *by, how);
  choose_least_bytes(where, *by, how);
  return how;
}

staging calibrate_staging(device& on) {
  return detail::calibrate_staging(
      on, [] { return std::chrono::steady_clock::now().time_since_epoch(); });
}

}  // namespace transfers
