#include "src/trust/choices.hpp"

#include <map>
#include <tuple>

namespace bench_transfers::trust {
namespace {

using result_file::direction;

bool is_round_trip(const measured& benchmark) {
  const auto& described = *benchmark.described;
  return described.role == "array" && described.direction == direction::both && benchmark.bytes &&
         described.cache == result_file::cache_state::warm;
}

}  // namespace

std::vector<choice> choices_in(const std::vector<measured>& benchmarks) {
  std::map<std::tuple<std::string, direction, std::size_t, bool>, std::vector<const measured*>>
      candidates;
  for (const auto& benchmark : benchmarks) {
    const auto& described = *benchmark.described;
    if (!is_transfer(benchmark) && !is_round_trip(benchmark)) continue;
    for (const bool of_pageable : {false, true})
      if (!of_pageable || described.memory == "pageable")
        candidates[{described.role, described.direction, *described.size_bytes, of_pageable}]
            .push_back(&benchmark);
  }
  std::vector<choice> choices;
  for (const auto& [job, of_job] : candidates) {
    const auto& [role, towards, size_bytes, of_pageable] = job;
    auto& made = choices.emplace_back(choice{role, towards, size_bytes, of_pageable, {}});
    for (const auto* benchmark : as_good_as_fastest(of_job))
      made.benchmarks.push_back(benchmark->described->name);
  }
  return choices;
}

}  // namespace bench_transfers::trust
