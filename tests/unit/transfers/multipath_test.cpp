#include "transfers/fast/multipath.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "src/transfers/fast/calibrate_multipath.hpp"
#include "src/transfers/fast/divide.hpp"
#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "tests/unit/transfers/metered_device.hpp"
#include "tests/unit/transfers/test_bytes.hpp"
#include "transfers/core/context.hpp"
#include "transfers/core/error.hpp"

namespace transfers::multipath_test {
namespace {

constexpr std::size_t page = 4096;
constexpr std::array directions{direction::h2d, direction::d2h};

/// The bytes that each link carries.
std::vector<std::size_t> divide(std::size_t bytes, const std::vector<multipath::link>& links) {
  std::vector<std::size_t> sizes;
  for (const auto& part : detail::divide(bytes, links, page)) sizes.push_back(part.bytes);
  return sizes;
}

std::size_t sum(const std::vector<std::size_t>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::size_t{0});
}

// How bytes are divided

TEST(divide, gives_each_link_its_share) {
  const std::vector<multipath::link> equal{{1e9}, {1e9}};
  EXPECT_THAT(divide(8 * page, equal), ElementsAre(4 * page, 4 * page));
  const std::vector<multipath::link> unequal{{3e9}, {1e9}, {4e9}};
  EXPECT_THAT(divide(8 * page, unequal), ElementsAre(3 * page, page, 4 * page));
}

TEST(divide, gives_the_remainder_to_the_first_link) {
  const std::vector<multipath::link> links{{1e9}, {1e9}, {1e9}};
  EXPECT_THAT(divide(10 * page + 5, links), ElementsAre(4 * page + 5, 3 * page, 3 * page));
  EXPECT_THAT(divide(1, links), ElementsAre(1, 0, 0));
  EXPECT_THAT(divide(0, links), ElementsAre(0, 0, 0));
}

TEST(divide, lets_all_links_end_at_once) {
  const std::vector<multipath::link> links{{50e9, 10e-6}, {40e9, 40e-6}, {60e9, 25e-6}};
  const auto parts = divide(16 * mib, links);
  EXPECT_EQ(sum(parts), 16 * mib);
  const auto end_of = [&](std::size_t i) {
    return links[i].seconds + static_cast<double>(parts[i]) / links[i].bytes_per_second;
  };
  const double page_time = page / 40e9;
  EXPECT_THAT(end_of(1), DoubleNear(end_of(0), 3 * page_time));
  EXPECT_THAT(end_of(2), DoubleNear(end_of(0), 3 * page_time));
}

TEST(divide, leaves_out_a_link_that_would_end_later) {
  // The others have ended before it begins.
  const std::vector<multipath::link> links{{50e9, 1e-6}, {50e9, 1e-3}, {50e9, 1e-6}};
  EXPECT_THAT(divide(mib, links),
              ElementsAre(AllOf(Ge(mib / 2), Le(mib / 2 + page)), 0, Le(mib / 2)));
  // It also takes part if there is enough for it.
  EXPECT_GT(divide(1024 * mib, links)[1], 0U);
  // Nor is the device's own link an exception.
  const std::vector<multipath::link> slow_own{{50e9, 1e-3}, {50e9, 1e-6}};
  EXPECT_THAT(divide(mib, slow_own), ElementsAre(0, mib));
}

TEST(divide, never_loses_a_byte) {
  const std::vector<multipath::link> links{{55.4e9, 8e-6}, {13e9, 30e-6}, {27.1e9, 21e-6}};
  for (std::size_t bytes = 1; bytes < 512 * mib; bytes = bytes * 3 + 1)
    EXPECT_EQ(sum(divide(bytes, links)), bytes);
}

TEST(divide, starts_helpers_earlier_by_the_way_of_their_last_chunk) {
  const std::vector<multipath::link> links{{50e9, 5e-6}, {50e9, 5e-6, 100e9}};
  const auto parts = detail::divide(16 * mib, links, page);
  const auto end_of = [&](std::size_t i) {
    return static_cast<double>(parts[i].bytes) / 50e9 + detail::passing_on(parts[i], links[i]);
  };
  EXPECT_EQ(detail::passing_on(parts[0], links[0]), 0);
  EXPECT_GT(detail::passing_on(parts[1], links[1]), 10e-6);
  EXPECT_THAT(end_of(1), DoubleNear(end_of(0), 1e-6));
}

TEST(cut_for_helper, has_the_chunks_that_end_earliest) {
  constexpr double cost_of_chunk = 5e-6;
  for (const double rate : {25e9, 50e9, 400e9})
    for (std::size_t bytes = mib; bytes <= 256 * mib; bytes *= 2) {
      SCOPED_TRACE(testing::Message() << bytes << " bytes at " << rate);
      const auto part =
          detail::cut_for_helper(bytes, {.bytes_per_second = 50e9, .peer_bytes_per_second = rate});
      const auto longer = [&](double chunks) {
        return chunks * cost_of_chunk + static_cast<double>(bytes) / chunks / rate;
      };
      EXPECT_EQ(part.chunk_bytes % page, 0U);
      EXPECT_LE(part.chunk_bytes, multipath_copier::largest_chunk);
      EXPECT_GE(part.chunk_bytes, 256 * kib);
      const auto chunks = static_cast<double>(part.chunks());
      if (part.chunk_bytes > 256 * kib) {
        EXPECT_LE(longer(chunks), 1.1 * longer(chunks + 1));
      }
      if (chunks > 1 && part.chunk_bytes < multipath_copier::largest_chunk) {
        EXPECT_LE(longer(chunks), 1.1 * longer(chunks - 1));
      }
    }
}

TEST(cut_for_helper, has_large_chunks_where_the_way_between_the_devices_does_not_matter) {
  const auto part = detail::cut_for_helper(40 * mib, {.bytes_per_second = 50e9});
  EXPECT_EQ(part.chunks(), 3U);
  EXPECT_EQ(detail::cut_for_helper(0, {.bytes_per_second = 50e9}).chunks(), 0U);
}

TEST(take_turns, spreads_chunks_by_the_rates) {
  const std::vector<multipath::link> equal{{1e9}, {1e9}};
  EXPECT_THAT(detail::take_turns(equal, 6), ElementsAre(0, 1, 0, 1, 0, 1));
  const std::vector<multipath::link> unequal{{3e9}, {1e9}};
  const auto turns = detail::take_turns(unequal, 8);
  EXPECT_EQ(std::ranges::count(turns, std::size_t{0}), 6);
  EXPECT_EQ(std::ranges::count(turns, std::size_t{1}), 2);
  EXPECT_EQ(turns.front(), 0U);
}

// The bytes

/// How host memory is copied: as page-locked memory, or staged as a GPU's ordinary memory is.
enum class host_end { direct, staged };

void PrintTo(host_end end, std::ostream* out) {
  *out << (end == host_end::direct ? "direct" : "staged");
}

/// A device and its helpers, and settings by which all links take part.
struct linked_devices {
  explicit linked_devices(std::size_t helpers, host_end end = host_end::direct) {
    for (std::size_t i = 0; i <= helpers; ++i) {
      auto added = std::make_unique<counting_device>();
      added->counts().stages_copies = end == host_end::staged;
      devices.push_back(std::move(added));
    }
    settings.h2d =
        settings.d2h = {.least_bytes = 1,
                        .links = std::vector<multipath::link>(helpers + 1, {1e9, 0, 50e9}),
                        .least_pageable_bytes = 1};
  }

  [[nodiscard]] std::vector<device*> helpers() const {
    std::vector<device*> pointers;
    for (std::size_t i = 1; i < devices.size(); ++i) pointers.push_back(devices[i].get());
    return pointers;
  }
  [[nodiscard]] multipath_copier copier() const { return {*devices.front(), helpers(), settings}; }
  [[nodiscard]] device& target() const { return *devices.front(); }

  std::vector<std::unique_ptr<device>> devices;
  multipath settings;
};

/// Copies between memory with guards, and checks every byte of the destination and around it.
void expect_exact_copy(device& target, multipath_copier& copier, direction direction,
                       std::size_t bytes, std::size_t offset) {
  constexpr std::size_t around = 128;
  const auto room = bytes + 2 * around;
  const auto host = target.allocate_host(room, pinned());
  const auto on_device = target.allocate(room);
  const std::span device_bytes(on_device.data(), room);  // the host's, on a host device
  test_bytes(1).write_to(host.bytes());
  test_bytes(2).write_to(device_bytes);
  const bool up = direction == direction::h2d;
  const auto from = up ? host.bytes() : device_bytes;
  const auto to = up ? device_bytes : host.bytes();
  std::vector<std::byte> expected(to.begin(), to.end());
  std::copy_n(from.data() + offset, bytes, expected.data() + around / 2);
  copier.copy(to.data() + around / 2, from.data() + offset, bytes, direction);
  ASSERT_EQ(std::memcmp(to.data(), expected.data(), room), 0);
}

class multipath_copies : public testing::TestWithParam<std::tuple<std::size_t, host_end>> {
 protected:
  std::size_t helpers = std::get<0>(GetParam());
  linked_devices linked{helpers, std::get<1>(GetParam())};
  multipath_copier copier = linked.copier();
};

TEST_P(multipath_copies, arrive_byte_for_byte) {
  EXPECT_EQ(copier.links(), helpers + 1);
  for (const auto direction : directions)
    for (const std::size_t bytes :
         {std::size_t{1}, page - 1, page, 3 * page + 1, 300 * kib + 7, mib, 9 * mib + 5}) {
      SCOPED_TRACE(bytes);
      expect_exact_copy(linked.target(), copier, direction, bytes, 3);
    }
}

TEST_P(multipath_copies, have_more_chunks_than_fit_into_the_memory_of_a_helper) {
  constexpr auto bytes = 8 * multipath_copier::chunks_of_helper * mib;
  for (const auto direction : directions)
    expect_exact_copy(linked.target(), copier, direction, 2 * bytes + 1, 0);
}

TEST_P(multipath_copies, of_several_threads_take_turns) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 5; ++k)
        expect_exact_copy(linked.target(), copier, directions[i % 2], mib + i * page + i, i);
    });
}

INSTANTIATE_TEST_SUITE_P(helpers, multipath_copies,
                         testing::Combine(testing::Values(0, 1, 3),
                                          testing::Values(host_end::direct, host_end::staged)));

/// Counts how many of its bytes each device has copied to or from the host.
std::vector<std::size_t> copies_by_device(std::size_t bytes, const multipath& settings) {
  std::array<counting_device, 2> devices;
  multipath_copier copier(devices[0], std::array<device*, 1>{&devices[1]}, settings);
  const std::array before{devices[0].counts().enqueued.load(), devices[1].counts().enqueued.load()};
  expect_exact_copy(devices[0], copier, direction::h2d, bytes, 0);
  return {devices[0].counts().enqueued - before[0], devices[1].counts().enqueued - before[1]};
}

TEST(multipath_copier, uses_the_devices_own_link_alone_for_small_copies) {
  multipath settings;
  settings.h2d = {.least_bytes = mib, .links = {{1e9}, {1e9, 0, 10e9}}};
  EXPECT_THAT(copies_by_device(mib - 1, settings), ElementsAre(1, 0));
  // Each chunk is copied to the helper and on.
  const auto chunks = detail::divide(4 * mib, settings.h2d.links, page)[1].chunks();
  EXPECT_GT(chunks, 1U);
  EXPECT_THAT(copies_by_device(4 * mib, settings), ElementsAre(1, 2 * chunks));
  settings.h2d.least_bytes = multipath::never;
  EXPECT_THAT(copies_by_device(mib, settings), ElementsAre(1, 0));
  EXPECT_THAT(copies_by_device(mib, {}), ElementsAre(1, 0));
}

TEST(multipath_copier, says_how_many_links_a_copy_uses) {
  std::array<counting_device, 2> devices;
  multipath settings;
  settings.h2d = {
      .least_bytes = mib, .links = {{1e9}, {1e9, 2e-3}}, .least_pageable_bytes = 8 * mib};
  const multipath_copier copier(devices[0], std::array<device*, 1>{&devices[1]}, settings);
  const auto host = devices[0].allocate_host(1, pinned());
  const auto links_of = [&](std::size_t bytes, direction to) {
    return copier.links_of(host.data(), bytes, to);
  };
  EXPECT_EQ(links_of(mib - 1, direction::h2d), 1U);
  EXPECT_EQ(links_of(mib, direction::h2d), 1U);  // ends before the helper would begin
  EXPECT_EQ(links_of(2 * mib, direction::h2d), 2U);
  EXPECT_EQ(links_of(2 * mib, direction::d2h), 1U);
  devices[0].counts().stages_copies = true;
  EXPECT_EQ(links_of(2 * mib, direction::h2d), 1U);
  EXPECT_EQ(links_of(8 * mib, direction::h2d), 2U);
}

TEST(multipath_copier, copies_nothing) {
  counting_device device;
  multipath_copier copier(device, {}, {});
  const std::size_t before = device.counts().operations;
  copier.copy(nullptr, nullptr, 0, direction::h2d);
  EXPECT_EQ(device.counts().operations, before);
}

TEST(multipath_copier, copies_elements) {
  const linked_devices linked(1);
  auto copier = linked.copier();
  const context context(linked.target());
  std::vector<float> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 1.0F);
  const auto on_device = context.allocate(numbers.size() * sizeof(float));
  copier.copy(on_device.view<float>(), numbers);
  std::vector<float> back(numbers.size());
  copier.copy(back, on_device.view<float>());
  EXPECT_EQ(back, numbers);
  back.pop_back();
  EXPECT_THROW(copier.copy(back, on_device.view<float>()), length_error);
}

/// Does not let others access its memory, nor accesses theirs.
class lonely_device final : public forwarding_device {
 public:
  bool access_peer(device& /*peer*/) override { return false; }
};

TEST(multipath_copier, does_without_helpers_that_cannot_reach_the_device) {
  const auto target = open_host_device();
  const auto near = open_host_device();
  lonely_device far;
  const std::array<device*, 2> helpers{&far, near.get()};
  EXPECT_THAT(peers_of(*target, helpers), ElementsAre(near.get()));
  EXPECT_THAT(peers_of(far, std::array<device*, 1>{near.get()}), SizeIs(0));
  multipath settings;
  settings.h2d = {.least_bytes = 1, .links = {{1e9}, {1e9}}};
  multipath_copier copier(*target, helpers, settings);
  EXPECT_EQ(copier.links(), 2U);
  expect_exact_copy(*target, copier, direction::h2d, mib, 0);
  multipath_copier alone(far, std::array<device*, 1>{near.get()});
  EXPECT_EQ(alone.links(), 1U);
  expect_exact_copy(far, alone, direction::d2h, 2 * mib, 0);
}

TEST(multipath_copier, refuses_what_makes_no_sense) {
  const auto target = open_host_device();
  const auto helper = open_host_device();
  const std::array<device*, 1> helpers{helper.get()};
  const auto make = [&](const std::vector<multipath::link>& links) {
    multipath settings;
    settings.d2h.links = links;
    multipath_copier made(*target, helpers, settings);
  };
  make({});
  make({{1e9}, {1e9}});
  EXPECT_THROW(make({{1e9}}), invalid_argument);
  EXPECT_THROW(make({{1e9}, {0}}), invalid_argument);
  EXPECT_THROW(make({{1e9}, {1e9, -1}}), invalid_argument);
  EXPECT_THROW(make({{1e9}, {std::numeric_limits<double>::infinity()}}), invalid_argument);
  EXPECT_THROW(make({{1e9}, {std::numeric_limits<double>::quiet_NaN()}}), invalid_argument);
  const std::array<device*, 2> with_itself{helper.get(), target.get()};
  EXPECT_THROW(multipath_copier(*target, with_itself, {}), invalid_argument);
  const std::array<device*, 2> twice{helper.get(), helper.get()};
  EXPECT_THROW(multipath_copier(*target, twice, {}), invalid_argument);
  EXPECT_THROW(multipath_copier(*target, std::array<device*, 1>{nullptr}, {}), invalid_argument);
}

TEST(multipath_copier, gives_back_the_memory_of_helpers) {
  const auto target = open_host_device();
  counting_device helper;
  {
    multipath settings;
    settings.h2d = {.least_bytes = 1, .links = {{1e9}, {1e9}}};
    multipath_copier copier(*target, std::array<device*, 1>{&helper}, settings);
    EXPECT_EQ(helper.counts().device_bytes,
              multipath_copier::chunks_of_helper * multipath_copier::largest_chunk);
    expect_exact_copy(*target, copier, direction::h2d, mib, 0);
  }
  EXPECT_TRUE(helper.counts().nothing_allocated());
  EXPECT_EQ(helper.counts().freed_while_busy, 0U);
}

class a_failing_device : public testing::TestWithParam<std::tuple<bool, host_end, direction>> {};

TEST_P(a_failing_device, leaves_nothing_under_way) {
  const auto [helper_fails, end, direction] = GetParam();
  const auto failures = fail_each(failure::operation, [&](counting_device& failing) {
    failing.counts().slowed_by = std::chrono::microseconds(20);
    counting_device other;
    other.counts().slowed_by = std::chrono::microseconds(20);
    auto& target = helper_fails ? other : failing;
    target.counts().stages_copies = end == host_end::staged;
    const std::array<device*, 1> helpers{helper_fails ? &failing : &other};
    multipath settings;
    settings.h2d = settings.d2h = {
        .least_bytes = 1, .links = {{1e9}, {1e9, 0, 10e9}}, .least_pageable_bytes = 1};
    const auto host = target.allocate_host(2 * mib, pinned());
    const auto on_device = target.allocate(2 * mib);
    const bool up = direction == direction::h2d;
    try {
      multipath_copier copier(target, helpers, settings);
      try {
        copier.copy(up ? on_device.data() : host.data(), up ? host.data() : on_device.data(),
                    2 * mib, direction);
      } catch (const device_error&) {
        EXPECT_TRUE(failing.counts().idle());
        EXPECT_TRUE(other.counts().idle());
        // The copier is still good.
        expect_exact_copy(target, copier, direction, mib, 0);
        return false;
      }
    } catch (const device_error&) {  // of the constructor
      return false;
    }
    return true;
  });
  EXPECT_GE(failures, 3U);
}

INSTANTIATE_TEST_SUITE_P(everywhere, a_failing_device,
                         testing::Combine(testing::Bool(),
                                          testing::Values(host_end::direct, host_end::staged),
                                          testing::ValuesIn(directions)));

// How links are measured

/// Two devices, simulated: nothing depends on the machine.
struct metered_pair {
  metered_time time = std::make_shared<double>(0);
  std::shared_ptr<metered_link> own, other;
  metered_device target{time, own, 400e9};
  metered_device helper{time, other, 400e9};

  metered_pair(const std::shared_ptr<metered_link>& first,
               const std::shared_ptr<metered_link>& second)
      : own(first), other(second) {}

  /// `disturbed_every`: so many readings of the clock, something else delays the caller for 1 ms.
  [[nodiscard]] multipath calibrate(int disturbed_every = std::numeric_limits<int>::max()) {
    return detail::calibrate_multipath(target, std::array<device*, 1>{&helper},
                                       [this, disturbed_every, readings = 0]() mutable {
                                         if (++readings % disturbed_every == 0) *time += 1e-3;
                                         return std::chrono::nanoseconds(std::llround(*time * 1e9));
                                       });
  }
};

std::shared_ptr<metered_link> link_of(double bytes_per_second, double seconds_of_copy = 0) {
  return std::make_shared<metered_link>(metered_link{bytes_per_second, seconds_of_copy});
}

TEST(calibrate_multipath, measures_each_link) {
  metered_pair pair(link_of(50e9, 8e-6), link_of(25e9));
  const auto settings = pair.calibrate();
  for (const auto to : directions) {
    ASSERT_THAT(settings[to].links, SizeIs(2));
    EXPECT_THAT(settings[to].links[0].bytes_per_second, DoubleNear(50e9, 1e9));
    EXPECT_THAT(settings[to].links[0].seconds, DoubleNear(8e-6, 1e-6));
    EXPECT_THAT(settings[to].links[1].bytes_per_second, AllOf(Ge(24e9), Le(25.1e9)));
    EXPECT_THAT(settings[to].links[1].peer_bytes_per_second, DoubleNear(400e9, 1e9));
    EXPECT_EQ(settings[to].least_bytes, mib);
    // Host devices copy ordinary memory themselves.
    EXPECT_EQ(settings[to].least_pageable_bytes, multipath::never);
  }
}

TEST(calibrate_multipath, leaves_copies_alone_for_which_helpers_are_too_slow_to_begin) {
  // A chunk of the helper takes longer than several MiB by the device's own link.
  metered_pair pair(link_of(50e9), link_of(50e9, 100e-6));
  const auto settings = pair.calibrate();
  EXPECT_GT(settings.h2d.least_bytes, 2 * mib);
  EXPECT_LE(settings.h2d.least_bytes, 64 * mib);
}

TEST(calibrate_multipath, leaves_copies_alone_that_gain_less_than_its_margin) {
  // 54 instead of 50, and 60 instead of 50.
  EXPECT_EQ(metered_pair(link_of(50e9), link_of(4e9)).calibrate().h2d.least_bytes,
            multipath::never);
  EXPECT_LE(metered_pair(link_of(50e9), link_of(10e9)).calibrate().h2d.least_bytes, 8 * mib);
}

TEST(calibrate_multipath, divides_no_copy_that_would_take_longer_by_it) {
  for (const double seconds_of_copy : {0.0, 5e-6, 20e-6, 60e-6}) {
    SCOPED_TRACE(seconds_of_copy);
    metered_pair pair(link_of(50e9, 5e-6), link_of(50e9, seconds_of_copy));
    const auto settings = pair.calibrate();
    const auto host = pair.target.allocate_host(64 * mib, pinned());
    const auto on_device = pair.target.allocate(64 * mib);
    multipath_copier copier(pair.target, std::array<device*, 1>{&pair.helper}, settings);
    multipath_copier alone(pair.target, {}, {});
    const auto time = [&](multipath_copier& by, std::size_t bytes) {
      const auto start = *pair.time;
      by.copy(on_device.data(), host.data(), bytes, direction::h2d);
      return *pair.time - start;
    };
    for (std::size_t bytes = mib / 4; bytes <= 64 * mib; bytes += bytes / 4) {
      EXPECT_LE(time(copier, bytes), 1.0001 * time(alone, bytes)) << bytes;
    }
  }
}

TEST(calibrate_multipath, is_the_same_where_other_programs_disturb_it) {
  const auto calibrated = [](int disturbed_every) {
    metered_pair pair(link_of(50e9, 5e-6), link_of(40e9, 30e-6));
    return pair.calibrate(disturbed_every);
  };
  const auto expected = calibrated(std::numeric_limits<int>::max());
  ASSERT_GT(expected.h2d.least_bytes, mib);
  ASSERT_LE(expected.h2d.least_bytes, 16 * mib);
  for (const int every : {7, 11, 40, 101}) {
    const auto settings = calibrated(every);
    for (const auto to : directions) {
      SCOPED_TRACE(every);
      EXPECT_EQ(settings[to].least_bytes, expected[to].least_bytes);
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_THAT(settings[to].links[i].bytes_per_second,
                    DoubleNear(expected[to].links[i].bytes_per_second, 0.5e9));
    }
  }
}

TEST(calibrate_multipath, measures_a_helper_that_is_far_from_the_device) {
  // As by PCIe: the way between the devices is as slow as the links.
  const auto time = std::make_shared<double>(0);
  metered_device target(time, link_of(50e9, 5e-6), 25e9);
  metered_device near(time, link_of(50e9, 5e-6), 25e9), slow(time, link_of(10e9, 5e-6), 25e9);
  const auto settings = detail::calibrate_multipath(
      target, std::array<device*, 2>{&near, &slow},
      [&] { return std::chrono::nanoseconds(std::llround(*time * 1e9)); });
  ASSERT_THAT(settings.h2d.links, SizeIs(3));
  for (const auto& link : settings.h2d.links) EXPECT_GT(link.bytes_per_second, 1e9);
  EXPECT_LT(settings.h2d.links[2].bytes_per_second, settings.h2d.links[1].bytes_per_second);
  const auto parts = detail::divide(256 * mib, settings.h2d.links, page);
  EXPECT_GT(parts[1].bytes, parts[2].bytes);
  EXPECT_GT(parts[0].bytes, parts[2].bytes);
}

/// Nanoseconds that copies have taken, of streams and of devices.
using paced_clock = std::shared_ptr<std::atomic<std::int64_t>>;

class paced_stream final : public counting_stream {
 public:
  paced_stream(std::unique_ptr<stream> inner, paced_clock clock, double ns_of_byte)
      : counting_stream(std::move(inner)), clock_(std::move(clock)), ns_of_byte_(ns_of_byte) {}

  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction to) override {
    counting_stream::copy(dst, src, bytes, to);
    *clock_ += std::llround(static_cast<double>(bytes) * ns_of_byte_);
  }

 private:
  paced_clock clock_;
  double ns_of_byte_;
};

/// Stages ordinary memory, as a GPU does: its own copies take 0.1 ns for a byte, those of streams
/// this by `gain` less.
class paced_device final : public forwarding_device {
 public:
  paced_device(paced_clock clock, double gain) : clock_(std::move(clock)), gain_(gain) {}

  [[nodiscard]] bool copies_directly(const std::byte* /*host*/) const override { return false; }
  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction to) override {
    forwarding_device::copy(dst, src, bytes, to);
    *clock_ += std::llround(static_cast<double>(bytes) * ns_of_byte);
  }
  [[nodiscard]] std::unique_ptr<stream> create_stream() override {
    return std::make_unique<paced_stream>(forwarding_device::create_stream(), clock_,
                                          ns_of_byte / gain_);
  }

 private:
  static constexpr double ns_of_byte = 0.1;

  paced_clock clock_;
  double gain_;
};

TEST(calibrate_multipath, divides_pageable_memory_where_that_is_much_faster) {
  for (const auto& [gain, least] : {std::pair{1.25, multipath::never}, std::pair{1.35, 16 * mib}}) {
    const auto clock = std::make_shared<std::atomic<std::int64_t>>(0);
    paced_device target(clock, gain), helper(clock, gain);
    const auto settings =
        detail::calibrate_multipath(target, std::array<device*, 1>{&helper},
                                    [&clock] { return std::chrono::nanoseconds(clock->load()); });
    for (const auto to : directions) EXPECT_EQ(settings[to].least_pageable_bytes, least) << gain;
  }
}

TEST(calibrate_multipath, gives_up_where_a_helper_is_behind_the_same_link) {
  const auto shared = link_of(50e9);
  metered_pair pair(shared, shared);
  const auto settings = pair.calibrate();
  EXPECT_EQ(settings.h2d.least_bytes, multipath::never);
  EXPECT_EQ(settings.d2h.least_bytes, multipath::never);
}

TEST(calibrate_multipath, needs_nothing_without_helpers) {
  counting_device device;
  const auto settings = calibrate_multipath(device, {});
  EXPECT_THAT(settings.h2d.links, SizeIs(0));
  EXPECT_EQ(settings.h2d.least_bytes, multipath::never);
  EXPECT_EQ(device.counts().device_allocations, 0U);
}

}  // namespace
}  // namespace transfers::multipath_test
