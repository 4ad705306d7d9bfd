#include "bench/harness/measure.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "bench/strategy/cache.hpp"
#include "src/statistics/quantile.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/fake_clock.hpp"
#include "transfers/host/host_device.hpp"

namespace bench_transfers::bench::measure_test {
namespace {

/// A step that takes a known time of the test's clock.
step taking(std::chrono::nanoseconds time, const std::string& name = "taking") {
  return {name, [time] { fake_clock::advance(time); }};
}

/// A step that takes some nanoseconds and counts its calls.
step counting(std::size_t& calls) {
  return {"count", [&calls] { ++calls; }};
}

transfer make_transfer(std::vector<step> steps, bool batched = true) {
  transfer result;
  result.steps = std::move(steps);
  result.timing.batched = batched;
  return result;
}

void at_once(const std::function<void()>& work) { work(); }

samples timed(const transfer& transfer, const schedule& planned) {
  samples result;
  time_operations(transfer, planned, line_preparation(cache_state::warm), at_once, result);
  return result;
}

/// Equal except for the nanoseconds that reading the clock takes.
void expect_near(double nanoseconds, std::chrono::nanoseconds truth) {
  EXPECT_NEAR(nanoseconds, static_cast<double>(truth.count()), 5);
}

TEST(measure_clock, gives_sane_figures) {
  const auto clock = measure_clock();
  EXPECT_GT(clock.read_ns, 0);
  EXPECT_LT(clock.read_ns, 20'000);
  EXPECT_GT(clock.resolution_ns, 0);
  EXPECT_LT(clock.resolution_ns, 1e6);
}

TEST(measure_clock, finds_the_cost_of_a_known_clock) {
  const fake_clock clock;
  EXPECT_NEAR(measure_clock().read_ns, 1, 0.01);
  EXPECT_EQ(measure_clock().resolution_ns, 1);
}

TEST(settle_schedule, fills_the_minimal_time_with_single_operations_where_they_are_long_enough) {
  const fake_clock clock;
  const auto planned =
      settle_schedule(make_transfer({taking(10us)}), line_preparation(cache_state::warm), 2ms);
  EXPECT_EQ(planned.batch, 1U);
  EXPECT_EQ(planned.operations, 200U);
  EXPECT_EQ(planned.settling, 100U);
}

TEST(settle_schedule, takes_three_operations_at_least) {
  const fake_clock clock;
  for (const auto min_time : {0ns, 1ns, std::chrono::nanoseconds(1ms)}) {
    const auto planned = settle_schedule(make_transfer({taking(1ms)}),
                                         line_preparation(cache_state::warm), min_time);
    EXPECT_EQ(planned.batch, 1U);
    EXPECT_EQ(planned.operations, 3U);
    EXPECT_EQ(planned.settling, 1U);
  }
}

TEST(settle_schedule, batches_operations_that_are_too_short_for_the_clock) {
  const fake_clock clock;
  const auto transfer = make_transfer({taking(100ns)});
  const auto planned = settle_schedule(transfer, line_preparation(cache_state::warm), 1ms);
  EXPECT_EQ(planned.batch, 250U);
  EXPECT_EQ(planned.operations, 40 * planned.batch);
  // The batches have the planned length.
  const auto result = timed(transfer, planned);
  expect_near(statistics::median(result.operation) * static_cast<double>(planned.batch),
              shortest_batch);
}

TEST(settle_schedule, respects_operations_that_must_be_timed_alone) {
  std::size_t calls = 0;
  // The first says so; the second has several steps, each with its own figure.
  for (const auto& transfer : {make_transfer({counting(calls)}, false),
                               make_transfer({counting(calls), counting(calls)}, true)}) {
    const auto planned = settle_schedule(transfer, line_preparation(cache_state::warm), 100us);
    EXPECT_EQ(planned.batch, 1U);
    EXPECT_GE(planned.operations, 3U);
    EXPECT_LE(planned.operations, 100'000U);
  }
}

TEST(settle_schedule, never_batches_operations_with_cold_caches) {
  std::size_t calls = 0;
  std::vector<std::byte> bytes(4096);
  auto transfer = make_transfer({counting(calls)});
  transfer.source = payload{bytes.data(), bytes.size(), false, nullptr};
  transfer.enqueue = [] {};
  const auto planned = settle_schedule(transfer, line_preparation(cache_state::cold), 1ms);
  EXPECT_EQ(planned.batch, 1U);
  EXPECT_EQ(planned.settling, 1U);
  EXPECT_GE(planned.operations, 3U);
  EXPECT_EQ(planned.device_operations, 0U);
}

TEST(settle_schedule, bounds_work_between_operations) {
  const fake_clock clock;
  auto transfer = make_transfer({taking(20us)}, false);
  transfer.timing.between = taking(1ms).run;
  for (const std::size_t least : {1U, 3U}) {
    transfer.timing.least_operations = least;
    const auto planned = settle_schedule(transfer, line_preparation(cache_state::warm), 2ms);
    EXPECT_EQ(planned.operations, 4U);  // for twice the time, including the work between them
    EXPECT_EQ(planned.settling, least == 1 ? 0U : 1U);
  }
}

TEST(settle_schedule, needs_one_very_long_operation) {
  const fake_clock clock;
  std::size_t calls = 0;
  const auto transfer = make_transfer({counting(calls), taking(21ms)});
  EXPECT_EQ(settle_schedule(transfer, line_preparation(cache_state::warm), 2ms).operations, 3U);
  EXPECT_EQ(calls, 1U);
}

TEST(settle_schedule, plans_the_clock_of_the_device_only_where_work_can_be_enqueued) {
  const fake_clock clock;
  auto transfer = make_transfer({taking(100us)});
  EXPECT_EQ(settle_schedule(transfer, line_preparation(cache_state::warm), 10ms).device_operations,
            0U);
  transfer.enqueue = [] {};
  const auto planned = settle_schedule(transfer, line_preparation(cache_state::warm), 10ms);
  EXPECT_EQ(planned.device_operations, 9U);
  EXPECT_TRUE(planned.lead);
  EXPECT_EQ(settle_schedule(transfer, line_preparation(cache_state::warm), 0ms).device_operations,
            3U);
  transfer.steps = {taking(15ms)};
  EXPECT_FALSE(settle_schedule(transfer, line_preparation(cache_state::warm), 0ms).lead);
  EXPECT_EQ(settle_schedule(transfer, line_preparation(cache_state::warm), 0ms).device_operations,
            1U);
}

TEST(settle, runs_the_operations_planned) {
  std::size_t calls = 0;
  settle(make_transfer({counting(calls), counting(calls)}), {.settling = 7},
         line_preparation(cache_state::warm));
  EXPECT_EQ(calls, 14U);
}

TEST(time_operations, takes_one_sample_per_operation) {
  const fake_clock clock;
  const auto result = timed(make_transfer({taking(50us)}), {.operations = 30});
  EXPECT_THAT(result.operation, SizeIs(30));
  expect_near(statistics::median(result.operation), 50us);
  EXPECT_THAT(result.steps, IsEmpty());
  EXPECT_THAT(result.on_device, IsEmpty());
}

TEST(time_operations, takes_one_sample_per_batch_its_mean) {
  const fake_clock clock;
  std::size_t calls = 0;
  const auto result =
      timed(make_transfer({counting(calls), taking(20us)}), {.operations = 60, .batch = 4});
  EXPECT_EQ(calls, 60U);
  EXPECT_THAT(result.operation, SizeIs(15));
  expect_near(statistics::median(result.operation), 20us);
  EXPECT_THAT(result.steps, IsEmpty());
}

TEST(time_operations, tells_the_steps_apart) {
  const fake_clock clock;
  const auto result =
      timed(make_transfer({taking(40us, "first"), taking(120us, "second")}), {.operations = 25});
  ASSERT_THAT(result.steps, SizeIs(2));
  const auto& [first_name, first] = result.steps[0];
  const auto& [second_name, second] = result.steps[1];
  EXPECT_EQ(first_name, "first");
  EXPECT_EQ(second_name, "second");
  expect_near(statistics::median(first), 40us);
  expect_near(statistics::median(second), 120us);
  expect_near(statistics::median(result.operation), 160us);
  // The steps' times add up to the operation's, for each operation.
  ASSERT_EQ(first.size(), result.operation.size());
  ASSERT_EQ(second.size(), result.operation.size());
  for (std::size_t i = 0; i < result.operation.size(); ++i)
    EXPECT_NEAR(first[i] + second[i], result.operation[i], 1e-3 * result.operation[i]);
}

TEST(time_operations, times_a_comparison_in_turn_with_the_operation) {
  std::string order;
  auto transfer = make_transfer({{"a", [&] { order += 'a'; }}});
  transfer.against = {{.name = "b", .description = "", .run = [&] { order += 'b'; }}};
  transfer.timing.between = [&] { order += '|'; };
  static_cast<void>(timed(transfer, {.operations = 6, .batch = 2}));
  EXPECT_EQ(order, "|aa|bb|bb|aa|aa|bb");
}

TEST(time_operations, finds_the_difference_to_the_comparison) {
  const fake_clock clock;
  auto transfer = make_transfer({taking(50us)});
  transfer.against = {{.name = "plain", .description = "", .run = taking(30us).run}};
  const auto result = timed(transfer, {.operations = 40});
  ASSERT_THAT(result.compared, SizeIs(1));
  const auto& [times, differences] = result.compared[0];
  ASSERT_THAT(times, SizeIs(40));
  expect_near(statistics::median(times), 30us);
  expect_near(statistics::median(differences), 20us);
  for (std::size_t i = 0; i < 40; ++i)
    EXPECT_DOUBLE_EQ(differences[i], result.operation[i] - times[i]);
}

TEST(time_operations, times_several_comparisons_each_first_in_turn) {
  std::string order;
  auto transfer = make_transfer({{"a", [&] { order += 'a'; }}});
  transfer.against = {{.name = "b", .description = "", .run = [&] { order += 'b'; }},
                      {.name = "c", .description = "", .run = [&] { order += 'c'; }}};
  transfer.timing.between = [&] { order += '|'; };
  static_cast<void>(timed(transfer, {.operations = 4}));
  EXPECT_EQ(order,
            "|a|b|c"
            "|b|c|a"
            "|c|a|b"
            "|a|b|c");
}

TEST(time_operations, prepares_a_comparison_untimed) {
  const fake_clock clock;
  std::string order;
  auto transfer = make_transfer({{"a", [&] { order += 'a'; }}});
  transfer.timing.between = [&] { order += '|'; };
  transfer.against = {{.name = "b",
                       .description = "",
                       .run = [&] { order += 'b'; },
                       .before =
                           [&] {
                             order += '(';
                             fake_clock::advance(2ms);
                           },
                       .after =
                           [&] {
                             order += ')';
                             fake_clock::advance(2ms);
                             return true;
                           }}};
  const auto result = timed(transfer, {.operations = 2});
  EXPECT_EQ(order, "|a(b)(b)|a");
  EXPECT_THAT(result.compared.at(0).times, Each(1));
}

TEST(time_operations, leaves_out_invalid_comparisons) {
  const fake_clock clock;
  std::size_t runs = 0;
  auto transfer = make_transfer({taking(20us)});
  const auto first_only = [&] { return runs == 1; };
  transfer.against = {
      {.name = "b", .description = "", .run = [&] { ++runs; }, .after = first_only},
      {.name = "c", .description = "", .run = [] {}, .after = [] { return false; }}};
  const auto result = timed(transfer, {.operations = 5});
  EXPECT_THAT(result.operation, SizeIs(5));
  EXPECT_THAT(result.compared.at(0).times, SizeIs(1));
  EXPECT_THAT(result.compared.at(0).differences, SizeIs(1));
  EXPECT_THAT(result.compared.at(1).times, IsEmpty());
}

TEST(time_operations, steps_run_in_order) {
  std::string order;
  static_cast<void>(
      timed(make_transfer({{"a", [&] { order += 'a'; }}, {"b", [&] { order += 'b'; }}}),
            {.operations = 3}));
  EXPECT_EQ(order, "ababab");
}

TEST(time_operations, leaves_out_work_between_operations) {
  const fake_clock clock;
  std::vector<std::byte> bytes(64);
  auto transfer = make_transfer({taking(20us)});
  transfer.source = payload{bytes.data(), bytes.size(), false, nullptr};
  std::size_t flushes = 0;
  samples result;
  time_operations(
      transfer, {.operations = 9}, line_preparation(cache_state::cold),
      [&](const std::function<void()>& work) {
        ++flushes;
        work();
        fake_clock::advance(500us);
      },
      result);
  EXPECT_EQ(flushes, 9U);
  EXPECT_THAT(result.operation, SizeIs(9));
  expect_near(statistics::median(result.operation), 20us);
}

TEST(time_operations, cold_caches_make_reading_slower) {
  if (!can_flush_cache()) GTEST_SKIP() << "this processor cannot flush chosen lines";
  std::vector<std::byte> bytes(16 * 1024);
  unsigned sum = 0;
  auto transfer = make_transfer({{"read", [&] {
                                    for (std::size_t i = 0; i < bytes.size(); i += 64)
                                      sum += static_cast<unsigned>(bytes[(i * 37) % bytes.size()]);
                                  }}});
  transfer.source = payload{bytes.data(), bytes.size(), false, nullptr};
  samples cold;
  time_operations(transfer, {.operations = 51}, line_preparation(cache_state::cold), at_once, cold);
  const auto warm = timed(transfer, {.operations = 51});
  EXPECT_GT(statistics::median(cold.operation), 2 * statistics::median(warm.operation));
  EXPECT_EQ(sum, 0U);  // so the compiler cannot remove the sum
}

/// A point in a fake_stream's time.
class fake_event : public transfers::event {
 public:
  using time = std::chrono::duration<double, std::nano>;
  explicit fake_event(time reached, bool done = true) : reached_(reached), done_(done) {}

  [[nodiscard]] bool done() const override { return done_; }
  void wait() const override {}
  [[nodiscard]] time time_since(const transfers::event& earlier) const override {
    return reached_ - dynamic_cast<const fake_event&>(earlier).reached_;
  }

 private:
  time reached_;
  bool done_;
};

/// Counts enqueued work. Each operation takes 500 ns of its own clock, each event 100 ns.
class fake_stream : public transfers::stream {
 public:
  void copy(std::byte*, const std::byte*, std::size_t, transfers::direction) override {
    ++enqueued_;
  }
  using transfers::stream::copy_by_kernel;
  void copy_by_kernel(std::byte*, const std::byte*, std::size_t, unsigned) override { ++enqueued_; }
  void copy_d2d(std::byte*, const std::byte*, std::size_t) override { ++enqueued_; }
  void synchronize() override {}
  void copy_pitched(transfers::pitched<std::byte>, transfers::pitched<const std::byte>,
                    transfers::pitched_extent, transfers::direction) override {
    ++enqueued_;
  }
  void copy_batch(std::span<std::byte* const>, std::span<const std::byte* const>,
                  std::span<const std::size_t>, transfers::direction) override {
    ++enqueued_;
  }
  void copy_pieces(const transfers::scattered_piece*, std::size_t, std::byte*,
                   transfers::direction) override {
    ++enqueued_;
  }
  void clear(std::byte*, std::size_t) override { ++enqueued_; }
  void fill(std::byte*, std::span<const std::byte>, std::size_t) override { ++enqueued_; }
  void write_sequence(const transfers::sequence&) override { ++enqueued_; }
  [[nodiscard]] transfers::element_value reduce(const transfers::reduction&) override { return {}; }
  void calculate(const transfers::elementwise_operation&) override { ++enqueued_; }
  void convert(const transfers::conversion&) override { ++enqueued_; }
  void call(std::function<void()>) override { ++enqueued_; }
  using transfers::stream::record;
  std::unique_ptr<transfers::event> record(transfers::event_timing) override {
    // Every second event ends a span.
    if (records_++ % 2 == 0) leads_ += enqueued_ > 0 ? 1U : 0U;
    time_ += fake_event::time(static_cast<double>(500 * enqueued_ + 100));
    enqueued_ = 0;
    return std::make_unique<fake_event>(time_, are_done);
  }
  void record_again(transfers::event&) override {}
  void wait(const transfers::event&) override { ++enqueued_; }
  [[nodiscard]] bool is_recording() const override { return false; }
  [[nodiscard]] void* native_handle() const noexcept override { return nullptr; }
  [[nodiscard]] void* native_context() const noexcept override { return nullptr; }

  [[nodiscard]] std::size_t leads() const { return leads_; }

  bool are_done = true;  ///< events, as soon as they are recorded

 private:
  std::size_t enqueued_ = 0;
  std::size_t records_ = 0;
  std::size_t leads_ = 0;
  fake_event::time time_{0};
};

/// A device with the clock of its emulated link.
std::unique_ptr<transfers::device> device_with_clock() {
  return transfers::open_host_device(
      transfers::host_device_options{.link = std::make_shared<transfers::emulated_link>(
                                         transfers::link_description{"test", 1e9, 1e9, 0})});
}

transfer enqueuing_on(fake_stream& stream) {
  transfer result;
  result.enqueue = [&stream] { stream.copy_by_kernel(nullptr, nullptr, 0); };
  return result;
}

TEST(time_on_device, subtracts_the_span_without_an_operation) {
  const auto device = device_with_clock();
  const device_clock clock(*device);
  for (const bool lead : {false, true}) {
    fake_stream stream;
    samples result;
    time_on_device(enqueuing_on(stream), clock, stream, {.device_operations = 4, .lead = lead},
                   result);
    EXPECT_THAT(result.on_device, ElementsAre(500, 500, 500, 500));
    EXPECT_EQ(stream.leads() > 0, lead);
  }
}

TEST(time_on_device, discards_spans_whose_delay_was_too_short) {
  const device_clock clock([](transfers::stream&) {});
  for (const bool is_too_short : {false, true}) {
    fake_stream stream;
    stream.are_done = is_too_short;
    samples result;
    time_on_device(enqueuing_on(stream), clock, stream, {.device_operations = 4}, result);
    EXPECT_THAT(result.on_device, SizeIs(is_too_short ? 0 : 4));
  }
}

TEST(time_on_device, keeps_what_is_shorter_than_the_overhead) {
  const device_clock clock([](transfers::stream&) {});
  fake_stream stream;
  stream.are_done = false;
  samples result;
  transfer nothing;
  nothing.enqueue = [] {};
  time_on_device(nothing, clock, stream, {.device_operations = 4}, result);
  EXPECT_THAT(result.on_device, ElementsAre(0, 0, 0, 0));
}

TEST(time_on_device, gives_nothing_without_operations_or_a_clock) {
  const auto device = device_with_clock();
  const auto clockless = transfers::open_host_device();
  const device_clock clock(*device);
  const device_clock no_clock(*clockless);
  fake_stream stream;
  samples result;
  time_on_device({}, clock, stream, {.device_operations = 4}, result);
  time_on_device(enqueuing_on(stream), clock, stream, {.device_operations = 0}, result);
  time_on_device(enqueuing_on(stream), no_clock, stream, {.device_operations = 4}, result);
  EXPECT_THAT(result.on_device, IsEmpty());
}

}  // namespace
}  // namespace bench_transfers::bench::measure_test
