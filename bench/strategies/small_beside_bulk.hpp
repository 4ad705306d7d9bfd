#pragma once

#include <optional>

#include "bench/strategies/bulk_copy.hpp"
#include "bench/strategies/small_copies.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// The small copies that are timed, and the bulk copy beside them, if any.
struct small_beside_bulk {
  small_kind small;
  std::optional<bulk_method> bulk = {};
  transfers::direction bulk_direction = transfers::direction::h2d;
};

/// Times small copies that become due at random while bulk copies follow one another. Before that,
/// measures what a bulk copy loses to small copies one after another.
transfer prepare_beside_bulk(const job& task, const small_beside_bulk& kind);

}  // namespace bench_transfers::bench
