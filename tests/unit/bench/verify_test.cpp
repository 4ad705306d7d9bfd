#include "bench/harness/verify.hpp"

#include <random>
#include <string>

#include "bench/verification/pattern.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::bench::verify_test {
namespace {

constexpr std::size_t most = 100'000;
constexpr std::uint64_t seed = 11;

/// A copy to the device (true) or to the host (false), for wrong operations.
class verification : public testing::TestWithParam<bool> {
 protected:
  verification() {
    memory.reserve_host(transfers::pageable, most);
    memory.reserve_device(most);
  }

  transfer copy(std::size_t bytes) {
    const job task{*device, memory, *stream, "", bytes};
    return transfer_between(
        ends_of(task, transfers::pageable,
                GetParam() ? transfers::direction::h2d : transfers::direction::d2h));
  }

  /// The damage of a destination after poison and `work`.
  template <class Work>
  std::optional<std::string> damage_after(std::size_t bytes, Work&& work) {
    const auto ends = copy(bytes);
    poison(*device, memory, *ends.destination);
    work(ends.destination->data, ends.source->data);
    return find_damage(*device, memory, ends);
  }

  [[nodiscard]] std::size_t wrong_on_host() const {
    const auto& block = memory.host(transfers::pageable);
    return check_host_pattern(block.data(), 0, block.size(), {seed, false}).wrong_bytes;
  }
  [[nodiscard]] std::size_t wrong_on_device() const {
    const auto& block = memory.on_device();
    return check_pattern(*device, block.data(), 0, block.size(), {seed, false}).wrong_bytes;
  }

  std::unique_ptr<transfers::device> device = transfers::open_host_device();
  buffers memory{*device, seed};
  std::unique_ptr<transfers::stream> stream = device->create_stream();
};

TEST_P(verification, finds_nothing_after_a_faithful_copy) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 50; ++i) {
    const auto bytes = 1 + random() % most;
    const auto damage = damage_after(
        bytes, [&](std::byte* to, const std::byte* from) { std::copy_n(from, bytes, to); });
    EXPECT_EQ(damage, std::nullopt) << bytes;
    EXPECT_EQ(wrong_on_host(), 0U) << bytes;
    EXPECT_EQ(wrong_on_device(), 0U) << bytes;
  }
}

TEST_P(verification, finds_a_single_wrong_byte_wherever_it_is) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4}, std::size_t{1001}, most})
    for (const auto at : {std::size_t{0}, bytes / 2, bytes - 1}) {
      const auto damage = damage_after(bytes, [&](std::byte* to, const std::byte* from) {
        std::copy_n(from, bytes, to);
        to[at] ^= std::byte{0x10};
      });
      EXPECT_THAT(damage,
                  Optional(AllOf(HasSubstr("1 of " + std::to_string(bytes) + " bytes"),
                                 HasSubstr("offset " + std::to_string(at)), Not(HasSubstr("\n")))))
          << at;
    }
}

TEST_P(verification, finds_a_missing_last_byte) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{8}, std::size_t{4097}}) {
    const auto damage = damage_after(
        bytes, [&](std::byte* to, const std::byte* from) { std::copy_n(from, bytes - 1, to); });
    EXPECT_THAT(damage, Optional(HasSubstr("1 of " + std::to_string(bytes) + " bytes"))) << bytes;
    EXPECT_THAT(damage, Optional(HasSubstr("offset " + std::to_string(bytes - 1)))) << bytes;
  }
}

TEST_P(verification, finds_that_nothing_was_copied) {
  const auto damage = damage_after(1001, [](std::byte*, const std::byte*) {});
  EXPECT_THAT(damage, Optional(AllOf(HasSubstr("1001 of 1001 bytes"), HasSubstr("offset 0"))));
}

TEST_P(verification, finds_data_from_another_place) {
  const auto damage = damage_after(
      1000, [](std::byte* to, const std::byte* from) { std::copy_n(from + 1, 1000, to); });
  EXPECT_THAT(damage, Optional(HasSubstr("of 1000 bytes")));
}

TEST_P(verification, finds_writes_behind_the_end_and_repairs_them) {
  constexpr std::size_t bytes = 777;
  for (const std::size_t first : {std::size_t{0}, std::size_t{5}, buffers::guard - 2}) {
    const auto damage = damage_after(bytes, [&](std::byte* to, const std::byte* from) {
      std::copy_n(from, bytes, to);
      to[bytes + first] = ~to[bytes + first];
      to[bytes + first + 1] = ~to[bytes + first + 1];
    });
    EXPECT_THAT(damage, Optional(AllOf(HasSubstr("2 bytes written behind the end of 777 bytes"),
                                       Not(HasSubstr("\n")))))
        << first;
    EXPECT_EQ(wrong_on_host(), 0U);
    EXPECT_EQ(wrong_on_device(), 0U);
  }
}

TEST_P(verification, an_overlong_copy_is_one_behind_the_end) {
  const auto damage =
      damage_after(777, [](std::byte* to, const std::byte* from) { std::copy_n(from, 778, to); });
  EXPECT_THAT(damage, Optional(HasSubstr("1 bytes written behind the end")));
}

TEST_P(verification, poison_differs_everywhere_and_restore_repairs_both_ends) {
  const auto ends = copy(501);
  auto swapped = ends;
  std::swap(swapped.source, swapped.destination);
  poison(*device, memory, *ends.destination);
  poison(*device, memory, *swapped.destination);
  EXPECT_EQ(wrong_on_host(), 501 + buffers::guard);
  EXPECT_EQ(wrong_on_device(), 501 + buffers::guard);
  restore(*device, memory, ends);
  EXPECT_EQ(wrong_on_host(), 0U);
  EXPECT_EQ(wrong_on_device(), 0U);
}

TEST_P(verification, restore_accepts_missing_ends) {
  EXPECT_NO_THROW(restore(*device, memory, {}));
  EXPECT_EQ(wrong_on_host() + wrong_on_device(), 0U);
}

/// Write-combined memory as seen by the CPU and by the device, here two blocks.
TEST(verification_of_write_combined_memory, trusts_neither_the_cpu_nor_the_device_alone) {
  const auto device = transfers::open_host_device();
  buffers memory(*device, seed);
  memory.reserve_host(transfers::pageable, most);
  memory.reserve_device(most);
  auto* const by_cpu = memory.host(transfers::pageable).data();
  auto* const by_device = memory.on_device().data();
  const transfers::host_memory block({by_cpu, [](std::byte*) {}}, most + buffers::guard,
                                     transfers::pinned(transfers::pin_flags::write_combined),
                                     by_device);
  transfer end;
  end.destination = payload{by_cpu, most, false, &block};
  const auto guard_both = [&] {
    for (auto* const data : {by_cpu, by_device})
      write_pattern(*device, data, most, buffers::guard, memory.pattern(true));
  };
  guard_both();
  EXPECT_EQ(find_damage(*device, memory, end), std::nullopt);
  guard_both();
  by_device[most - 1] = ~by_device[most - 1];
  EXPECT_TRUE(find_damage(*device, memory, end));
  by_device[most - 1] = ~by_device[most - 1];
  guard_both();
  by_cpu[0] = ~by_cpu[0];
  EXPECT_TRUE(find_damage(*device, memory, end));
}

INSTANTIATE_TEST_SUITE_P(of_a_copy, verification, testing::Bool(), [](const auto& to_device) {
  return to_device.param ? "to_device" : "to_host";
});

}  // namespace
}  // namespace bench_transfers::bench::verify_test
