#pragma once

#include <filesystem>
#include <string>

namespace bench_transfers::common {

/// Why somebody else could have put there, or could change, what a path leads to; empty where root
/// and the caller alone can. Each entry from the root on belongs to one of the two, links as well,
/// and neither others nor the group may write to it, unless it is the user's own group (of the same
/// number, and not root's). In a sticky folder (/tmp) that may be written
/// to, only the entry's owner can exchange it. What does not exist cannot be trusted.
std::string why_untrusted(const std::filesystem::path& path);

/// The first link on the way to a path that belongs neither to root nor to the caller; empty: none.
/// The path need not exist.
std::filesystem::path link_of_others(const std::filesystem::path& path);

}  // namespace bench_transfers::common
