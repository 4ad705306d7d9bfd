#include "src/common/whole_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "tests/unit/common/complaint.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::common::whole_file_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

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

TEST(whole_file, does_not_replace_a_file_whose_owner_it_cannot_keep) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const temporary_folder folder;
  const auto file = folder.path() / "file";
  write_whole(file, "old");
  ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
  ASSERT_EQ(seteuid(somebody_else), 0);
  const auto at_once = why_refused([&] { require_writable(file); });
  const auto later = why_refused([&] { write_whole(file, "new"); });
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_THAT(at_once, HasSubstr("it belongs to another user or group"));
  EXPECT_EQ(later, at_once);
  EXPECT_EQ(text_of(file), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "leaves nothing";
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
