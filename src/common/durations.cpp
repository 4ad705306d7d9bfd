#include "src/common/durations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "src/common/command_line.hpp"
#include "src/common/printable.hpp"

namespace bench_transfers::common {
namespace {

using std::chrono::nanoseconds;
using seconds = std::chrono::duration<double>;

constexpr std::array<std::pair<std::string_view, double>, 6> units{
    {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}}};
constexpr seconds longest = std::chrono::years(1);

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
      std::ranges::find(units, name, [](const auto& pair) { return pair.first; });
  if (unit == units.end()) reject(option, text, "the units are ms, s, min, h and d");
  const seconds time(number * unit->second);
  if (!(time > seconds::zero())) reject(option, text, "it is not above zero");
  if (time > longest) reject(option, text, "it is more than a year");
  return std::max(nanoseconds(1), std::chrono::duration_cast<nanoseconds>(time));
}

}  // namespace bench_transfers::common
