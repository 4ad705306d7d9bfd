#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Readers of the small text files of /proc and /sys. They return nullopt, and do not throw, for a
// file that is missing, unreadable or malformed.

#include "src/common/message.hpp"

namespace bench_transfers::machine {

/// `text` without white space at both ends.
std::string_view trimmed(std::string_view text);

/// The pieces of `text` between white space.
std::vector<std::string_view> words(std::string_view text);

/// All lines of a text file; nullopt when it cannot be opened or is empty.
std::optional<std::vector<std::string>> read_lines(const std::filesystem::path& path);

/// The first line of a file, trimmed; nullopt when there is none or it is blank.
std::optional<std::string> read_line(const std::filesystem::path& path);

/// The value of the first line "key<separator>value", both trimmed; nullopt when absent or blank.
std::optional<std::string> read_field(const std::filesystem::path& path, std::string_view key,
                                      char separator);

/// A decimal number without sign that fills the whole of `text`; nullopt otherwise.
std::optional<std::size_t> parse_count(std::string_view text);

/// A finite decimal number that fills the whole of `text`; nullopt otherwise.
std::optional<double> parse_real(std::string_view text);

/// The numbers in a kernel list such as "0-3,8", ascending and each once; nullopt when it is not
/// such a list, or one of more than 65536. Format: "List Format" in cpuset(7).
std::optional<std::vector<std::size_t>> numbers_of_list(std::string_view list);

/// parse_count of a file's first line.
std::optional<std::size_t> read_count(const std::filesystem::path& path);

/// numbers_of_list of a file's first line.
std::optional<std::vector<std::size_t>> read_list(const std::filesystem::path& path);

/// The word in brackets of a file's first line: "madvise" of "always [madvise] never".
std::optional<std::string> read_choice(const std::filesystem::path& path);

/// An amount in bytes, of a line "<key>: <number> kB" (1024 bytes; proc_meminfo(5)). Without its
/// unit the line is cut off, and the number may be as well.
std::optional<std::size_t> read_kib(const std::filesystem::path& path, std::string_view key);

/// Names in a directory in ascending order; nullopt when it cannot be listed.
std::optional<std::vector<std::string>> names_in(const std::filesystem::path& directory);

/// std::filesystem::exists that does not throw; false if the path may not be searched.
bool present(const std::filesystem::path& path);

using common::or_null;

/// JSON null for nullopt. Bytes that are not UTF-8 become U+FFFD, because writing them would throw.
nlohmann::ordered_json or_null(const std::optional<std::string>& value);

}  // namespace bench_transfers::machine
