#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace bench_transfers::common {

/// A file cannot be written; what() is one line that names the file.
class write_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Makes a write beyond the limit on file sizes fail, as on a full disk, instead of ending the
/// program with SIGXFSZ.
void let_oversized_writes_fail();

/// Throws write_error unless a file can be written to `path`: its folder must exist and be
/// writable, and `path` must be free or a regular file (a device must not be replaced), the
/// caller's own, one that the caller may write to, or one whose owner a new one can have. Who can
/// write to standard output uses write_output instead.
void require_writable(const std::filesystem::path& path);

/// Writes the text to the file `path`, completely or not at all: it goes to a new file beside it,
/// "<name>.<8 digits>.part", which then replaces an older one by a rename, and has its owner, group
/// and mode as far as the caller can give them. A link is followed unless it is another user's
/// (trusted_path.hpp). Throws write_error.
void write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace bench_transfers::common
