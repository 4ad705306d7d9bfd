#include "src/advice/map.hpp"

#include <algorithm>

namespace bench_transfers::advice {
namespace {

std::vector<double> doubling(const cost_model& model) {
  std::vector<double> sizes;
  const auto range = model.transfer_sizes();
  if (!range) return sizes;
  for (auto bytes = range->smallest; bytes <= range->largest; bytes *= 2) sizes.push_back(bytes);
  return sizes;
}

std::vector<double> reuse_counts() {
  std::vector<double> reuses;
  for (double decade = 1; decade < 1e6; decade *= 10)
    for (const double step : {1, 2, 5}) reuses.push_back(step * decade);
  reuses.push_back(1e6);
  return reuses;
}

std::optional<double> gain_of(const ranked_strategy& winner, const ranking& ranked) {
  if (!ranked.baseline) return std::nullopt;
  const auto& baseline =
      *std::ranges::find(ranked.strategies, *ranked.baseline, &ranked_strategy::name);
  return baseline.total.value / winner.total.value;
}

map_cell cell_of(const ranking& ranked) {
  const auto& winner = recommended(ranked);
  const auto good = as_good(ranked);
  map_cell cell{winner.name,  winner.total.value,      good.size() - 1,    std::nullopt,
                std::nullopt, gain_of(winner, ranked), winner.extrapolated};
  const auto second =
      std::ranges::find_if(ranked.strategies, [&](const ranked_strategy& candidate) {
        return candidate.total.value > winner.total.value &&
               std::ranges::find(good, &candidate) == good.end();
      });
  if (second != ranked.strategies.end()) {
    cell.runner_up = second->name;
    cell.margin = second->total.value / winner.total.value - 1;
  }
  return cell;
}

}  // namespace

winner_map map_of(const cost_model& model, const question& question) {
  winner_map map{question, doubling(model), reuse_counts(), {}};
  for (const auto bytes : map.sizes) {
    std::vector<map_cell> row;
    for (const auto reuse : map.reuses) {
      auto cell_question = question;
      cell_question.bytes = bytes;
      cell_question.reuse = reuse;
      const auto ranked = model.rank(cell_question);
      if (ranked.strategies.empty()) return {question, map.sizes, map.reuses, {}};
      row.push_back(cell_of(ranked));
    }
    map.cells.push_back(std::move(row));
  }
  return map;
}

}  // namespace bench_transfers::advice
