#pragma once

#include <set>
#include <string>
#include <string_view>

namespace bench_transfers::common {

/// The name that was probably meant by `name`: the one with the smallest edit distance
/// (Levenshtein), which may be a third of the letters of `name`, and at least one. Empty if there
/// is none.
std::string nearest(std::string_view name, const std::set<std::string>& names);

}  // namespace bench_transfers::common
