
#include <algorithm>
#include <map>
#include <memory>

#include "bench/harness/verify.hpp"
#include "bench/subjects/parameters.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/transfers/counting_device.hpp"

namespace bench_transfers::bench::launch_parameters_test {
namespace {

using subjects::most_parameter_bytes;
using subjects::parameter_capacities;

class parameters_session : public host_session {
 protected:
  parameters_session() {
    chosen.strategies = {"launch/parameters"};
    chosen.own_sizes = true;
  }
};

TEST_F(parameters_session, have_sizes_up_to_what_a_kernel_takes) {
  chosen.sizes = {4, 32736, 32737, 32768};
  const auto all = make_plan(strategies, *device, chosen);
  EXPECT_THAT(all.skipped, IsEmpty());
  ASSERT_THAT(all.cases, SizeIs(2));
  EXPECT_EQ(all.cases.back().name, "launch/parameters/32736B");
  EXPECT_EQ(all.cases.back().family, "launch");
  EXPECT_EQ(all.cases.back().method, "parameters");
  EXPECT_EQ(all.cases.back().role, "parameters");
  EXPECT_EQ(all.cases.back().direction, result_file::direction::h2d);
}

TEST_F(parameters_session, arrive_at_every_size_and_are_compared_with_a_copy) {
  chosen.sizes = {1, 3, 64, 65, 1001, 4 * kib, 8 * kib + 2, 16 * kib, 32735, 32736};
  chosen.rounds = 1;
  EXPECT_THAT(run_session().failures, IsEmpty());
  EXPECT_EQ(left_wrong, 0U);
  std::map<std::size_t, std::size_t> parameter_bytes;
  for (const auto& row : rows.content().at("benchmarks")) {
    SCOPED_TRACE(row.dump());
    EXPECT_GT(row.at("copy_and_launch_ns"), 0);
    EXPECT_TRUE(row.contains("over_copy_and_launch_ns"));
    EXPECT_LE(row.at("parameter_bytes"), most_parameter_bytes);
    EXPECT_LT(row.at("bytes"), row.at("parameter_bytes"));
    parameter_bytes[row.at("bytes")] = row.at("parameter_bytes");
  }
  // Address and length take 16 bytes more, rounded to whole words.
  EXPECT_THAT(parameter_bytes, IsSupersetOf({Pair(64, 80), Pair(65, 272), Pair(4096, 4112),
                                             Pair(16384, 16400), Pair(32736, 32752)}));
}

TEST_F(parameters_session, that_arrive_wrong_are_detected) {
  chosen.sizes = {4 * kib};
  chosen.faults = {parse_fault("corrupt@.")};
  EXPECT_THAT(run_session().failures, SizeIs(1));
  EXPECT_EQ(left_wrong, 0U);
}

TEST(launch_parameters, neither_form_hides_that_the_other_one_moves_nothing) {
  transfers::device_with<transfers::idle_stream> device;
  buffers memory(device, 7);
  memory.reserve_host(transfers::pinned(), 4 * kib);
  memory.reserve_device(4 * kib);
  const auto stream = device.create_stream();
  const auto operation =
      find_strategy("launch/parameters").prepare({device, memory, *stream, "", 4 * kib});
  operation.steps.at(0).run();
  EXPECT_EQ(operation.check.compare(), std::nullopt) << "parameters need no copy";
  operation.against.at(0).run();
  EXPECT_EQ(operation.check.compare(), "copy and launch: 4096 bytes differ, the first at offset 0");
  poison(device, memory, *operation.destination);
  operation.against.at(0).run();
  EXPECT_THAT(operation.check.compare().value_or(""), StartsWith("parameter: "));
}

TEST(capacity, is_the_smallest_that_holds_the_data) {
  const auto capacity = [](std::size_t bytes) {
    return subjects::with_capacity(bytes, []<std::size_t Capacity>() { return Capacity; });
  };
  EXPECT_EQ(capacity(1), parameter_capacities.front());
  for (std::size_t i = 0; i < parameter_capacities.size(); ++i) {
    EXPECT_EQ(capacity(parameter_capacities[i]), parameter_capacities[i]);
    if (i > 0) {
      EXPECT_EQ(capacity(parameter_capacities[i - 1] + 1), parameter_capacities[i]);
    }
  }
  EXPECT_THROW(capacity(parameter_capacities.back() + 1), std::logic_error);
}

}  // namespace
}  // namespace bench_transfers::bench::launch_parameters_test
