#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace bench_transfers::common {

/// A file could not be read; what() is the reason in one line, without the file's name.
class read_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No result file is larger, unpacked: this is some 200,000 rows of bench_transfers.
inline constexpr std::size_t most_text_bytes = std::size_t{128} << 20;

/// A file's bytes, unpacked where they are compressed with gzip. Devices and pipes are read as
/// well, unless a pipe has a name. More than `most_bytes`, packed or unpacked, are refused as soon
/// as they are there, so that memory stays bounded. Throws read_error.
std::string read_text(const std::filesystem::path& file, std::size_t most_bytes = most_text_bytes);

/// Unpacks what is compressed with gzip (RFC 1952), also several members one after the other;
/// anything else is given back as it is. Throws read_error: damaged, cut off, with something else
/// after its end, or larger than `most_bytes`.
std::string unpacked(std::string bytes, std::size_t most_bytes = most_text_bytes);

}  // namespace bench_transfers::common
