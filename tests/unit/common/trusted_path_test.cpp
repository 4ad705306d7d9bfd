#include "src/common/trusted_path.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "tests/basics.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::common::trusted_path_test {
namespace {

namespace fs = std::filesystem;

constexpr uid_t somebody_else = 65534;

class trusted_path : public testing::Test {
 protected:
  trusted_path() {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "text";
    // Whatever the umask.
    for (const auto& path : {own.path(), folder, folder / "below"}) chmod(path.c_str(), 0755);
    chmod(file.c_str(), 0644);
  }

  void give_away(const fs::path& path) const {
    if (lchown(path.c_str(), somebody_else, somebody_else) != 0)
      GTEST_SKIP() << "only root can give files away";
  }

  temporary_folder own;
  fs::path folder = own.path() / "folder";
  fs::path file = folder / "below/file";
};

TEST_F(trusted_path, is_one_that_others_can_neither_change_nor_exchange) {
  EXPECT_EQ(why_untrusted(file), std::nullopt);
  EXPECT_EQ(why_untrusted(folder / "below/../below/./file"), std::nullopt);
  EXPECT_EQ(why_untrusted("/proc/self/exe"), why_untrusted(fs::canonical("/proc/self/exe")));
}

TEST_F(trusted_path, none_of_its_entries_is_written_by_group_or_others) {
  for (const auto& path : {file, folder / "below", folder})
    for (const mode_t writable : {0020U, 0002U, 0022U}) {
      if (writable == 0020U && geteuid() != 0) continue;  // may be the user's own group
      struct stat before {};
      ASSERT_EQ(stat(path.c_str(), &before), 0);
      chmod(path.c_str(), before.st_mode | writable);
      EXPECT_THAT(why_untrusted(file),
                  Optional(HasSubstr("others may write to " + path.string() + " (mode")));
      chmod(path.c_str(), before.st_mode);
    }
  EXPECT_EQ(why_untrusted(file), std::nullopt);
}

/// What a test does as another user ends with it.
struct as_user {
  explicit as_user(uid_t user) : before(geteuid()), ok(seteuid(user) == 0) {}
  ~as_user() { (void)!seteuid(before); }
  uid_t before;
  bool ok;
};

TEST_F(trusted_path, may_be_written_by_the_user_s_own_group) {
  const auto user = geteuid() == 0 ? somebody_else : geteuid();
  if (chown(file.c_str(), user, user) != 0) GTEST_SKIP() << "there is no such group";
  const as_user acting(user);
  ASSERT_TRUE(acting.ok);
  chmod(file.c_str(), 0664);
  EXPECT_EQ(why_untrusted(file), std::nullopt);
  chmod(file.c_str(), 0666);
  EXPECT_THAT(why_untrusted(file), Optional(HasSubstr("others may write to")));
}

TEST_F(trusted_path, in_a_sticky_folder_it_is_its_owner_s) {
  chmod(folder.c_str(), 01777);
  EXPECT_EQ(why_untrusted(file), std::nullopt);
  chmod(file.c_str(), 0666);
  EXPECT_THAT(why_untrusted(file), Optional(HasSubstr("others may write to")));
  chmod(file.c_str(), 01666);  // means nothing for a file
  EXPECT_THAT(why_untrusted(file), Optional(HasSubstr("others may write to")));
}

TEST_F(trusted_path, does_not_exist) {
  EXPECT_EQ(why_untrusted(folder / "none"), "No such file or directory");
  EXPECT_NE(why_untrusted(""), std::nullopt);
  fs::create_symlink("circle", folder / "circle");
  EXPECT_EQ(why_untrusted(folder / "circle"), "Too many levels of symbolic links");
}

TEST_F(trusted_path, leads_through_links_to_what_counts) {
  fs::create_symlink(file, own.path() / "absolute");
  fs::create_symlink("folder/below/../below/file", own.path() / "relative");
  fs::create_symlink("folder", own.path() / "to_folder");
  for (const auto& path :
       {own.path() / "absolute", own.path() / "relative", own.path() / "to_folder/below/file"}) {
    chmod(folder.c_str(), 0755);
    EXPECT_EQ(why_untrusted(path), std::nullopt) << path;
    chmod(folder.c_str(), 0777);
    EXPECT_THAT(why_untrusted(path), Optional(HasSubstr("others may write to " + folder.string())))
        << path;
  }
}

TEST_F(trusted_path, belongs_to_root_or_the_caller) {
  for (const auto& path : {file, folder / "below", folder}) {
    give_away(path);
    if (IsSkipped()) return;
    EXPECT_THAT(why_untrusted(file), Optional(HasSubstr(path.string() + " belongs to user 65534")));
    ASSERT_EQ(lchown(path.c_str(), 0, 0), 0);
  }
  const auto link = own.path() / "link";
  fs::create_symlink(file, link);
  EXPECT_EQ(link_of_others(link), std::nullopt);
  give_away(link);
  EXPECT_THAT(why_untrusted(link), Optional(HasSubstr(link.string() + " belongs to user 65534")));
  EXPECT_EQ(link_of_others(link), link);
  EXPECT_EQ(link_of_others(file), std::nullopt);
}

TEST_F(trusted_path, a_folder_s_link_and_a_link_to_nothing_are_links_as_well) {
  const auto link = own.path() / "link";
  fs::create_symlink("folder", link);
  const auto dangling = folder / "dangling";
  fs::create_symlink("none", dangling);
  for (const auto& path : {link, dangling}) {
    give_away(path);
    if (IsSkipped()) return;
  }
  EXPECT_EQ(link_of_others(link / "new"), link);
  EXPECT_EQ(link_of_others(dangling), dangling);
}

/// Whether it is so in a process of its own.
bool holds_in_child(const std::function<bool()>& work) {
  const auto child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

/// As in a container of a user, who is called root there: the host's root has no number.
bool enter_user_namespace() {
  constexpr uid_t some_user = 2001;
  if (geteuid() == 0 && setuid(some_user) != 0) return false;
  const auto user = geteuid();
  // Otherwise /proc/self is root's after setuid.
  if (prctl(PR_SET_DUMPABLE, 1) != 0 || unshare(CLONE_NEWUSER) != 0) return false;
  std::ofstream map("/proc/self/uid_map");
  map << "0 " << user << " 1" << std::flush;
  return map.good();
}

TEST_F(trusted_path, may_be_root_s_where_root_has_no_number) {
  if (!holds_in_child(enter_user_namespace)) GTEST_SKIP() << "there are no user namespaces";
  const auto is_trusted = [](const fs::path& path) {
    return holds_in_child([&] { return enter_user_namespace() && !why_untrusted(path); });
  };
  EXPECT_TRUE(is_trusted("/etc/passwd"));
  if (geteuid() != 0) return;
  const auto link = own.path() / "link";
  fs::create_symlink(file, link);
  EXPECT_TRUE(is_trusted(link));
  EXPECT_TRUE(holds_in_child([&] { return enter_user_namespace() && !link_of_others(link); }));
  chmod(file.c_str(), 0664);  // user and group have one number there, and are not one user's
  EXPECT_FALSE(is_trusted(link));
}

}  // namespace
}  // namespace bench_transfers::common::trusted_path_test
