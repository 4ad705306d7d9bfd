#include "src/advice/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/advice/cost_terms.hpp"

namespace bench_transfers::advice {
namespace {

using result_file::direction;
using statistics::broken_line;
using statistics::difference;
using statistics::estimate;
using statistics::measured_time;
using statistics::scaled;
using statistics::sum;

double cpu_time(const strategy_costs& costs) {
  double time = 0;
  for (const auto& cpu : cpu_terms) time += (costs.*cpu.cost).value;
  return time;
}

// Codes of what a file lacks.
constexpr const char* not_measured = "not_measured";
constexpr const char* one_size = "one_size";
constexpr const char* exceeds_memory = "exceeds_memory";

/// Data that go there and back have memory to come from, and memory to return to.
double blocks_of(const question& question) { return question.direction == direction::both ? 2 : 1; }

/// The time of a size that is the only one measured. Of a single repetition nothing is known: noise
/// may then hide as much as in as_good().
estimate estimate_of(measured_time measured) {
  constexpr double of_single_repetition = 0.1;
  static_assert(1 + of_single_repetition == most_apart);
  if (!(measured.relative_error > 0)) measured.relative_error = of_single_repetition;
  return statistics::with_error(measured.ns, statistics::expected_error(measured));
}

std::string more_than_memory(const char* whose, double bytes) {
  return fmt::format("more than the memory of the {}, {:.3g} GiB", whose,
                     bytes / (1024.0 * 1024 * 1024));
}

template <class Fitted>
bool is_beyond(const Fitted& measured, double bytes) {
  return bytes < measured.smallest() / 2 || bytes > measured.largest() * 2;
}

void check(const question& question) {
  if (!(question.bytes > 0 && std::isfinite(question.bytes)))
    throw std::invalid_argument("a transfer has at least one byte");
  if (!(question.reuse >= 1 && std::isfinite(question.reuse)))
    throw std::invalid_argument("memory is used at least once");
  for (const auto& cpu : cpu_terms)
    if (const auto times = question.*cpu.times; !(times >= 0 && std::isfinite(times)))
      throw std::invalid_argument("the CPU cannot access memory less than never");
}

/// allocation / n + per_transfer are equal for both at one n at most.
break_even break_even_of(const strategy_costs& candidate, const strategy_costs& plain) {
  const double dearer = candidate.allocation.value - plain.allocation.value;
  const double saved =
      (plain.transfer.value - candidate.transfer.value) + (cpu_time(plain) - cpu_time(candidate));
  if (saved >= 0 && dearer <= 0) return {break_even::kind::from, 1};
  if (saved <= 0 && dearer >= 0) return {break_even::kind::never, 0};
  const double uses = dearer / saved;
  if (saved > 0) return {break_even::kind::from, std::max(1.0, std::ceil(uses))};
  if (uses < 1) return {break_even::kind::never, 0};
  return {break_even::kind::up_to, std::floor(uses)};
}

}  // namespace

question usual_question(direction towards) {
  return {.bytes = 0,
          .direction = towards,
          .cpu_writes = towards == direction::h2d || towards == direction::both ? 1.0 : 0.0,
          .cpu_reads = towards == direction::d2h || towards == direction::both ? 1.0 : 0.0};
}

/// Whether repetitions confirm that its transfers are faster than those of the baseline.
std::optional<bool> cost_model::is_confirmed(const std::string& strategy, const ranking& ranked,
                                             const question& question) const {
  const auto small = small_.find(transfer_term(question.direction));
  if (small == small_.end() || ranked.baseline != small->second.baseline() ||
      strategy == *ranked.baseline)
    return std::nullopt;
  return small->second.is_faster(strategy, question.bytes);
}

/// Nullopt if the strategy can be ranked.
std::optional<left_out> cost_model::why_left_out(const std::string& strategy,
                                                 const source& transfer,
                                                 const question& question) const {
  const auto host_bytes = transfer.memory ? blocks_of(question) * question.bytes : 0;
  if (host_bytes_ && host_bytes > *host_bytes_)
    return left_out{strategy, exceeds_memory, more_than_memory("host", *host_bytes_)};
  if (device_bytes_ && question.bytes > *device_bytes_)
    return left_out{strategy, exceeds_memory, more_than_memory("device", *device_bytes_)};
  for (const auto& [series, title] : needs_of(transfer, question)) {
    if (series == nullptr) return left_out{strategy, not_measured, title + " not measured"};
    if (!series->is_known_at(question.bytes))
      return left_out{strategy, one_size, title + " measured at one size only"};
  }
  return std::nullopt;
}

/// The terms of a strategy's sum.
std::vector<cost_model::need> cost_model::needs_of(const source& transfer,
                                                   const question& question) const {
  std::vector<need> needs{{&transfer, "transfer"}};
  if (!transfer.memory && !needs_memory_) return needs;
  if (measured_.allocation) {
    needs.push_back({by_memory(term::allocation, transfer), "allocation"});
    needs.push_back({by_memory(term::deallocation, transfer), "freeing"});
  }
  for (const auto& cpu : cpu_terms)
    if (cpu.counts(measured_, question))
      needs.push_back({by_memory(cpu.access, transfer), cpu.title});
  return needs;
}

strategy_costs cost_model::costs_of(const source& transfer, const question& question) const {
  strategy_costs costs;
  const auto predict = [&](const source& measured) {
    if (const auto* const point = std::get_if<measured_time>(&measured.times))
      return estimate_of(*point);
    const auto& line = std::get<broken_line>(measured.times);
    costs.extrapolated |= is_beyond(line, question.bytes);
    return line.at(question.bytes);
  };
  costs.transfer = predict(transfer);
  if (!transfer.memory) return costs;
  if (measured_.allocation)
    costs.allocation = scaled(sum(std::array{predict(*by_memory(term::allocation, transfer)),
                                             predict(*by_memory(term::deallocation, transfer))}),
                              blocks_of(question));
  for (const auto& cpu : cpu_terms) {
    if (!cpu.counts(measured_, question)) continue;
    const auto& measured = rate(cpu.access, transfer);
    costs.extrapolated |= is_beyond(measured, question.bytes);
    costs.*cpu.cost = scaled(measured.pass(question.bytes), question.*cpu.times);
  }
  return costs;
}

estimate cost_model::difference_to_fastest(const ranked_strategy& ranked,
                                           const ranked_strategy& fastest,
                                           const question& question) const {
  const auto difference_of_transfers = difference(ranked.transfer, fastest.transfer);
  const auto& ranked_source = transfer(ranked.name, question.direction);
  const auto& fastest_source = transfer(fastest.name, question.direction);
  if (ranked_source.memory == fastest_source.memory) return difference_of_transfers;
  if (!ranked_source.memory || !fastest_source.memory)
    return difference(ranked.total, fastest.total);
  const auto takes_same_rows = [&](term access) {
    const auto& pool = by_memory(access, ranked_source)->pool;
    return pool && pool == by_memory(access, fastest_source)->pool;
  };
  std::vector differences{difference(ranked.allocation, fastest.allocation),
                          difference_of_transfers};
  for (const auto& cpu : cpu_terms) {
    if (!cpu.counts(measured_, question) || takes_same_rows(cpu.access)) continue;
    const auto& reference = rate(cpu.access, fastest_source);
    differences.push_back(
        scaled(rate(cpu.access, ranked_source).pass_beyond(reference, question.bytes),
               question.*cpu.times));
  }
  return sum(differences);
}

ranking cost_model::rank(const question& question) const {
  check(question);
  std::map<std::string, strategy_costs> costs;
  ranking ranked;
  const auto needed = transfer_term(question.direction);
  for (const auto& [measured, transfer] : transfers_) {
    const auto& [direction, strategy] = measured;
    if (direction != needed) continue;
    if (auto missing = why_left_out(strategy, transfer, question)) {
      ranked.left_out.push_back(*std::move(missing));
      continue;
    }
    costs.emplace(strategy, costs_of(transfer, question));
    if (transfer.may_be_baseline() && !ranked.baseline) ranked.baseline = strategy;
  }
  for (const auto& [name, cost] : costs) {
    ranked.strategies.push_back(predicted(name, cost, question));
    auto& strategy = ranked.strategies.back();
    strategy.gain_confirmed = is_confirmed(name, ranked, question);
    // Without the cost of allocation there is no break-even point.
    if (measured_.allocation && ranked.baseline && name != *ranked.baseline)
      strategy.pays = break_even_of(cost, costs.at(*ranked.baseline));
  }
  std::ranges::stable_sort(ranked.strategies, {},
                           [](const ranked_strategy& strategy) { return strategy.total.value; });
  for (auto& strategy : ranked.strategies)
    if (&strategy != &ranked.strategies.front())
      strategy.behind = difference_to_fastest(strategy, ranked.strategies.front(), question);
  return ranked;
}

/// Without what others decide: how far it is behind, and whether it pays.
ranked_strategy cost_model::predicted(const std::string& strategy, const strategy_costs& costs,
                                      const question& question) const {
  const auto& measured = transfer(strategy, question.direction);
  const auto allocation = scaled(costs.allocation, 1 / question.reuse);
  return {.name = strategy,
          .allocation = allocation,
          .fill = costs.fill,
          .transfer = costs.transfer,
          .read_back = costs.read_back,
          .total = sum(std::array{allocation, costs.fill, costs.transfer, costs.read_back}),
          .behind = {},
          .pays = std::nullopt,
          .extrapolated = costs.extrapolated,
          .plainness = measured.plainness,
          .can_tell = measured.can_tell};
}

}  // namespace bench_transfers::advice
