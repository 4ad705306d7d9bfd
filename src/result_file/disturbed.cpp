#include "src/result_file/disturbed.hpp"

#include <algorithm>
#include <unordered_map>

namespace bench_transfers::result_file {

void leave_out_disturbed(std::vector<row>& rows) {
  const auto is_measured = [](const row& candidate) {
    return candidate.kind == row_kind::repetition && !candidate.failed;
  };
  if (std::ranges::all_of(rows, [](const row& row) { return row.disturbed.empty(); })) return;
  std::unordered_map<const benchmark*, disturbance_degree> least;
  for (const auto& row : rows) {
    if (!is_measured(row)) continue;
    const auto degree = degree_of(row.disturbed);
    auto& known = least.try_emplace(row.benchmark, degree).first->second;
    known = std::min(known, degree);
  }
  std::erase_if(rows, [&](const row& row) {
    return is_measured(row) && degree_of(row.disturbed) > least.at(row.benchmark);
  });
  for (auto& row : rows)
    if (is_measured(row) && degree_of(row.disturbed) == disturbance_degree::spoilt)
      row.failed = failure{"disturbed", "every repetition was disturbed: its times are not true"};
}

}  // namespace bench_transfers::result_file
