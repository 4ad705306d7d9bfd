#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

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

/// The name that stands for standard output, as /dev/stdout does.
inline constexpr const char* standard_output = "-";

/// Whether it is that, or its file: "/dev/stdout".
bool is_standard_output(const std::filesystem::path& output);

/// Throws usage_error unless every output (an empty path is none) can be written and is neither an
/// input nor another output, by whatever name. Whatever is wrong is reported before work begins.
void require_outputs(std::initializer_list<std::filesystem::path> outputs,
                     std::span<const std::filesystem::path> inputs);

/// Whether one of them is standard output: nothing else is printed there then.
bool has_standard_output(std::initializer_list<std::filesystem::path> outputs);

/// Writes the text to the file, or prints it; an empty path is none. Throws write_error or
/// usage_error.
void write_output(const std::filesystem::path& output, const std::string& text);

/// Prints what is said of an output: to standard error if the output goes to standard output.
void print_beside(const std::filesystem::path& output, const std::string& text);

/// A file, and what it gets if it is asked for: an empty path is none.
struct output {
  std::filesystem::path file;
  std::function<std::string()> text;
};

/// Writes all files, and then prints what goes to standard output: one of the outputs, otherwise
/// `shown`. In this order, because a reader of standard output that has seen enough (`| head`) ends
/// the program. A file that cannot be written keeps nothing from the others: the first error is
/// thrown at the end.
void write_outputs(const std::vector<output>& outputs, const std::function<std::string()>& shown);

}  // namespace bench_transfers::common
