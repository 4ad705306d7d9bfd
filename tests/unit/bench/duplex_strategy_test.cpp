
#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::duplex_strategy_test {
namespace {

struct duplex_method {
  std::string strategy, variant;
  transfers::host_memory_kind kind;
};

void PrintTo(const duplex_method& method, std::ostream* out) {
  *out << method.strategy << method.variant;
}

const auto mapped = transfers::pinned(transfers::pin_flags::mapped);
const std::vector<duplex_method> all_methods{
    {"duplex/engines/pinned", "", transfers::pinned()},
    {"duplex/kernels/pinned_mapped", "", mapped},
    {"duplex/mixed/pinned_mapped", "h2d_by_kernel", mapped},
    {"duplex/mixed/pinned_mapped", "d2h_by_kernel", mapped},
};

/// Buffers and a stream for single transfers of one strategy.
class duplex_transfer {
 public:
  duplex_transfer(transfers::device& device, const duplex_method& method, std::size_t bytes)
      : device_(device),
        memory_(device, 7),
        stream_(device.create_stream()),
        method_(method),
        bytes_(bytes) {
    memory_.reserve_host(method.kind, buffers::distance(bytes) + bytes);
    memory_.reserve_device(buffers::distance(bytes) + bytes);
  }

  [[nodiscard]] transfer prepare() {
    return find_strategy(method_.strategy)
        .prepare({device_, memory_, *stream_, method_.variant, bytes_});
  }

  /// Bytes of the host's block without the pattern that other benchmarks expect.
  [[nodiscard]] std::size_t host_damage() const {
    const auto& block = memory_.host(method_.kind);
    return check_host_pattern(block.data(), 0, block.size(), memory_.pattern()).wrong_bytes;
  }
  [[nodiscard]] std::byte* host_destination() const {
    return memory_.host(method_.kind).data() + buffers::distance(bytes_);
  }

 private:
  transfers::device& device_;
  buffers memory_;
  std::unique_ptr<transfers::stream> stream_;
  duplex_method method_;
  std::size_t bytes_;
};

class duplex_strategy : public testing::TestWithParam<duplex_method> {
 protected:
  std::unique_ptr<transfers::device> device = transfers::open_host_device();
};

TEST_P(duplex_strategy, moves_every_byte_in_both_directions_for_any_size) {
  for (const std::size_t bytes : {1, 15, 4096, 65'539, 1 << 20}) {
    duplex_transfer all(*device, GetParam(), bytes);
    const auto ready = all.prepare();
    EXPECT_NE(ready.check.compare(), std::nullopt) << "nothing has arrived yet";
    run_steps(ready);
    EXPECT_EQ(ready.check.compare(), std::nullopt) << bytes;
    EXPECT_EQ(ready.amount.bytes, 2 * bytes);
    ready.check.restore();
    EXPECT_EQ(all.host_damage(), 0U) << bytes;
  }
}

TEST_P(duplex_strategy, detects_a_wrong_byte_at_either_end_and_behind_it) {
  constexpr std::size_t bytes = 5000;
  duplex_transfer all(*device, GetParam(), bytes);
  const auto ready = all.prepare();
  run_steps(ready);
  const auto flip = [](std::byte& byte) { byte = ~byte; };
  auto& up = ready.destination->data[bytes - 1];
  flip(up);
  EXPECT_THAT(ready.check.compare().value_or(""), AllOf(StartsWith("h2d: 1 "), HasSubstr("4999")));
  flip(up);
  flip(all.host_destination()[bytes - 1]);
  EXPECT_THAT(ready.check.compare().value_or(""), AllOf(StartsWith("d2h: 1 "), HasSubstr("4999")));
  flip(all.host_destination()[bytes - 1]);
  flip(all.host_destination()[bytes]);
  EXPECT_THAT(ready.check.compare().value_or(""), StartsWith("d2h, behind the end: 1 "));
  flip(all.host_destination()[bytes]);
  EXPECT_EQ(ready.check.compare(), std::nullopt);
}

TEST_P(duplex_strategy, times_each_direction_alone_and_while_the_other_is_busy) {
  duplex_transfer all(*device, GetParam(), 1 << 20);
  const auto ready = all.prepare();
  ASSERT_THAT(ready.against, SizeIs(4));

  for (const auto& comparison : ready.against) {
    EXPECT_EQ(comparison.bytes, std::size_t{1} << 20);
    if (comparison.before) comparison.before();
    comparison.run();
    if (comparison.after) static_cast<void>(comparison.after());
    // No copy is in flight any more that could disturb the next comparison.
    EXPECT_EQ(comparison.name.ends_with("_alone"), !comparison.before) << comparison.name;
  }
  EXPECT_THAT(names_of(ready.against), ElementsAre("h2d", "h2d_alone", "d2h", "d2h_alone"));
  EXPECT_EQ(ready.check.compare(), std::nullopt);
}

TEST_P(duplex_strategy, does_not_count_times_after_the_other_direction_ended) {
  duplex_transfer all(*device, GetParam(), 4096);
  const auto ready = all.prepare();
  for (const auto& comparison : ready.against) {
    if (!comparison.before) continue;
    comparison.before();
    device->synchronize();
    EXPECT_FALSE(comparison.after()) << comparison.name;
  }
}

TEST_P(duplex_strategy, leaves_buffers_intact_whichever_operation_fails) {
  const auto failures = transfers::fail_each(transfers::failure::operation, [](auto& failing) {
    duplex_transfer all(failing, GetParam(), 10'000);
    const auto ready = all.prepare();
    bool failed = false;
    try {
      run_steps(ready);
      for (const auto& comparison : ready.against) {
        if (comparison.before) comparison.before();
        comparison.run();
        if (comparison.after) static_cast<void>(comparison.after());
      }
    } catch (const transfers::device_error&) {
      failed = true;
    }
    failing.synchronize();
    ready.check.restore();
    EXPECT_EQ(all.host_damage(), 0U);
    return !failed;
  });
  EXPECT_GT(failures, 15U);
}

std::string name_of(const testing::TestParamInfo<duplex_method>& info) {
  auto name = info.param.strategy + info.param.variant;
  std::ranges::replace(name, '/', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(methods, duplex_strategy, testing::ValuesIn(all_methods), name_of);

TEST_F(host_session, duplex_benchmarks_have_total_figures_and_those_of_each_direction) {
  chosen.strategies = {"duplex"};
  chosen.sizes = {(std::size_t{1} << 20) + 3};
  chosen.own_sizes = true;
  EXPECT_THAT(run_session().failures, IsEmpty());
  EXPECT_EQ(planned.cases.size(), 4U);
  EXPECT_EQ(left_wrong, 0U);
  for (const auto& row : rows.content().at("benchmarks")) {
    SCOPED_TRACE(row.dump());
    const double bytes = (1 << 20) + 3;
    const auto value = [&](const char* key) { return row.at(key).get<double>(); };
    EXPECT_EQ(value("bytes"), 2 * bytes);
    EXPECT_NEAR(value("gb_per_s") * value("median_ns"), 2 * bytes, 10);
    EXPECT_NEAR(value("h2d_alone_gb_per_s") * value("h2d_alone_ns"), bytes, 10);
    EXPECT_NEAR(value("d2h_alone_gb_per_s") * value("d2h_alone_ns"), bytes, 10);
    EXPECT_FALSE(row.contains("over_h2d_alone_ns"));
    EXPECT_FALSE(row.contains("link_percent"));
  }
}

TEST_F(host_session, a_corrupted_byte_of_duplex_benchmarks_is_detected) {
  chosen.strategies = {"duplex"};
  chosen.sizes = {std::size_t{1} << 20};
  chosen.faults = {parse_fault("corrupt@.")};
  EXPECT_THAT(run_session().failures, SizeIs(4));
  EXPECT_EQ(left_wrong, 0U);
}

}  // namespace
}  // namespace bench_transfers::bench::duplex_strategy_test
