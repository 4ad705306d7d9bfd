#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/common/text.hpp"
#include "src/result_file/spread.hpp"
#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

using shown_modes = std::pair<const benchmark*, statistics::two_modes>;

/// The farthest apart first.
std::vector<shown_modes> modes_in(const contents& read) {
  std::vector<shown_modes> found;
  for (const auto& [described, spread] : spreads_of(read))
    if (spread.modes) found.emplace_back(described, *spread.modes);
  std::ranges::sort(found, {}, [](const shown_modes& shown) {
    const auto& [described, modes] = shown;
    return std::pair(-modes.high.median / modes.low.median, described->name);
  });
  return found;
}

std::string cell_of(const statistics::mode& shown) {
  return fmt::format("{} in {}", common::time_cell(shown.median), shown.count);
}

}  // namespace

void add_modes(exports::answer& out, const contents& read, detail shown) {
  constexpr std::size_t most = 8;
  const auto found = modes_in(read);
  if (found.empty()) return;
  const auto of = common::counted(found.size(), "benchmark");
  if (shown == detail::brief)
    return out.say(
        fmt::format("Note: {} had times of two kinds, with next to nothing between them.", of));
  exports::table table{"",
                       {{"times of two kinds, and in how many repetitions", cells::codes, 60},
                        {"shorter", cells::numbers, 18},
                        {"longer", cells::numbers, 18}}};
  for (const auto& [described, modes] : found) {
    if (table.rows.size() == most) break;
    table.rows.push_back({{described->name, cell_of(modes.low), cell_of(modes.high)}});
  }
  out.add(std::move(table));
  if (found.size() > most)
    out.say(
        fmt::format("{} have such times: export --format=csv, low_mode_ns and high_mode_ns.", of));
}

}  // namespace bench_transfers::result_file
