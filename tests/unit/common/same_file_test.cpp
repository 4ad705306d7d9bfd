#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "src/common/files.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::common::same_file_test {
namespace {

TEST(is_same_file, compares_files_and_not_names) {
  const temporary_folder own;
  const auto& folder = own.path();
  EXPECT_TRUE(is_same_file(folder, folder / "."));
  EXPECT_FALSE(is_same_file(folder, folder.root_path()));
}

TEST(named_twice, is_the_first_file_that_came_before) {
  const temporary_folder own;
  const auto& folder = own.path();
  const std::vector<std::filesystem::path> files{
      "/", folder, "", "a", "", folder / "x" / ".." / "a", folder / "a", folder / "."};
  EXPECT_EQ(named_twice(files), folder / "a");
  EXPECT_EQ(named_twice(std::span(files).first(6)), std::nullopt);
  EXPECT_EQ(named_twice(std::vector<std::filesystem::path>{folder, folder / "."}), folder / ".");
}

TEST(is_same_file, compares_names_of_files_that_do_not_exist) {
  const temporary_folder own;
  const auto folder = own.path() / "no_such_folder";
  EXPECT_TRUE(is_same_file(folder / "a", folder / "x" / ".." / "a"));
  EXPECT_FALSE(is_same_file(folder / "a", folder / "b"));
}

TEST(is_same_file, knows_relative_names_of_files_that_do_not_exist) {
  EXPECT_TRUE(is_same_file("no_such_file", std::filesystem::current_path() / "no_such_file"));
  EXPECT_TRUE(is_same_file("no_such_file", "./no_such_file"));
  EXPECT_FALSE(is_same_file("no_such_file", "/no_such_file"));
}

TEST(is_same_file, an_empty_path_leads_to_no_file) {
  EXPECT_FALSE(is_same_file("", ""));
  EXPECT_FALSE(is_same_file("", "a"));
  EXPECT_FALSE(is_same_file("a", ""));
}

}  // namespace
}  // namespace bench_transfers::common::same_file_test
