#include "src/advice/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace bench_transfers::advice {

/// The costs of one strategy; allocation is that of a single use, not divided by reuse.
struct strategy_costs {
  statistics::estimate allocation, fill, transfer, read_back;
  bool extrapolated = false;
};

namespace {

using result_file::direction;
using statistics::broken_line;
using statistics::difference;
using statistics::estimate;
using statistics::measured_time;
using statistics::scaled;
using statistics::sum;

/// What the CPU's access to the memory of a transfer adds to the sum.
struct cpu_term {
  term access;
  bool measured_terms::*is_measured;
  double question::*times;
  estimate strategy_costs::*cost;
  const char* title;

  /// Whether the sum includes it.
  [[nodiscard]] bool counts(const measured_terms& measured, const question& asked) const {
    return measured.*is_measured && asked.*times > 0;
  }
};

constexpr std::array cpu_terms{cpu_term{.access = term::cpu_write,
                                        .is_measured = &measured_terms::cpu_writes,
                                        .times = &question::cpu_writes,
                                        .cost = &strategy_costs::fill,
                                        .title = "CPU writes"},
                               cpu_term{.access = term::cpu_read,
                                        .is_measured = &measured_terms::cpu_reads,
                                        .times = &question::cpu_reads,
                                        .cost = &strategy_costs::read_back,
                                        .title = "CPU reads"}};

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
break_even compare(const strategy_costs& candidate, const strategy_costs& plain) {
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

cost_model::cost_model(const measurements& measured)
    : host_bytes_(measured.from.host_bytes),
      device_bytes_(measured.from.device_bytes),
      needs_memory_(measured.needs_memory) {
  for (const auto& added : measured.all_series) {
    if (is_transfer(added.measures))
      transfers_.emplace(place{added.measures, added.strategy}, source_of(added));
    else if (added.memory)
      add_by_memory(added);
    measured_.allocation |= added.measures == term::allocation;
    for (const auto& cpu : cpu_terms) measured_.*cpu.is_measured |= added.measures == cpu.access;
  }
  compare_small_transfers(measured);
  has_memory_ = needs_memory_ || std::ranges::any_of(transfers_, [](const auto& transfer) {
                  return transfer.second.memory.has_value();
                });
  if (!has_memory_) measured_ = {};
}

void cost_model::compare_small_transfers(const measurements& measured) {
  std::map<term, std::map<std::string, const repetitions*>> all;
  for (const auto& added : measured.all_series)
    if (is_transfer(added.measures))
      all[added.measures].emplace(added.strategy, &added.repetitions);
  for (const auto& [measured_place, transfer] : transfers_) {
    const auto& [direction, strategy] = measured_place;
    if (transfer.may_be_baseline()) small_.try_emplace(direction, all.at(direction), strategy);
  }
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

bool cost_model::source::is_known_at(double bytes) const {
  const auto* const point = std::get_if<measured_time>(&times);
  return point == nullptr ? !std::holds_alternative<std::monostate>(times) : point->bytes == bytes;
}

cost_model::source cost_model::source_of(const series& added) const {
  source made{.times = {},
              .memory = added.memory,
              .plainness = added.plainness,
              .pool = added.pool,
              .can_tell = added.can_tell};
  if (is_cpu_access(added.measures))
    made.times = cpu_rate(added.times);
  else if (added.times.size() > 1)
    made.times = broken_line(added.times);
  else if (added.times.size() == 1 && !needs_memory_)
    made.times = added.times.front();
  return made;
}

/// If several strategies do the same with the same kind of memory, the plainest counts.
void cost_model::add_by_memory(const series& added) {
  const auto added_source = source_of(added);
  const auto [entry, is_new] =
      by_memory_.try_emplace({added.measures, *added.memory}, added_source);
  if (!is_new && added_source.plainness < entry->second.plainness) entry->second = added_source;
}

const cost_model::source& cost_model::transfer(const std::string& strategy,
                                               direction towards) const {
  return transfers_.at({transfer_term(towards), strategy});
}

const broken_line* cost_model::transfer_line(const std::string& strategy, direction towards) const {
  return std::get_if<broken_line>(&transfer(strategy, towards).times);
}

std::optional<cost_model::range> cost_model::transfer_sizes() const {
  std::optional<range> sizes;
  for (const auto& [strategy, measured] : transfers_) {
    const auto* const line = std::get_if<broken_line>(&measured.times);
    if (line == nullptr) continue;
    if (!sizes) sizes = range{line->smallest(), line->largest()};
    sizes->smallest = std::min(sizes->smallest, line->smallest());
    sizes->largest = std::max(sizes->largest, line->largest());
  }
  return sizes;
}

/// What the memory of a transfer costs; null if that was not measured.
const cost_model::source* cost_model::by_memory(term needed, const source& transfer) const {
  if (!transfer.memory) return nullptr;
  const auto entry = by_memory_.find({needed, *transfer.memory});
  return entry == by_memory_.end() ? nullptr : &entry->second;
}

const cpu_rate& cost_model::rate(term access, const source& transfer) const {
  return std::get<cpu_rate>(by_memory(access, transfer)->times);
}

/// Nullopt if the strategy can be ranked.
std::optional<left_out> cost_model::why_left_out(const std::string& strategy,
                                                 const source& transfer,
                                                 const question& question) const {
  struct need {
    bool needed;
    const source* series;
    const char* title;
  };
  for (const auto& [needed, there, title] :
       {std::tuple{transfer.memory ? blocks_of(question) * question.bytes : 0, host_bytes_, "host"},
        std::tuple{question.bytes, device_bytes_, "device"}})
    if (there && needed > *there)
      return left_out{strategy, exceeds_memory,
                      fmt::format("more than the memory of the {}, {:.3g} GiB", title,
                                  *there / (1024.0 * 1024 * 1024))};
  const auto memory_source = [&](term needed) { return by_memory(needed, transfer); };
  const bool has_memory = transfer.memory || needs_memory_;
  std::vector<need> needs{
      {true, &transfer, "transfer"},
      {has_memory && measured_.allocation, memory_source(term::allocation), "allocation"},
      {has_memory && measured_.allocation, memory_source(term::deallocation), "freeing"}};
  for (const auto& cpu : cpu_terms)
    needs.push_back(
        {has_memory && cpu.counts(measured_, question), memory_source(cpu.access), cpu.title});
  for (const auto& [needed, series, title] : needs) {
    if (!needed || (series != nullptr && series->is_known_at(question.bytes))) continue;
    return left_out{strategy, series == nullptr ? not_measured : one_size,
                    fmt::format("{} {}", title,
                                series == nullptr ? "not measured" : "measured at one size only")};
  }
  return std::nullopt;
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
    const auto& measured = transfer(name, question.direction);
    const auto allocation = scaled(cost.allocation, 1 / question.reuse);
    // Without the cost of allocation there is no break-even point.
    const bool is_compared = measured_.allocation && ranked.baseline && name != *ranked.baseline;
    ranked.strategies.push_back(
        {.name = name,
         .allocation = allocation,
         .fill = cost.fill,
         .transfer = cost.transfer,
         .read_back = cost.read_back,
         .total = sum(std::array{allocation, cost.fill, cost.transfer, cost.read_back}),
         .behind = {},  // known when all are sorted
         .pays =
             is_compared ? std::optional(compare(cost, costs.at(*ranked.baseline))) : std::nullopt,
         .extrapolated = cost.extrapolated,
         .plainness = measured.plainness,
         .can_tell = measured.can_tell,
         .gain_confirmed = is_confirmed(name, ranked, question)});
  }
  std::ranges::stable_sort(ranked.strategies, {},
                           [](const ranked_strategy& strategy) { return strategy.total.value; });
  for (auto& strategy : ranked.strategies)
    if (&strategy != &ranked.strategies.front())
      strategy.behind = difference_to_fastest(strategy, ranked.strategies.front(), question);
  return ranked;
}

}  // namespace bench_transfers::advice
