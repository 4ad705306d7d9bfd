#pragma once

#include <filesystem>
#include <optional>
#include <string>

// Whether somebody else could have put there, or could change, the file that a path leads to.
// Trusted users are root, the caller and the running program's owner, who could change the program.
// Where a user namespace has no number for root, the overflow user counts as root.

namespace bench_transfers::common {

/// Why a path is not trusted; nullopt where it is. Each entry from the root on, links as well,
/// belongs to a trusted user, and neither others nor the group may write to it, unless it is the
/// user's own group (of the same number, and not root's). In a sticky folder (/tmp) that may be
/// written to, only the entry's owner can exchange it. A path that does not exist is not trusted.
std::optional<std::string> why_untrusted(const std::filesystem::path& path);

/// The first link on the way to a path that belongs to no trusted user. The path need not exist.
std::optional<std::filesystem::path> link_of_others(const std::filesystem::path& path);

}  // namespace bench_transfers::common
