#include "src/claims/shared_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::claims::shared_file_test {
namespace {

TEST(shared_file, prepares_a_place_while_nobody_has_it) {
  const common::temporary_folder folder;
  const auto file = folder.path() / "shared";
  constexpr std::size_t place = 0, another = 1;
  const auto nothing = [](void*) {};
  const shared_file onlooker(file, 1, another, nothing);
  int prepared = 0;
  const auto prepare = [&](void* data) {
    EXPECT_EQ(data != nullptr, true);
    EXPECT_FALSE(onlooker.is_taken(place));
    ++prepared;
  };
  const shared_file first(file, 1, place, nothing, prepare);
  EXPECT_TRUE(first.has_place());
  const shared_file second(file, 1, place, nothing, prepare);
  EXPECT_FALSE(second.has_place());
  EXPECT_EQ(prepared, 1);
}

TEST(shared_file, is_abandoned_if_that_is_wanted) {
  const common::temporary_folder folder;
  const auto file = folder.path() / "shared";
  const auto nothing = [](void*) {};
  shared_file first(file, 1, 0, nothing);
  first.abandon([] { return false; });
  EXPECT_FALSE(first.is_abandoned());
  first.abandon([] { return true; });
  EXPECT_TRUE(first.is_abandoned());
  const shared_file next(file, 1, 0, nothing);
  EXPECT_TRUE(next.has_place()) << "of a new file";
  int asked = 0;
  first.abandon([&] { return ++asked > 0; });
  EXPECT_EQ(asked, 0);
  EXPECT_FALSE(next.is_abandoned());
}

TEST(shared_file, lets_nobody_take_a_place_while_it_asks_whether_to_abandon_it) {
  const common::temporary_folder folder;
  const auto file = folder.path() / "shared";
  shared_file first(file, 1, 0, [](void*) {});
  const int another = open(file.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(another, 0);
  // Who takes a place locks the first byte before.
  const auto may_take_a_place = [&] {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_len = 1;
    EXPECT_EQ(fcntl(another, F_OFD_GETLK, &lock), 0);
    return lock.l_type == F_UNLCK;
  };
  EXPECT_TRUE(may_take_a_place());
  bool was_asked = false;
  first.abandon([&] {
    EXPECT_FALSE(may_take_a_place());
    return was_asked = true;
  });
  EXPECT_TRUE(was_asked);
  EXPECT_TRUE(may_take_a_place());
  close(another);
}

TEST(folder_of_shared_files, is_its_user_s_alone) {
  const common::temporary_folder folder;
  const auto own = folder_of_shared_files({folder.path()});
  EXPECT_EQ(own.parent_path(), folder.path());
  EXPECT_EQ(std::filesystem::status(own).permissions(), std::filesystem::perms::owner_all);
  EXPECT_EQ(folder_of_shared_files({folder.path()}), own) << "it stays";
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
}  // namespace bench_transfers::claims::shared_file_test
