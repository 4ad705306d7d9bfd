#include "src/result_file/format.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "src/common/message.hpp"
#include "src/common/quantities.hpp"

namespace bench_transfers::result_file {
namespace {

using json = nlohmann::ordered_json;

template <class Value, std::size_t Count>
using words = std::array<std::pair<Value, std::string_view>, Count>;

constexpr words<direction, 4> directions{{{direction::none, "none"},
                                          {direction::h2d, "h2d"},
                                          {direction::d2h, "d2h"},
                                          {direction::both, "both"}}};
constexpr words<cache_state, 8> words_of_cache{
    {{cache_state::warm, "warm"},
     {cache_state::cold, "cold"},
     {cache_state::written_here, "written_here"},
     {cache_state::written_by_one, "written_by_one"},
     {cache_state::written_by_one_awake, "written_by_one_awake"},
     {cache_state::written_by_all, "written_by_all"},
     {cache_state::written_by_all_awake, "written_by_all_awake"},
     {cache_state::streamed, "streamed"}}};
constexpr words<table, 8> tables{{{table::directions, "directions"},
                                  {table::times, "times"},
                                  {table::overlap, "overlap"},
                                  {table::duplex, "duplex"},
                                  {table::allocation, "allocation"},
                                  {table::concurrent, "concurrent"},
                                  {table::cpu_access, "cpu_access"},
                                  {table::floor, "floor"}}};
constexpr words<disturbance, 6> disturbances{{{disturbance::stopped, "stopped"},
                                              {disturbance::fewer_cpus, "fewer_cpus"},
                                              {disturbance::other_load, "other_load"},
                                              {disturbance::slow_round, "slow_round"},
                                              {disturbance::clock_stood_still, "clock_stood_still"},
                                              {disturbance::clock_jumped, "clock_jumped"}}};
constexpr words<metric_kind, 5> kinds{{{metric_kind::duration, "duration"},
                                       {metric_kind::rate, "rate"},
                                       {metric_kind::share, "share"},
                                       {metric_kind::count, "count"},
                                       {metric_kind::size, "size"}}};
constexpr words<set_kind, 6> set_kinds{{{set_kind::all, "all"},
                                        {set_kind::node, "node"},
                                        {set_kind::port, "port"},
                                        {set_kind::pair, "pair"},
                                        {set_kind::listed, "listed"},
                                        {set_kind::ranks, "ranks"}}};
constexpr words<better, 2> betters{{{better::more, "more"}, {better::less, "less"}}};

template <class Value, std::size_t Count>
std::string word_for(const words<Value, Count>& pairs, Value value) {
  return std::string(
      std::ranges::find(pairs, value, [](const auto& pair) { return pair.first; })->second);
}

template <class Value, std::size_t Count>
std::optional<Value> value_of(const words<Value, Count>& pairs, const std::string& word) {
  const auto entry = std::ranges::find(pairs, word, [](const auto& pair) { return pair.second; });
  return entry == pairs.end() ? std::nullopt : std::optional(entry->first);
}

using common::or_null;

json to_json(const flow& described) {
  json entry{{"device", described.device}, {"direction", to_string(described.direction)}};
  if (described.memory) entry["memory"] = *described.memory;
  if (described.node) entry["node"] = *described.node;
  return entry;
}

json to_json(const set_description& described) {
  return {{"kind", to_string(described.kind)}, {"place", or_null(described.place)}};
}

}  // namespace

plainness plainness_of(const benchmark& described) {
  const auto memory = described.method ? std::nullopt : described.memory;
  return {described.plainness, described.method.has_value(),
          memory == "pageable" ? 0U
          : memory == "pinned" ? 1U
                               : 2U};
}

std::string benchmark_name(const std::string& strategy, const std::optional<std::string>& variant,
                           std::optional<std::size_t> size_bytes, cache_state cache,
                           const std::optional<std::string>& device) {
  auto name = strategy;
  if (variant) name += "/" + *variant;
  if (size_bytes) name += "/" + common::format_size(*size_bytes);
  if (cache != cache_state::warm) name += "/" + to_string(cache);
  if (device) name += "@" + *device;
  return name;
}

std::string to_string(direction direction) { return word_for(directions, direction); }
std::string to_string(cache_state cache) { return word_for(words_of_cache, cache); }
std::string to_string(table shown) { return word_for(tables, shown); }
std::string to_string(set_kind kind) { return word_for(set_kinds, kind); }
std::string to_string(metric_kind kind) { return word_for(kinds, kind); }
std::string to_string(disturbance code) { return word_for(disturbances, code); }
std::string to_string(better more_or_less) { return word_for(betters, more_or_less); }

std::optional<direction> direction_from(const std::string& word) {
  return value_of(directions, word);
}
std::optional<cache_state> cache_state_from(const std::string& word) {
  return value_of(words_of_cache, word);
}
std::vector<cache_state> cache_states() {
  std::vector<cache_state> all;
  for (const auto& [state, word] : words_of_cache) all.push_back(state);
  return all;
}
bool is_written(cache_state cache) {
  return cache != cache_state::warm && cache != cache_state::cold;
}
std::string describe(cache_state cache) {
  switch (cache) {
    case cache_state::warm: return "with warm caches";
    case cache_state::cold: return "with cold caches";
    case cache_state::written_here: return "just written by the copying thread";
    case cache_state::written_by_one: return "just written by another thread, asleep since then";
    case cache_state::written_by_one_awake: return "just written by another thread, still awake";
    case cache_state::written_by_all: return "just written by all threads, asleep since then";
    case cache_state::written_by_all_awake: return "just written by all threads, still awake";
    case cache_state::streamed: return "just written with non-temporal stores";
  }
  return "";
}
std::optional<table> table_from(const std::string& word) { return value_of(tables, word); }
std::optional<metric_kind> metric_kind_from(const std::string& word) {
  return value_of(kinds, word);
}
std::optional<set_kind> set_kind_from(const std::string& word) { return value_of(set_kinds, word); }
std::optional<disturbance> disturbance_from(const std::string& word) {
  return value_of(disturbances, word);
}
std::optional<better> better_from(const std::string& word) { return value_of(betters, word); }

disturbance_degree degree_of(const std::set<disturbance>& found) {
  const auto spoils = [](disturbance code) {
    return code != disturbance::fewer_cpus && code != disturbance::other_load &&
           code != disturbance::slow_round;
  };
  if (found.empty()) return disturbance_degree::none;
  return std::ranges::any_of(found, spoils) ? disturbance_degree::spoilt
                                            : disturbance_degree::slowed;
}

json to_json(const benchmark& described) {
  json entry{{"family", described.family},
             {"strategy", described.strategy},
             {"method", or_null(described.method)},
             {"setting", or_null(described.setting)},
             {"memory", or_null(described.memory)},
             {"variant", or_null(described.variant)},
             {"direction", to_string(described.direction)},
             {"size_bytes", or_null(described.size_bytes)},
             {"cache", to_string(described.cache)},
             {"devices", described.devices},
             {"role", described.role},
             {"plainness", described.plainness}};
  for (const auto& flow : described.flows) entry["flows"].push_back(to_json(flow));
  if (described.set) entry["set"] = to_json(*described.set);
  if (described.node) entry["node"] = *described.node;
  if (described.in_place) entry["in_place"] = true;
  if (described.emulation) entry["emulation"] = true;
  return entry;
}

json to_json(const role& described) {
  return {{"description", described.description}, {"table", to_string(described.shown_in)}};
}

json to_json(const metric& described) {
  json entry{{"unit", described.unit},
             {"better", described.better ? json(to_string(*described.better)) : json(nullptr)},
             {"kind", to_string(described.kind)},
             {"description", described.description}};
  if (described.headline) entry["headline"] = true;
  if (described.flow) entry["flow"] = to_json(*described.flow);
  if (described.alone) entry["alone"] = true;
  return entry;
}

}  // namespace bench_transfers::result_file
