#include "bench/harness/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <new>
#include <numeric>
#include <random>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include "bench/harness/cpu_meter.hpp"
#include "bench/harness/interruption.hpp"
#include "bench/harness/verify.hpp"
#include "bench/strategy/cache.hpp"
#include "src/common/whole_file.hpp"
#include "src/statistics/quantile.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

using seconds = std::chrono::duration<double>;

/// An operation moved wrong data; what() is one line.
class wrong_data : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The times of an operation cannot be true; what() is one line.
class untrue_times : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A limit on threads is reached: of the user, the control group or the address space.
class no_threads : public std::runtime_error {
 public:
  explicit no_threads(const std::system_error& failure)
      : std::runtime_error(fmt::format("no more threads can be started: {}", failure.what())) {}
};

using result_file::disturbance;
using result_file::disturbance_degree;

bool are_spoilt(const std::set<disturbance>& disturbed) {
  return degree_of(disturbed) == disturbance_degree::spoilt;
}

std::vector<std::string> codes_of(const std::set<disturbance>& disturbed) {
  std::vector<std::string> codes;
  for (const auto code : disturbed) codes.push_back(to_string(code));
  return codes;
}

/// Null where the transfer needs none.
std::shared_ptr<const void> conditions_of(const transfer& ready) {
  return ready.timing.conditions ? ready.timing.conditions() : nullptr;
}

/// Whether all processes of the node copy at once.
bool is_of_ranks(const benchmark_case& planned) {
  return planned.set && planned.set->kind == result_file::set_kind::ranks;
}

/// The number of the first meeting of a benchmark in a round: random, and the same in each of the
/// processes, also if some of them cannot run others.
std::uint64_t first_meeting(const std::string& name, std::uint64_t seed, int round) {
  constexpr unsigned bits = 40;
  std::mt19937_64 random(std::hash<std::string>()(name) ^ (seed + static_cast<unsigned>(round)));
  const auto within_round = random() >> (64 - bits);
  return ((static_cast<std::uint64_t>(round) << bits) + within_round) * meetings_of_repetition;
}

common::message error_message(std::string code, const std::exception& failure) {
  return {std::move(code), nlohmann::ordered_json::object(), failure.what()};
}

}  // namespace

struct session::state {
  const benchmark_case* planned;
  bench::schedule schedule = {};
  std::optional<common::message> error = {};  ///< one row reports it; no further repetitions
  bool finished = false;
  std::vector<double> medians = {};  ///< one for each repetition
  seconds cost{};                    ///< of the last repetition, or as expected, for the time left
  seconds spent{};                   ///< on all repetitions
  std::uint64_t next_meeting = 0;    ///< with the other ranks, where it is of all ranks at once
  int repetitions = 0;
  bool impossible = false;  ///< here; it is skipped

  [[nodiscard]] bool until_stable() const { return planned->measured->sampling.until_stable; }

  /// So far; none: no repetition counts.
  [[nodiscard]] std::optional<double> median() const {
    return medians.empty() ? std::nullopt : std::optional(statistics::median(medians));
  }

  /// For benchmarks that are repeated until they are stable: whether the median is known well
  /// enough, or more repetitions would take too long.
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

session::session(device_list devices, const settings& settings, result_file::writer& rows,
                 progress& shown, const surroundings& watched, fleet::node_ranks* ranks,
                 time_limit limit)
    : devices_(std::move(devices)),
      settings_(settings),
      rows_(rows),
      shown_(shown),
      watched_(watched),
      ranks_(ranks),
      limit_(limit),
      cpus_at_start_(watched.read().cpus) {
  streams_.resize(devices_.size());
  clocks_.resize(devices_.size());
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (auto failure = start(i)) not_started_.emplace(i, std::move(failure));
  if (not_started_.size() == devices_.size()) std::rethrow_exception(not_started_.begin()->second);
}

std::exception_ptr session::start(std::size_t index) {
  auto& device = devices_[index].device;
  try {
    streams_[index] = device.create_stream();
    clocks_[index].emplace(device);
    return nullptr;
  } catch (const transfers::device_error& failure) {
    if (failure.device_lost())
      lost_devices_.emplace(index, lost_at_start(devices_, index, failure.what()));
    return std::current_exception();
  } catch (...) {
    return std::current_exception();
  }
}

void session::require_started(const benchmark_case& planned) const {
  for (const auto index : planned.devices)
    if (const auto failure = not_started_.find(index); failure != not_started_.end())
      std::rethrow_exception(failure->second);
}

const measured_device& session::device_of(const benchmark_case& planned) const {
  return devices_.at(planned.devices.front());
}

transfers::stream& session::stream_of(const benchmark_case& planned) const {
  return *streams_.at(planned.devices.front());
}

const device_clock& session::clock_of(const benchmark_case& planned) const {
  return clocks_.at(planned.devices.front()).value();
}

void session::synchronize(const benchmark_case& planned) const {
  for (const auto index : planned.devices) devices_.at(index).device.synchronize();
}

void session::read_monitors(outcome& result) const {
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (const auto* const monitor = devices_[i].monitor; monitor && !lost_devices_.contains(i))
      machine::add(result.throttled_by[i], monitor->read().throttled_by);
}

std::optional<common::message> session::why_lost(const benchmark_case& planned) const {
  for (const auto index : planned.devices)
    if (const auto lost = lost_devices_.find(index); lost != lost_devices_.end())
      return lost->second;
  return std::nullopt;
}

void session::lose_device(std::size_t index, const std::string& benchmark, const char* reason) {
  nlohmann::ordered_json data{{"benchmark", benchmark}};
  if (devices_.size() > 1) data["device"] = devices_[index].id;
  const auto which = devices_.size() > 1 ? "device " + devices_[index].id : std::string("device");
  lost_devices_.try_emplace(index, common::message{"device_lost", std::move(data),
                                                   fmt::format("not run: the {} was lost in {}: {}",
                                                               which, benchmark, reason)});
}

int session::most_rounds(std::span<const state> cases) const {
  const bool more = std::ranges::any_of(
      cases, [](const state& measured) { return measured.until_stable() && !measured.finished; });
  return settings_.rounds * (more ? 3 : 1);
}

int session::most_repetitions(const state& measured) const {
  return (measured.until_stable() ? 3 : 1) * settings_.rounds;
}

bool session::is_measured(const state& measured) const {
  return measured.repetitions >= most_repetitions(measured) ||
         (measured.until_stable() && measured.is_known_well());
}

bool session::is_to_end(const outcome& result) const {
  return interruption() != 0 || result.write_failure || limit_.is_up();
}

cut_off session::cut_by_time(std::span<const state> cases) const {
  cut_off cut;
  for (const auto& measured : cases) {
    const auto& name = measured.planned->name;
    if (measured.error || measured.impossible || is_measured(measured)) continue;
    if (measured.repetitions == 0)
      cut.left_out.push_back(name);
    else
      (measured.until_stable() ? cut.unstable : cut.shortened).push_back(name);
  }
  return cut;
}

void session::measure_within_time(std::span<state> cases, outcome& result) {
  while (!cases.empty() && !is_to_end(result)) cases = cases.subspan(measure_cases(cases, result));
}

outcome session::measure(const plan& plan) {
  outcome result;
  result.throttled_by.resize(devices_.size());
  for (const auto& [index, reason] : plan.lost_devices)
    lost_devices_.insert_or_assign(index, reason);
  std::vector<state> all;
  for (const auto* const list : {&plan.cases, &plan.set_aside})
    for (const auto& planned : *list)
      all.push_back({.planned = &planned,
                     .medians = planned.earlier.medians,
                     .repetitions = planned.earlier.count});
  const auto cases = std::span(all).first(plan.cases.size());
  if (ranks_) {
    const auto at_once = std::stable_partition(
        cases.begin(), cases.end(),
        [](const state& measured) { return !is_of_ranks(*measured.planned); });
    const auto alone = static_cast<std::size_t>(at_once - cases.begin());
    measure_in_turn(cases.first(alone), cases.subspan(alone), result);
  } else {
    measure_within_time(cases, result);
  }
  if (interruption() == 0 && !result.write_failure && limit_.left()) {
    report_other_failures(cases, result);
    result.by_time = cut_by_time(all);
  }
  conclude(all, result);
  for (const auto& [index, reason] : lost_devices_) result.lost_devices.insert(index);
  result.signal = interruption();
  return result;
}

void session::measure_in_turn(std::span<state> alone, std::span<state> at_once, outcome& result) {
  ranks_->wait_for_turn();
  const auto time = settings_.time_of_turns;
  measure_cases(
      alone, result,
      time ? std::optional(*time / static_cast<std::int64_t>(ranks_->count())) : std::nullopt);
  ranks_->end_turn();
  ranks_->wait_for_all_turns();
  if (!result.write_failure) measure_cases(at_once, result);
  ranks_->leave();
}

std::size_t session::measure_cases(std::span<state> cases, outcome& result,
                                   std::optional<std::chrono::nanoseconds> limit) {
  constexpr int fewest_rounds = 3;
  const auto start = wall_clock::now();
  const auto settled = settle_all(cases, result);
  cases = cases.first(settled);
  auto round_start = wall_clock::now();
  for (int round = 0; round < most_rounds(cases) && !is_to_end(result); ++round) {
    const auto now = wall_clock::now();
    const auto last_round = now - std::exchange(round_start, now);
    if (limit && round >= fewest_rounds && now - start + last_round > *limit) break;
    for (auto& measured : cases)
      if (is_measured(measured)) measured.finished = true;
    try {
      measure_round(cases, round, result);
    } catch (const common::write_error&) {
      result.write_failure = std::current_exception();
    }
    read_monitors(result);
  }
  return settled;
}

transfer session::prepare(const benchmark_case& planned) const {
  const bool downloads = planned.direction == result_file::direction::d2h;
  auto ready = planned.measured->prepare(
      {.device = device_of(planned).device,
       .memory = device_of(planned).memory,
       .stream = stream_of(planned),
       .variant = planned.variant ? std::string_view(*planned.variant) : std::string_view(),
       .bytes = planned.bytes(),
       .cache = planned.cache,
       .direction = downloads ? transfers::direction::d2h : transfers::direction::h2d,
       .flows = flows_of(planned),
       .other_devices = other_devices(planned)});
  if (ready.flows.empty()) inject(settings_.faults, planned.name, device_of(planned).device, ready);
  for (auto& flow : ready.flows)
    inject(settings_.faults, planned.name, devices_.at(flow.device).device, flow);
  return ready;
}

std::vector<transfers::device*> session::other_devices(const benchmark_case& planned) const {
  std::vector<transfers::device*> others;
  if (!planned.measured->needs.other_devices) return others;
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (!uses_device(planned, i) && !lost_devices_.contains(i))
      others.push_back(&devices_[i].device);
  return others;
}

std::vector<flow_job> session::flows_of(const benchmark_case& planned) const {
  std::vector<flow_job> flows;
  for (const auto& copy : planned.copies) {
    const auto& measured = devices_.at(copy.device);
    const bool downloads = copy.direction == result_file::direction::d2h;
    flows.push_back({copy.device, copy.name, measured.device, measured.memory,
                     downloads ? transfers::direction::d2h : transfers::direction::h2d, copy.host,
                     copy.host_node});
  }
  return flows;
}

std::size_t session::settle_all(std::span<state> cases, outcome& result) {
  const auto limit = limit_.half();
  const auto start = wall_clock::now();
  time_estimate estimate;
  for (const auto& measured : cases) estimate.expect(work_of(measured));
  std::size_t completed = 0;
  for (auto& measured : cases) {
    if (interruption() != 0 || (completed > 0 && limit.is_up())) break;
    if (ranks_) ranks_->beat();
    shown_.show({.phase = "preparing",
                 .completed = ++completed,
                 .total = cases.size(),
                 .current = measured.planned->name,
                 .time_left = limit_.at_most(estimate.left())});
    const auto work = work_of(measured);
    const auto case_start = wall_clock::now();
    settle_case(measured, result);
    const seconds cost = wall_clock::now() - case_start;
    measured.cost = cost + work.timed;
    estimate.prepared(work, cost, measured.finished || measured.error ? 0 : work.repetitions);
  }
  if (completed > 0 && completed == cases.size() && !is_to_end(result))
    shown_.note(fmt::format("prepared in {}; the rounds take about {}",
                            format_duration(wall_clock::now() - start),
                            format_duration(limit_.at_most(estimate.left()))));
  return completed;
}

expected_work session::work_of(const state& measured) const {
  return {.bytes = measured.planned->bytes(),
          .repetitions = std::max(0, settings_.rounds - measured.repetitions),
          .timed = settings_.min_time * measured.planned->measured->sampling.effort};
}

void session::settle_case(state& measured, outcome& result) {
  const auto& planned = *measured.planned;
  const auto skip = [&](const char* code, const std::exception& reason) {
    measured.finished = measured.impossible = true;
    result.skipped.push_back({planned.name, error_message(code, reason)});
  };
  try {
    run_guarded(measured, [&](transfer& ready) {
      verify_first(planned, ready);
      synchronize(planned);
      measured.schedule = undisturbed_schedule(planned, ready);
    });
  } catch (const transfers::unsupported& reason) {
    skip("unsupported", reason);
  } catch (const std::bad_alloc& reason) {
    skip("memory_refused", reason);
  } catch (const no_threads& reason) {
    skip("threads_refused", reason);
  }
}

void session::verify_first(const benchmark_case& planned, transfer& ready) {
  if (!ready.destination && !ready.check.compare && ready.flows.empty()) return;
  poison_destination(planned, ready);
  {
    // As it is timed: some operations need what goes on meanwhile.
    const auto conditions = conditions_of(ready);
    if (ready.timing.between) ready.timing.between();
    for (const auto& step : ready.steps) step.run();
    if (!ready.flows.empty()) team_.copy_once(ready.flows);
  }
  require_undamaged(planned, ready);
}

bench::schedule session::undisturbed_schedule(const benchmark_case& planned,
                                              const transfer& ready) {
  const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(
      settings_.min_time * planned.measured->sampling.effort);
  constexpr int most_attempts = 3;
  std::set<disturbance> disturbed;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const auto before = watched_.read();
    const auto schedule = [&] {
      const auto conditions = conditions_of(ready);
      return ready.flows.empty() ? settle_schedule(ready, planned.cache, time)
                                 : settle_flows(team_, ready.flows, time);
    }();
    disturbed = disturbances_between(before, watched_.read(), cpus_at_start_);
    if (!are_spoilt(disturbed)) return schedule;
  }
  throw untrue_times(
      fmt::format("disturbed each time it was prepared: {}", fmt::join(codes_of(disturbed), ", ")));
}

void session::lose_device(std::optional<std::size_t> index, const benchmark_case& planned,
                          const char* reason) {
  const bool is_helped = planned.measured->needs.other_devices;
  if (!index && planned.devices.size() == 1 && !is_helped) index = planned.devices.front();
  if (index) return lose_device(*index, planned.name, reason);
  for (std::size_t candidate = 0; candidate < devices_.size(); ++candidate) {
    if (!is_helped && !uses_device(planned, candidate)) continue;
    try {
      devices_.at(candidate).device.synchronize();
    } catch (const std::exception& failure) {
      lose_device(candidate, planned.name, failure.what());
    }
  }
}

std::exception_ptr session::take_failure(state& measured, std::optional<std::size_t> device,
                                         const std::exception_ptr& failure) {
  const auto fail = [&](const char* code, const std::exception& reason) {
    if (!measured.error) measured.error = error_message(code, reason);
    return nullptr;
  };
  try {
    std::rethrow_exception(failure);
  } catch (const transfers::unsupported&) {
    return failure;
  } catch (const std::bad_alloc&) {
    return failure;
  } catch (const std::system_error& reason) {
    if (reason.code() == std::errc::resource_unavailable_try_again)
      return std::make_exception_ptr(no_threads(reason));
    return fail("other", reason);
  } catch (const wrong_data& reason) {
    return fail("wrong_data", reason);
  } catch (const untrue_times& reason) {
    return fail("disturbed", reason);
  } catch (const not_at_once& reason) {
    return fail("not_at_once", reason);
  } catch (const transfers::device_error& reason) {
    if (reason.device_lost()) lose_device(device, *measured.planned, reason.what());
    return fail("device_error", reason);
  } catch (const std::exception& reason) {
    return fail("other", reason);
  }
}

template <class Work>
void session::run_guarded(state& measured, Work&& work) {
  const auto& planned = *measured.planned;
  if (!measured.error) measured.error = why_lost(planned);
  if (measured.error) return;
  std::shared_ptr<const void> current;  // for subjects that are CUDA code
  std::optional<transfer> ready;
  std::exception_ptr impossible;
  try {
    require_started(planned);
    current = device_of(planned).device.make_current();
    ready = prepare(planned);
    work(*ready);
  } catch (const flows_failed& failed) {
    for (const auto& [device, flow, reason] : failed.failures()) {
      const bool is_first = !measured.error;
      if (auto refused = take_failure(measured, device, reason)) impossible = refused;
      if (is_first && measured.error) measured.error->text = flow + ": " + measured.error->text;
    }
  } catch (...) {
    impossible = take_failure(measured, std::nullopt, std::current_exception());
  }
  // Other benchmarks rely on the pattern in the blocks.
  const bool changed =
      ready && (ready->check.changes_source || ready->check.compare || ready->check.restore ||
                (ready->destination && ready->destination->offset > 0));
  if ((measured.error || impossible || changed) && ready) restore_pattern(planned, *ready);
  if (impossible) std::rethrow_exception(impossible);
}

void session::restore_pattern(const benchmark_case& planned, const transfer& ready) {
  for (const auto index : planned.devices) {
    if (lost_devices_.contains(index)) continue;
    try {
      restore_pattern(index, planned, ready);
    } catch (const std::exception& failure) {
      lose_device(index, planned.name, failure.what());
    }
  }
}

void session::restore_pattern(std::size_t device, const benchmark_case& planned,
                              const transfer& ready) {
  const auto& measured = devices_.at(device);
  // Work may still be in flight, also on the strategy's own streams: it would write to the shared
  // buffers of other benchmarks.
  measured.device.synchronize();
  streams_.at(device)->synchronize();
  if (device == planned.devices.front()) {
    restore(measured.device, measured.memory, ready);
    if (ready.check.restore) ready.check.restore();
  }
  for (const auto& flow : ready.flows) {
    if (flow.device != device) continue;
    transfer ends;
    ends.source = flow.source;
    ends.destination = flow.destination;
    restore(measured.device, measured.memory, ends);
  }
}

void session::measure_round(std::span<state> cases, int round, outcome& result) {
  std::vector<state*> order;
  for (auto& measured : cases)
    if (!measured.finished) order.push_back(&measured);
  if (order.empty()) return;
  if (is_of_ranks(*order.front()->planned)) {
    for (auto* const measured : order)
      measured->next_meeting = first_meeting(measured->planned->name, settings_.seed, round);
    std::ranges::sort(order, {}, &state::next_meeting);
  } else if (settings_.shuffle) {
    std::mt19937_64 random(settings_.seed + static_cast<std::uint64_t>(round));
    std::ranges::shuffle(order, random);
  }

  // Benchmarks that are repeated until they are stable may need more rounds.
  std::size_t completed = static_cast<std::size_t>(round) * order.size();
  const auto rounds = std::max(settings_.rounds, round + 1);
  const auto total = static_cast<std::size_t>(rounds) * order.size();
  const auto rounds_left = static_cast<double>(rounds - round - 1);
  const auto cost_of_round =
      std::accumulate(order.begin(), order.end(), seconds{},
                      [](seconds sum, const state* measured) { return sum + measured->cost; });
  auto left_in_round = cost_of_round;
  const auto phase = fmt::format("round {}/{},", round + 1, rounds);
  for (auto* const measured : order) {
    if (interruption() != 0 || limit_.is_up()) return;
    shown_.show({.phase = phase,
                 .completed = completed,
                 .total = total,
                 .current = measured->planned->name,
                 .time_left = limit_.at_most(left_in_round + cost_of_round * rounds_left),
                 .estimate_ns = measured->median()});
    if (ranks_) ranks_->beat();
    ++completed;
    left_in_round -= measured->cost;
    const auto start = wall_clock::now();
    repeat(*measured, measured->planned->earlier.next + round, result);
    measured->cost = wall_clock::now() - start;
    measured->spent += measured->cost;
  }
}

void session::repeat(state& measured, int round, outcome& result) {
  std::optional<bench::repetition> repetition;
  try {
    run_guarded(measured, [&](transfer& ready) {
      auto reported = repeat_prepared(measured, round, ready);
      // An interrupted repetition does not count.
      if (interruption() == 0) repetition = std::move(reported);
    });
  } catch (const transfers::unsupported& failure) {
    measured.error = error_message("unsupported", failure);  // it was supported when it was settled
  } catch (const std::bad_alloc& failure) {
    measured.error = error_message("out_of_memory", failure);
  } catch (const no_threads& failure) {
    measured.error = error_message("threads_refused", failure);
  }
  if (measured.error) {
    report_failure(measured, round, result);
  } else if (repetition) {
    ++measured.repetitions;
    repetitions_.push_back(*repetition);
    rows_.add(row_of(repetition->reported, repetition->disturbed));
  }
}

void session::report_failure(state& measured, int round, outcome& result) {
  const auto& name = measured.planned->name;
  measured.finished = true;
  result.failures.push_back({name, *measured.error});
  rows_.add(row_of_failure(name, settings_.rounds, round, *measured.error));
}

void session::report_other_failures(std::span<state> cases, outcome& result) {
  try {
    for (auto& measured : cases)
      if (measured.error && !measured.finished)
        report_failure(measured, measured.planned->earlier.next, result);
  } catch (const common::write_error&) {
    result.write_failure = std::current_exception();
  }
}

void session::conclude(const std::vector<state>& cases, outcome& result) {
  std::map<std::string, disturbance_degree> least;
  for (const auto& [reported, disturbed] : repetitions_) {
    const auto degree = degree_of(disturbed);
    auto& known = least.try_emplace(reported.benchmark_name(), degree).first->second;
    known = std::min(known, degree);
  }
  std::map<std::string, std::set<disturbance>> spoilt;
  for (const auto& measured : cases) {
    const auto& [name, earlier] = std::tie(measured.planned->name, measured.planned->earlier);
    if (const auto entry = least.find(name); entry != least.end())
      entry->second = std::min(entry->second, earlier.least.value_or(entry->second));
    else if (earlier.are_spoilt() && is_measured(measured))
      spoilt[name] = earlier.spoilt_by;
  }
  auto& counts = result.disturbances;
  counts.repetitions = repetitions_.size();
  for (const auto& [reported, disturbed] : repetitions_) {
    const auto name = reported.benchmark_name();
    const bool is_least = degree_of(disturbed) == least.at(name);
    if (!disturbed.empty()) ++counts.disturbed;
    for (const auto code : disturbed) ++counts.by_code[code];
    if (is_least && are_spoilt(disturbed)) {
      spoilt[name].insert(disturbed.begin(), disturbed.end());
    } else if (is_least) {
      result.runs.push_back(reported);
      if (!disturbed.empty()) ++counts.counted;
    } else if (!are_spoilt(disturbed)) {
      result.slowed.push_back(reported);
    }
  }
  for (const auto& measured : cases) {
    const auto entry = spoilt.find(measured.planned->name);
    if (entry == spoilt.end() || measured.error) continue;
    const auto& [name, disturbed] = *entry;
    const common::message error{
        "disturbed",
        {{"by", codes_of(disturbed)}},
        fmt::format("every repetition was disturbed: {}", fmt::join(codes_of(disturbed), ", "))};
    result.failures.push_back({name, error});
    auto row = row_of_failure(name, settings_.rounds, 0, error);
    row["disturbed"] = codes_of(disturbed);
    rows_.replace(name, std::move(row));
  }
}

repetition session::repeat_prepared(state& measured, int round, transfer& ready) {
  const auto& planned = *measured.planned;
  poison_destination(planned, ready);
  // A kernel on another stream slows cudaMemcpy down until the whole device is synchronized
  // (docs/METHOD.md): every benchmark starts from the same state.
  synchronize(planned);
  const auto before = watched_.read();
  flush_ends(ready);
  samples times;
  std::optional<double> cores;
  bench::repetition repetition;
  {
    const auto conditions = conditions_of(ready);
    if (ready.flows.empty())
      settle(ready, measured.schedule, planned.cache);
    else
      team_.copy_once(ready.flows);
    repetition.reported =
        as_repetition(time_in_engine(measured, ready, times, cores), settings_.rounds, round);
  }
  auto& disturbed = repetition.disturbed;
  disturbed = disturbances_between(before, watched_.read(), cpus_at_start_);
  disturbed.merge(disturbances_in(times.operation, measured.schedule.batch));
  if (is_of_ranks(planned)) disturbed.erase(disturbance::other_load);  // the other ranks
  // After an interruption, there may be no operation at all.
  if (interruption() != 0) return repetition;
  if (!times.operation.empty() && !are_spoilt(disturbed))
    measured.medians.push_back(statistics::median(times.operation));
  // Before the device's clock is used, which runs further operations.
  require_undamaged(planned, ready);
  {
    const auto conditions = conditions_of(ready);
    time_on_device(ready, clock_of(planned), stream_of(planned), measured.schedule, times);
  }
  if (interruption() != 0) return repetition;
  const auto metrics =
      metrics_of(planned, ready, measured.schedule, times, cores, device_of(planned).link_limit);
  describe(metrics);
  for (const auto& [metric, value] : metrics.entries())
    repetition.reported.counters[metric.name] = value;
  return repetition;
}

void session::flush_ends(const transfer& ready) const {
  // DMA reads are slower if a core's cache holds the lines: the previous benchmark must not decide
  // that.
  const auto flush = [](const payload& end) {
    if (!end.on_device) flush_cache_on_all_cores({end.data, end.bytes});
  };
  for (const auto& end : {ready.source, ready.destination})
    if (end) flush(*end);
  for (const auto& flow : ready.flows)
    for (const auto& end : {flow.source, flow.destination}) flush(end);
}

run session::time_in_engine(state& measured, const transfer& ready, samples& times,
                            std::optional<double>& cores) {
  const auto operations = measured.schedule.operations;
  return run_in_engine(measured.planned->name, operations, [&](benchmark::State& google) {
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
      time(ready, measured, untimed, times);
      busy.stop();
    }
    cores = busy.cores();
    if (!times.operation.empty())
      google.SetIterationTime(statistics::median(times.operation) * 1e-9 *
                              static_cast<double>(operations));
  });
}

void session::time(const transfer& ready, const state& measured,
                   const std::function<void(const std::function<void()>&)>& untimed,
                   samples& times) {
  if (ready.flows.empty())
    time_operations(ready, measured.schedule, measured.planned->cache, untimed, times);
  else if (ranks_ && is_of_ranks(*measured.planned))
    time_flows_of_ranks(team_, ready.flows, measured.schedule, *ranks_, measured.next_meeting,
                        times);
  else
    time_flows(team_, ready.flows, measured.schedule, untimed, times);
}

void session::poison_destination(const benchmark_case& planned, transfer& ready) const {
  const auto& measured = device_of(planned);
  if (ready.locate) ready.destination = ready.locate();
  if (ready.destination) poison(measured.device, measured.memory, *ready.destination);
  for (const auto& flow : ready.flows) {
    const auto& other = devices_.at(flow.device);
    poison(other.device, other.memory, flow.destination);
  }
}

void session::require_undamaged(const benchmark_case& planned, transfer& transfer) const {
  const auto& measured = device_of(planned);
  if (transfer.locate) transfer.destination = transfer.locate();
  if (transfer.destination) {
    if (const auto damage = find_damage(measured.device, measured.memory, transfer))
      throw wrong_data(*damage);
  } else if (transfer.check.compare) {
    if (const auto damage = transfer.check.compare()) throw wrong_data("wrong data: " + *damage);
  }
  for (const auto& flow : transfer.flows) {
    const auto& other = devices_.at(flow.device);
    if (const auto damage = find_damage(other.device, other.memory, flow))
      throw wrong_data(*damage);
  }
}

void session::describe(const metric_list& metrics) {
  for (const auto& [metric, value] : metrics.entries()) rows_.describe(metric);
}

}  // namespace bench_transfers::bench
