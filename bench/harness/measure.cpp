#include "bench/harness/measure.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bench/harness/interruption.hpp"
#include "bench/strategy/cache.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::bench {
namespace {

using nanoseconds = std::chrono::duration<double, std::nano>;

double between(wall_clock::time_point start, wall_clock::time_point end) {
  return nanoseconds(end - start).count();
}

void run_once(const transfer& what) {
  for (const auto& one : what.steps) one.run();
}

void flush_ends(const transfer& what) {
  for (const auto& end : {what.source, what.destination})
    if (end && !end->on_device) flush_cache({end->data, end->bytes});
}

std::size_t at_least_one(double count) { return count < 1 ? 1 : static_cast<std::size_t>(count); }

}  // namespace

clock_properties measure_clock() {
  constexpr std::size_t readings = 2001;
  std::vector<double> gaps(readings);
  for (auto& gap : gaps) {
    const auto start = wall_clock::now();
    gap = between(start, wall_clock::now());
  }
  const auto nonzero = std::ranges::find_if(gaps, [](double gap) { return gap > 0; });
  double smallest = nonzero == gaps.end() ? 1 : *nonzero;
  for (const auto gap : gaps)
    if (gap > 0) smallest = std::min(smallest, gap);

  // Many readings between two others: the mean is finer than the resolution.
  const auto start = wall_clock::now();
  for (std::size_t i = 0; i < readings; ++i) static_cast<void>(wall_clock::now());
  return {between(start, wall_clock::now()) / readings, smallest};
}

schedule settle_schedule(const transfer& what, cache_state cache,
                         std::chrono::nanoseconds min_time) {
  const bool cold = cache == cache_state::cold;
  // Enough for a median; long operations make do with two, very long ones with one.
  std::vector<double> alone;
  double all_in = 0;
  const auto begin = wall_clock::now();
  do {
    if (cold) flush_ends(what);
    if (what.timing.between) what.timing.between();
    const auto start = wall_clock::now();
    run_once(what);
    alone.push_back(between(start, wall_clock::now()));
    all_in = between(begin, wall_clock::now());
  } while ((alone.size() < 2 && all_in < 20e6) || (all_in < 1e6 && alone.size() < 1000));
  double operation = std::max(1.0, statistics::median(alone));
  // What is done between operations, flushing or freeing, may take many times as long as they do.
  const double around = cold || what.timing.between
                            ? std::max(0.0, all_in / static_cast<double>(alone.size()) - operation)
                            : 0;
  const double budget = nanoseconds(min_time).count();

  schedule planned;
  if (what.timing.batched && what.steps.size() == 1 && !cold &&
      operation < nanoseconds(shortest_timed_alone).count()) {
    // The single time includes the clock's cost, so the batch is measured before it is chosen.
    constexpr std::size_t trial = 200;
    if (what.timing.between) what.timing.between();
    const auto start = wall_clock::now();
    for (std::size_t i = 0; i < trial; ++i) run_once(what);
    operation = std::max(0.5, between(start, wall_clock::now()) / trial);
    planned.batch = at_least_one(std::ceil(nanoseconds(shortest_batch).count() / operation));
  }
  planned.batch = std::max(planned.batch, what.timing.least_batch);
  const double timed = operation * static_cast<double>(planned.batch);
  const double in_all = timed + around;
  const double wanted = std::min(budget / timed, 2 * budget / in_all);
  const auto batches = std::clamp<std::size_t>(at_least_one(std::ceil(wanted)),
                                               what.timing.least_operations, 100'000);
  planned.operations = batches * planned.batch;
  // A millisecond brings caches, clocks and queues to the state that repeated operations have;
  // flushed caches need no bringing, and operations that may stand alone have been settled here.
  planned.settling =
      cold ? 1
           : std::min<std::size_t>(
                 at_least_one(std::ceil(1e6 / in_all * static_cast<double>(planned.batch))),
                 planned.operations);
  if (what.timing.least_operations == 1 && in_all > 1e6) planned.settling = 0;
  if (what.enqueue && !cold) {
    // A beginning stamped late by up to 10 µs is less than a thousandth of a longer operation.
    planned.lead = operation < 10e6;
    constexpr double around_each = 60e3;  // delay kernel, events, waiting
    const double each = operation * (planned.lead ? 2 : 1) + around_each;
    planned.device_operations =
        std::clamp<std::size_t>(at_least_one(budget / 4 / each), planned.lead ? 3 : 1, 25);
  }
  return planned;
}

void settle(const transfer& what, const schedule& planned, cache_state cache) {
  for (std::size_t i = 0; i < planned.settling && interruption() == 0; ++i) {
    if (cache == cache_state::cold) flush_ends(what);
    if (what.timing.between && i % planned.batch == 0)
      what.timing.between();  // as often as in what is timed
    run_once(what);
  }
}

void time_operations(const transfer& what, const schedule& planned, cache_state cache,
                     const std::function<void(const std::function<void()>&)>& untimed,
                     samples& into) {
  const auto batches = planned.operations / planned.batch;
  const bool by_step = planned.batch == 1 && what.steps.size() > 1;
  into.operation.reserve(batches);
  if (by_step)
    for (const auto& one : what.steps) {
      into.steps.emplace_back(one.name, std::vector<double>{});
      into.steps.back().second.reserve(batches);
    }
  std::vector<wall_clock::time_point> marks(by_step ? what.steps.size() : 0);
  const auto time_steps = [&] {
    const auto start = wall_clock::now();
    for (std::size_t k = 0; k < what.steps.size(); ++k) {
      what.steps[k].run();
      marks[k] = wall_clock::now();
    }
    for (std::size_t k = 0; k < into.steps.size(); ++k)
      into.steps[k].second.push_back(between(k == 0 ? start : marks[k - 1], marks[k]));
    return between(start, marks.back());
  };
  const auto time_batch = [&](auto&& run) {
    const auto start = wall_clock::now();
    for (std::size_t k = 0; k < planned.batch; ++k) run();
    return between(start, wall_clock::now()) / static_cast<double>(planned.batch);
  };
  const auto time_operation = [&] {
    if (cache == cache_state::cold) untimed([&] { flush_ends(what); });
    if (what.timing.between) untimed(what.timing.between);
    into.operation.push_back(by_step ? time_steps() : time_batch([&] { run_once(what); }));
  };
  /// Its time, if it counts.
  const auto time_comparison = [&](const comparison& one) {
    std::optional<double> time;
    untimed([&] {
      if (cache == cache_state::cold) flush_ends(what);
      if (const auto& before = one.before ? one.before : what.timing.between) before();
      time = time_batch(one.run);
      if (one.after && !one.after()) time.reset();
    });
    return time;
  };
  into.compared.resize(what.against.size());
  std::vector<std::optional<double>> compared(what.against.size());
  for (std::size_t i = 0; i < batches && interruption() == 0; ++i) {
    // Each goes first in turn: none finds only the state that one of the others leaves.
    const auto all = what.against.size() + 1;
    for (std::size_t k = 0; k < all; ++k)
      if (const auto which = (i + k) % all; which == 0)
        time_operation();
      else
        compared[which - 1] = time_comparison(what.against[which - 1]);
    for (std::size_t k = 0; k < compared.size(); ++k) {
      if (!compared[k]) continue;
      into.compared[k].times.push_back(*compared[k]);
      into.compared[k].over.push_back(into.operation.back() - *compared[k]);
    }
  }
}

void time_on_device(const transfer& what, transfers::stream& stream, const schedule& planned,
                    samples& into) {
  if (!what.enqueue) return;
  const std::function<void()> nothing = [] {};
  const auto& before = planned.lead ? what.enqueue : nothing;
  const auto spans_of = [&](const std::function<void()>& timed, std::size_t count) {
    std::vector<double> spans;
    for (std::size_t i = 0; i < count && interruption() == 0; ++i)
      if (const auto span = stream.span_on_device(before, timed)) spans.push_back(span->count());
    return spans;
  };
  const auto empty = spans_of(nothing, std::min<std::size_t>(planned.device_operations, 5));
  if (empty.empty()) return;
  const double overhead = statistics::median(empty);
  for (const double span : spans_of(what.enqueue, planned.device_operations))
    if (span > overhead) into.on_device.push_back(span - overhead);
}

}  // namespace bench_transfers::bench
