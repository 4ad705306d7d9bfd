#include "src/advice/to_json.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace bench_transfers::advice {
namespace {

using json = nlohmann::ordered_json;
using statistics::estimate;

constexpr int format = 1;

json or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

template <class Value>
json or_null(const std::optional<Value>& one) {
  return one ? json(*one) : json(nullptr);
}

json to_json(const estimate& one) {
  return {{"value", one.value}, {"low", one.low}, {"high", one.high}};
}

/// Counted, so written without a fraction, as long as a double counts exactly.
json whole(double count) {
  constexpr double exact = 9007199254740992;  // 2^53
  return count <= exact ? json(static_cast<std::uint64_t>(count)) : json(count);
}

json to_json(const origin& from) {
  return {{"file", from.file.string()},
          {"device", or_null(from.device)},
          {"gpu", from.has_gpu},
          {"cpu", or_null(from.cpu)},
          {"started_utc", or_null(from.started)},
          {"git_commit", or_null(from.commit)},
          {"complete", from.complete}};
}

json to_json(const measured_terms& terms) {
  return {{"allocation", terms.allocation},
          {"cpu_writes", terms.cpu_writes},
          {"cpu_reads", terms.cpu_reads}};
}

json to_json(const std::optional<break_even>& pays) {
  if (!pays) return nullptr;
  switch (pays->when) {
    case break_even::kind::from: return {{"from", whole(pays->count)}};
    case break_even::kind::up_to: return {{"up_to", whole(pays->count)}};
    case break_even::kind::never: return "never";
  }
  return nullptr;
}

json to_json(const statistics::broken_line& line) {
  const auto bandwidth = line.bandwidth();
  const auto half = line.half_bandwidth_bytes();
  return {{"lines", line.lines()},
          {"t0_ns", to_json(line.t0())},
          {"bandwidth_gb_per_s", bandwidth ? to_json(*bandwidth) : json(nullptr)},
          {"half_bandwidth_bytes", half ? json(*half) : json(nullptr)}};
}

json head(const char* kind, const measurements& from, const cost_model& model) {
  return {{"format", format},
          {"kind", kind},
          {"from", to_json(from.from)},
          {"measured_terms", to_json(model.measured())},
          {"ignored_rows", {{"failed", from.failed_rows}, {"unusable", from.unusable_rows}}}};
}

/// One value per size and reuse.
template <class Value>
json table(const winner_map& map, Value&& value) {
  json rows = json::array();
  for (const auto& cells : map.cells) {
    json row = json::array();
    for (const auto& cell : cells) row.push_back(value(cell));
    rows.push_back(std::move(row));
  }
  return rows;
}

json to_json(const winner_map& map) {
  return {{"cpu_writes", map.asked.cpu_writes},
          {"cpu_reads", map.asked.cpu_reads},
          {"winner", table(map, [](const map_cell& one) { return one.winner; })},
          {"total_ns", table(map, [](const map_cell& one) { return one.total_ns; })},
          {"as_good", table(map, [](const map_cell& one) { return one.as_good; })},
          {"runner_up", table(map, [](const map_cell& one) { return or_null(one.runner_up); })},
          {"margin", table(map, [](const map_cell& one) { return or_null(one.margin); })},
          {"extrapolated", table(map, [](const map_cell& one) { return one.extrapolated; })}};
}

}  // namespace

json ranking_document(const measurements& from, const cost_model& model, const question& asked,
                      const ranking& ranked) {
  auto all = head("ranking", from, model);
  all["question"] = {{"bytes", whole(asked.bytes)},
                     {"direction", asked.direction},
                     {"reuse", whole(asked.reuse)},
                     {"cpu_writes", asked.cpu_writes},
                     {"cpu_reads", asked.cpu_reads}};
  const auto equals = not_to_be_told_from_best(ranked);
  all["recommended"] = recommended(ranked).name;
  all["strategies"] = json::array();
  for (const auto& one : ranked.strategies)
    all["strategies"].push_back(
        {{"name", one.name},
         {"total_ns", to_json(one.total)},
         {"allocation_ns", to_json(one.allocation)},
         {"fill_ns", to_json(one.fill)},
         {"transfer_ns", to_json(one.transfer)},
         {"read_back_ns", to_json(one.read_back)},
         {"behind_ns", to_json(one.behind)},
         {"pays", to_json(one.pays)},
         {"as_good_as_best", std::ranges::find(equals, &one) != equals.end()},
         {"extrapolated", one.extrapolated},
         {"model", to_json(model.transfer_line(one.name, asked.direction))}});
  all["left_out"] = json::array();
  for (const auto& one : ranked.others)
    all["left_out"].push_back({{"name", one.name}, {"reason", one.reason}});
  return all;
}

json map_document(const measurements& from, const cost_model& model,
                  std::span<const winner_map> directions) {
  auto all = head("map", from, model);
  for (const auto bytes : directions.front().sizes) all["sizes"].push_back(whole(bytes));
  for (const auto reuse : directions.front().reuses) all["reuse"].push_back(whole(reuse));
  for (const auto& one : directions) all["directions"][one.asked.direction] = to_json(one);
  return all;
}

json check_document(const measurements& from, const cost_model& model,
                    const std::vector<leave_out_check>& checks) {
  auto all = head("check", from, model);
  all["checks"] = json::array();
  for (const auto& check : checks) {
    json sizes = json::array();
    for (const auto& size : check.sizes)
      sizes.push_back({{"bytes", whole(size.bytes)},
                       {"measured_ns", size.measured_ns},
                       {"predicted_ns", to_json(size.predicted_ns)}});
    all["checks"].push_back({{"name", check.name},
                             {"model", to_json(model.lines().at(check.name))},
                             {"left_out", std::move(sizes)}});
  }
  return all;
}

}  // namespace bench_transfers::advice
