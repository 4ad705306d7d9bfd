#include <algorithm>
#include <variant>

#include "src/advice/cost_terms.hpp"
#include "src/advice/ranking.hpp"

// Where the terms of a predicted time come from: the series of a file.

namespace bench_transfers::advice {
namespace {

using result_file::direction;
using statistics::broken_line;
using statistics::measured_time;

}  // namespace

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

}  // namespace bench_transfers::advice
