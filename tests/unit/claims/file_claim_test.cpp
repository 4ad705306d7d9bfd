#include "src/claims/file_claim.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "src/common/command_line.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::claims::file_claim_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

class file_claim_test : public testing::Test {
 protected:
  const common::temporary_folder folder;
  const std::filesystem::path file = folder.path() / "result.json";
  const std::filesystem::path other = folder.path() / "other.json";
  const std::string complaint = "process " + std::to_string(getpid()) + " writes " + file.string();
};

TEST_F(file_claim_test, names_the_process_that_writes_the_file) {
  std::optional<file_claim> claim(std::in_place, file);
  EXPECT_FALSE(claim->why_not_write());
  EXPECT_THAT([&] { file_claim{file}; }, ThrowsMessage<common::usage_error>(complaint));
  EXPECT_THAT([&] { file_claim::of_alone(file); }, ThrowsMessage<common::usage_error>(complaint));
  EXPECT_NO_THROW(file_claim{other});
  claim.reset();
  EXPECT_NO_THROW(file_claim{file});
}

TEST_F(file_claim_test, claims_nothing_by_an_empty_name) {
  const file_claim first{std::filesystem::path()};
  const file_claim second{std::filesystem::path()};
  EXPECT_FALSE(second.why_not_write());
}

TEST_F(file_claim_test, is_made_for_each_output) {
  {
    const auto claimed = claim_outputs({other, {}, file}, {});
    EXPECT_THAT([&] { file_claim{file}; }, ThrowsMessage<common::usage_error>(complaint));
    EXPECT_THAT([&] { static_cast<void>(claim_outputs({file}, {})); },
                ThrowsMessage<common::usage_error>(complaint));
    EXPECT_THROW(file_claim{other}, common::usage_error);
  }
  EXPECT_NO_THROW(file_claim{file});
  EXPECT_NO_THROW(file_claim{other});
}

TEST_F(file_claim_test, is_given_back_where_another_output_is_refused) {
  const file_claim claim{file};
  EXPECT_THROW(static_cast<void>(claim_outputs({other, file}, {})), common::usage_error);
  EXPECT_NO_THROW(file_claim{other});
}

TEST_F(file_claim_test, is_not_made_of_standard_output) {
  const auto claimed = claim_outputs({"-"}, {});
  EXPECT_THAT(claimed, IsEmpty());
  EXPECT_THAT(claim_outputs({"/dev/stdout", file}, {}), SizeIs(1));
}

TEST_F(file_claim_test, is_not_made_of_an_input) {
  std::ofstream(file) << "{}";
  const std::array inputs{file};
  EXPECT_THAT([&] { static_cast<void>(claim_outputs({file}, inputs)); },
              ThrowsMessage<common::usage_error>(HasSubstr("would be overwritten")));
  EXPECT_NO_THROW(file_claim{file});
}

}  // namespace
}  // namespace bench_transfers::claims::file_claim_test
