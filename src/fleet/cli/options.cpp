#include "src/fleet/cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <span>
#include <string_view>

#include "provenance.hpp"
#include "src/common/command_line.hpp"
#include "src/common/modes.hpp"
#include "src/common/output_options.hpp"
#include "src/common/outputs.hpp"
#include "src/common/unknown_option.hpp"
#include "src/completion/generate.hpp"

namespace bench_transfers::fleet {
namespace {

constexpr const char* exit_codes =
    "Exit codes: 0 healthy (or done), 1 something is named, 2 bad input or usage, 3 not known.";

constexpr const char* examples =
    "Examples:\n"
    "  fleet_transfers collect sweep --out=sweep.json.gz\n"
    "  fleet_transfers judge sweep.json.gz --reference=accepted.json.gz\n"
    "  fleet_transfers history sweeps --json=history.json";

/// What a command line asks for, as far as options may be without an effect there.
enum class mode { judge_only_metrics };
constexpr std::array<std::string_view, 1> of_onsets{"--history"};
constexpr std::array<common::mode_of_options<mode>, 1> modes{
    {{mode::judge_only_metrics, "--openmetrics=- alone", of_onsets}}};

result_file::benchmark_class parse_class(const std::string& word) {
  const auto kind = result_file::benchmark_class_from(word);
  if (!kind || *kind == result_file::benchmark_class::other)
    throw common::usage_error(fmt::format("bad --decide-by '{}': link, host or latency", word));
  return *kind;
}

class command_line {
 public:
  command_line() : app_("Tells which GPU of many is slow.", "fleet_transfers") {
    app_.option_defaults()->take_last();
    app_.get_formatter()->column_width(30);
    app_.require_subcommand(1);
    app_.footer(fmt::format(
        "fleet_transfers COMMAND --help lists its options; docs/FLEET.md explains how it "
        "decides.\n{}\n{}",
        exit_codes, examples));
    app_.set_version_flag("--version", [] {
      return fmt::format("fleet_transfers {} ({}, {})", provenance::version,
                         *provenance::git_commit ? provenance::git_commit : "no commit known",
                         provenance::compiler);
    });
    completion::add_generate(app_, [this] {
      return completion::describe(app_, {{"judge --decide-by", {"link", "host", "latency"}}});
    });
    add_collect();
    add_judge();
    add_show();
    add_history();
  }

  any_request parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return help_request{app_.help()};
    } catch (const completion::generated& file) {
      return help_request{file.text};
    } catch (const CLI::CallForVersion& version) {
      return help_request{std::string(version.what()) + "\n"};
    } catch (const CLI::ExtrasError& error) {
      common::refuse_unknown_option(app_);
      throw common::usage_error(common::first_line(error.what()) + repeating_hint());
    } catch (const CLI::ParseError& error) {
      throw common::usage_error(common::first_line(error.what()));
    }
    refuse_without_effect();
    if (app_.got_subcommand("collect")) return collect_;
    if (app_.got_subcommand("judge")) return judge_;
    if (app_.got_subcommand("history")) return history_;
    return show_;
  }

 private:
  void refuse_without_effect() const {
    const bool writes_words =
        !(judge_.json.empty() && judge_.markdown.empty() && judge_.junit.empty());
    if (common::is_standard_output(judge_.openmetrics) && !writes_words)
      common::refuse_without_effect<mode>(*app_.get_subcommand("judge"), modes,
                                          mode::judge_only_metrics);
  }

  /// The files of `--reference A B` are more than it takes.
  [[nodiscard]] std::string repeating_hint() const {
    for (const auto* command : app_.get_subcommands())
      for (const char* option : {"--reference", "--history"})
        if (const auto* given = command->get_option_no_throw(option); given && given->count() > 0)
          return fmt::format(" (repeat {} for each file)", option);
    return "";
  }

  CLI::App& add_command(const char* name, const char* description) {
    auto& command = *app_.add_subcommand(name, description);
    command.footer(exit_codes);
    return command;
  }

  static void add_sweep(CLI::App& command, std::filesystem::path& sweep) {
    command.add_option("SWEEP", sweep, "made by collect")->required()->type_name("FILE");
  }

  /// An option that counts each time it is given, with one value each time: it would take the file
  /// that follows, too.
  static CLI::Option& take_each(CLI::Option& option, const char* type) {
    return *option.allow_extra_args(false)
                ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                ->type_name(type);
  }
  template <class Values>
  static CLI::Option& add_each(CLI::App& command, const char* name, Values& values,
                               const char* description, const char* type) {
    return take_each(*command.add_option(name, values, description), type);
  }

  static void add_references(CLI::App& command, std::vector<std::filesystem::path>& references,
                             const char* description) {
    add_each(command, "--reference", references, description, "FILE");
  }

  void add_collect() {
    auto& command =
        add_command("collect", "Put the result files of many GPUs together as one sweep.");
    command
        .add_option("DIR", collect_.folders,
                    "folders with result files: DIR/NODE/*.json, *.json.gz; or single files")
        ->required()
        ->type_name("DIR")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command
        .add_option("--out", collect_.out,
                    "write the sweep here; .gz compresses it, - prints it alone")
        ->required()
        ->type_name("FILE");
    command
        .add_option("--within", collect_.within_hours,
                    "how far a run may be from most others (default: 12, in a sweep less)")
        ->check(CLI::Range(0, 1'000'000).description(""))
        ->type_name("HOURS");
    command
        .add_option("--sweep", collect_.sweep,
                    "only the files of this sweep (default: that of more than half)")
        ->type_name("ID");
  }

  void add_judge() {
    auto& command = add_command("judge", "Name the GPUs, nodes, racks and slots that are slow.");
    add_sweep(command, judge_.sweep);
    add_references(command, judge_.references, "a sweep that was accepted; may be repeated");
    add_each(command, "--history", judge_.history,
             "earlier sweeps, or folders with them: tells since when a part is slow", "DIR");
    common::add_json(command, judge_.json);
    common::add_markdown(command, judge_.markdown);
    common::add_junit(command, judge_.junit);
    common::add_openmetrics(command, judge_.openmetrics);
    auto& decide_by = *command.add_option_function<std::vector<std::string>>(
        "--decide-by",
        [this](const std::vector<std::string>& words) {
          judge_.decide_by.clear();
          for (const auto& word : words) judge_.decide_by.insert(parse_class(word));
        },
        "classes that must be known: link, host, latency (default: link)");
    take_each(decide_by, "CLASS,").delimiter(',');
  }

  void add_show() {
    auto& command = add_command("show", "Show each GPU of a sweep beside its peers.");
    add_sweep(command, show_.sweep);
    add_references(command, show_.references, "a sweep that was accepted; may be repeated");
    command
        .add_option("--slowest", show_.slowest, "show only so many GPUs, the slowest ones first")
        ->check(CLI::Range(1, 1'000'000).description(""))
        ->type_name("COUNT");
  }

  void add_history() {
    auto& command = add_command("history", "Tell since when GPUs are slow, and which have moved.");
    command.add_option("SWEEP", history_.sweeps, "sweeps, or folders with sweeps")
        ->required()
        ->type_name("DIR|FILE")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add_references(command, history_.references,
                   "a sweep that was accepted, to compare each with; may be repeated");
    command.add_option("--gpu", history_.gpu, "of this GPU alone: its UUID, or how it begins")
        ->type_name("UUID");
    common::add_json(command, history_.json);
  }

  CLI::App app_;
  collect_request collect_;
  judge_request judge_;
  show_request show_;
  history_request history_;
};

}  // namespace

any_request parse_command_line(int argc, const char* const* argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  common::require_values(arguments);
  common::require_command(arguments, {"collect", "judge", "show", "history"});
  return command_line().parse(argc, argv);
}

}  // namespace bench_transfers::fleet
