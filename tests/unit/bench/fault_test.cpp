#include "bench/harness/fault.hpp"

#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include "bench/harness/verify.hpp"
#include "bench/harness/wall_clock.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/fake_clock.hpp"
#include "tests/unit/bench/test_strategy.hpp"
#include "tests/unit/common/complaint.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::fault_test {
namespace {

TEST(parse_fault, reads_every_kind) {
  const auto corrupt = parse_fault("corrupt@^copy/");
  EXPECT_EQ(corrupt.effect, fault::kind::corrupt);
  EXPECT_EQ(corrupt.text, "corrupt@^copy/");
  EXPECT_TRUE(std::regex_search("copy/pinned", corrupt.names));
  EXPECT_FALSE(std::regex_search("zero_copy/pinned", corrupt.names));
  EXPECT_EQ(parse_fault("fail@x").effect, fault::kind::fail);
  EXPECT_EQ(parse_fault("lose@x").effect, fault::kind::lose);
  const auto slow = parse_fault("slow:1.25@a@b:c");
  EXPECT_EQ(slow.effect, fault::kind::slow);
  EXPECT_EQ(slow.factor, 1.25);
  EXPECT_TRUE(std::regex_search("/a@b:c/", slow.names));
  EXPECT_EQ(parse_fault("slow:1@").factor, 1);
  EXPECT_EQ(slow.round, std::nullopt);
  const auto neighbour = parse_fault("slow:1.05:3@^copy/");
  EXPECT_EQ(neighbour.effect, fault::kind::slow);
  EXPECT_EQ(neighbour.factor, 1.05);
  EXPECT_EQ(neighbour.round, 3);
}

/// A copy of 100 bytes on the host device, for injecting faults.
class injected : public testing::Test {
 protected:
  static constexpr std::size_t bytes = 100;

  transfer copy(std::uint64_t seed, transfers::direction direction) {
    memory.emplace(*device, seed);
    memory->reserve_host(transfers::pageable, bytes);
    memory->reserve_device(bytes);
    const auto ends =
        ends_of({*device, *memory, *stream, "", bytes}, transfers::pageable, direction);
    auto operation = transfer_between(ends);
    operation.steps = {{"copy", [this, ends, direction] {
                          device->copy(ends.destination.data, ends.source.data, bytes, direction);
                        }}};
    return operation;
  }

  void inject(const std::string& text, transfer& into, std::string_view name = "a/b/4B") {
    bench::inject({parse_fault(text)}, {std::string(name)}, *device, into);
  }

  std::optional<std::string> damage_after(const transfer& operation, int operations) {
    poison(*device, *memory, *operation.destination);
    for (int i = 0; i < operations; ++i) run_steps(operation);
    return find_damage(*device, *memory, operation);
  }

  std::unique_ptr<transfers::device> device = transfers::open_host_device();
  std::unique_ptr<transfers::stream> stream = device->create_stream();
  std::optional<buffers> memory;
};

class corruption : public injected, public testing::WithParamInterface<transfers::direction> {};

TEST_P(corruption, is_one_wrong_byte_whatever_the_seed_and_however_many_operations) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed)
    for (const int operations : {1, 2}) {
      auto operation = copy(seed, GetParam());
      inject("corrupt@.", operation);
      const auto damage = damage_after(operation, operations);
      ASSERT_TRUE(damage) << "seed " << seed << ", " << operations << " operations";
      EXPECT_THAT(*damage, HasSubstr("1 of 100 bytes"));
    }
}

INSTANTIATE_TEST_SUITE_P(directions, corruption,
                         testing::Values(transfers::direction::h2d, transfers::direction::d2h),
                         [](const auto& instance) {
                           return instance.param == transfers::direction::h2d ? "h2d" : "d2h";
                         });

TEST_F(injected, faults_concern_only_names_that_match) {
  auto operation = copy(1, transfers::direction::h2d);
  inject("corrupt@^x", operation);
  inject("fail@4KiB$", operation);
  EXPECT_EQ(damage_after(operation, 5), std::nullopt);
  inject("corrupt@4B$", operation);
  EXPECT_TRUE(damage_after(operation, 1));
}

TEST_F(injected, corruption_needs_a_destination) {
  int runs = 0;
  transfer nothing;
  nothing.steps = {{"nothing", [&] { ++runs; }}};
  inject("corrupt@.", nothing);
  nothing.steps[0].run();
  EXPECT_EQ(runs, 1);
}

struct failing {
  const char* kind;
  bool lost;
};

void PrintTo(const failing& failing, std::ostream* out) { *out << failing.kind; }

class failures : public injected, public testing::WithParamInterface<failing> {};

TEST_P(failures, come_with_the_third_operation) {
  auto operation = copy(1, transfers::direction::d2h);
  inject(std::string(GetParam().kind) + "@.", operation);
  EXPECT_EQ(damage_after(operation, 2), std::nullopt);
  const auto broken = common::thrown_by<transfers::device_error>(operation.steps[0].run);
  ASSERT_TRUE(broken) << "the third operation did not fail";
  EXPECT_EQ(broken->device_lost(), GetParam().lost);
  EXPECT_THAT(broken->what(), HasSubstr("injected"));
}

INSTANTIATE_TEST_SUITE_P(kinds, failures,
                         testing::Values(failing{"fail", false}, failing{"lose", true}),
                         [](const auto& instance) { return instance.param.kind; });

TEST_F(injected, slowness_is_the_factor_asked_for) {
  const fake_clock clock;
  transfer operation;
  for (const char* name : {"first", "second"})
    operation.steps.push_back({name, [] { fake_clock::advance(100us); }});
  inject("slow:2@.", operation);
  for (const auto& step : operation.steps) {
    const auto start = wall_clock::now();
    step.run();
    const std::chrono::duration<double, std::micro> elapsed = wall_clock::now() - start;
    EXPECT_NEAR(elapsed.count(), 200, 0.01) << step.name;
  }
}

TEST_F(injected, a_neighbour_slows_sentinels_too_in_its_round_alone) {
  const fake_clock clock;
  const auto factor_of = [&](const char* text, const fault::place& where) {
    transfer operation;
    operation.steps = {{"some", [] { fake_clock::advance(100us); }}};
    bench::inject({parse_fault(text)}, where, *device, operation);
    const auto start = wall_clock::now();
    operation.steps.front().run();
    return std::round((wall_clock::now() - start) / 100us);
  };
  EXPECT_EQ(factor_of("slow:3:2@h2d", {"copy/h2d", 2}), 3);
  EXPECT_EQ(factor_of("slow:3:2@h2d", {"copy/h2d", 1}), 1);
  EXPECT_EQ(factor_of("slow:3:2@h2d", {"copy/h2d"}), 1) << "while it is prepared";
  EXPECT_EQ(factor_of("slow:3:2@h2d", {"sentinel/h2d", 2, true}), 3);
  EXPECT_EQ(factor_of("slow:3:2@h2d", {"sentinel/d2h", 2, true}), 1);
  EXPECT_EQ(factor_of("slow:3@.", {"sentinel/h2d", 2, true}), 1);
}

}  // namespace
}  // namespace bench_transfers::bench::fault_test
