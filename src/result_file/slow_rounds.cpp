#include "src/result_file/slow_rounds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "src/result_file/contents.hpp"
#include "src/result_file/entries.hpp"

namespace bench_transfers::result_file {
namespace {

using json = nlohmann::ordered_json;

/// "d2h 5.1 %"
std::string words_of(const slow_round& slow, bool several_devices) {
  return fmt::format("{}{} {:.1f} %", to_string(slow.kind),
                     several_devices ? fmt::format(" of device {}", slow.device) : "",
                     slow.percent);
}

}  // namespace

std::optional<common::message> warning_of(std::span<const slow_round> slow, std::size_t judged) {
  if (slow.empty()) return std::nullopt;
  constexpr std::size_t most_named = 4;
  const bool several =
      std::ranges::any_of(slow, [](const auto& entry) { return entry.device > 0; });
  std::map<std::pair<int, int>, const slow_round*> worst;  ///< of each round
  json rounds = json::array();
  for (const auto& entry : slow) {
    auto& known = worst.try_emplace({entry.process, entry.round}, &entry).first->second;
    if (entry.percent > known->percent) known = &entry;
    rounds.push_back({{"process", entry.process},
                      {"round", entry.round},
                      {"device", entry.device},
                      {"sentinel", to_string(entry.kind)},
                      {"percent", entry.percent},
                      {"limit_percent", entry.limit_percent}});
  }
  std::vector<std::string> named;
  for (const auto& [place, entry] : worst) {
    if (named.size() == most_named) break;
    named.push_back(fmt::format("round {} of process {}: {}", place.second, place.first,
                                words_of(*entry, several)));
  }
  const auto others = worst.size() - named.size();
  return common::message{
      "rounds_slowed",
      {{"judged", judged}, {"rounds", std::move(rounds)}},
      fmt::format("{} of {} rounds were slower than the control limits of the run's sentinels, "
                  "perhaps by a neighbour on the host ({}{})",
                  worst.size(), judged, fmt::join(named, "; "),
                  others == 0 ? "" : fmt::format("; and {} more", others))};
}

slow_round_marks::slow_round_marks(const json& facts, std::span<const slow_round> slow)
    : facts_(facts), slow_(slow), on_host_(text_at(facts, {"device", "kind"}) == "host") {}

bool slow_round_marks::is_slow(const json& row) {
  const auto is_of_row = [&](const slow_round& slow) {
    return slow.process == row.value("process", 1) && slow.round == row.value("round", 0);
  };
  if (std::ranges::none_of(slow_, is_of_row)) return false;
  const auto name = row.value("run_name", "");
  auto entry = known_.find(name);
  if (entry == known_.end()) {
    const auto& described = member(facts_, {"benchmarks", name.c_str()});
    if (described.is_null()) return false;
    const auto benchmark = benchmark_from(name, described);
    std::set<std::size_t> devices(benchmark.devices.begin(), benchmark.devices.end());
    for (const auto& flow : benchmark.flows) devices.insert(flow.device);
    entry = known_.emplace(name, known_benchmark{limited_by(benchmark, on_host_), devices}).first;
  }
  const auto& [limit, devices] = entry->second;
  const auto& median = member(row, {"median_ns"});
  const auto kind =
      class_of(limit, median.is_number() ? std::optional(median.get<double>()) : std::nullopt);
  return std::ranges::any_of(slow_, [&](const slow_round& slow) {
    return is_of_row(slow) && stands_for(slow.kind, on_host_) == kind &&
           devices.contains(slow.device);
  });
}

void slow_round_marks::apply(json& row) {
  if (!row.contains("round") || row.contains("error_occurred")) return;
  const auto code = to_string(disturbance::slow_round);
  std::set<std::string> codes;
  if (const auto& known = member(row, {"disturbed"}); known.is_array())
    for (const auto& word : known) codes.insert(word.get<std::string>());
  const bool was_slow = codes.erase(code) > 0;
  const bool slow = is_slow(row);
  if (slow == was_slow) return;
  if (slow) codes.insert(code);
  if (codes.empty())
    row.erase("disturbed");
  else
    row["disturbed"] = codes;
}

}  // namespace bench_transfers::result_file
