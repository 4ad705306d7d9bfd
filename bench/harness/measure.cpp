#include "bench/harness/measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "bench/harness/interruption.hpp"
#include "bench/strategy/cache.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::bench {
namespace {

using nanoseconds = std::chrono::duration<double, std::nano>;

double between(wall_clock::time_point start, wall_clock::time_point end) {
  return nanoseconds(end - start).count();
}

void run_once(const transfer& transfer) {
  for (const auto& step : transfer.steps) step.run();
}

/// Fewer where the clock seems to stand still: long operations must not be repeated a thousand
/// times.
std::size_t most_alone(double total) { return total > 0 ? 1000 : 50; }

std::size_t at_least_one(double count) { return count < 1 ? 1 : static_cast<std::size_t>(count); }

}  // namespace

clock_properties measure_clock() {
  constexpr std::size_t readings = 2001;
  std::vector<double> gaps(readings);
  for (auto& gap : gaps) {
    const auto start = wall_clock::now();
    gap = between(start, wall_clock::now());
  }
  std::erase_if(gaps, [](double gap) { return gap <= 0; });
  const double smallest = gaps.empty() ? 1 : std::ranges::min(gaps);

  // The mean of many readings is finer than the resolution.
  const auto start = wall_clock::now();
  for (std::size_t i = 0; i < readings; ++i) static_cast<void>(wall_clock::now());
  return {between(start, wall_clock::now()) / readings, smallest};
}

schedule settle_schedule(const transfer& transfer, const line_preparation& lines,
                         std::chrono::nanoseconds min_time) {
  const bool prepared = lines.is_needed();
  // Enough for a median: two for long operations, one for very long ones.
  std::vector<double> alone;
  double total = 0;
  const auto begin = wall_clock::now();
  do {
    lines(transfer);
    if (transfer.timing.between) transfer.timing.between();
    const auto start = wall_clock::now();
    run_once(transfer);
    alone.push_back(between(start, wall_clock::now()));
    total = between(begin, wall_clock::now());
  } while ((alone.size() < 2 && total < 20e6) || (total < 1e6 && alone.size() < most_alone(total)));
  double operation = std::max(1.0, statistics::median(alone));
  // The work between operations, flushing or freeing, may take many times as long as they do.
  const double overhead = prepared || transfer.timing.between
                              ? std::max(0.0, total / static_cast<double>(alone.size()) - operation)
                              : 0;
  const double budget = nanoseconds(min_time).count();

  schedule planned;
  if (transfer.timing.batched && transfer.steps.size() == 1 && !prepared &&
      operation < nanoseconds(shortest_timed_alone).count()) {
    // A single time includes the clock's cost, so the batch size is derived from a timed batch.
    constexpr std::size_t trial = 200;
    if (transfer.timing.between) transfer.timing.between();
    const auto start = wall_clock::now();
    for (std::size_t i = 0; i < trial; ++i) run_once(transfer);
    operation = std::max(0.5, between(start, wall_clock::now()) / trial);
    planned.batch = at_least_one(std::ceil(nanoseconds(shortest_batch).count() / operation));
  }
  planned.batch = std::max(planned.batch, transfer.timing.least_batch);
  const double timed = operation * static_cast<double>(planned.batch);
  const double batch_total = timed + overhead;
  const double needed = std::min(budget / timed, 2 * budget / batch_total);
  const auto batches = transfer.timing.choose_operations
                           ? transfer.timing.choose_operations(
                                 std::chrono::nanoseconds(static_cast<std::int64_t>(operation)))
                           : std::clamp<std::size_t>(at_least_one(std::ceil(needed)),
                                                     transfer.timing.least_operations, 100'000);
  planned.operations = batches * planned.batch;
  // After a millisecond, caches, clocks and queues are in the state of repeated operations.
  // Prepared operations need no settling; those that may run once per repetition have been settled
  // above.
  planned.settling =
      prepared
          ? 1
          : std::min<std::size_t>(
                at_least_one(std::ceil(1e6 / batch_total * static_cast<double>(planned.batch))),
                planned.operations);
  if (transfer.timing.least_operations == 1 && batch_total > 1e6) planned.settling = 0;
  if (transfer.enqueue && !prepared) {
    // A start event that is up to 10 µs late is less than a thousandth of a longer operation.
    planned.lead = operation < 10e6;
    constexpr double overhead_of_each = 60e3;  // delay kernel, events, waiting
    const double per_operation = operation * (planned.lead ? 2 : 1) + overhead_of_each;
    planned.device_operations =
        std::clamp<std::size_t>(at_least_one(budget / 4 / per_operation), planned.lead ? 3 : 1, 25);
  }
  return planned;
}

std::shared_ptr<const void> conditions_of(const transfer& transfer) {
  return transfer.timing.conditions ? transfer.timing.conditions() : nullptr;
}

void flush_ends_on_all_cores(const transfer& transfer) {
  const auto flush = [](const payload& end) {
    if (!end.on_device) flush_cache_on_all_cores({end.data, end.bytes});
  };
  for (const auto& end : {transfer.source, transfer.destination})
    if (end) flush(*end);
  for (const auto& flow : transfer.flows)
    for (const auto& end : {flow.source, flow.destination}) flush(end);
}

void settle(const transfer& transfer, const schedule& planned, const line_preparation& lines) {
  for (std::size_t i = 0; i < planned.settling && interruption() == 0; ++i) {
    lines(transfer);
    if (transfer.timing.between && i % planned.batch == 0)
      transfer.timing.between();  // as often as between timed operations
    run_once(transfer);
  }
}

namespace {

/// Adds times, and how much longer the last operation took; nullopt does not count.
void keep(const std::vector<std::optional<double>>& times, samples& result) {
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (!times[k]) continue;
    result.compared[k].times.push_back(*times[k]);
    result.compared[k].differences.push_back(result.operation.back() - *times[k]);
  }
}

}  // namespace

void time_operations(const transfer& transfer, const schedule& planned,
                     const line_preparation& lines,
                     const std::function<void(const std::function<void()>&)>& untimed,
                     samples& result) {
  const auto batches = planned.operations / planned.batch;
  const bool by_step = planned.batch == 1 && transfer.steps.size() > 1;
  result.operation.reserve(batches);
  if (by_step)
    for (const auto& step : transfer.steps) {
      result.steps.emplace_back(step.name, std::vector<double>{});
      result.steps.back().second.reserve(batches);
    }
  std::vector<wall_clock::time_point> marks(by_step ? transfer.steps.size() : 0);
  const auto time_steps = [&] {
    const auto start = wall_clock::now();
    for (std::size_t k = 0; k < transfer.steps.size(); ++k) {
      transfer.steps[k].run();
      marks[k] = wall_clock::now();
    }
    for (std::size_t k = 0; k < result.steps.size(); ++k)
      result.steps[k].second.push_back(between(k == 0 ? start : marks[k - 1], marks[k]));
    return between(start, marks.back());
  };
  const auto time_batch = [&](auto&& operation) {
    const auto start = wall_clock::now();
    for (std::size_t k = 0; k < planned.batch; ++k) operation();
    return between(start, wall_clock::now()) / static_cast<double>(planned.batch);
  };
  const auto time_operation = [&] {
    if (lines.is_needed()) untimed([&] { lines(transfer); });
    if (transfer.timing.between) untimed(transfer.timing.between);
    const double wall = by_step ? time_steps() : time_batch([&] { run_once(transfer); });
    result.operation.push_back(transfer.timing.own_time ? transfer.timing.own_time() : wall);
  };
  // Nullopt: the time does not count.
  const auto time_comparison = [&](const comparison& comparison) {
    std::optional<double> time;
    untimed([&] {
      lines(transfer);
      if (const auto& before = comparison.before ? comparison.before : transfer.timing.between)
        before();
      time = time_batch(comparison.run);
      if (comparison.after && !comparison.after()) time.reset();
    });
    return time;
  };
  result.compared.resize(transfer.against.size());
  std::vector<std::optional<double>> compared(transfer.against.size());
  for (std::size_t i = 0; i < batches && interruption() == 0; ++i) {
    // Each goes first in turn, so that none always follows the same other one.
    const auto count = transfer.against.size() + 1;
    for (std::size_t k = 0; k < count; ++k)
      if (const auto which = (i + k) % count; which == 0)
        time_operation();
      else
        compared[which - 1] = time_comparison(transfer.against[which - 1]);
    keep(compared, result);
  }
}

void time_on_device(const transfer& transfer, const device_clock& clock, transfers::stream& stream,
                    const schedule& planned, samples& result) {
  if (!transfer.enqueue) return;
  const std::function<void()> nothing = [] {};
  const auto& before = planned.lead ? transfer.enqueue : nothing;
  const auto spans_of = [&](const std::function<void()>& timed, std::size_t count) {
    std::vector<double> spans;
    for (std::size_t i = 0; i < count && interruption() == 0; ++i)
      if (const auto span = clock.span(stream, before, timed)) spans.push_back(span->count());
    return spans;
  };
  const auto empty = spans_of(nothing, std::min<std::size_t>(planned.device_operations, 5));
  if (empty.empty()) return;
  const double overhead = statistics::median(empty);
  // Those below the overhead as well: without them, the median would be of the longer ones.
  for (const double span : spans_of(transfer.enqueue, planned.device_operations))
    result.on_device.push_back(span - overhead);
}

}  // namespace bench_transfers::bench
