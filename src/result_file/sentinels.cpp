#include "src/result_file/sentinels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "src/common/text.hpp"
#include "src/result_file/contents.hpp"
#include "src/result_file/entries.hpp"
#include "src/result_file/format.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::result_file {
namespace {

using json = nlohmann::ordered_json;

constexpr std::array kinds{sentinel::h2d, sentinel::d2h, sentinel::cpu_read, sentinel::small_copy};

std::optional<sentinel> sentinel_from(const std::string& word) {
  for (const auto kind : kinds)
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

/// One round of a process, as a point of a control chart.
struct point {
  const sentinel_readings* readings;
  double level;  ///< natural logarithm of its time, so that differences are relative
};
using process_points = std::vector<point>;

/// Whether an engine does all of the work.
bool is_of_engine(sentinel kind) { return kind == sentinel::h2d || kind == sentinel::d2h; }

/// Without the fastest quarter, and without the slowest, but at least one: single readings may be
/// much too slow.
double middle_of(std::span<const double> times) {
  std::vector<double> logs;
  for (const double ns : times) logs.push_back(std::log(ns));
  std::ranges::sort(logs);
  const auto quarter = logs.size() / 4;
  const auto middle =
      std::span(logs).subspan(quarter, logs.size() - quarter - std::max<std::size_t>(quarter, 1));
  double sum = 0;
  for (const double log : middle) sum += log;
  return sum / static_cast<double>(middle.size());
}

/// Of copies by an engine the fastest: others delay many of them, but what slows all copies of
/// a round slows the fastest, which repeats best. What the CPU does has several speeds.
double level_of(const sentinel_readings& readings) {
  return is_of_engine(readings.kind) ? std::log(std::ranges::min(readings.ns))
                                     : middle_of(readings.ns);
}

/// By the readings within rounds: the standard deviation of a level, if only they made it differ.
double noise_within(std::span<const process_points> processes) {
  constexpr double of_median_deviation = 1.4826;  ///< a standard deviation in them
  constexpr double of_middle = 1.1;               ///< the middle half is less efficient than all
  std::vector<double> deviations;
  double rounds = 0;
  for (const auto& points : processes)
    for (const auto& [readings, level] : points) {
      std::vector<double> logs;
      for (const double ns : readings->ns) logs.push_back(std::log(ns));
      const double middle = statistics::median(logs);
      for (const double log : logs) deviations.push_back(std::abs(log - middle));
      ++rounds;
    }
  const double most_free = static_cast<double>(deviations.size());
  const double of_round = most_free / rounds;
  return of_middle * of_median_deviation * statistics::median(deviations) *
         std::sqrt(of_round / (of_round - 1)) / std::sqrt(of_round);
}

/// The range of the half of the rounds that lie closest together, in standard deviations. Half of
/// the rounds may be slow, and do not widen it.
double shortest_half(std::vector<double> levels) {
  /// Of 3, 4, … rounds with normally distributed levels: the root mean square.
  static constexpr std::array expected{0.589, 1.141, 0.746, 1.093, 0.836,
                                       1.086, 0.897, 1.092, 0.941, 1.099};
  std::ranges::sort(levels);
  const auto half = levels.size() / 2;
  double range = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + half < levels.size(); ++i)
    range = std::min(range, levels[i + half] - levels[i]);
  const auto place = levels.size() - 3;
  return range / (place < expected.size() ? expected[place] : 1);
}

/// By the rounds of each process: the same, whatever makes levels differ.
double noise_between(std::span<const process_points> processes) {
  double squares = 0, count = 0;
  for (const auto& points : processes) {
    std::vector<double> levels;
    for (const auto& point : points) levels.push_back(point.level);
    const double deviation = shortest_half(std::move(levels));
    squares += deviation * deviation;
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(squares / count);
}

/// Of quiet rounds, the level of the fastest third: two thirds may be slow.
double quiet_level(const process_points& points) {
  std::vector<double> levels;
  for (const auto& point : points) levels.push_back(point.level);
  std::ranges::sort(levels);
  return levels[(levels.size() - 1) / 3];
}

/// Two rounds do not show which of them is slow.
constexpr std::size_t least_rounds = 3;

/// The readings of one sentinel, by process. Those that cannot be judged are not among them.
using chart_key = std::pair<std::size_t, sentinel>;
std::map<chart_key, std::vector<process_points>> charts_of(std::span<const sentinel_readings> all) {
  std::map<chart_key, std::map<int, process_points>> by_process;
  for (const auto& readings : all)
    if (readings.ns.size() >= 2)
      by_process[{readings.device, readings.kind}][readings.process].push_back(
          {&readings, level_of(readings)});
  std::map<chart_key, std::vector<process_points>> charts;
  for (auto& [key, processes] : by_process)
    for (auto& [process, points] : processes)
      if (points.size() >= least_rounds) charts[key].push_back(std::move(points));
  return charts;
}

double percent(double log_ratio) { return 100 * std::expm1(log_ratio); }

/// A neighbour that costs less is not worth a mark, and the clock's steps are no noise.
constexpr double least_limit = 0.025;

/// Of some rounds only is the noise known, itself with noise.
double limit_of(sentinel kind, std::span<const process_points> processes) {
  const double between = noise_between(processes);
  const double least =
      is_of_engine(kind) ? 2.5 * between : 10 * std::max(between, noise_within(processes));
  return std::max(least_limit, least);
}

/// "d2h 5.1 %"
std::string words_of(const slow_round& slow, bool several_devices) {
  return fmt::format("{}{} {:.1f} %", to_string(slow.kind),
                     several_devices ? fmt::format(" of device {}", slow.device) : "",
                     slow.percent);
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

std::vector<slow_round> rounds_outside_limits(std::span<const sentinel_readings> all) {
  std::vector<slow_round> slow;
  for (const auto& [key, processes] : charts_of(all)) {
    const double limit = limit_of(key.second, processes);
    for (const auto& points : processes) {
      const double quiet = quiet_level(points);
      for (const auto& [readings, level] : points)
        if (level - quiet > limit)
          slow.push_back({readings->process, readings->round, readings->device, readings->kind,
                          percent(level - quiet), percent(limit)});
    }
  }
  std::ranges::sort(slow, {}, [](const slow_round& entry) {
    return std::tuple(entry.process, entry.round, entry.device, entry.kind);
  });
  return slow;
}

std::size_t count_judged(std::span<const sentinel_readings> all) {
  std::set<std::pair<int, int>> rounds;
  for (const auto& [key, processes] : charts_of(all))
    for (const auto& points : processes)
      for (const auto& point : points)
        rounds.emplace(point.readings->process, point.readings->round);
  return rounds.size();
}

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

struct slow_round_marks::known_benchmark {
  benchmark_class limited_by;
  std::set<std::size_t> devices;
};

slow_round_marks::slow_round_marks(const json& facts, std::span<const slow_round> slow)
    : facts_(facts), slow_(slow), on_host_(text_at(facts, {"device", "kind"}) == "host") {}

slow_round_marks::~slow_round_marks() = default;

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
