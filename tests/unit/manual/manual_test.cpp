#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>

#include "src/common/command_line.hpp"
#include "src/manual/generate.hpp"

namespace bench_transfers::manual {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A program with a command, of which one option is not in --help.
class made_up_program : public testing::Test {
 protected:
  made_up_program() : app_("Does things.", "made_up") {
    app_.footer("First.\nSecond, of\ntwo lines.");
    app_.add_option("--out,-o", text_, "it's [a] file: a\\b")->type_name("FILE");
    app_.add_flag("--all", flag_, "everything");
    app_.add_option("--inject", text_)->group("Not in --help");
    auto* const command = app_.add_subcommand("show", "Show it.");
    command->add_option("RUN", texts_, ".runs")
        ->type_name("FILE")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
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
  ASSERT_EQ(show.arguments.size(), 1U);
  EXPECT_THAT(show.arguments[0].names, ElementsAre("RUN"));
  EXPECT_TRUE(show.arguments[0].repeatable);
  ASSERT_EQ(show.options.size(), 3U);
  EXPECT_EQ(show.options[1].takes, value::optional);
  EXPECT_THAT(show.options[2].choices, ElementsAre("a", "b"));
}

TEST_F(made_up_program, has_no_values_for_options_that_are_not_there) {
  EXPECT_THROW(describe(app_, {{"--kind", {"a"}}}), std::logic_error);
}

TEST_F(made_up_program, has_a_man_page) {
  const auto page = man_page(describe(app_, {}), "1.2.3");
  EXPECT_THAT(page, HasSubstr(".TH MADE_UP 1 \"\" \"made_up 1.2.3\""));
  EXPECT_THAT(page, HasSubstr("made_up \\- does things\n"));
  EXPECT_THAT(page,
              HasSubstr("\\fB\\-o\\fR, \\fB\\-\\-out\\fR \\fIFILE\\fR\nit's [a] file: a\\eb\n"));
  EXPECT_THAT(page, HasSubstr("\n\\&.runs\n"));  // no request of roff
  EXPECT_THAT(page, HasSubstr("First.\n.PP\nSecond, of\ntwo lines.\n"));
  EXPECT_THAT(page, Not(HasSubstr("inject")));
}

TEST_F(made_up_program, has_descriptions_that_zsh_and_fish_read_as_text) {
  const auto program = describe(app_, {});
  EXPECT_THAT(zsh_completion(program),
              HasSubstr("'--out=[it'\\''s \\[a\\] file\\: a\\\\b]:FILE:_files'"));
  EXPECT_THAT(fish_completion(program), HasSubstr("-l out -r -F -d 'it\\'s [a] file: a\\\\b'"));
}

TEST_F(made_up_program, answers_while_it_parses) {
  add_generate(app_, "1.2.3", [this] { return describe(app_, {}); });
  try {
    app_.parse("--generate=man --out", false);
    FAIL();
  } catch (const generated& file) {
    EXPECT_THAT(file.text, HasSubstr("1.2.3"));
  }
  EXPECT_THROW(app_.parse("--generate=html", false), common::usage_error);
}

}  // namespace
}  // namespace bench_transfers::manual
