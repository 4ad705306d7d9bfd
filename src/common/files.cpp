#include "src/common/files.hpp"

#define ZLIB_CONST
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <fstream>
#include <new>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace bench_transfers::common {

namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

[[noreturn]] void refuse(const std::string& why) { throw read_error(why); }

std::string in_mib(std::size_t bytes) {
  return fmt::format("{:.3g} MiB", static_cast<double>(bytes) / (1 << 20));
}

/// zlib's state of unpacking gzip members.
class gzip_stream {
 public:
  explicit gzip_stream(std::string_view packed) : left_(packed) {
    constexpr int gzip_only = 16;  // zlib.h, inflateInit2
    if (inflateInit2(&state_, MAX_WBITS + gzip_only) != Z_OK) refuse("not enough memory");
  }
  gzip_stream(const gzip_stream&) = delete;
  gzip_stream& operator=(const gzip_stream&) = delete;
  ~gzip_stream() { inflateEnd(&state_); }

  /// The next part of the text; empty at its end.
  std::string_view next() {
    while (!ended_) {
      if (member_ended_) {
        next_member();
        continue;
      }
      const auto input_bytes = std::min(left_.size(), std::size_t{1} << 30);  // zlib counts in uInt
      state_.next_in = reinterpret_cast<const Bytef*>(left_.data());
      state_.avail_in = static_cast<uInt>(input_bytes);
      state_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      state_.avail_out = static_cast<uInt>(buffer_.size());
      const int state = inflate(&state_, Z_NO_FLUSH);
      left_.remove_prefix(input_bytes - state_.avail_in);
      member_ended_ = state == Z_STREAM_END;
      // What precedes damage is text. zlib repeats the error at the next call.
      const auto output_bytes = buffer_.size() - state_.avail_out;
      if (output_bytes > 0) return {buffer_.data(), output_bytes};
      if (!member_ended_) require_good(state);
    }
    return {};
  }

 private:
  void require_good(int state) const {
    if (state == Z_OK) return;
    if (state == Z_MEM_ERROR) refuse("not enough memory");
    if (state == Z_BUF_ERROR) refuse("it is cut off: the end of the compressed text is missing");
    refuse(fmt::format("it is damaged, it cannot be unpacked: {}",
                       state_.msg == nullptr ? "not as gzip has it" : state_.msg));
  }
  void next_member() {
    member_ended_ = false;
    ended_ = left_.empty();
    if (ended_) return;
    if (!left_.starts_with(gzip_magic)) refuse("something else follows the compressed text");
    inflateReset(&state_);
  }

  z_stream state_{};
  std::string_view left_;
  std::array<char, chunk_bytes> buffer_;
  bool member_ended_ = false;
  bool ended_ = false;
};

/// Opening a named pipe waits for a writer, perhaps for ever. A pipe of the shell, such as
/// /dev/stdin, has a writer and no path.
bool is_named_pipe(const std::filesystem::path& file) {
  std::error_code unknown;
  if (!std::filesystem::is_fifo(file, unknown)) return false;
  std::error_code without_path;
  static_cast<void>(std::filesystem::canonical(file, without_path));
  return !without_path;
}

std::string read_bytes(const std::filesystem::path& file, std::size_t most_bytes) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) refuse("it is a folder, not a file");
  if (is_named_pipe(file)) refuse("it is a named pipe, not a file");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open()) refuse(std::generic_category().message(errno));
  std::string bytes;
  if (const auto size = std::filesystem::file_size(file, unknown); !unknown && size <= most_bytes)
    bytes.reserve(size);
  std::array<char, chunk_bytes> chunk;
  while (stream) {
    errno = 0;
    stream.read(chunk.data(), chunk.size());
    bytes.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
    if (bytes.size() > most_bytes) refuse("it is larger than " + in_mib(most_bytes));
  }
  if (stream.bad()) refuse(std::generic_category().message(errno));
  return bytes;
}

}  // namespace

std::string unpacked(std::string bytes, std::size_t most_bytes) {
  if (!bytes.starts_with(gzip_magic)) return bytes;
  gzip_stream packed(bytes);
  std::string text;
  for (auto more = packed.next(); !more.empty(); more = packed.next()) {
    text += more;
    if (text.size() > most_bytes) refuse("unpacked it is larger than " + in_mib(most_bytes));
  }
  return text;
}

std::string read_text(const std::filesystem::path& file, std::size_t most_bytes) {
  return unpacked(read_bytes(file, most_bytes), most_bytes);
}

std::string unpacked_beginning(std::string_view bytes, std::size_t most_bytes) {
  if (!bytes.starts_with(gzip_magic)) return std::string(bytes.substr(0, most_bytes));
  std::string text;
  try {
    gzip_stream packed(bytes);
    while (text.size() < most_bytes) {
      const auto more = packed.next();
      if (more.empty()) break;
      text += more;
    }
  } catch (const read_error&) {
    return text;  // as far as it goes: less than most_bytes
  }
  text.resize(std::min(text.size(), most_bytes));
  return text;
}

std::string beginning_of(const std::filesystem::path& file, std::size_t bytes) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return {};
  std::ifstream stream(file, std::ios::binary);
  // Packed text can be longer than text by a few bytes, and has codes at its beginning.
  std::string packed(bytes + chunk_bytes, '\0');
  stream.read(packed.data(), static_cast<std::streamsize>(packed.size()));
  packed.resize(static_cast<std::size_t>(stream.gcount()));
  return unpacked_beginning(packed, bytes);
}

namespace {

/// zlib's state of packing.
class gzip_packer {
 public:
  gzip_packer() {
    constexpr int gzip = 16;  // zlib.h, deflateInit2
    constexpr int usual_memory = 8;
    if (deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip, usual_memory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  gzip_packer(const gzip_packer&) = delete;
  gzip_packer& operator=(const gzip_packer&) = delete;
  ~gzip_packer() { deflateEnd(&state_); }

  std::string pack(std::string_view text) {
    constexpr std::size_t chunk = std::size_t{1} << 20;
    std::string result;
    for (int state = Z_OK; state != Z_STREAM_END;) {
      const auto input = std::min<std::size_t>(text.size(), chunk);
      state_.next_in = reinterpret_cast<const Bytef*>(text.data());
      state_.avail_in = static_cast<uInt>(input);
      const auto begin = result.size();
      result.resize(begin + chunk);
      state_.next_out = reinterpret_cast<Bytef*>(result.data() + begin);
      state_.avail_out = static_cast<uInt>(chunk);
      state = deflate(&state_, input == text.size() ? Z_FINISH : Z_NO_FLUSH);
      text.remove_prefix(input - state_.avail_in);
      result.resize(begin + chunk - state_.avail_out);
    }
    return result;
  }

 private:
  z_stream state_{};
};

}  // namespace

std::string packed(const std::string& text) { return gzip_packer().pack(text); }

std::filesystem::path whole_name(const std::filesystem::path& file) {
  // A relative name of a file that does not exist would stay one.
  std::error_code unknown;
  const auto absolute = std::filesystem::absolute(file, unknown);
  auto whole = std::filesystem::weakly_canonical(absolute, unknown);
  return unknown ? absolute : whole;
}

bool is_same_file(const std::filesystem::path& lhs, const std::filesystem::path& rhs) {
  if (lhs.empty() || rhs.empty()) return false;
  std::error_code unknown;
  return std::filesystem::equivalent(lhs, rhs, unknown) || whole_name(lhs) == whole_name(rhs);
}

std::optional<std::filesystem::path> named_twice(std::span<const std::filesystem::path> files) {
  std::set<std::filesystem::path> names;
  std::set<std::pair<dev_t, ino_t>> places;
  for (const auto& file : files) {
    if (file.empty()) continue;
    struct stat found {};
    const bool is_elsewhere =
        stat(file.c_str(), &found) != 0 || places.emplace(found.st_dev, found.st_ino).second;
    if (!names.insert(whole_name(file)).second || !is_elsewhere) return file;
  }
  return std::nullopt;
}

bool is_named(int descriptor, const std::filesystem::path& file) {
  struct stat opened {
  }, named{};
  return fstat(descriptor, &opened) == 0 && lstat(file.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

namespace {

namespace fs = std::filesystem;

struct entry {
  fs::path path;
  struct stat status;
};

/// All entries from the root to the end of a path, links and what they lead to.
struct way {
  std::vector<entry> entries;
  int error = 0;  ///< why it ends before the path does
};

way way_to(const fs::path& path) {
  constexpr int most_links = 40;  // the kernel's limit
  way passed;
  std::error_code error;
  const auto absolute = fs::absolute(path, error);
  passed.error = error.value();
  std::deque<fs::path> names(absolute.begin(), absolute.end());
  fs::path folder;
  int links = 0;
  while (!names.empty()) {
    const auto name = names.front();
    names.pop_front();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      folder = folder.parent_path();
      continue;
    }
    entry next{.path = folder / name, .status = {}};
    if (lstat(next.path.c_str(), &next.status) != 0) {
      passed.error = errno;
      return passed;
    }
    passed.entries.push_back(next);
    if (!S_ISLNK(next.status.st_mode)) {
      folder = next.path;
      continue;
    }
    if (++links > most_links) {
      passed.error = ELOOP;
      return passed;
    }
    const auto target = fs::read_symlink(next.path, error);
    names.insert(names.begin(), target.begin(), target.end());
  }
  return passed;
}

/// A user namespace that has no number for its parent's root (a container of a user) shows root's
/// files under the number of all that have none. Nothing tells these apart.
std::optional<uid_t> stand_in_for_root() {
  std::ifstream map("/proc/self/uid_map");
  if (!map) return std::nullopt;
  for (uid_t inside = 0, outside = 0, count = 0; map >> inside >> outside >> count;)
    if (outside == 0) return std::nullopt;
  uid_t user = 0;
  std::ifstream("/proc/sys/kernel/overflowuid") >> user;
  return user;
}

/// Who owns the program could change what it does.
std::optional<uid_t> owner_of_program() {
  struct stat program {};
  return stat("/proc/self/exe", &program) == 0 ? std::optional(program.st_uid) : std::nullopt;
}

/// Whose entries are trusted.
class trusted_users {
 public:
  [[nodiscard]] bool has_root(uid_t user) const { return user == 0 || user == stand_in_; }
  [[nodiscard]] bool has(uid_t user) const {
    return has_root(user) || user == geteuid() || user == owner_;
  }

 private:
  std::optional<uid_t> stand_in_ = stand_in_for_root(), owner_ = owner_of_program();
};

/// Whether others can change it, or exchange what is in it.
bool is_open(const struct stat& status, const trusted_users& users) {
  if (S_ISLNK(status.st_mode) || S_ISCHR(status.st_mode)) return false;  // have no contents
  if (S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0) return false;
  // Many systems give each user a group of the same number, and let that group write.
  const bool is_private = status.st_gid == status.st_uid && !users.has_root(status.st_uid);
  return (status.st_mode & (is_private ? S_IWOTH : S_IWGRP | S_IWOTH)) != 0;
}

}  // namespace

std::string why_untrusted(const fs::path& path) {
  const auto passed = way_to(path);
  const trusted_users users;
  for (const auto& [place, status] : passed.entries) {
    if (!users.has(status.st_uid))
      return fmt::format("{} belongs to user {}, not to root, this user or the program's owner",
                         place.string(), status.st_uid);
    if (is_open(status, users))
      return fmt::format("others may write to {} (mode {:04o}; chmod go-w)", place.string(),
                         status.st_mode & 07777);
  }
  return passed.error == 0 ? "" : std::generic_category().message(passed.error);
}

fs::path link_of_others(const fs::path& path) {
  const trusted_users users;
  for (const auto& [place, status] : way_to(path).entries)
    if (S_ISLNK(status.st_mode) && !users.has(status.st_uid)) return place;
  return {};
}

}  // namespace bench_transfers::common
