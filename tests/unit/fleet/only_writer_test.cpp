#include "src/fleet/ranks/only_writer.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::fleet::only_writer_test {
namespace {

class only_writer_test : public testing::Test {
 protected:
  [[nodiscard]] only_writer writer(const std::filesystem::path& written) const {
    return only_writer(written, meeting.path());
  }

  const common::temporary_folder meeting, results;
  const std::filesystem::path file = results.path() / "GPU-1.json";
};

TEST_F(only_writer_test, is_the_first) {
  std::optional<only_writer> first(std::in_place, file, meeting.path());
  EXPECT_FALSE(first->is_too_late());
  EXPECT_TRUE(writer(file).is_too_late());
  EXPECT_FALSE(writer(results.path() / "GPU-2.json").is_too_late());
  first.reset();
  EXPECT_FALSE(writer(file).is_too_late());
}

TEST_F(only_writer_test, knows_a_file_by_all_of_its_names) {
  const auto first = writer(file);
  std::filesystem::create_directory(results.path() / "a");
  EXPECT_TRUE(writer(results.path() / "a" / ".." / "GPU-1.json").is_too_late());
}

TEST_F(only_writer_test, is_seen_by_who_does_not_write) {
  EXPECT_FALSE(is_being_written(file, meeting.path()));
  const auto first = writer(file);
  EXPECT_TRUE(is_being_written(file, meeting.path()));
  EXPECT_FALSE(first.is_too_late());
}

TEST_F(only_writer_test, leaves_nothing_behind) {
  { const auto first = writer(file); }
  static_cast<void>(is_being_written(file, meeting.path()));
  EXPECT_TRUE(std::filesystem::is_empty(meeting.path()));
}

}  // namespace
}  // namespace bench_transfers::fleet::only_writer_test
