#include "src/result_file/sentinels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "src/result_file/contents.hpp"
#include "src/result_file/entries.hpp"

namespace bench_transfers::result_file {
namespace {

using json = nlohmann::ordered_json;

std::optional<sentinel> sentinel_from(const std::string& word) {
  for (const auto kind : all_sentinels)
    if (to_string(kind) == word) return kind;
  return std::nullopt;
}

template <class Number>
Number whole_number(const json& entry, const char* key, Number least) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto& value = member(entry, {key});
  const auto number = value.is_number_integer() ? value.get<std::int64_t>() : -1;
  if (number < static_cast<std::int64_t>(least) || number > most)
    throw bad_entry(
        fmt::format("the {} of its sentinels is no whole number from {} on", key, least));
  return static_cast<Number>(number);
}

std::vector<double> times_in(const json& list) {
  const auto is_time = [](const json& time) { return time.is_number() && time.get<double>() > 0; };
  if (!list.is_array() || !std::ranges::all_of(list, is_time))
    throw bad_entry("the ns of its sentinels are no list of times");
  return list.get<std::vector<double>>();
}

sentinel_readings readings_from(const json& entry, sentinel kind) {
  return {.process = whole_number(entry, "process", 1),
          .round = whole_number(entry, "round", 1),
          .device = whole_number<std::size_t>(entry, "device", 0),
          .kind = kind,
          .bytes = whole_number<std::size_t>(entry, "bytes", 0),
          .ns = times_in(member(entry, {"ns"}))};
}

}  // namespace

std::string to_string(sentinel kind) {
  switch (kind) {
    case sentinel::h2d: return "h2d";
    case sentinel::d2h: return "d2h";
    case sentinel::cpu_read: return "cpu_read";
    case sentinel::small_copy: break;
  }
  return "small_copy";
}

benchmark_class stands_for(sentinel kind, bool on_host) {
  if (kind == sentinel::small_copy) return benchmark_class::latency;
  if (kind == sentinel::cpu_read || on_host) return benchmark_class::host;
  return benchmark_class::link;
}

json to_json(const sentinel_readings& readings) {
  return {{"process", readings.process}, {"round", readings.round},
          {"device", readings.device},   {"sentinel", to_string(readings.kind)},
          {"bytes", readings.bytes},     {"ns", readings.ns}};
}

std::vector<sentinel_readings> sentinels_in(const json& facts) {
  const auto& sentinels = member(facts, {"sentinels"});
  if (sentinels.is_null()) return {};
  const auto& list = member(sentinels, {"readings"});
  if (!list.is_array()) throw bad_entry("its sentinels have no list of readings");
  std::vector<sentinel_readings> readings;
  for (const auto& entry : list) {
    const auto word = text_at(entry, {"sentinel"});
    if (word.empty()) throw bad_entry("its sentinels have one without a kind");
    // A later version may have others.
    if (const auto kind = sentinel_from(word)) readings.push_back(readings_from(entry, *kind));
  }
  const auto& skipped = member(sentinels, {"skipped"});
  if (!skipped.is_array()) throw bad_entry("its sentinels have no list of those skipped");
  for (const auto& entry : skipped) whole_number(entry, "process", 1);
  return readings;
}

}  // namespace bench_transfers::result_file
