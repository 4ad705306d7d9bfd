#include "src/fleet/launcher/variable_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/common/number.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::fleet {

std::optional<std::string> variable_reader::value(const variable_names& alternatives) {
  for (const auto* const name : alternatives) {
    if (!name) break;
    const auto value = variables_(name);
    if (!value) continue;
    name_ = name;
    const auto seen = fmt::format("{}={}", name, common::printable_in_short(*value));
    if (std::ranges::find(seen_, seen) == seen_.end()) seen_.push_back(seen);
    return value;
  }
  return std::nullopt;
}

std::string variable_reader::text(const variable_names& alternatives) {
  return common::printable(value(alternatives).value_or(""));
}

std::optional<std::size_t> variable_reader::number(const variable_names& alternatives,
                                                   std::size_t least, std::size_t most) {
  const auto text = value(alternatives);
  if (!text) return std::nullopt;
  const auto number = common::number_from<std::size_t>(*text);
  if (!number || *number < least || *number > most)
    throw bad_rank(fmt::format("bad {} '{}': it is no whole number from {} to {}", name_,
                               common::printable_in_short(*text), least, most));
  return number;
}

std::string variable_reader::seen() const { return fmt::format("{}", fmt::join(seen_, ", ")); }

}  // namespace bench_transfers::fleet
