#pragma once

#include <optional>
#include <vector>

#include "src/topology/infer/search.hpp"

namespace bench_transfers::topology {

/// How each limit divides, and the capacities that explain most.
prediction refined(const search& search, std::vector<limit> limits);
/// Each limit divides unfairly if that explains more, and otherwise not.
prediction divided(const search& search, prediction current);

// Moves: a better explanation, or none.

/// With the limit that explains most of the rest, if that is worth a limit.
std::optional<prediction> add_limit(const search& search, const prediction& current);
/// With other limits in the place of those whose places others fill better.
std::optional<prediction> exchange_limits(const search& search, const prediction& current);
/// With a device more or less in several limits at once, because they must stay nested.
std::optional<prediction> move_device(const search& search, const prediction& current);
/// With the limit that explains most of the rest in the place of those that it crosses, if that and
/// what follows explain more.
std::optional<prediction> replace_crossed(const search& search, const prediction& current);
/// Without the limits that the evidence does not require, the least certain first.
std::optional<prediction> remove_limits(const search& search, const prediction& current);

/// With limits as long as they are worth it.
prediction filled_up(const search& search, prediction current);

}  // namespace bench_transfers::topology
