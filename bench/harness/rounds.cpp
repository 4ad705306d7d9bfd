#include "bench/harness/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "bench/harness/flow_samples.hpp"
#include "bench/harness/interruption.hpp"
#include "src/common/writing.hpp"

namespace bench_transfers::bench {

using seconds = std::chrono::duration<double>;

namespace {

/// "process 2/3, "
std::string in_process(const process_of_run& process) {
  return process.count == 1 ? "" : fmt::format("process {}/{}, ", process.number, process.count);
}

}  // namespace

bool rounds::is_over() const { return interruption() != 0 || write_failure_ || limit_.is_up(); }

std::size_t rounds::measure(std::span<measured_case> cases,
                            std::optional<std::chrono::nanoseconds> most) {
  constexpr int fewest_rounds = 3;
  const auto start = wall_clock::now();
  const auto settled = settle_all(cases);
  cases = cases.first(settled);
  auto round_start = wall_clock::now();
  for (int round = 0; round < most_rounds(cases) && !is_over(); ++round) {
    const auto now = wall_clock::now();
    const auto last_round = now - std::exchange(round_start, now);
    if (most && round >= fewest_rounds && now - start + last_round > *most) break;
    for (auto& measured : cases)
      if (measured.is_measured(settings_.due_rounds())) measured.finished = true;
    try {
      measure_round(order_of(cases, round), round);
    } catch (const common::write_error&) {
      write_failure_ = std::current_exception();
    }
    devices_.read_monitors();
  }
  return settled;
}

int rounds::own_rounds() const { return settings_.process.own(settings_.rounds); }

seconds rounds::time_left(seconds in_this_process) const {
  if (in_this_process.count() <= 0) return {};
  const auto here = limit_.at_most(in_this_process);
  return here + (wall_clock::now() - start_ + here) * (settings_.process.left() - 1);
}

int rounds::most_rounds(std::span<const measured_case> cases) const {
  const bool more = std::ranges::any_of(cases, [](const measured_case& measured) {
    return measured.until_stable() && !measured.finished;
  });
  return own_rounds() * (more ? 3 : 1);
}

std::size_t rounds::settle_all(std::span<measured_case> cases) {
  runner_.begin_round(0);
  const auto limit = limit_.share(2);
  const auto start = wall_clock::now();
  time_estimate estimate;
  for (const auto& measured : cases) estimate.expect(work_of(measured));
  const auto phase = in_process(settings_.process) + "preparing";
  std::size_t completed = 0;
  for (auto& measured : cases) {
    if (interruption() != 0 || (completed > 0 && limit.is_up())) break;
    shown_.show({.phase = phase,
                 .completed = ++completed,
                 .total = cases.size(),
                 .current = measured.planned->name,
                 .time_left = time_left(estimate.left())});
    const auto work = work_of(measured);
    const auto case_start = wall_clock::now();
    if (auto refused = runner_.settle(measured)) kept_.skip(measured, std::move(*refused));
    const seconds cost = wall_clock::now() - case_start;
    measured.cost = cost + work.timed;
    estimate.prepared(work, cost, measured.finished || measured.error ? 0 : work.repetitions);
  }
  if (completed > 0 && completed == cases.size() && !is_over() && !settings_.process.continues())
    shown_.note(fmt::format("prepared in {}; about {} left",
                            format_duration(wall_clock::now() - start),
                            format_duration(time_left(estimate.left()))));
  return completed;
}

expected_work rounds::work_of(const measured_case& measured) const {
  return {.bytes = measured.planned->bytes(),
          .repetitions = std::max(0, settings_.due_rounds() - measured.repetitions),
          .timed = settings_.min_time * measured.planned->measured->sampling.effort};
}

std::vector<measured_case*> rounds::order_of(std::span<measured_case> cases, int round) const {
  std::vector<measured_case*> order;
  for (auto& measured : cases)
    if (!measured.finished) order.push_back(&measured);
  if (!order.empty() && order.front()->planned->is_of_ranks()) {
    std::ranges::sort(order, {}, [&](const measured_case* measured) {
      return first_meeting(measured->planned->name, settings_.seed, round);
    });
  } else if (settings_.shuffle) {
    std::mt19937_64 random(settings_.seed + static_cast<std::uint64_t>(round));
    std::ranges::shuffle(order, random);
  }
  return order;
}

void rounds::measure_round(const std::vector<measured_case*>& order, int round) {
  runner_.begin_round(++begun_);
  if (!watched_ || order.empty()) return measure_each(order, round);
  seconds expected{};
  std::size_t largest = 0;
  for (const auto* const measured : order) {
    expected += measured->cost;
    largest = std::max(largest, measured->planned->bytes());
  }
  watched_->begin(begun_, expected, largest);
  measure_each(order, round);
  kept_.add(watched_->end(), watched_->refusals());
}

void rounds::measure_each(const std::vector<measured_case*>& order, int round) {
  // Benchmarks that are repeated until they are stable may need more rounds.
  const auto most = std::max(own_rounds(), round + 1);
  const auto phase = fmt::format("{}round {}/{},", in_process(settings_.process), round + 1, most);
  auto completed = static_cast<std::size_t>(round) * order.size();
  seconds left_in_round{};
  for (const auto* const measured : order) left_in_round += measured->cost;
  const auto later_rounds = left_in_round * static_cast<double>(most - round - 1);
  for (auto* const measured : order) {
    if (interruption() != 0 || limit_.is_up()) return;
    shown_.show({.phase = phase,
                 .completed = completed++,
                 .total = static_cast<std::size_t>(most) * order.size(),
                 .current = measured->planned->name,
                 .time_left = time_left(left_in_round + later_rounds),
                 .estimate_ns = measured->median()});
    left_in_round -= measured->cost;
    const auto start = wall_clock::now();
    repeat(*measured, measured->planned->earlier.next + round);
    measured->cost = wall_clock::now() - start;
    measured->spent += measured->cost;
    if (watched_) watched_->pause();
  }
}

void rounds::repeat(measured_case& measured, int round) {
  auto made = runner_.repeat(measured, round);
  if (measured.error) return kept_.fail(measured, round);
  if (!made) return;
  ++measured.repetitions;
  kept_.add(std::move(*made));
}

void rounds::report_failures(std::span<measured_case> cases) try {
  for (auto& measured : cases)
    if (measured.error && !measured.finished) kept_.fail(measured, measured.planned->earlier.next);
} catch (const common::write_error&) {
  write_failure_ = std::current_exception();
}

}  // namespace bench_transfers::bench
