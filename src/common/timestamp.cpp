#include "src/common/timestamp.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstddef>
#include <ctime>

namespace bench_transfers::common {
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

int number(std::string_view digits) {
  int value = 0;
  for (const char digit : digits) value = 10 * value + (digit - '0');
  return value;
}

/// How far local time is ahead of UTC.
std::optional<std::chrono::minutes> parse_offset(std::string_view text) {
  using namespace std::chrono;
  if (text == "Z") return minutes(0);
  if (!has_form(text, "+00:00") && !has_form(text, "-00:00")) return std::nullopt;
  const int hour = number(text.substr(1, 2));
  const int minute = number(text.substr(4, 2));
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
    return number(text.substr(first, digits));
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
