#include "src/transfers/fast/calibrate_multipath.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "src/transfers/core/units.hpp"
#include "src/transfers/fast/best_switch.hpp"
#include "src/transfers/fast/divide.hpp"
#include "src/transfers/fast/pageable_links.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

using detail::mib;
constexpr std::array divided_directions{direction::h2d, direction::d2h};
/// A divided copy replaces a plain one only if it takes at most this part of its time. Page-locked
/// memory: a margin, because times vary, and the helper's own copies lose. Pageable memory: twice
/// the threads work.
constexpr double worth_dividing = 0.9;
constexpr double worth_dividing_pageable = 1 / 1.3;

/// The largest test copies.
std::size_t bytes_for(std::size_t links) { return std::min(64 * mib * links, 256 * mib); }

double middle_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

using copy_once = std::function<void()>;

/// Times copies by the caller's clock.
class stopwatch {
 public:
  explicit stopwatch(const std::function<std::chrono::nanoseconds()>& clock) : clock_(clock) {}

  /// The median of the times of `other` as parts of those of `usual`. Both are made in turn, so
  /// that a disturbance meets both.
  [[nodiscard]] double compare(const copy_once& other, const copy_once& usual) const {
    constexpr std::size_t least = 5, most = 31;
    constexpr double enough = 20e-3;  // seconds
    other();                          // not timed
    usual();
    std::vector<double> ratios;
    for (double total = 0; ratios.size() < least || (total < enough && ratios.size() < most);) {
      const auto of_other = time(other);
      const auto of_usual = time(usual);
      ratios.push_back(of_usual > 0 ? of_other / of_usual : 1);
      total += of_other + of_usual;
    }
    return middle_of(ratios);
  }

 private:
  [[nodiscard]] double time(const copy_once& copy) const {
    const auto start = clock_();
    copy();
    return std::chrono::duration<double>(clock_() - start).count();
  }

  const std::function<std::chrono::nanoseconds()>& clock_;
};

/// The least of the sizes, which rise, from which on copies are divided: the product of the ratios
/// decides, so that one disturbed size decides little, and that size gains by itself. `ratio_of` a
/// size: the time of a divided copy as a part of that of a plain one.
std::size_t least_worth_it(std::span<const std::size_t> sizes, double limit,
                           const std::function<double(std::size_t)>& ratio_of) {
  std::vector<double> ratios;
  for (const auto bytes : sizes) ratios.push_back(ratio_of(bytes));
  auto first = detail::best_switch(std::vector<double>(sizes.size(), limit), ratios);
  while (first < sizes.size() && ratios[first] > limit) ++first;
  return first < sizes.size() ? sizes[first] : multipath::never;
}

/// Both ends of test copies.
struct test_ends {
  std::byte* dst;
  const std::byte* src;
  std::byte* on_device;
};

test_ends ends_of(direction direction, std::byte* host, std::byte* on_device) {
  return direction == direction::h2d ? test_ends{on_device, host, on_device}
                                     : test_ends{host, on_device, on_device};
}

/// What is measured of one direction, with copies of page-locked memory.
class route_meter {
 public:
  route_meter(detail::link_set& links, const std::function<std::chrono::nanoseconds()>& clock,
              direction direction, std::byte* host, std::byte* on_device)
      : links_(links),
        clock_(clock),
        direction_(direction),
        ends_(ends_of(direction, host, on_device)) {}

  [[nodiscard]] multipath::route measure() {
    multipath::route route;
    route.links = measure_links();
    constexpr std::array sizes{mib, 2 * mib, 4 * mib, 8 * mib, 16 * mib, 32 * mib, 64 * mib};
    route.least_bytes = least_worth_it(sizes, worth_dividing, [&](std::size_t bytes) {
      const auto divided = detail::divide(bytes, route.links, detail::unit_of_parts);
      const auto plain = detail::for_first_link(bytes, links_.size());
      return stopwatch(clock_).compare([&] { copy(divided); }, [&] { copy(plain); });
    });
    return route;
  }

 private:
  using part_list = std::vector<detail::link_part>;

  void copy(const part_list& parts) { links_.copy(ends_.dst, ends_.src, parts, direction_); }

  /// With parts that end together, all links are busy all the time. The first parts are a guess:
  /// they are equal.
  [[nodiscard]] std::vector<multipath::link> measure_links() {
    const auto large = bytes_for(links_.size());
    const auto small = large / 16;
    std::vector<multipath::link> links(links_.size(), multipath::link{.bytes_per_second = 1});
    for (std::size_t i = 1; i < links.size(); ++i)
      links[i].peer_bytes_per_second = measure_between(i);
    for (const std::size_t repetitions : {3, 3, 5}) {
      const auto small_parts = divide(small, links);
      const auto large_parts = divide(large, links);
      const auto small_times = time_links(small_parts, repetitions);
      const auto large_times = time_links(large_parts, repetitions);
      for (std::size_t i = 0; i < links.size(); ++i)
        set_line(links[i], small_parts[i], small_times[i], large_parts[i], large_times[i]);
    }
    return links;
  }

  /// So that all links end at once; equally if one would have nothing to do, which then has times.
  static part_list divide(std::size_t bytes, std::vector<multipath::link> links) {
    auto parts = detail::divide(bytes, links, detail::unit_of_parts);
    if (std::ranges::none_of(parts, [](const auto& part) { return part.bytes == 0; })) return parts;
    for (auto& link : links) link = {.bytes_per_second = 1};
    return detail::divide(bytes, links, detail::unit_of_parts);
  }

  /// The line through two points. Where times do not grow with the size, the larger point alone
  /// counts.
  static void set_line(multipath::link& link, const detail::link_part& small, double small_time,
                       const detail::link_part& large, double large_time) {
    // The way between the devices is measured by itself, and may have been busy then.
    constexpr double least_part = 0.1;
    small_time = std::max(small_time - detail::passing_on(small, link), least_part * small_time);
    large_time = std::max(large_time - detail::passing_on(large, link), least_part * large_time);
    const auto bytes = static_cast<double>(large.bytes) - static_cast<double>(small.bytes);
    const bool grows = large_time > small_time && bytes > 0;
    link.bytes_per_second =
        grows ? bytes / (large_time - small_time) : static_cast<double>(large.bytes) / large_time;
    link.seconds =
        grows ? std::max(0.0, small_time - static_cast<double>(small.bytes) / link.bytes_per_second)
              : 0;
  }

  /// The median of the time that each link takes for its part, in seconds.
  [[nodiscard]] std::vector<double> time_links(const part_list& parts, std::size_t repetitions) {
    copy(parts);  // not timed
    std::vector<std::vector<double>> times(parts.size());
    for (std::size_t i = 0; i < repetitions; ++i) {
      const auto ends = links_.time(ends_.dst, ends_.src, parts, direction_, clock_);
      for (std::size_t link = 0; link < parts.size(); ++link) times[link].push_back(ends[link]);
    }
    std::vector<double> medians;
    for (auto& of_link : times) medians.push_back(middle_of(of_link));
    return medians;
  }

  /// The rate between the memory of a helper and that of the device.
  [[nodiscard]] double measure_between(std::size_t link) {
    constexpr auto bytes = multipath_copier::largest_chunk;
    constexpr int repetitions = 6;  // of which the first is the slowest
    std::vector<double> times;
    for (int i = 0; i < repetitions; ++i)
      times.push_back(links_.time_between(link, ends_.on_device, bytes, direction_));
    return static_cast<double>(bytes) / std::max(middle_of(times), 1e-9);
  }

  detail::link_set& links_;
  const std::function<std::chrono::nanoseconds()>& clock_;
  direction direction_;
  test_ends ends_;
};

/// Leaves pageable memory alone where there is too little of it to try.
void measure_pageable(device& target, detail::link_set& links,
                      const std::function<std::chrono::nanoseconds()>& clock, std::byte* on_device,
                      multipath& settings) {
  if (target.copies_directly(target.allocate_host(1, pageable).data())) return;
  constexpr std::array sizes{16 * mib, 64 * mib, 256 * mib};
  try {
    const auto host = target.allocate_host(sizes.back(), pageable);
    detail::pageable_links staged(target, links);
    for (const auto to : divided_directions) {
      const auto [dst, src, unused] = ends_of(to, host.data(), on_device);
      auto& route = settings[to];
      route.least_pageable_bytes = least_worth_it(
          sizes, worth_dividing_pageable, [&, dst = dst, src = src](std::size_t bytes) {
            return stopwatch(clock).compare(
                [&] { staged.copy_by_all(dst, src, bytes, to, route.links); },
                [&] { staged.copy_by_own_link(dst, src, bytes, to); });
          });
    }
  } catch (const out_of_memory&) {
    for (const auto to : divided_directions) settings[to].least_pageable_bytes = multipath::never;
  }
}

}  // namespace

multipath detail::calibrate_multipath(device& target, std::span<device* const> helpers,
                                      const std::function<std::chrono::nanoseconds()>& clock) {
  multipath settings;
  if (helpers.empty()) return settings;
  link_set links(target, helpers);
  const auto on_device = target.allocate(256 * mib);
  {
    const auto host = target.allocate_host(bytes_for(links.size()), pinned());
    for (const auto to : divided_directions)
      settings[to] = route_meter(links, clock, to, host.data(), on_device.data()).measure();
  }
  measure_pageable(target, links, clock, on_device.data(), settings);
  return settings;
}

multipath calibrate_multipath(device& target, std::span<device* const> helpers) {
  return detail::calibrate_multipath(
      target, helpers, [] { return std::chrono::steady_clock::now().time_since_epoch(); });
}

}  // namespace transfers
