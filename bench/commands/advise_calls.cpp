#include <algorithm>
#include <utility>

#include "bench/commands/advise.hpp"
#include "bench/strategy/strategy.hpp"

// The calls that advise recommends for a strategy, as its file lists them.

namespace bench_transfers::bench {

advice::calls_by_strategy calls_to_recommend() {
  advice::calls_by_strategy calls;
  for (const auto& listed : registered_strategies()) {
    const auto add = [&](const variant& added) {
      const auto direction = added.direction.value_or(listed.direction);
      const advice::program_calls calls_of_it{
          calls_in(direction, added.calls.value_or(listed.calls),
                   added.beside.value_or(result_file::direction::h2d)),
          listed.holds_launches || added.holds_launches, listed.page_locks};
      calls.emplace(std::pair(listed.name() + "/" + added.name, direction), calls_of_it);
      // Other jobs may have other calls.
      if (!added.calls && !added.beside)
        calls.emplace(std::pair(listed.name(), direction), calls_of_it);
    };
    if (listed.variants.empty()) add({});
    std::ranges::for_each(listed.variants, add);
  }
  return calls;
}

}  // namespace bench_transfers::bench
