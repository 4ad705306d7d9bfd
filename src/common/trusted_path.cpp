#include "src/common/trusted_path.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

namespace bench_transfers::common {
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
