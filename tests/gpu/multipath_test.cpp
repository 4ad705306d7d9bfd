#include "transfers/fast/multipath.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "tests/basics.hpp"
#include "tests/gpu/pattern.hpp"
#include "transfers/core/error.hpp"

namespace transfers::multipath_test {
namespace {

constexpr std::size_t around = 4096;
constexpr std::array directions{direction::h2d, direction::d2h};
const pattern data{42, false};
const pattern poison{42, true};

/// Copies with the device's own link and that of a helper: another GPU, or the same GPU opened
/// again, by which data pass through memory of their own.
class multipath_on_cuda : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (find_cuda().devices <= GetParam()) GTEST_SKIP() << "there is no GPU " << GetParam();
    target = open_cuda_device(0);
    helper = open_cuda_device(GetParam());
    helpers.push_back(helper.get());
    if (peers_of(*target, helpers).empty()) GTEST_SKIP() << "the GPUs do not reach each other";
  }

  /// Copies between blocks with guards around the copied bytes.
  void expect_exact(multipath_copier& copier, host_memory_kind kind, direction to,
                    std::size_t bytes) const {
    const auto room = bytes + 2 * around;
    const auto host = target->allocate_host(room, kind);
    const auto on_device = target->allocate(room);
    write_host_pattern(host.data(), 0, room, to == direction::h2d ? data : poison);
    write_pattern(*target, on_device.data(), 0, room, to == direction::h2d ? poison : data);
    std::vector<std::byte> expected(room);
    write_host_pattern(expected.data(), 0, room, poison);
    write_host_pattern(expected.data(), around, bytes, data);
    std::vector<std::byte> all(room);
    if (to == direction::h2d) {
      copier.copy(on_device.data() + around, host.data() + around, bytes, to);
      target->copy(all.data(), on_device.data(), room, direction::d2h);
    } else {
      copier.copy(host.data() + around, on_device.data() + around, bytes, to);
      std::ranges::copy(host.bytes(), all.begin());
    }
    ASSERT_TRUE(all == expected) << bytes << " bytes, " << describe(kind);
  }

  std::unique_ptr<device> target, helper;
  std::vector<device*> helpers;
};

TEST_P(multipath_on_cuda, copies_arrive_byte_for_byte) {
  multipath settings;
  settings.h2d = settings.d2h = {.least_bytes = 1, .links = {{50e9}, {40e9}}};
  multipath_copier copier(*target, helpers, settings);
  for (const auto kind : {pinned(), registered, registered_huge, pageable})
    for (const auto to : directions)
      for (const std::size_t bytes :
           {std::size_t{1}, std::size_t{4097}, mib, 5 * mib + 3, 64 * mib, 300 * mib + 1})
        expect_exact(copier, kind, to, bytes);
}

TEST_P(multipath_on_cuda, links_are_measured) {
  multipath_copier copier(*target, helpers);
  for (const auto to : directions) {
    const auto& links = copier.settings()[to].links;
    ASSERT_EQ(links.size(), 2U);
    for (const auto& link : links) EXPECT_GT(link.bytes_per_second, 0);
    for (const auto kind : {pinned(), pageable}) expect_exact(copier, kind, to, 40 * mib + 5);
  }
}

TEST_P(multipath_on_cuda, an_error_leaves_nothing_under_way) {
  multipath settings;
  settings.h2d = {.least_bytes = 1, .links = {{50e9}, {50e9}}};
  multipath_copier copier(*target, helpers, settings);
  const auto host = target->allocate_host(mib, pinned());
  // The runtime refuses an address that is not in device memory.
  EXPECT_THROW(copier.copy(nullptr, host.data(), mib, direction::h2d), device_error);
  expect_exact(copier, pinned(), direction::h2d, 8 * mib);
}

INSTANTIATE_TEST_SUITE_P(gpu, multipath_on_cuda, testing::Values(0, 1));

}  // namespace
}  // namespace transfers::multipath_test
