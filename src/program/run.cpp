#include "src/program/run.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <span>

#include "provenance.hpp"
#include "src/command/command.hpp"
#include "src/command/options.hpp"
#include "src/common/exit_code.hpp"
#include "src/common/program.hpp"
#include "src/common/writing.hpp"
#include "src/completion/generate.hpp"

namespace bench_transfers::commands {
namespace {

using common::exit_code;

/// Of `--reference A B`: an option that takes one file each time.
std::string repeating_hint(const CLI::App& command) {
  for (const auto* const option : command.get_options())
    if (option->count() > 0 && !option->get_allow_extra_args() &&
        option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll &&
        option->get_delimiter() == '\0')
      return fmt::format(" (repeat {} for each file)", option->get_name());
  return "";
}

/// Prints what is no command's, such as --help, and returns null then.
std::shared_ptr<const command> parse(const program_words& words, int argc,
                                     const char* const* argv) {
  CLI::App app(words.summary, words.name);
  app.option_defaults()->take_last();
  app.get_formatter()->column_width(30);
  app.require_subcommand(1);
  app.footer(fmt::format("{} COMMAND --help lists its options; {} explains how it decides.\n{}\n{}",
                         words.name, words.page, words.exit_codes, words.examples));
  app.set_version_flag(
      "--version", fmt::format("{} {} ({}, {})", words.name, provenance::version,
                               *provenance::git_commit ? provenance::git_commit : "no commit known",
                               provenance::compiler));
  const auto commands = add_to(app, words.exit_codes);
  completion::add_generate(app, [&] { return completion::describe(app, offered(commands)); });

  const std::span arguments(argv, static_cast<std::size_t>(argc));
  std::vector<std::string> names;
  for (const auto& added : commands) names.push_back(added.options->get_name());
  common::require_values(arguments);
  common::require_command(arguments, names);
  try {
    commands::parse(app, arguments);
  } catch (const CLI::CallForHelp&) {
    common::print(app.help());
    return nullptr;
  } catch (const completion::generated& file) {
    common::print(file.text);
    return nullptr;
  } catch (const CLI::CallForVersion& version) {
    common::print(std::string(version.what()) + "\n");
    return nullptr;
  } catch (const CLI::ExtrasError& error) {
    throw common::usage_error(common::first_line(error.what()) +
                              repeating_hint(*app.get_subcommands().front()));
  } catch (const CLI::ParseError& error) {
    throw common::usage_error(common::first_line(error.what()));
  }
  return chosen(app, commands, argv[1]);
}

}  // namespace

int run_program(const program_words& words, int argc, const char* const* argv) {
  common::let_oversized_writes_fail();
  auto code = exit_code::bad_input;
  try {
    const auto command = parse(words, argc, argv);
    code = command ? command->run() : exit_code::done;
  } catch (const std::bad_alloc&) {  // complain() may need memory, too
    std::fprintf(stderr, "%s: there is not enough memory\n", words.name);
  } catch (const std::exception& error) {
    common::complain(words.name, error.what());
  }
  return static_cast<int>(code);
}

}  // namespace bench_transfers::commands
