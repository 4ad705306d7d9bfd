#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bench_transfers::common {

/// A file cannot be read; what() is the reason in one line, without the file's name.
class read_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No unpacked result file is larger: this is about 200,000 rows of bench_transfers.
inline constexpr std::size_t most_text_bytes = std::size_t{128} << 20;

/// A file's bytes, unpacked if they are compressed with gzip. Devices and unnamed pipes are read as
/// well. Reading stops with an error after `most_bytes`, packed or unpacked, so that memory stays
/// bounded. Throws read_error.
std::string read_text(const std::filesystem::path& file, std::size_t most_bytes = most_text_bytes);

/// The first bytes of a text, which may be compressed with gzip. Of one that is damaged or cut off
/// what precedes the damage.
std::string unpacked_beginning(std::string_view bytes, std::size_t most_bytes);

/// The same of a regular file; empty for anything else, and if it cannot be read.
std::string beginning_of(const std::filesystem::path& file, std::size_t bytes);

/// Unpacks text compressed with gzip (RFC 1952), also of several members; returns any other text
/// unchanged. Throws read_error if it is damaged, cut off, followed by something else, or larger
/// than `most_bytes`.
std::string unpacked(std::string bytes, std::size_t most_bytes = most_text_bytes);

/// The text compressed with gzip (RFC 1952), without a name or a time: equal texts give equal
/// bytes. Throws std::bad_alloc.
std::string packed(const std::string& text);

/// The path without links, from the root on, also of a file that does not exist.
std::filesystem::path whole_name(const std::filesystem::path& file);

/// Whether two paths lead to the same file, also by different names and before the file exists. An
/// empty path leads to no file.
bool is_same_file(const std::filesystem::path& lhs, const std::filesystem::path& rhs);

/// The first file that is the same as one before it.
std::optional<std::filesystem::path> named_twice(std::span<const std::filesystem::path> files);

/// Whether the descriptor is of the file that has this name now: a lock that others make and remove
/// counts only then.
bool is_named(int descriptor, const std::filesystem::path& file);

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
