#include "src/common/quantities.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <ctime>
#include <set>
#include <string>
#include <utility>

#include "src/common/number.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::common {

namespace {

constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

[[noreturn]] void reject(std::string_view text, std::string_view why) {
  throw usage_error(
      fmt::format("bad size '{}': {} (examples: 4KiB, 1MiB, 4KiB:1GiB:x4)", text, why));
}

/// The unit that was probably meant by "M", "MB" or "Mi"; empty: none.
std::string_view unit_meant_by(std::string_view text) {
  const auto is_meant = [&](std::string_view unit) {
    const auto prefix = unit.substr(0, 1);
    return same_ignoring_case(text, prefix) ||
           same_ignoring_case(text, fmt::format("{}B", prefix)) ||
           same_ignoring_case(text, fmt::format("{}i", prefix));
  };
  const auto* const meant = std::find_if(units.begin() + 1, units.end(), is_meant);
  return meant == units.end() ? std::string_view() : *meant;
}

[[noreturn]] void reject_unit(std::string_view text, std::size_t number, std::string_view unit) {
  if (const auto meant = unit_meant_by(unit); !meant.empty())
    reject(text, fmt::format("did you mean {}{}? Sizes count in powers of two", number, meant));
  if (unit.front() == '.') reject(text, "a size is a whole number of a unit");
  if (unit.find("..") != std::string_view::npos || unit.find('-') != std::string_view::npos)
    reject(text, "a range is FIRST:LAST or FIRST:LAST:xFACTOR");
  reject(text, fmt::format("'{}' is not one of the units B, KiB, MiB, GiB, TiB", unit));
}

std::size_t parse_factor(std::string_view range, std::string_view text) {
  if (text.starts_with('x'))
    if (const auto factor = number_from<std::size_t>(text.substr(1)).value_or(0); factor >= 2)
      return factor;
  reject(range, "the step must be a factor of 2 or more, such as x4");
}

}  // namespace

std::string format_size(std::size_t bytes) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, units[unit]);
}

std::optional<std::size_t> size_from(std::string_view text) {
  std::size_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  const auto* const unit = std::ranges::find(units, std::string_view(stopped, end));
  if (unit == units.end()) return std::nullopt;
  const auto shift = 10 * (unit - units.begin());
  return number > (SIZE_MAX >> shift) ? std::nullopt : std::optional(number << shift);
}

std::size_t parse_size(std::string_view text) {
  if (text.empty()) reject(text, "it is empty");
  if (text.front() == '-') reject(text, "it is negative");
  std::size_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::invalid_argument) reject(text, "it is not a number");
  if (error == std::errc::result_out_of_range) reject(text, "it is too large");
  const std::string_view unit(stopped, end);
  if (number == 0) reject(text, "it is zero");
  if (unit.empty()) return number;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!same_ignoring_case(unit, units[i])) continue;
    if (number > (SIZE_MAX >> (10 * i))) reject(text, "it is too large");
    return number << (10 * i);
  }
  reject_unit(text, number, unit);
}

std::vector<std::size_t> parse_sizes(std::string_view text, std::size_t limit) {
  std::set<std::size_t> sizes;
  for (const auto& item : split(text)) {
    const auto parts = split(item, ':');
    if (parts.size() > 3) reject(item, "a range is FIRST:LAST or FIRST:LAST:xFACTOR");
    const auto first = parse_size(parts[0]);
    const auto last = parts.size() > 1 ? parse_size(parts[1]) : first;
    const auto factor = parts.size() > 2 ? parse_factor(item, parts[2]) : 2;
    if (last < first) reject(item, "the range ends before it begins");
    if (last > limit)
      reject(item, fmt::format("it is larger than this machine's memory ({:.1f} GiB)",
                               static_cast<double>(limit) / (1 << 30)));
    for (auto size = first;; size *= factor) {
      sizes.insert(size);
      if (size > last / factor) break;
    }
  }
  return {sizes.begin(), sizes.end()};
}

namespace {

using std::chrono::nanoseconds;
using real_seconds = std::chrono::duration<double>;

constexpr std::array<std::pair<std::string_view, double>, 6> units_of_time{
    {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}}};
constexpr real_seconds longest = std::chrono::years(1);

[[noreturn]] void reject(std::string_view option, std::string_view text, std::string_view why) {
  throw usage_error(fmt::format("bad {} '{}': {} (examples: 90s, 10min, 1.5h)", option,
                                printable_in_short(text), why));
}

}  // namespace

nanoseconds parse_duration(std::string_view option, std::string_view text) {
  double number = 0;
  const auto* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{}) reject(option, text, "it is no number with a unit");
  const std::string_view name(stopped, end);
  const auto* const unit =
      std::ranges::find(units_of_time, name, [](const auto& pair) { return pair.first; });
  if (unit == units_of_time.end()) reject(option, text, "the units are ms, s, min, h and d");
  const real_seconds time(number * unit->second);
  if (!(time > real_seconds::zero())) reject(option, text, "it is not above zero");
  if (time > longest) reject(option, text, "it is more than a year");
  return std::max(nanoseconds(1), std::chrono::duration_cast<nanoseconds>(time));
}

namespace {

/// Whether a text has digits where `form` has zeros, and equals it elsewhere: "0000-00".
bool has_form(std::string_view text, std::string_view form) {
  if (text.size() != form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (form[i] == '0' ? !digit : text[i] != form[i]) return false;
  }
  return true;
}

/// How far local time is ahead of UTC.
std::optional<std::chrono::minutes> parse_offset(std::string_view text) {
  using namespace std::chrono;
  if (text == "Z") return minutes(0);
  if (!has_form(text, "+00:00") && !has_form(text, "-00:00")) return std::nullopt;
  const int hour = number_from<int>(text.substr(1, 2)).value();
  const int minute = number_from<int>(text.substr(4, 2)).value();
  if (hour > 23 || minute > 59) return std::nullopt;
  const auto ahead = hours(hour) + minutes(minute);
  return text.front() == '-' ? -ahead : ahead;
}

}  // namespace

std::optional<std::chrono::sys_seconds> parse_timestamp(std::string_view text) {
  using namespace std::chrono;
  constexpr std::string_view form = "0000-00-00T00:00:00";
  if (!has_form(text.substr(0, form.size()), form)) return std::nullopt;
  const auto field = [&](std::size_t first, std::size_t digits) {
    return number_from<int>(text.substr(first, digits)).value();
  };
  const year_month_day date(year(field(0, 4)), month(static_cast<unsigned>(field(5, 2))),
                            day(static_cast<unsigned>(field(8, 2))));
  const int hour = field(11, 2), minute = field(14, 2), second = field(17, 2);
  const bool leap_second_or_less = second <= 60;
  const auto offset = parse_offset(text.substr(form.size()));
  if (!date.ok() || hour > 23 || minute > 59 || !leap_second_or_less || !offset)
    return std::nullopt;
  return sys_days(date) + hours(hour) + minutes(minute) + seconds(second) - *offset;
}

std::string timestamp_text(std::chrono::sys_seconds time) {
  // Not by system_clock, whose nanoseconds end in 1677 and 2262.
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::time_t{time.time_since_epoch().count()}));
}

}  // namespace bench_transfers::common
