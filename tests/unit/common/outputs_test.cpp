#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "src/common/files.hpp"
#include "src/common/gzip.hpp"
#include "src/common/program.hpp"
#include "src/common/writing.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::common::outputs_test {
namespace {

using paths = std::vector<std::filesystem::path>;

class outputs : public testing::Test {
 protected:
  outputs() { std::ofstream(folder / "input") << "input"; }

  temporary_folder own;
  const std::filesystem::path& folder = own.path();
};

TEST_F(outputs, may_be_files_standard_output_and_none) {
  const auto file = folder / "output";
  EXPECT_NO_THROW(require_outputs({file, "-", ""}, paths{folder / "input"}));
  EXPECT_TRUE(has_standard_output({file, "-"}));
  EXPECT_TRUE(has_standard_output({file, "/dev/stdout"}));
  EXPECT_FALSE(has_standard_output({file, ""}));
  write_output(file, "text");
  write_output("", "nowhere");
  EXPECT_EQ(read_text(file), "text");
}

TEST_F(outputs, are_all_written_before_the_first_is_printed) {
  std::vector<std::string> order;
  const auto text = [&](const char* name) {
    return [&order, name] {
      order.emplace_back(name);
      return std::string(name);
    };
  };
  testing::internal::CaptureStdout();
  write_outputs({{folder / "a", text("a")}, {"", text("none")}, {folder / "b", text("b")}},
                text("shown"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "shown");
  testing::internal::CaptureStdout();
  write_outputs({{"-", text("printed")}, {folder / "c", text("c")}}, text("not shown"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "printed");
  EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "shown", "c", "printed"}));
  EXPECT_EQ(read_text(folder / "a"), "a");
  EXPECT_EQ(read_text(folder / "c"), "c");
}

TEST_F(outputs, of_which_one_cannot_be_written_leave_the_others) {
  testing::internal::CaptureStdout();
  const auto text = [] { return std::string("text"); };
  EXPECT_THROW(write_outputs({{folder / "no" / "a", text}, {folder / "b", text}}, text),
               write_error);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "text");
  EXPECT_EQ(read_text(folder / "b"), "text");
}

TEST_F(outputs, are_no_inputs_and_not_each_other) {
  EXPECT_THROW(require_outputs({folder / "." / "input"}, paths{folder / "input"}), usage_error);
  EXPECT_THROW(require_outputs({folder / "x", folder / "x"}, {}), usage_error);
  EXPECT_THROW(require_outputs({"-", "-"}, {}), usage_error);
  EXPECT_THROW(require_outputs({"-", "/dev/stdout"}, {}), usage_error);
  EXPECT_THROW(require_outputs({folder / "no" / "such" / "folder"}, {}), usage_error);
}

TEST_F(outputs, dev_stdout_is_standard_output) {
  EXPECT_NO_THROW(require_outputs({"/dev/stdout"}, {}));
  EXPECT_TRUE(has_standard_output({"/dev/stdout"}));
}

TEST_F(outputs, file_is_never_named_like_standard_output) {
  EXPECT_THROW(require_writable("-"), write_error);
  EXPECT_NO_THROW(require_writable("./-"));
}

TEST_F(outputs, file_is_no_open_stream) {
  for (const auto* const stream : {"/dev/stderr", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/2"})
    EXPECT_THROW(require_writable(stream), write_error) << stream;
  std::filesystem::create_symlink("/dev/stderr", folder / "link");
  EXPECT_THROW(require_writable(folder / "link"), write_error);
}

TEST_F(outputs, beginning_of_a_file_is_unpacked) {
  write_output(folder / "packed.gz", packed("0123456789"));
  EXPECT_EQ(beginning_of(folder / "packed.gz", 4), "0123");
  EXPECT_EQ(beginning_of(folder / "input", 100), "input");
  EXPECT_EQ(beginning_of(folder, 4), "");
  EXPECT_EQ(beginning_of(folder / "nothing", 4), "");
}

}  // namespace
}  // namespace bench_transfers::common::outputs_test
