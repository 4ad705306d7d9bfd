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

std::vector<double> one_two_five() {
  std::vector<double> all;
  for (double decade = 1; decade < 1e6; decade *= 10)
    for (const double step : {1, 2, 5}) all.push_back(step * decade);
  all.push_back(1e6);
  return all;
}

map_cell cell_of(const ranking& ranked) {
  const auto& winner = recommended(ranked);
  const auto equals = not_to_be_told_from_best(ranked);
  map_cell cell{winner.name,  winner.total.value, equals.size() - 1,
                std::nullopt, std::nullopt,       winner.extrapolated};
  const auto second = std::ranges::find_if(ranked.strategies, [&](const ranked_strategy& one) {
    return std::ranges::find(equals, &one) == equals.end();
  });
  if (second != ranked.strategies.end()) {
    cell.runner_up = second->name;
    cell.margin = second->total.value / winner.total.value - 1;
  }
  return cell;
}

}  // namespace

winner_map map_of(const cost_model& model, const question& asked) {
  winner_map all{asked, doubling(model), one_two_five(), {}};
  for (const auto bytes : all.sizes) {
    std::vector<map_cell> row;
    for (const auto reuse : all.reuses) {
      auto here = asked;
      here.bytes = bytes;
      here.reuse = reuse;
      const auto ranked = model.rank(here);
      if (ranked.strategies.empty()) return {asked, all.sizes, all.reuses, {}};
      row.push_back(cell_of(ranked));
    }
    all.cells.push_back(std::move(row));
  }
  return all;
}

}  // namespace bench_transfers::advice
