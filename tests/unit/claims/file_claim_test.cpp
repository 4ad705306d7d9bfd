#include "src/claims/file_claim.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "src/common/program.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::claims::file_claim_test {
namespace {

namespace fs = std::filesystem;

class file_claim_test : public testing::Test {
 protected:
  [[nodiscard]] bool is_claimed(const fs::path& name) const {
    try {
      const file_claim claim(name);
      return false;
    } catch (const common::usage_error& error) {
      EXPECT_EQ(error.what(), "another process writes " + name.string());
      return true;
    }
  }

  const common::temporary_folder folder;
  const fs::path file = folder.path() / "result.json";
  const fs::path other = folder.path() / "other.json";
  const fs::path lock = folder.path() / "result.json.lock";
};

TEST_F(file_claim_test, is_one_of_a_file_and_leaves_nothing) {
  std::optional<file_claim> claim(std::in_place, file);
  EXPECT_TRUE(is_claimed(file));
  EXPECT_FALSE(is_claimed(other));
  EXPECT_TRUE(is_claimed(file)) << "who was refused has not removed the lock";
  claim.reset();
  EXPECT_FALSE(is_claimed(file));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST_F(file_claim_test, stays_when_the_file_is_replaced) {
  const file_claim claim(file);
  for (const auto* const text : {"first", "second"}) {
    std::ofstream(other) << text;
    fs::rename(other, file);
    EXPECT_TRUE(is_claimed(file));
  }
}

TEST_F(file_claim_test, is_known_by_all_names_of_the_file) {
  const file_claim claim(file);
  std::ofstream(file) << "{}";
  fs::create_directory(folder.path() / "a");
  fs::create_symlink(file, folder.path() / "a" / "link");
  EXPECT_TRUE(is_claimed(folder.path() / "a" / ".." / "result.json"));
  EXPECT_TRUE(is_claimed(folder.path() / "a" / "link"));
}

TEST_F(file_claim_test, moves) {
  std::optional<file_claim> first(std::in_place, file);
  const file_claim second(std::move(*first));
  first.reset();
  EXPECT_TRUE(is_claimed(file));
}

TEST_F(file_claim_test, ends_with_its_process) {
  const pid_t killed = fork();
  if (killed == 0) {
    const file_claim claim(file);
    _exit(0);  // without the destructor
  }
  waitpid(killed, nullptr, 0);
  EXPECT_TRUE(fs::exists(lock));
  EXPECT_FALSE(is_claimed(file));
  EXPECT_FALSE(fs::exists(lock)) << "the next one has removed what was left";
}

TEST_F(file_claim_test, removes_and_follows_nothing_of_others) {
  std::ofstream(lock) << "mine";
  { const file_claim claim(file); }
  EXPECT_EQ(fs::file_size(lock), 4U);
  fs::remove(lock);
  fs::create_symlink(other, lock);
  { const file_claim claim(file); }
  EXPECT_TRUE(fs::is_symlink(lock));
  EXPECT_FALSE(fs::exists(other));
}

TEST_F(file_claim_test, claims_nothing_where_nothing_can_be_written) {
  EXPECT_FALSE(is_claimed(folder.path() / "no_such_folder" / "file"));
  const file_claim first{fs::path()};
  EXPECT_FALSE(is_claimed({}));
}

TEST_F(file_claim_test, is_made_for_each_output) {
  {
    const auto claimed = claim_outputs({other, {}, file}, {});
    EXPECT_TRUE(is_claimed(file));
    EXPECT_TRUE(is_claimed(other));
    EXPECT_THROW(static_cast<void>(claim_outputs({file}, {})), common::usage_error);
  }
  EXPECT_FALSE(is_claimed(file));
  EXPECT_FALSE(is_claimed(other));
}

TEST_F(file_claim_test, is_given_back_where_another_output_is_refused) {
  const file_claim claim(file);
  EXPECT_THROW(static_cast<void>(claim_outputs({other, file}, {})), common::usage_error);
  EXPECT_FALSE(is_claimed(other));
}

TEST_F(file_claim_test, is_not_made_of_standard_output) {
  EXPECT_THAT(claim_outputs({"-"}, {}), IsEmpty());
  EXPECT_THAT(claim_outputs({"/dev/stdout", file}, {}), SizeIs(1));
}

TEST_F(file_claim_test, is_not_made_of_an_input) {
  std::ofstream(file) << "{}";
  const std::array inputs{file};
  EXPECT_THAT([&] { static_cast<void>(claim_outputs({file}, inputs)); },
              ThrowsMessage<common::usage_error>(HasSubstr("would be overwritten")));
  EXPECT_FALSE(is_claimed(file));
}

}  // namespace
}  // namespace bench_transfers::claims::file_claim_test
