#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "src/common/read_error.hpp"

namespace bench_transfers::common {

/// A file's bytes, unpacked if they are compressed with gzip. Devices and unnamed pipes are read as
/// well. Reading stops with an error after `most_bytes`, packed or unpacked, so that memory stays
/// bounded. Throws read_error.
std::string read_text(const std::filesystem::path& file, std::size_t most_bytes = most_text_bytes);

/// The first bytes of the text of a regular file, as unpacked_beginning(); empty for anything else,
/// and if it cannot be read.
std::string beginning_of(const std::filesystem::path& file, std::size_t bytes);

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

}  // namespace bench_transfers::common
