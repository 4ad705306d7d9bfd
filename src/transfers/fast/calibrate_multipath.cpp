#include "src/transfers/fast/calibrate_multipath.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "src/transfers/fast/best_switch.hpp"
#include "src/transfers/fast/divide.hpp"

namespace transfers {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t least_divided = mib;
constexpr std::size_t most_divided = 64 * mib;
/// A divided copy replaces a plain one only if it is faster by this factor: times vary.
constexpr double worth_it = 0.97;

/// The largest test copy.
std::size_t bytes_for(std::size_t links) {
  constexpr std::size_t most = 256 * mib;
  return std::clamp(32 * mib * links, most_divided, most);
}

/// Both ends of test copies.
class test_copies {
 public:
  test_copies(detail::link_set& used, const std::function<std::chrono::nanoseconds()>& time,
              direction direction, std::byte* host, std::byte* on_device)
      : links_(used),
        clock_(time),
        direction_(direction),
        dst_(direction == direction::h2d ? on_device : host),
        src_(direction == direction::h2d ? host : on_device) {}

  [[nodiscard]] std::size_t links() const { return links_.size(); }

  /// The median of the time that each link takes for its part, in seconds.
  [[nodiscard]] std::vector<double> time_links(std::span<const std::size_t> parts) const {
    links_.copy(dst_, src_, parts, direction_);  // not timed
    std::vector<std::vector<double>> times(parts.size());
    for (std::size_t i = 0; i < repetitions; ++i) {
      const auto ends = links_.time(dst_, src_, parts, direction_, clock_);
      for (std::size_t link = 0; link < parts.size(); ++link) times[link].push_back(ends[link]);
    }
    std::vector<double> medians;
    for (auto& of_link : times) medians.push_back(median(of_link));
    return medians;
  }

  /// The median of the time until the caller goes on, in seconds.
  [[nodiscard]] double time_call(std::span<const std::size_t> parts) const {
    links_.copy(dst_, src_, parts, direction_);  // not timed
    std::vector<double> times;
    for (std::size_t i = 0; i < repetitions; ++i) {
      const auto start = clock_();
      links_.copy(dst_, src_, parts, direction_);
      times.push_back(std::chrono::duration<double>(clock_() - start).count());
    }
    return median(times);
  }

 private:
  static constexpr std::size_t repetitions = 5;

  [[nodiscard]] static double median(std::vector<double>& times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *middle;
  }

  detail::link_set& links_;
  const std::function<std::chrono::nanoseconds()>& clock_;
  direction direction_;
  std::byte* dst_;
  const std::byte* src_;
};

std::vector<std::size_t> equal_parts(std::size_t bytes, std::size_t links) {
  return std::vector<std::size_t>(links,
                                  bytes / links / detail::unit_of_parts * detail::unit_of_parts);
}

/// The line through two points. Where times do not grow with the size, the larger point alone
/// counts.
multipath::link line_through(std::size_t small, double small_time, std::size_t large,
                             double large_time) {
  const auto bytes = static_cast<double>(large) - static_cast<double>(small);
  if (large_time <= small_time || bytes <= 0)
    return {.bytes_per_second = static_cast<double>(large) / large_time};
  const auto rate = bytes / (large_time - small_time);
  return {.bytes_per_second = rate,
          .seconds = std::max(0.0, small_time - static_cast<double>(small) / rate)};
}

/// With parts that end together, all links are busy all the time; the first parts are a guess.
std::vector<multipath::link> measure_links(const test_copies& copies) {
  const auto links = copies.links();
  const auto large = bytes_for(links);
  const auto small = large / 8;
  auto small_parts = equal_parts(small, links);
  auto large_parts = equal_parts(large, links);
  std::vector<multipath::link> measured(links);
  constexpr int rounds = 3;
  for (int round = 0; round < rounds; ++round) {
    const auto small_times = copies.time_links(small_parts);
    const auto large_times = copies.time_links(large_parts);
    for (std::size_t i = 0; i < links; ++i)
      if (large_times[i] > 0 && small_parts[i] > 0)
        measured[i] = line_through(small_parts[i], small_times[i], large_parts[i], large_times[i]);
    small_parts = detail::divide(small, measured, detail::unit_of_parts);
    large_parts = detail::divide(large, measured, detail::unit_of_parts);
  }
  return measured;
}

multipath::route measure_route(const test_copies& copies) {
  multipath::route route{.links = measure_links(copies)};
  std::vector<std::size_t> sizes;
  std::vector<double> plain;
  std::vector<double> divided;
  for (std::size_t bytes = least_divided; bytes <= most_divided; bytes *= 2) {
    sizes.push_back(bytes);
    plain.push_back(worth_it * copies.time_call(detail::for_first_link(bytes, route.links.size())));
    divided.push_back(copies.time_call(detail::divide(bytes, route.links, detail::unit_of_parts)));
  }
  const auto first = detail::best_switch(plain, divided);
  if (first < sizes.size()) route.least_bytes = sizes[first];
  return route;
}

}  // namespace

multipath detail::calibrate_multipath(device& target, std::span<device* const> helpers,
                                      const std::function<std::chrono::nanoseconds()>& clock) {
  multipath settings;
  if (helpers.empty()) return settings;
  link_set links(target, helpers);
  const auto room = bytes_for(links.size());
  const auto host = target.allocate_host(room, pinned());
  const auto on_device = target.allocate(room);
  for (const auto to : {direction::h2d, direction::d2h})
    settings[to] = measure_route({links, clock, to, host.data(), on_device.data()});
  return settings;
}

multipath calibrate_multipath(device& target, std::span<device* const> helpers) {
  return detail::calibrate_multipath(
      target, helpers, [] { return std::chrono::steady_clock::now().time_since_epoch(); });
}

}  // namespace transfers
