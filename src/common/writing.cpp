#include "src/common/writing.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <random>
#include <system_error>
#include <vector>

#include "src/common/files.hpp"
#include "src/common/program.hpp"
#include "src/common/trusted_path.hpp"

namespace bench_transfers::common {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& why) {
  throw write_error(fmt::format("cannot write {}: {}", path.string(), why));
}

/// The file that `path` leads to through links, so that no link is replaced by a file. The file
/// need not exist. Where somebody else's link leads to, somebody else chooses what is replaced.
std::filesystem::path behind_links(std::filesystem::path path) {
  if (const auto link = link_of_others(path))
    fail(path, fmt::format("{} is a link of another user", link->string()));
  constexpr int most = 40;  // the kernel's limit: a circle of links is no file
  std::error_code error;
  for (int i = 0; i < most && std::filesystem::is_symlink(path, error); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  return path;
}

/// A descriptor of a process: "/dev/stderr", "/dev/fd/1", "/proc/self/fd/2".
bool is_open_stream(const std::filesystem::path& path) {
  const auto text = path.lexically_normal().string();
  return text == "/dev/stdout" || text == "/dev/stderr" || text.starts_with("/dev/fd/") ||
         (text.starts_with("/proc/") && text.find("/fd/") != std::string::npos);
}

/// A new file beside `target`: an existing file or link of its name is neither opened nor followed.
/// The destructor removes it unless it has taken the target's place.
class temporary_file {
 public:
  explicit temporary_file(const std::filesystem::path& target)
      : replaces_(stat(target.c_str(), &replaced_) == 0) {
    // Until it has the owner and the mode of the one before, nobody else reads it.
    const mode_t mode = replaces_ ? 0600 : 0666;
    std::random_device random;
    int descriptor = -1;
    do {
      path_ = beside(target, random());
      descriptor = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    } while (descriptor < 0 && errno == EEXIST);
    if (descriptor >= 0) file_.reset(fdopen(descriptor, "wb"));
    if (!file_) throw std::system_error(errno, std::generic_category());
  }
  ~temporary_file() {
    if (path_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  void write(const std::string& text) {
    errno = 0;
    const bool complete = std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size();
    if (std::fclose(file_.release()) != 0 || !complete)
      throw std::system_error(errno, std::generic_category());
  }

  /// Owner, group and mode of the file that it is to replace, as far as it can have them: one of
  /// the caller's own may replace what the caller may write to. `named` is what the user calls
  /// that.
  void take_over(const std::filesystem::path& named) {
    if (!replaces_) return;
    constexpr mode_t permissions = 0777;
    const int descriptor = fileno(file_.get());
    struct stat own {};
    if (fstat(descriptor, &own) != 0) throw std::system_error(errno, std::generic_category());
    constexpr auto same = static_cast<uid_t>(-1);
    const bool has_owner =
        own.st_uid == replaced_.st_uid || fchown(descriptor, replaced_.st_uid, same) == 0;
    if (!has_owner && faccessat(AT_FDCWD, named.c_str(), W_OK, AT_EACCESS) != 0)
      fail(named, "it belongs to another user, and this one may not write to it");
    const bool has_group =
        own.st_gid == replaced_.st_gid || fchown(descriptor, same, replaced_.st_gid) == 0;
    auto mode = replaced_.st_mode & permissions;
    // Who is in the new file's group was one of the others before.
    if (!has_group) mode = (mode & ~S_IRWXG) | (mode & S_IRWXO) << 3;
    if ((own.st_mode & permissions) != mode && fchmod(descriptor, mode) != 0)
      throw std::system_error(errno, std::generic_category());
  }

  void take_the_place_of(const std::filesystem::path& target) {
    std::filesystem::rename(path_, target);
    path_.clear();
  }

 private:
  struct closing {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  /// "<target>.<8 digits>.part"; a target's name that would be too long is shortened.
  static std::filesystem::path beside(const std::filesystem::path& target, unsigned number) {
    const auto end = fmt::format(".{:08x}.part", number);
    return target.parent_path() /
           (target.filename().string().substr(0, NAME_MAX - end.size()) + end);
  }

  struct stat replaced_ {};
  bool replaces_;
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, closing> file_;
};

}  // namespace

void let_oversized_writes_fail() { std::signal(SIGXFSZ, SIG_IGN); }

void require_writable(const std::filesystem::path& path) {
  if (path == standard_output)
    fail(path, "standard output is for other answers; a file of this name is ./-");
  const auto real = behind_links(path);
  // The file behind it belongs to whoever has opened it; replacing it would lose what is there.
  if (is_open_stream(path) || is_open_stream(real)) fail(path, "it is an open stream, not a file");
  std::error_code unknown;
  const auto status = std::filesystem::status(real, unknown);
  if (status.type() == std::filesystem::file_type::none) fail(path, unknown.message());
  if (std::filesystem::is_directory(status))
    fail(path, std::make_error_code(std::errc::is_a_directory).message());
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail(path, "it is not a regular file");
  try {
    temporary_file(real).take_over(path);
  } catch (const std::system_error& failed) {
    fail(path, failed.code().message());
  }
}

void write_whole(const std::filesystem::path& path, const std::string& text) {
  const auto real = behind_links(path);
  try {
    temporary_file next(real);
    next.take_over(path);
    next.write(text);
    next.take_the_place_of(real);
  } catch (const std::system_error& failed) {
    fail(path, failed.code().message());
  }
}

namespace {

void require_file(const std::filesystem::path& output,
                  std::span<const std::filesystem::path> inputs) {
  for (const auto& input : inputs)
    if (is_same_file(output, input))
      throw usage_error(fmt::format("{} is an input: it would be overwritten", output.string()));
  try {
    require_writable(output);
  } catch (const write_error& error) {
    throw usage_error(error.what());
  }
}

}  // namespace

bool is_standard_output(const std::filesystem::path& output) {
  return output == standard_output || output == "/dev/stdout";
}

void require_outputs(std::initializer_list<std::filesystem::path> outputs,
                     std::span<const std::filesystem::path> inputs) {
  std::vector<std::filesystem::path> known;
  for (const auto& output : outputs) {
    if (output.empty()) continue;
    for (const auto& earlier : known)
      if (output == earlier || is_same_file(output, earlier) ||
          (is_standard_output(output) && is_standard_output(earlier)))
        throw usage_error(fmt::format("{} and {} are the same file, for two outputs",
                                      earlier.string(), output.string()));
    if (!is_standard_output(output)) require_file(output, inputs);
    known.push_back(output);
  }
}

bool has_standard_output(std::initializer_list<std::filesystem::path> outputs) {
  return std::ranges::any_of(outputs, is_standard_output);
}

void write_output(const std::filesystem::path& output, const std::string& text) {
  if (output.empty()) return;
  if (is_standard_output(output))
    print(text);
  else
    write_whole(output, text);
}

void print_beside(const std::filesystem::path& output, const std::string& text) {
  if (is_standard_output(output))
    std::fputs(text.c_str(), stderr);
  else
    print(text);
}

void write_outputs(const std::vector<output>& outputs, const std::function<std::string()>& shown) {
  std::exception_ptr failed;
  const output* printed = nullptr;
  for (const auto& written : outputs) {
    if (is_standard_output(written.file))
      printed = &written;
    else if (!written.file.empty())
      try {
        write_output(written.file, written.text());
      } catch (const write_error&) {
        if (!failed) failed = std::current_exception();
      }
  }
  print(printed == nullptr ? shown() : printed->text());
  if (failed) std::rethrow_exception(failed);
}

}  // namespace bench_transfers::common
