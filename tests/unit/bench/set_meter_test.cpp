#include "bench/commands/set_meter.hpp"

#include <memory>

#include "tests/basics.hpp"

namespace bench_transfers::bench::set_meter_test {
namespace {

constexpr std::size_t bytes = 4096;

/// Of one host device.
class set_meter_of_host : public testing::Test {
 protected:
  std::unique_ptr<transfers::device> device = transfers::open_host_device();
  buffers memory{*device, 7};
  set_meter meter{{{*device, memory, {}, nullptr, "host:0"}}, bytes};
  topology::flow_set both_ways =
      topology::flows_of(topology::device_set::of(0), topology::traffic::both);
};

TEST_F(set_meter_of_host, measures_each_flow_of_a_set) {
  const auto observed = meter.measure(both_ways);
  EXPECT_EQ(observed.why_not, "");
  ASSERT_THAT(observed.rates, SizeIs(2));
  EXPECT_THAT(observed.rates, Each(Not(IsEmpty())));
}

TEST_F(set_meter_of_host, copies_from_memory_on_a_node) {
  const auto kind = transfers::on_node(transfers::pinned(), 0);
  if (const auto reason = device->why_unsupported(kind)) GTEST_SKIP() << *reason;
  const auto observed = meter.measure_on_node(0, both_ways);
  EXPECT_EQ(observed.why_not, "");
  EXPECT_THAT(observed.rates, SizeIs(2));
  EXPECT_TRUE(memory.all_host().contains(kind));
}

TEST_F(set_meter_of_host, a_node_that_does_not_exist_is_said_and_costs_nothing_else) {
  const auto refused = meter.measure_on_node(1000, both_ways);
  EXPECT_THAT(refused.rates, IsEmpty());
  EXPECT_NE(refused.why_not, "");
  EXPECT_THAT(refused.why_not, Not(HasSubstr("\n")));
  EXPECT_THAT(meter.measure(both_ways).rates, SizeIs(2));
}

TEST_F(set_meter_of_host, verifies_the_copies_of_each_set_and_measures_no_more_of_a_bad_device) {
  ASSERT_EQ(meter.measure(both_ways).why_not, "");
  EXPECT_TRUE(meter.measure(both_ways).unusable.empty());
  // What copies from now on are others than the first, which were verified alone.
  const auto& source = memory.host(transfers::pinned());
  std::fill_n(source.data(), source.size(), std::byte{0});
  const auto observed = meter.measure(both_ways);
  EXPECT_THAT(observed.rates, IsEmpty());
  EXPECT_THAT(observed.why_not, StartsWith("host:0: wrong data"));
  EXPECT_EQ(observed.unusable, topology::device_set::of(0));
  EXPECT_EQ(meter.measure(both_ways).why_not, observed.why_not);
}

}  // namespace
}  // namespace bench_transfers::bench::set_meter_test
