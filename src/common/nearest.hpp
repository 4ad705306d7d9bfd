#pragma once

#include <set>
#include <string>
#include <string_view>

namespace bench_transfers::common {

/// The name that was probably meant: one that a third of the letters, or a single one, inserted,
/// left out or exchanged make of the other (Levenshtein's distance). Empty when there is none.
std::string nearest(std::string_view wanted, const std::set<std::string>& names);

}  // namespace bench_transfers::common
