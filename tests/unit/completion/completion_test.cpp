#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>

#include "src/common/program.hpp"
#include "src/completion/generate.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::completion {
namespace {

/// A program with a command, of which one option is not in --help.
class made_up_program : public testing::Test {
 protected:
  made_up_program() : app_("Does things.", "made_up") {
    app_.add_option("--out,-o", text_, "a file")->type_name("FILE");
    app_.add_flag("--all", flag_, "everything");
    app_.add_option("--inject", text_)->group("Not in --help");
    auto* const command = app_.add_subcommand("show", "Show it.");
    command->add_option("RUN", texts_)->type_name("FILE");
    command->add_option("--list", text_, "lists")->expected(0, 1)->type_name("");
    command->add_option("--kind", text_, "which")->type_name("KIND");
  }

  CLI::App app_;
  std::string text_;
  std::vector<std::string> texts_;
  bool flag_ = false;
};

TEST_F(made_up_program, is_described_as_help_shows_it) {
  const auto program = describe(app_, {{"show --kind", {"a", "b"}}});
  ASSERT_EQ(program.options.size(), 3U);
  EXPECT_THAT(program.options[0].names, ElementsAre("-h", "--help"));
  EXPECT_EQ(program.options[0].takes, value::none);
  EXPECT_THAT(program.options[1].names, ElementsAre("-o", "--out"));
  EXPECT_EQ(program.options[1].takes, value::required);
  EXPECT_TRUE(program.options[1].takes_file());
  EXPECT_THAT(program.options[1].choices, IsEmpty());
  EXPECT_EQ(program.options[2].takes, value::none);
  ASSERT_EQ(program.commands.size(), 1U);
  const auto& show = program.commands[0];
  EXPECT_TRUE(show.takes_files);
  EXPECT_FALSE(program.takes_files);
  ASSERT_EQ(show.options.size(), 3U);
  EXPECT_EQ(show.options[1].takes, value::optional);
  EXPECT_THAT(show.options[2].choices, ElementsAre("a", "b"));
}

TEST_F(made_up_program, has_no_values_for_options_that_are_not_there) {
  EXPECT_THROW(describe(app_, {{"--kind", {"a"}}}), std::logic_error);
}

TEST_F(made_up_program, answers_while_it_parses) {
  add_generate(app_, [this] { return describe(app_, {}); });
  try {
    app_.parse("--generate=complete-bash --out", false);
    FAIL();
  } catch (const generated& file) {
    EXPECT_THAT(file.text, HasSubstr("complete -F _made_up made_up"));
  }
  EXPECT_THROW(app_.parse("--generate=html", false), common::usage_error);
}

}  // namespace
}  // namespace bench_transfers::completion
