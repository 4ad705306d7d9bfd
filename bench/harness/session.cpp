#include "bench/harness/session.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "bench/harness/cpu_meter.hpp"
#include "bench/harness/interruption.hpp"
#include "bench/harness/verify.hpp"
#include "bench/strategy/cache.hpp"
#include "src/statistics/quantile.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

constexpr const char* dropped = "interrupted";

using seconds = std::chrono::duration<double>;

/// Takes the repetitions that Google Benchmark reports, one by one.
class collector final : public benchmark::BenchmarkReporter {
 public:
  collector(std::function<void(const run&)> take, std::exception_ptr& failure)
      : take_(std::move(take)), failure_(failure) {}
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    try {
      for (const auto& one : runs) take_(one);
    } catch (...) {
      failure_ = std::current_exception();  // not through Google Benchmark's frames
    }
  }

 private:
  std::function<void(const run&)> take_;
  std::exception_ptr& failure_;
};

}  // namespace

struct session::state {
  const benchmark_case* what;
  schedule planned;
  std::optional<std::string> error;  ///< it failed: one row says so, then it is left alone
  bool finished = false;
  std::vector<double> medians = {};  ///< one of each repetition
  seconds cost{};                    ///< of the last repetition, to estimate the time left
  seconds spent{};                   ///< on all of them

  /// Of what is repeated until it is stable: whether more repetitions would tell little more, or
  /// take too long.
  [[nodiscard]] bool is_known_well() const {
    constexpr std::size_t least = 5;
    constexpr std::size_t least_of_long_ones = 3;
    constexpr seconds long_enough{0.5};
    if (medians.size() >= least_of_long_ones && spent >= long_enough) return true;
    if (medians.size() < least) return false;
    const auto [low, high] = statistics::interval_of_median(medians, 0.95);
    return high - low <= 0.1 * statistics::median(medians);
  }
};

session::session(transfers::device& device, buffers& memory, const options& chosen,
                 std::optional<double> link_limit, results::result_file& rows, progress& shown,
                 const machine::gpu_monitor* monitor)
    : device_(device),
      memory_(memory),
      stream_(device.create_stream()),
      chosen_(chosen),
      link_limit_(link_limit),
      rows_(rows),
      shown_(shown),
      monitor_(monitor) {}

int session::most_rounds(const std::vector<state>& cases) const {
  const bool more = std::ranges::any_of(
      cases, [](const state& one) { return one.what->of->until_stable && !one.finished; });
  return chosen_.rounds * (more ? 3 : 1);
}

outcome session::measure(const plan& all) {
  outcome result;
  std::vector<state> cases;
  for (const auto& one : all.cases) cases.push_back({&one, {}, {}, false, {}, {}, {}});
  settle_all(cases, result);
  for (int round = 0; round < most_rounds(cases) && interruption() == 0 && !write_failure_;
       ++round) {
    for (auto& one : cases)
      if (round >= (one.what->of->until_stable ? 3 : 1) * chosen_.rounds ||
          (one.what->of->until_stable && one.is_known_well()))
        one.finished = true;
    measure_round(cases, round, result);
    if (monitor_ && !device_lost_) machine::add(result.throttled_by, monitor_->read().throttled_by);
  }
  result.device_lost = device_lost_.has_value();
  result.signal = interruption();
  result.write_failure = write_failure_;
  return result;
}

transfer session::prepare(const benchmark_case& what) const {
  auto ready = what.of->prepare({device_, memory_, *stream_, what.variant, what.bytes, what.cache});
  inject(chosen_.faults, what.name, device_, ready);
  return ready;
}

void session::settle_all(std::vector<state>& cases, outcome& result) {
  std::size_t done = 0;
  for (auto& one : cases) {
    if (interruption() != 0) return;
    shown_.show("preparing", ++done, cases.size(), one.what->name, {});
    const auto start = wall_clock::now();
    try {
      run_guarded(one, [&](transfer& ready) {
        if (ready.destination || ready.verify) {
          poison_destination(ready);
          for (const auto& step : ready.steps) step.run();
          one.error = damage_after(ready);
        }
        device_.synchronize();
        if (!one.error)
          one.planned = settle_schedule(ready, one.what->cache,
                                        std::chrono::duration_cast<std::chrono::nanoseconds>(
                                            chosen_.min_time * one.what->of->effort));
      });
    } catch (const transfers::error& no) {
      one.finished = true;
      result.skipped.push_back({one.what->name, no.what()});
    }
    one.cost = wall_clock::now() - start;
  }
}

template <class Work>
void session::run_guarded(state& one, Work&& work) {
  const auto lose_device = [&](const char* why) {
    if (!device_lost_)
      device_lost_ = fmt::format("not run: the device was lost in {}: {}", one.what->name, why);
  };
  if (device_lost_ && !one.error) one.error = device_lost_;
  if (one.error) return;
  std::optional<transfer> ready;
  std::exception_ptr impossible;
  try {
    ready = prepare(*one.what);
    work(*ready);
  } catch (const transfers::unsupported&) {
    impossible = std::current_exception();
  } catch (const transfers::out_of_memory&) {
    impossible = std::current_exception();
  } catch (const transfers::device_error& broken) {
    one.error = broken.what();
    if (broken.device_lost()) lose_device(broken.what());
  } catch (const std::exception& broken) {
    one.error = broken.what();
  }
  // Others take the blocks to hold the pattern.
  const bool changed = ready && (ready->changes_source || ready->verify || ready->restore ||
                                 (ready->destination && ready->destination->offset > 0));
  if ((one.error || impossible || changed) && ready && !device_lost_) {
    try {
      // Work may still be under way, on streams of the strategy's own too: others would find its
      // traces in the buffers they share.
      device_.synchronize();
      stream_->synchronize();
      restore(device_, memory_, *ready);
      if (ready->restore) ready->restore();
    } catch (const std::exception& broken) {
      lose_device(broken.what());
    }
  }
  if (impossible) std::rethrow_exception(impossible);
}

void session::measure_round(std::vector<state>& cases, int round, outcome& result) {
  std::vector<state*> order;
  for (auto& one : cases)
    if (!one.finished) order.push_back(&one);
  if (order.empty()) return;
  if (chosen_.shuffle) {
    std::mt19937_64 random(chosen_.seed + static_cast<std::uint64_t>(round));
    std::ranges::shuffle(order, random);
  }

  // Google Benchmark runs and reports each benchmark once per round, in the order of registration.
  benchmark::ClearRegisteredBenchmarks();
  // Those that are repeated until they are stable may need more rounds.
  std::size_t done = static_cast<std::size_t>(round) * order.size();
  const auto rounds = std::max(chosen_.rounds, round + 1);
  const auto total = static_cast<std::size_t>(rounds) * order.size();
  const auto rounds_left = static_cast<double>(rounds - round - 1);
  const auto cost_of_round =
      std::accumulate(order.begin(), order.end(), seconds{},
                      [](seconds sum, state* one) { return sum + one->cost; });
  auto left_in_round = cost_of_round;
  for (auto* const one : order) {
    benchmark::RegisterBenchmark(one->what->name.c_str(),
                                 [&, one](benchmark::State& google) {
                                   shown_.show(fmt::format("round {}/{},", round + 1, rounds), done,
                                               total, one->what->name,
                                               left_in_round + cost_of_round * rounds_left);
                                   ++done;
                                   left_in_round -= one->cost;
                                   const auto start = wall_clock::now();
                                   repeat(google, *one);
                                   one->cost = wall_clock::now() - start;
                                   one->spent += one->cost;
                                 })
        ->Iterations(static_cast<benchmark::IterationCount>(one->planned.operations))
        ->Repetitions(1)
        ->UseManualTime()
        ->MeasureProcessCPUTime();
  }
  const auto take = [&](const run& reported) {
    if (write_failure_) return;
    const auto one = as_repetition(reported, chosen_.rounds, round);
    auto row = row_of(one);
    if (row.value("error_message", "") == dropped) return;
    if (!row.value("error_occurred", false))
      result.runs.push_back(one);
    else
      result.failures.push_back({row.at("name"), row.at("error_message")});
    rows_.add(std::move(row));
  };
  collector collect(take, write_failure_);
  benchmark::RunSpecifiedBenchmarks(&collect, nullptr, ".");
}

void session::repeat(benchmark::State& google, state& one) {
  if (interruption() != 0 || write_failure_) {
    google.SkipWithError(dropped);
    return;
  }
  try {
    run_guarded(one, [&](transfer& ready) { one.error = repeat_prepared(google, one, ready); });
  } catch (const transfers::error& no) {
    one.error = no.what();  // it was possible when the schedule was settled
  }
  if (one.error) {
    one.finished = true;
    google.SkipWithError(one.error->c_str());
  } else if (interruption() != 0) {
    google.SkipWithError(dropped);  // a repetition cut short is no repetition
  }
}

std::optional<std::string> session::repeat_prepared(benchmark::State& google, state& one,
                                                    transfer& ready) {
  poison_destination(ready);
  // A kernel that ran on another stream slows cudaMemcpy down until the whole device has been
  // waited for (docs/METHOD.md): every benchmark starts from the same state.
  device_.synchronize();
  // Which core's cache last held a line makes DMA reads slower: what ran before
  // must not decide that.
  for (const auto& end : {ready.source, ready.destination})
    if (end && !end->on_device) flush_cache_on_all_cores({end->data, end->bytes});
  settle(ready, one.planned, one.what->cache);

  samples taken;
  cpu_meter busy;
  const auto untimed = [&](const std::function<void()>& work) {
    busy.stop();
    google.PauseTiming();
    work();
    google.ResumeTiming();
    busy.start();
  };
  const auto operations = static_cast<benchmark::IterationCount>(one.planned.operations);
  while (google.KeepRunningBatch(operations)) {
    busy.start();
    time_operations(ready, one.planned, one.what->cache, untimed, taken);
    busy.stop();
  }
  // What was cut short may have nothing to show: not one operation may have run.
  if (interruption() != 0) return std::nullopt;
  if (!taken.operation.empty()) {
    one.medians.push_back(statistics::median(taken.operation));
    google.SetIterationTime(one.medians.back() * 1e-9 * static_cast<double>(operations));
  }
  // Before the device's clock is used: that runs operations of its own.
  if (auto damage = damage_after(ready)) return damage;
  time_on_device(ready, *stream_, one.planned, taken);
  if (interruption() == 0) set_counters(google, one, ready, taken, busy.cores());
  return std::nullopt;
}

void session::poison_destination(transfer& ready) {
  if (ready.locate) ready.destination = ready.locate();
  if (ready.destination) poison(device_, memory_, *ready.destination);
}

std::optional<std::string> session::damage_after(transfer& done) {
  if (done.locate) done.destination = done.locate();
  if (done.destination) return find_damage(device_, memory_, done);
  if (!done.verify) return std::nullopt;
  auto wrong = done.verify();
  return wrong ? "wrong data: " + *wrong : wrong;
}

void session::set_counters(benchmark::State& google, const state& one, const transfer& done,
                           const samples& taken, std::optional<double> cores) const {
  const auto all = statistics::summarize(taken.operation);
  auto& counters = google.counters;
  const auto bytes = static_cast<double>(done.bytes.value_or(one.what->bytes));
  counters["operations"] = static_cast<double>(one.planned.operations);
  counters["batch"] = static_cast<double>(one.planned.batch);
  counters["median_ns"] = all.median;
  counters["mean_ns"] = all.mean;
  counters["p5_ns"] = all.p5;
  counters["p95_ns"] = all.p95;
  counters["p99_ns"] = all.p99;
  counters["min_ns"] = all.min;
  counters["max_ns"] = all.max;
  for (const auto& [name, times] : taken.steps)
    if (!times.empty()) counters[name + "_ns"] = statistics::median(times);
  if (done.steps.size() == 1) counters[done.steps[0].name + "_ns"] = all.median;
  for (std::size_t i = 0; i < done.against.size(); ++i) {
    const auto& other = done.against[i];
    const auto& [times, over] = taken.compared[i];
    if (times.empty()) continue;
    const double median = statistics::median(times);
    counters[other.with + "_ns"] = median;
    if (other.bytes)
      counters[other.with + "_gb_per_s"] = static_cast<double>(*other.bytes) / median;
    else
      counters["over_" + other.with + "_ns"] = statistics::median(over);
  }
  if (bytes > 0) {
    counters["bytes"] = bytes;
    counters["gb_per_s"] = bytes / all.median;  // bytes per nanosecond are 10⁹ bytes per second
    if (link_limit_ && one.what->of->one_way)
      counters["link_percent"] = 100 * bytes / all.median / *link_limit_;
  }
  if (cores) {
    counters["cores"] = *cores;
    // Nanoseconds per byte are seconds per 10⁹ bytes.
    if (bytes > 0) counters["cpu_s_per_gb"] = *cores * all.mean / bytes;
  }
  if (done.multiprocessors > 0)
    counters["multiprocessors"] = static_cast<double>(done.multiprocessors);
  if (done.accesses > 0)
    counters["ns_per_access"] = all.median / static_cast<double>(done.accesses);
  if (!taken.on_device.empty()) {
    const double device = statistics::median(taken.on_device);
    counters["device_ns"] = device;
    counters["device_operations"] = static_cast<double>(taken.on_device.size());
    if (bytes > 0) counters["device_gb_per_s"] = bytes / device;
  }
  if (done.further) {
    figures measured;
    for (const auto& [name, counter] : counters) measured[name] = counter.value;
    for (const auto& [name, value] : done.further(measured)) counters[name] = value;
  }
}

}  // namespace bench_transfers::bench
