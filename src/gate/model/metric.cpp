#include "src/gate/model/metric.hpp"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "src/result_file/format.hpp"

namespace bench_transfers::gate {
namespace {

using result_file::metric_kind;

/// Units of counters that no file declares, as of other programs, by the ends of their names; the
/// first match counts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> units_by_ending{
    {{"_ns", "ns"},
     {"gb_per_s", "GB/s"},
     {"_per_second", "1/s"},
     {"_per_s", "1/s"},
     {"_percent", "%"}}};

bool is_rate(std::string_view key) {
  return key.ends_with("_per_s") || key.ends_with("_per_second") || key.ends_with("_percent");
}

std::optional<double> nanoseconds_in(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "µs") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  return std::nullopt;
}

std::string_view unit_by_name(const std::string& key) {
  if (key == "bytes_per_second") return "B/s";
  for (const auto& [ending, unit] : units_by_ending)
    if (key.ends_with(ending)) return unit;
  return "";
}

}  // namespace

metric metric::named(std::string key) {
  const bool rate = is_rate(key);
  return {std::move(key), rate};
}

metric metric::with(const std::optional<declaration>& declaration) const {
  auto copy = *this;
  if (declaration && is_counter()) copy.declared = declaration;
  return copy;
}

bool metric::is_counter() const { return key != "real_time" && key != "cpu_time"; }

std::string metric::unit() const {
  if (!is_counter()) return "ns";
  return declared ? declared->unit : std::string(unit_by_name(key));
}

bool metric::is_time() const {
  if (declared && is_counter() && declared->kind != metric_kind::duration) return false;
  return nanoseconds_in(unit()).has_value();
}

double metric::nanoseconds(double value) const {
  return value * nanoseconds_in(unit()).value_or(1);
}

bool metric::name_implies_direction() const {
  return !is_counter() || unit_by_name(key) == "ns" || is_rate(key);
}

bool metric::can_be(double value) const {
  constexpr double least_ns = 1e-3;
  constexpr double most_ns = 1e15;  // eleven days
  if (!is_time()) return value > 0 && std::isfinite(value);
  const double ns = nanoseconds(value);
  return ns >= least_ns && ns <= most_ns;
}

double cost(double value, const metric& judged_by) {
  return judged_by.more_is_better ? -std::log(value) : std::log(value);
}

double value_of(double cost, const metric& judged_by) {
  return std::exp(judged_by.more_is_better ? -cost : cost);
}

}  // namespace bench_transfers::gate
