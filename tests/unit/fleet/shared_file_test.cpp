#include "src/fleet/ranks/shared_file.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::fleet::shared_file_test {
namespace {

TEST(shared_file, has_each_place_once) {
  const common::temporary_folder folder;
  const auto file = folder.path() / "shared";
  int prepared = 0;
  const auto prepare = [&](void*) { ++prepared; };
  const shared_file first(file, 1, 0, prepare);
  EXPECT_TRUE(first.has_place());
  const shared_file second(file, 1, 0, prepare);
  EXPECT_FALSE(second.has_place());
  EXPECT_TRUE(shared_file(file, 1, 1, prepare).has_place());
  EXPECT_EQ(prepared, 1);
}

TEST(shared_file, is_new_for_the_next_when_it_is_abandoned) {
  const common::temporary_folder folder;
  const auto file = folder.path() / "shared";
  const auto nothing = [](void*) {};
  shared_file first(file, 1, 0, nothing);
  EXPECT_FALSE(first.is_abandoned());
  first.abandon();
  EXPECT_TRUE(first.is_abandoned());
  const shared_file next(file, 1, 0, nothing);
  EXPECT_TRUE(next.has_place()) << "of a new file";
  first.abandon();
  EXPECT_FALSE(next.is_abandoned());
}

TEST(folder_of_shared_files, is_its_user_s_alone) {
  const common::temporary_folder folder;
  const auto own = folder_of_shared_files({folder.path()});
  EXPECT_EQ(own.parent_path(), folder.path());
  EXPECT_EQ(std::filesystem::status(own).permissions(), std::filesystem::perms::owner_all);
  EXPECT_EQ(folder_of_shared_files({folder.path()}), own) << "it stays";
}

TEST(folder_of_shared_files, is_in_no_relative_folder) {
  for (const auto* const value : {"", ".", "here", "../here", "~/here"})
    for (const auto* const name : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
      const auto* const before = std::getenv(name);
      const std::optional<std::string> kept =
          before ? std::optional<std::string>(before) : std::nullopt;
      setenv(name, value, 1);
      for (const auto& parent : parents_of_shared_files())
        EXPECT_TRUE(parent.is_absolute()) << parent;
      kept ? setenv(name, kept->c_str(), 1) : unsetenv(name);
    }
}

TEST(folder_of_shared_files, is_elsewhere_where_another_user_has_taken_the_name) {
  const common::temporary_folder folder;
  const auto taken = folder.path() / "taken";
  std::filesystem::create_directories(taken);
  const auto name = folder_of_shared_files({taken});
  for (const auto& spoil : std::vector<std::function<void()>>{
           [&] { std::ofstream(name) << "a file"; },
           [&] { std::filesystem::create_directory_symlink(folder.path(), name); },
           [&] {
             std::filesystem::create_directory(name);
             std::filesystem::permissions(name, std::filesystem::perms::all);
           }}) {
    std::filesystem::remove_all(name);
    spoil();
    EXPECT_EQ(folder_of_shared_files({taken, folder.path()}).parent_path(), folder.path());
    EXPECT_THROW(static_cast<void>(folder_of_shared_files({taken})), cannot_share);
  }
}

}  // namespace
}  // namespace bench_transfers::fleet::shared_file_test
