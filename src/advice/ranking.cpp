#include "src/advice/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace bench_transfers::advice {
namespace {

using statistics::broken_line;
using statistics::difference;
using statistics::estimate;
using statistics::scaled;
using statistics::sum;

/// "copy/pinned/h2d": "copy/pinned".
std::string without_last(const std::string& name) { return name.substr(0, name.rfind('/')); }

bool is_transfer(const std::string& name) {
  return name.ends_with("/h2d") || name.ends_with("/d2h");
}

template <class Fitted>
bool is_beyond(const Fitted& measured, double bytes) {
  return bytes < measured.smallest() / 2 || bytes > measured.largest() * 2;
}

void check(const question& asked) {
  if (!(asked.bytes > 0 && std::isfinite(asked.bytes)))
    throw std::invalid_argument("a transfer has at least one byte");
  if (asked.direction != "h2d" && asked.direction != "d2h")
    throw std::invalid_argument("the direction is h2d or d2h");
  if (!(asked.reuse >= 1 && std::isfinite(asked.reuse)))
    throw std::invalid_argument("memory is used at least once");
  for (const auto accesses : {asked.cpu_writes, asked.cpu_reads})
    if (!(accesses >= 0 && std::isfinite(accesses)))
      throw std::invalid_argument("the CPU cannot access memory less than never");
}

}  // namespace

/// Of one strategy; allocation is that of one use, not divided yet.
struct strategy_costs {
  estimate allocation, fill, transfer, read_back;
  bool extrapolated = false;

  [[nodiscard]] double cpu() const { return fill.value + read_back.value; }
};

namespace {

/// allocation / n + per_transfer of both are equal at one n, or nowhere.
break_even compare(const strategy_costs& one, const strategy_costs& plain) {
  const double dearer = one.allocation.value - plain.allocation.value;
  const double saved = (plain.transfer.value - one.transfer.value) + (plain.cpu() - one.cpu());
  if (saved >= 0 && dearer <= 0) return {break_even::kind::from, 1};
  if (saved <= 0 && dearer >= 0) return {break_even::kind::never, 0};
  const double uses = dearer / saved;
  if (saved > 0) return {break_even::kind::from, std::max(1.0, std::ceil(uses))};
  if (uses < 1) return {break_even::kind::never, 0};
  return {break_even::kind::up_to, std::floor(uses)};
}

ranked_strategy in_ranking(const std::string& name, const strategy_costs& costs, double reuse) {
  const auto allocation = scaled(costs.allocation, 1 / reuse);
  return {name,
          allocation,
          costs.fill,
          costs.transfer,
          costs.read_back,
          sum(std::array{allocation, costs.fill, costs.transfer, costs.read_back}),
          {},
          std::nullopt,
          costs.extrapolated};
}

}  // namespace

cost_model::cost_model(const measurements& measured) : memory_(measured.memory_by_strategy) {
  for (const auto& [name, times] : measured.times) {
    if (name.starts_with("cpu/"))
      cpu_.emplace(name, times);
    else if (times.size() < 2)
      unfit_.emplace(name, "measured at one size only");
    else
      lines_.emplace(name, times);
    measured_.allocation |= name.starts_with("allocate/");
    measured_.cpu_writes |= name.ends_with("/write_memcpy");
    measured_.cpu_reads |= name.ends_with("/read_memcpy");
  }
}

std::optional<cost_model::range> cost_model::transfer_sizes() const {
  std::optional<range> all;
  for (const auto& [name, fitted] : lines_) {
    if (!is_transfer(name)) continue;
    if (!all) all = range{fitted.smallest(), fitted.largest()};
    all->smallest = std::min(all->smallest, fitted.smallest());
    all->largest = std::max(all->largest, fitted.largest());
  }
  return all;
}

std::string cost_model::memory_of(const std::string& strategy) const {
  const auto said = memory_.find(strategy);
  return said != memory_.end() ? said->second : strategy.substr(strategy.find('/') + 1);
}

/// Why a strategy cannot be ranked; empty when it can.
std::string cost_model::what_lacks(const std::string& strategy, const question& asked) const {
  const auto memory = memory_of(strategy);
  struct need {
    bool needed;
    std::string name;
    const char* what;
  };
  for (const auto& [needed, name, what] :
       {need{true, strategy + "/" + asked.direction, "transfer"},
        need{measured_.allocation, "allocate/" + memory, "allocation"},
        need{measured_.allocation, "free/" + memory, "freeing"},
        need{measured_.cpu_writes && asked.cpu_writes > 0, "cpu/" + memory + "/write_memcpy",
             "CPU writes"},
        need{measured_.cpu_reads && asked.cpu_reads > 0, "cpu/" + memory + "/read_memcpy",
             "CPU reads"}}) {
    if (!needed || lines_.contains(name) || cpu_.contains(name)) continue;
    const auto unfit = unfit_.find(name);
    return fmt::format("{} {}", what, unfit == unfit_.end() ? "not measured" : unfit->second);
  }
  return "";
}

strategy_costs cost_model::costs_of(const std::string& strategy, const question& asked) const {
  const auto memory = memory_of(strategy);
  strategy_costs all;
  const auto predict = [&](const std::string& name) {
    const auto& fitted = lines_.at(name);
    all.extrapolated |= is_beyond(fitted, asked.bytes);
    return fitted.at(asked.bytes);
  };
  all.transfer = predict(strategy + "/" + asked.direction);
  if (measured_.allocation)
    all.allocation = sum(std::array{predict("allocate/" + memory), predict("free/" + memory)});
  const auto cpu = [&](const char* access, double times) {
    const auto& rate = cpu_.at("cpu/" + memory + "/" + access);
    all.extrapolated |= is_beyond(rate, asked.bytes);
    return scaled(rate.pass(asked.bytes), times);
  };
  if (measured_.cpu_writes && asked.cpu_writes > 0)
    all.fill = cpu("write_memcpy", asked.cpu_writes);
  if (measured_.cpu_reads && asked.cpu_reads > 0)
    all.read_back = cpu("read_memcpy", asked.cpu_reads);
  return all;
}

estimate cost_model::by_how_much(const ranked_strategy& one, const ranked_strategy& fastest,
                                 const question& asked) const {
  const auto transfer = difference(one.transfer, fastest.transfer);
  const auto memory = memory_of(one.name);
  const auto other = memory_of(fastest.name);
  if (memory == other) return transfer;
  const auto cpu = [&](bool measured, const std::string& access, double times) {
    if (!measured || times == 0) return estimate{};
    const auto& of_other = cpu_.at("cpu/" + other + "/" + access);
    return scaled(cpu_.at("cpu/" + memory + "/" + access).pass_beyond(of_other, asked.bytes),
                  times);
  };
  return sum(std::array{difference(one.allocation, fastest.allocation), transfer,
                        cpu(measured_.cpu_writes, "write_memcpy", asked.cpu_writes),
                        cpu(measured_.cpu_reads, "read_memcpy", asked.cpu_reads)});
}

std::set<std::string> cost_model::strategies(const std::string& direction) const {
  std::set<std::string> found;
  const auto add = [&](const std::string& name) {
    if (is_transfer(name) && name.ends_with("/" + direction)) found.insert(without_last(name));
  };
  for (const auto& one : lines_) add(one.first);
  for (const auto& one : unfit_) add(one.first);
  return found;
}

ranking cost_model::rank(const question& asked) const {
  check(asked);
  std::map<std::string, strategy_costs> costs;
  ranking found;
  for (const auto& name : strategies(asked.direction)) {
    const auto reason = what_lacks(name, asked);
    if (reason.empty())
      costs.emplace(name, costs_of(name, asked));
    else
      found.others.push_back({name, reason});
  }
  const auto plain = costs.find(baseline);
  for (const auto& [name, own] : costs) {
    found.strategies.push_back(in_ranking(name, own, asked.reuse));
    // Without the cost of allocation, what has to pay is not known.
    if (measured_.allocation && plain != costs.end() && name != baseline)
      found.strategies.back().pays = compare(own, plain->second);
  }
  std::ranges::stable_sort(found.strategies, {},
                           [](const ranked_strategy& one) { return one.total.value; });
  for (auto& one : found.strategies)
    if (&one != &found.strategies.front())
      one.behind = by_how_much(one, found.strategies.front(), asked);
  return found;
}

std::vector<const ranked_strategy*> not_to_be_told_from_best(const ranking& all) {
  std::vector<const ranked_strategy*> equals;
  for (const auto& one : all.strategies)
    if (one.behind.low <= 0) equals.push_back(&one);
  return equals;
}

const ranked_strategy& recommended(const ranking& all) {
  // Less than a run differs from the next: not worth an option. More is, though intervals overlap:
  // what is not known well is no reason to take what is slower.
  constexpr double as_fast = 1.03;
  const auto options = [](const ranked_strategy& one) {
    return one.name == baseline ? -1 : std::ranges::count(one.name, '_');
  };
  const auto& fastest = all.strategies.front();
  const auto end = std::ranges::find_if(all.strategies, [&](const ranked_strategy& one) {
    return one.total.value > fastest.total.value * as_fast;
  });
  return *std::ranges::min_element(all.strategies.begin(),
                                   std::max(end, all.strategies.begin() + 1), {}, options);
}

}  // namespace bench_transfers::advice
