#include "src/claims/shared_file.hpp"

#include <gtest/gtest.h>

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
