#include "bench/record/fleet_facts.hpp"

#include <algorithm>
#include <array>

#include "src/common/message.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {
namespace {

std::optional<fleet::launched_rank> rank_if_told(const fleet::environment& variables) {
  try {
    return fleet::rank_of(variables);
  } catch (const fleet::bad_rank&) {
    return std::nullopt;
  }
}

}  // namespace

nlohmann::ordered_json fleet_facts(const fleet::environment& variables) {
  const auto sweep = common::printable(variables("TRANSFERS_SWEEP").value_or(""));
  const auto rank = rank_if_told(variables);
  if (!rank && sweep.empty()) return nullptr;
  return fleet_facts(rank.value_or(fleet::launched_rank{}), rank.has_value(), sweep);
}

nlohmann::ordered_json fleet_facts(const fleet::launched_rank& told, bool has_rank,
                                   const std::string& sweep) {
  using common::or_null;
  return {{"sweep", or_null(sweep)},
          {"launcher", or_null(told.launcher)},
          {"rank", has_rank ? nlohmann::ordered_json(told.rank) : nlohmann::ordered_json(nullptr)},
          {"local_rank", or_null(told.local_rank)},
          {"local_size", or_null(told.local_size)},
          {"world_size", or_null(told.world_size)},
          {"node", or_null(told.node)},
          {"rack", or_null(told.rack)}};
}

bool are_of_one_sweep(const nlohmann::json& facts, const nlohmann::json& others) {
  constexpr std::array same{"sweep", "world_size"};
  return facts.is_object() && others.is_object() && std::ranges::all_of(same, [&](const char* key) {
           return facts.value(key, nlohmann::json()) == others.value(key, nlohmann::json());
         });
}

}  // namespace bench_transfers::bench
