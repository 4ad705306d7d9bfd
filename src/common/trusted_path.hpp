#pragma once

#include <filesystem>
#include <string>

namespace bench_transfers::common {

/// Why somebody else could have put there, or could change, what a path leads to; empty where only
/// those can who are trusted: root, the caller and the running program's owner, who could change
/// that. Each entry from the root on belongs to one of them, links as well, and neither others nor
/// the group may write to it, unless it is the user's own group (of the same number, and not
/// root's). In a sticky folder (/tmp) that may be written to, only the entry's owner can exchange
/// it. What does not exist cannot be trusted. Where a user namespace has no number for root, the
/// overflow user counts as root.
std::string why_untrusted(const std::filesystem::path& path);

/// The first link on the way to a path that belongs to nobody who is trusted; empty: none. The path
/// need not exist.
std::filesystem::path link_of_others(const std::filesystem::path& path);

}  // namespace bench_transfers::common
