#include "src/common/trusted_path.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <fstream>
#include <system_error>
#include <vector>

namespace bench_transfers::common {

namespace {

namespace fs = std::filesystem;

struct path_entry {
  fs::path path;
  struct stat status;
};

/// All entries from the root to the end of a path, links and the entries behind them.
struct path_walk {
  std::vector<path_entry> entries;
  std::error_code error;  ///< why it ends before the path does
};

path_walk walk_to(const fs::path& path) {
  constexpr int most_links = 40;  // the kernel's limit
  path_walk walk;
  const auto absolute = fs::absolute(path, walk.error);
  std::deque<fs::path> names(absolute.begin(), absolute.end());  // still to go
  fs::path folder;
  int links = 0;
  while (!names.empty() && !walk.error) {
    const auto name = names.front();
    names.pop_front();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      folder = folder.parent_path();
      continue;
    }
    path_entry next{.path = folder / name, .status = {}};
    if (lstat(next.path.c_str(), &next.status) != 0) {
      walk.error = {errno, std::generic_category()};
      break;
    }
    walk.entries.push_back(next);
    if (!S_ISLNK(next.status.st_mode)) {
      folder = next.path;
    } else if (++links > most_links) {
      walk.error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    } else {
      std::error_code unreadable;
      const auto target = fs::read_symlink(next.path, unreadable);
      names.insert(names.begin(), target.begin(), target.end());
    }
  }
  return walk;
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

std::optional<uid_t> owner_of_program() {
  struct stat program {};
  return stat("/proc/self/exe", &program) == 0 ? std::optional(program.st_uid) : std::nullopt;
}

class trusted_users {
 public:
  [[nodiscard]] bool has_root(uid_t user) const { return user == 0 || user == stand_in_; }
  [[nodiscard]] bool has(uid_t user) const {
    return has_root(user) || user == geteuid() || user == owner_;
  }

 private:
  std::optional<uid_t> stand_in_ = stand_in_for_root(), owner_ = owner_of_program();
};

/// Whether users who are not trusted can change an entry, or exchange a file in it.
bool is_open_to_others(const struct stat& status, const trusted_users& users) {
  if (S_ISLNK(status.st_mode) || S_ISCHR(status.st_mode)) return false;  // have no contents
  if (S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0) return false;
  // Many systems give each user a group of the same number, and let that group write.
  const bool is_own_group = status.st_gid == status.st_uid && !users.has_root(status.st_uid);
  return (status.st_mode & (is_own_group ? S_IWOTH : S_IWGRP | S_IWOTH)) != 0;
}

}  // namespace

std::optional<std::string> why_untrusted(const fs::path& path) {
  const auto walk = walk_to(path);
  const trusted_users users;
  for (const auto& [place, status] : walk.entries) {
    if (!users.has(status.st_uid))
      return fmt::format("{} belongs to user {}, not to root, this user or the program's owner",
                         place.string(), status.st_uid);
    if (is_open_to_others(status, users))
      return fmt::format("others may write to {} (mode {:04o}; chmod go-w)", place.string(),
                         status.st_mode & 07777);
  }
  return walk.error ? std::optional(walk.error.message()) : std::nullopt;
}

std::optional<fs::path> link_of_others(const fs::path& path) {
  const trusted_users users;
  for (const auto& [place, status] : walk_to(path).entries)
    if (S_ISLNK(status.st_mode) && !users.has(status.st_uid)) return place;
  return std::nullopt;
}

}  // namespace bench_transfers::common
