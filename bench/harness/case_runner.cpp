#include "bench/harness/case_runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "bench/harness/cpu_meter.hpp"
#include "bench/harness/flow_samples.hpp"
#include "bench/harness/interruption.hpp"
#include "bench/harness/rows.hpp"
#include "bench/harness/verify.hpp"
#include "src/statistics/quantile.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

using result_file::disturbance;

/// The times of an operation cannot be true; what() is one line.
class untrue_times : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A failure, as a result file has it.
struct failed {
  common::message reason;
  bool is_refused = false;  ///< the benchmark is impossible here
  bool device_lost = false;
};

failed failure_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const transfers::unsupported& reason) {
    return {{.code = "unsupported", .text = reason.what()}, true};
  } catch (const std::bad_alloc& reason) {
    return {{.code = "memory_refused", .text = reason.what()}, true};
  } catch (const std::system_error& reason) {
    if (reason.code() != std::errc::resource_unavailable_try_again)
      return {{.code = "other", .text = reason.what()}};
    // Of the user, the control group or the address space.
    return {{.code = "threads_refused",
             .text = fmt::format("no more threads can be started: {}", reason.what())},
            true};
  } catch (const wrong_data& reason) {
    return {{.code = "wrong_data", .text = reason.what()}};
  } catch (const untrue_times& reason) {
    return {{.code = "disturbed", .text = reason.what()}};
  } catch (const not_at_once& reason) {
    return {{.code = "not_at_once", .text = reason.what()}};
  } catch (const transfers::device_error& reason) {
    return {{.code = "device_error", .text = reason.what()}, false, reason.device_lost()};
  } catch (const std::exception& reason) {
    return {{.code = "other", .text = reason.what()}};
  }
}

/// Other benchmarks rely on the pattern in the blocks.
bool changes_pattern(const transfer& ready) {
  return ready.check.changes_source || ready.check.compare || ready.check.restore ||
         (ready.destination && ready.destination->offset > 0);
}

}  // namespace

case_runner::case_runner(running_devices& devices, const settings& settings,
                         const surroundings& watched, turns* others)
    : devices_(devices),
      settings_(settings),
      watched_(watched),
      others_(others),
      cpus_at_start_(watched.read().cpus) {}

/// Prepares the transfer and passes it to `work`. Returns why that is impossible here.
template <class Work>
std::optional<common::message> case_runner::with_prepared(measured_case& measured, Work&& work) {
  const auto& planned = *measured.planned;
  if (others_) others_->beat();
  if (!measured.error) measured.error = devices_.why_lost(planned);
  if (measured.error) return std::nullopt;
  std::optional<common::message> refused;
  const auto take = [&](const std::exception_ptr& failure, std::optional<std::size_t> device = {},
                        const std::string& begin = "") {
    auto [reason, is_refused, device_lost] = failure_of(failure);
    if (device_lost) devices_.lose(device, planned, reason.text);
    reason.text = (is_refused ? "" : begin) + reason.text;
    if (is_refused)
      refused = std::move(reason);
    else if (!measured.error)
      measured.error = std::move(reason);
  };
  std::shared_ptr<const void> current;  // for subjects that are CUDA code
  std::optional<transfer> ready;
  try {
    devices_.require_started(planned);
    current = devices_.of(planned).device.make_current();
    ready = prepare(planned);
    work(*ready);
  } catch (const flows_failed& failed) {
    for (const auto& [device, flow, reason] : failed.failures()) take(reason, device, flow + ": ");
  } catch (...) {
    take(std::current_exception());
  }
  if (ready && (measured.error || refused || changes_pattern(*ready)))
    restore(devices_, planned, *ready);
  return refused;
}

transfer case_runner::prepare(const benchmark_case& planned) const {
  const auto& own = devices_.of(planned);
  auto ready = planned.measured->prepare(
      {.device = own.device,
       .memory = own.memory,
       .stream = *own.stream,
       .variant = planned.variant ? std::string_view(*planned.variant) : std::string_view(),
       .bytes = planned.bytes(),
       .cache = planned.cache,
       .direction = direction_of(planned.direction),
       .flows = flows_of(planned),
       .other_devices = devices_.helpers_of(planned)});
  const fault::place here{planned.name, round_of_process_};
  if (ready.flows.empty()) inject(settings_.faults, here, own.device, ready);
  for (auto& flow : ready.flows)
    inject(settings_.faults, here, devices_.at(flow.device).device, flow);
  return ready;
}

std::vector<flow_job> case_runner::flows_of(const benchmark_case& planned) const {
  std::vector<flow_job> flows;
  for (const auto& copy : planned.copies) {
    const auto& own = devices_.at(copy.device);
    flows.push_back({copy.device, copy.name, own.device, own.memory, direction_of(copy.direction),
                     copy.host, copy.host_node});
  }
  return flows;
}

std::optional<common::message> case_runner::settle(measured_case& measured) {
  return with_prepared(measured, [&](transfer& ready) {
    verify_first(*measured.planned, ready);
    devices_.synchronize(*measured.planned);
    measured.schedule = undisturbed_schedule(*measured.planned, ready);
  });
}

void case_runner::verify_first(const benchmark_case& planned, transfer& ready) {
  if (!ready.destination && !ready.check.compare && ready.flows.empty()) return;
  poison(devices_, planned, ready);
  {
    // As it is timed: some operations need what goes on meanwhile.
    const auto conditions = conditions_of(ready);
    if (ready.timing.between) ready.timing.between();
    for (const auto& step : ready.steps) step.run();
    if (!ready.flows.empty()) team_.copy_once(ready.flows);
  }
  require_undamaged(devices_, planned, ready);
}

bench::schedule case_runner::undisturbed_schedule(const benchmark_case& planned,
                                                  const transfer& ready) {
  const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(
      settings_.min_time * planned.measured->sampling.effort);
  constexpr int most_attempts = 3;
  std::set<disturbance> disturbed;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const auto before = watched_.read();
    const auto schedule = [&] {
      const auto conditions = conditions_of(ready);
      const line_preparation lines(planned.cache);
      return ready.flows.empty() ? settle_schedule(ready, lines, time)
                                 : settle_flows(team_, ready.flows, time);
    }();
    disturbed = disturbances_between(before, watched_.read(), cpus_at_start_);
    if (!are_spoilt(disturbed)) return schedule;
  }
  throw untrue_times(
      fmt::format("disturbed each time it was prepared: {}", fmt::join(codes_of(disturbed), ", ")));
}

std::optional<case_runner::measurement> case_runner::repeat(measured_case& measured, int round) {
  std::optional<measurement> made;
  auto refused =
      with_prepared(measured, [&](transfer& ready) { made = measure(measured, round, ready); });
  if (refused) {  // it was possible when it was settled
    auto& error = measured.error.emplace(std::move(*refused));
    if (error.code == "memory_refused") error.code = "out_of_memory";
  }
  if (measured.error || interruption() != 0) made.reset();
  return made;
}

case_runner::measurement case_runner::measure(measured_case& measured, int round, transfer& ready) {
  const auto& planned = *measured.planned;
  poison(devices_, planned, ready);
  // A kernel on another stream slows cudaMemcpy down until the whole device is synchronized
  // (docs/METHOD.md): every benchmark starts from the same state.
  devices_.synchronize(planned);
  const auto before = watched_.read();
  flush_ends_on_all_cores(ready);
  const line_preparation lines(planned.cache);
  samples times;
  std::optional<double> cores;
  measurement made;
  made.repetition.round = round_of_process_;
  auto& reported = made.repetition.reported;
  auto& disturbed = made.repetition.disturbed;
  {
    const auto conditions = conditions_of(ready);
    if (ready.flows.empty())
      bench::settle(ready, measured.schedule, lines);
    else
      team_.copy_once(ready.flows);
    if (ready.timing.forget_settling) ready.timing.forget_settling();
    reported = time_in_engine(measured, round, ready, lines, times, cores);
  }
  disturbed = disturbances_between(before, watched_.read(), cpus_at_start_);
  disturbed.merge(disturbances_in(times.operation, measured.schedule.batch));
  if (planned.is_of_ranks()) disturbed.erase(disturbance::other_load);  // the other ranks
  // After an interruption, there may be no operation at all.
  if (interruption() != 0) return made;
  if (!times.operation.empty() && !are_spoilt(disturbed))
    measured.medians.push_back(statistics::median(times.operation));
  // Before the device's clock is used, which runs further operations.
  require_undamaged(devices_, planned, ready);
  {
    const auto conditions = conditions_of(ready);
    time_on_device(ready, devices_.of(planned).clock.value(), *devices_.of(planned).stream,
                   measured.schedule, times);
  }
  if (interruption() != 0) return made;
  made.metrics =
      metrics_of(planned, ready, measured.schedule, times, cores, devices_.of(planned).link_limit);
  return made;
}

run case_runner::time_in_engine(const measured_case& measured, int round, const transfer& ready,
                                const line_preparation& lines, samples& times,
                                std::optional<double>& cores) {
  const auto& planned = *measured.planned;
  const auto& schedule = measured.schedule;
  const auto operations = schedule.operations;
  const auto time = [&](const auto& untimed) {
    if (ready.flows.empty())
      time_operations(ready, schedule, lines, untimed, times);
    else if (others_ && planned.is_of_ranks())
      time_flows_of_ranks(team_, ready.flows, schedule, *others_,
                          first_meeting(planned.name, settings_.seed, round), times);
    else
      time_flows(team_, ready.flows, schedule, untimed, times);
  };
  const auto reported = run_in_engine(planned.name, operations, [&](benchmark::State& google) {
    cpu_meter busy;
    const auto untimed = [&](const std::function<void()>& work) {
      busy.stop();
      google.PauseTiming();
      work();
      google.ResumeTiming();
      busy.start();
    };
    while (google.KeepRunningBatch(static_cast<benchmark::IterationCount>(operations))) {
      busy.start();
      time(untimed);
      busy.stop();
    }
    if (!lines.keeps_cores_busy() && !ready.timing.polls) cores = busy.cores();
    if (!times.operation.empty())
      google.SetIterationTime(statistics::median(times.operation) * 1e-9 *
                              static_cast<double>(operations));
  });
  return as_repetition(reported, settings_.rounds, round);
}

}  // namespace bench_transfers::bench
