#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace bench_transfers::common {

/// A file could not be written; what() is one line that names the file.
class write_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// From now on a write beyond the limit on the size of files fails, as on a full disk, instead of
/// ending the program by SIGXFSZ.
void let_oversized_writes_fail();

/// Throws write_error unless a file can be put at `path`: its folder exists and can be written to,
/// and what is there already, if anything, is a regular file (a device must not be replaced).
void require_writable(const std::filesystem::path& path);

/// Puts a file with this text at `path`, whole or not at all: it is written to a new file of its
/// own beside it, "<name>.<8 digits>.part", and takes the place of an older one by a rename. A link
/// is followed. Throws write_error.
void write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace bench_transfers::common
