#pragma once

#include <cstddef>
#include <filesystem>
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

}  // namespace bench_transfers::common
