#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "src/common/writing.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::common::whole_file_test {
namespace {

namespace fs = std::filesystem;

constexpr uid_t somebody_else = 65534;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

struct stat status_of(const fs::path& file) {
  struct stat status {};
  EXPECT_EQ(stat(file.c_str(), &status), 0) << file;
  return status;
}

std::string why_refused(const std::function<void()>& work) {
  return complaint_of<write_error>(work);
}

TEST(whole_file, takes_over_the_mode_of_the_one_before) {
  const temporary_folder folder;
  const auto file = folder.path() / "file";
  for (const mode_t mode : {0600U, 0640U, 0644U, 0664U, 0666U, 0400U, 0755U}) {
    write_whole(file, "old");
    chmod(file.c_str(), mode);
    require_writable(file);
    write_whole(file, "new");
    EXPECT_EQ(status_of(file).st_mode & 07777, mode);
    EXPECT_EQ(text_of(file), "new");
  }
}

TEST(whole_file, takes_over_owner_and_group_also_through_a_link) {
  const temporary_folder folder;
  const auto file = folder.path() / "file";
  const auto link = folder.path() / "link";
  write_whole(file, "old");
  fs::create_symlink("file", link);
  if (chown(file.c_str(), somebody_else, somebody_else) != 0) GTEST_SKIP() << "only root can";
  for (const auto& name : {file, link}) {
    require_writable(name);
    write_whole(name, "new");
    EXPECT_EQ(status_of(file).st_uid, somebody_else);
    EXPECT_EQ(status_of(file).st_gid, somebody_else);
    EXPECT_TRUE(fs::is_symlink(link));
  }
}

/// Does it as another user, whose new files the group may write to.
void as_user(uid_t user, gid_t group, const std::function<void()>& work) {
  ASSERT_EQ(setegid(group), 0);
  ASSERT_EQ(seteuid(user), 0);
  const auto mask = umask(0002);
  work();
  umask(mask);
  ASSERT_EQ(seteuid(0), 0);
  ASSERT_EQ(setegid(0), 0);
}

/// A file of another user that is to be replaced, and what becomes of it.
struct other_s_file {
  gid_t group;
  mode_t mode;
  gid_t new_group;
  mode_t new_mode;
};

constexpr uid_t one_member = 2001, another_member = 2002;
constexpr gid_t shared = 3000, elsewhere = 4000;

class shared_folder : public testing::Test {
 protected:
  shared_folder() {
    if (geteuid() != 0) return;
    EXPECT_EQ(chown(folder.path().c_str(), 0, shared), 0);
    EXPECT_EQ(chmod(folder.path().c_str(), 02775), 0);
  }
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  }
  void make(uid_t user, gid_t group, mode_t mode) const {
    write_whole(file, "old");
    ASSERT_EQ(chown(file.c_str(), user, group), 0);
    ASSERT_EQ(chmod(file.c_str(), mode), 0);
  }

  const temporary_folder folder;
  const fs::path file = folder.path() / "file";
};

TEST_F(shared_folder, has_files_that_each_member_may_replace) {
  for (const auto& old :
       {other_s_file{shared, 0664, shared, 0664}, other_s_file{shared, 0660, shared, 0660},
        other_s_file{elsewhere, 0646, shared, 0666}, other_s_file{elsewhere, 0666, shared, 0666}}) {
    make(one_member, old.group, old.mode);
    as_user(another_member, shared, [&] {
      EXPECT_EQ(why_refused([&] { require_writable(file); }), "");
      EXPECT_EQ(why_refused([&] { write_whole(file, "new"); }), "");
    });
    EXPECT_EQ(text_of(file), "new");
    EXPECT_EQ(status_of(file).st_uid, another_member);
    EXPECT_EQ(status_of(file).st_gid, old.new_group);
    EXPECT_EQ(status_of(file).st_mode & 07777, old.new_mode);
    fs::remove(file);
  }
}

TEST_F(shared_folder, shows_a_file_to_no_group_that_could_not_read_it) {
  for (const mode_t mode : {0640U, 0660U, 0440U}) {
    make(another_member, elsewhere, mode);
    as_user(another_member, shared, [&] { write_whole(file, "new"); });
    EXPECT_EQ(status_of(file).st_gid, shared);
    EXPECT_EQ(status_of(file).st_mode & 07777, mode & ~070U);
    fs::remove(file);
  }
}

TEST_F(shared_folder, keeps_what_a_member_may_not_write_to) {
  for (const mode_t mode : {0644U, 0600U, 0444U}) {
    make(one_member, shared, mode);
    std::string at_once, later;
    as_user(another_member, shared, [&] {
      at_once = why_refused([&] { require_writable(file); });
      later = why_refused([&] { write_whole(file, "new"); });
    });
    EXPECT_THAT(at_once, HasSubstr("it belongs to another user, and this one may not write to it"));
    EXPECT_EQ(later, at_once);
    EXPECT_EQ(text_of(file), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "leaves nothing";
    fs::remove(file);
  }
}

TEST(whole_file, does_not_go_through_a_link_of_somebody_else) {
  const temporary_folder folder;
  const auto victim = folder.path() / "victim";
  write_whole(victim, "precious");
  fs::create_directory(folder.path() / "real");
  for (const auto& [name, target, output] :
       {std::tuple("to_file", "victim", "to_file"), std::tuple("to_none", "none", "to_none"),
        std::tuple("to_folder", "real", "to_folder/new")}) {
    const auto link = folder.path() / name;
    fs::create_symlink(target, link);
    if (lchown(link.c_str(), somebody_else, somebody_else) != 0) GTEST_SKIP() << "only root can";
    const auto file = folder.path() / output;
    for (const auto& why : {why_refused([&] { require_writable(file); }),
                            why_refused([&] { write_whole(file, "new"); })})
      EXPECT_THAT(why, HasSubstr(link.string() + " is a link of another user"));
  }
  EXPECT_EQ(text_of(victim), "precious");
  EXPECT_FALSE(fs::exists(folder.path() / "none"));
  EXPECT_TRUE(fs::is_empty(folder.path() / "real"));
}

}  // namespace
}  // namespace bench_transfers::common::whole_file_test
