#include "src/gate/cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <span>
#include <string_view>

#include "provenance.hpp"
#include "src/common/command_line.hpp"
#include "src/common/modes.hpp"
#include "src/common/output_options.hpp"
#include "src/common/outputs.hpp"
#include "src/common/printable.hpp"
#include "src/common/regular_expression.hpp"
#include "src/common/unknown_option.hpp"
#include "src/completion/generate.hpp"

namespace bench_transfers::gate {
namespace {

constexpr const char* exit_codes =
    "Exit codes: 0 pass (or done), 1 regression, 2 bad input or usage, 3 inconclusive,\n"
    "4 (check) the environment is slower: a class as a whole.";
constexpr const char* examples =
    "Examples:\n"
    "  gate_transfers pin run-*.json --out=baseline.json\n"
    "  gate_transfers check baseline.json new-*.json\n"
    "  gate_transfers show run-*.json";
/// What a command line asks for, as far as options may be without an effect there. `check
/// --dry-run` is no such mode: it is given to see whether these options are right.
enum class mode { check_printed_otherwise, pin_nothing_replaced };
constexpr std::array<std::string_view, 1> of_tables{"--all"};
constexpr std::array<std::string_view, 1> of_replaced{"--new-line"};
constexpr std::array<common::mode_of_options<mode>, 2> modes{
    {{mode::check_printed_otherwise, "an answer on standard output", of_tables},
     {mode::pin_nothing_replaced, "--out=- without --replaces", of_replaced}}};

constexpr double least_threshold = 0.01;
constexpr double most_threshold = 1000;
constexpr double least_false_alarm = 0.001;
constexpr double most_false_alarm = 50;
constexpr std::size_t most_runs = 1000;

metric_request metric_named(const std::string& key) {
  constexpr std::string_view more = ":more", less = ":less";
  const bool says_more = key.ends_with(more), says_less = key.ends_with(less);
  metric_request request;
  request.user_chose_direction = says_more || says_less;
  auto& metric = request.judged_by;
  metric =
      metric::named(request.user_chose_direction ? key.substr(0, key.size() - more.size()) : key);
  if (metric.key.empty())
    throw common::usage_error("--judge-by needs the name of a field, such as gb_per_s");
  if (metric.is_time() && says_more)
    throw common::usage_error(fmt::format("bad --judge-by '{}': of a time, less is better", key));
  if (request.user_chose_direction) metric.more_is_better = says_more;
  request.has_direction = request.user_chose_direction || metric.name_implies_direction();
  return request;
}

/// Refuses an invalid expression before anything is measured or read.
std::string valid_expression(const std::string& text) {
  try {
    static_cast<void>(common::regular_expression(text));
  } catch (const common::expression_error& error) {
    throw common::usage_error(
        fmt::format("--allow-missing='{}' {}", common::printable_in_short(text), error.what()));
  }
  return text;
}

std::size_t parse_runs(const std::string& text) {
  std::size_t runs = 0;
  const auto* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, runs);
  if (error != std::errc{} || stopped != end || runs < 1 || runs > most_runs)
    throw common::usage_error(
        fmt::format("bad --runs '{}': a whole number from 1 to {}", text, most_runs));
  return runs;
}

benchmark_class parse_class(const std::string& word) {
  const auto kind = benchmark_class_from(word);
  if (!kind)
    throw common::usage_error(
        fmt::format("bad --decide-by '{}': link, host, latency or other", word));
  return *kind;
}

/// Values to offer, not all that are allowed.
completion::choices offered() {
  const std::vector<std::string> metrics{"real_time", "gb_per_s"};
  const std::vector<std::string> figures{"median", "fastest"};
  const std::vector<std::string> classes{"link", "host", "latency", "other"};
  return {{"pin --judge-by", metrics},       {"show --judge-by", metrics},
          {"pin --of-repetitions", figures}, {"show --of-repetitions", figures},
          {"check --decide-by", classes},    {"history --decide-by", classes}};
}

class command_line {
 public:
  command_line() : app_("Tells whether transfers got slower.", "gate_transfers") {
    app_.option_defaults()->take_last();
    app_.get_formatter()->column_width(30);
    app_.require_subcommand(1);
    app_.footer(
        fmt::format("gate_transfers COMMAND --help lists its options; docs/GATE.md explains how it "
                    "decides.\n{}\n{}",
                    exit_codes, examples));
    app_.set_version_flag("--version", [] {
      return fmt::format("gate_transfers {} ({}, {})", provenance::version,
                         *provenance::git_commit ? provenance::git_commit : "no commit known",
                         provenance::compiler);
    });
    completion::add_generate(app_, [this] { return completion::describe(app_, offered()); });
    add_pin();
    add_check();
    add_power();
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
      throw common::usage_error(common::first_line(error.what()));
    } catch (const CLI::ParseError& error) {
      throw common::usage_error(common::first_line(error.what()));
    }
    refuse_without_effect();
    if (app_.got_subcommand("pin")) return pin_;
    if (app_.got_subcommand("check")) return with_valid_runs(check_);
    if (app_.got_subcommand("power")) return power_;
    if (app_.got_subcommand("history")) return history_;
    return show_;
  }

 private:
  void refuse_without_effect() const {
    const auto refuse = [&](const char* command, mode chosen) {
      common::refuse_without_effect<mode>(*app_.get_subcommand(command), modes, chosen);
    };
    if (common::has_standard_output({check_.json, check_.markdown, check_.junit}))
      refuse("check", mode::check_printed_otherwise);
    if (common::is_standard_output(pin_.out) && pin_.replaces.empty())
      refuse("pin", mode::pin_nothing_replaced);
  }

  /// CLI11 does the same for commands that always need runs.
  static check_request with_valid_runs(const check_request& request) {
    if (request.runs.empty() && !request.dry_run) throw common::usage_error("RUN is required");
    if (!request.runs.empty() && request.dry_run)
      throw common::usage_error("--dry-run takes no runs");
    return request;
  }

  CLI::App& add_command(const char* name, const char* description) {
    auto& command = *app_.add_subcommand(name, description);
    command.footer(exit_codes);
    return command;
  }

  static CLI::Option* add_runs(CLI::App& command, paths& runs) {
    return command.add_option("RUN", runs, "result files, one of each process")
        ->required()
        ->type_name("FILE")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  static void add_metric(CLI::App& command, metric_request& request) {
    command
        .add_option_function<std::string>(
            "--judge-by",
            [&request](const std::string& key) {
              const bool fastest = request.judged_by.fastest_repetition;
              request = metric_named(key);
              request.judged_by.fastest_repetition = fastest;
            },
            "real_time (the default), gb_per_s, ...; or COUNTER:more, :less")
        ->type_name("KEY");
    command
        .add_option_function<std::string>(
            "--of-repetitions",
            [&request](const std::string& figure) {
              if (figure != "median" && figure != "fastest")
                throw common::usage_error(
                    fmt::format("bad --of-repetitions '{}': median or fastest", figure));
              request.judged_by.fastest_repetition = figure == "fastest";
            },
            "the figure of a run: median (the default) or fastest")
        ->type_name("WHICH");
  }

  static void add_allow_different(CLI::App& command, std::set<std::string>& all_keys) {
    command
        .add_option_function<std::vector<std::string>>(
            "--allow-different",
            [&all_keys](const std::vector<std::string>& keys) {
              all_keys.insert(keys.begin(), keys.end());
            },
            "facts of the machine that may differ, such as device.driver_version")
        ->delimiter(',')
        ->allow_extra_args(false)  // or it would take the files that follow
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("KEY,");
  }

  static void add_percentage(CLI::App& command, const char* name, double& part, double least,
                             double most, const char* description) {
    command
        .add_option_function<std::string>(
            name,
            [name, least, most, &part](const std::string& text) {
              part = parse_percentage(name, text, least, most);
            },
            description)
        ->type_name("P%");
  }

  static void add_limits(CLI::App& command, limits& limits) {
    add_percentage(command, "--threshold", limits.threshold, least_threshold, most_threshold,
                   "the slowdown that matters (default: 2%)");
    add_percentage(command, "--latency-threshold", limits.latency_threshold, least_threshold,
                   most_threshold, "the same if latency decides (default: 5%)");
    add_percentage(command, "--false-alarm", limits.false_alarm, least_false_alarm,
                   most_false_alarm, "probability of any false alarm in a check (default: 1%)");
  }

  static void add_decide_by(CLI::App& command, question& question, const char* usually) {
    command
        .add_option_function<std::vector<std::string>>(
            "--decide-by",
            [&question](const std::vector<std::string>& words) {
              for (const auto& word : words) question.decide_by.insert(parse_class(word));
            },
            fmt::format("classes that decide (default: {})", usually))
        ->delimiter(',')
        ->allow_extra_args(false)  // or it would take the files that follow
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("CLASS,");
  }

  void add_pin() {
    auto& command = add_command("pin", "Make a baseline from the result files of several runs.");
    add_runs(command, pin_.runs);
    command.add_option("--out", pin_.out, "write the baseline here; - prints it alone")
        ->required()
        ->type_name("FILE");
    add_metric(command, pin_.judged_by);
    add_allow_different(command, pin_.permissions.allow_different);
    command.add_flag("--allow-disturbed", pin_.permissions.allow_disturbed,
                     "accept runs that were throttled or whose link changed");
    command.add_flag("--allow-noisy", pin_.permissions.allow_noisy,
                     "accept runs by which the link cannot be judged");
    command
        .add_option("--replaces", pin_.replaces,
                    "the baseline before, to see what got slower (default: that of --out)")
        ->type_name("FILE");
    command.add_flag("--new-line", pin_.new_line,
                     "accept what got slower: compare later baselines with this one");
  }

  void add_check() {
    auto& command = add_command("check", "Compare new runs with a baseline.");
    command.add_option("BASELINE", check_.baseline, "made by pin")->required()->type_name("FILE");
    add_runs(command, check_.runs)->required(false);
    add_limits(command, check_.question.limits);
    command
        .add_option_function<std::string>(
            "--allow-missing",
            [this](const std::string& text) {
              check_.question.allow_missing = valid_expression(text);
            },
            "benchmarks that may be missing, or fail")
        ->type_name("REGEX");
    add_allow_different(command, check_.question.allow_different);
    add_decide_by(command, check_.question, "link, and what can be judged");
    command
        .add_option("--looks", check_.question.limits.looks,
                    "checks that share the rate of false alarms, 1 to 100 (default: 1)")
        ->check(CLI::Range(1, 100).description(""))
        ->type_name("N");
    command
        .add_option("--look-runs", check_.question.look_runs,
                    "runs of each of these checks, by time, 1 to 1000 (default: 3)")
        ->check(CLI::Range(std::size_t{1}, most_runs).description(""))
        ->type_name("N");
    command
        .add_option("--confirm", check_.confirm,
                    "measure suspects again with two programs, in turn")
        ->type_name("COMMAND_A,COMMAND_B");
    command.add_flag("--all", check_.all, "also list benchmarks that are unchanged or not known");
    common::add_json(command, check_.json);
    common::add_markdown(command, check_.markdown);
    common::add_junit(command, check_.junit);
    command.add_flag("--dry-run", check_.dry_run,
                     "without RUN: check only the other arguments (exit code 0 or 2)");
  }

  void add_power() {
    auto& command = add_command("power", "Show how small a slowdown a baseline can find.");
    command.add_option("BASELINE", power_.baseline, "made by pin")->required()->type_name("FILE");
    command
        .add_option_function<std::string>(
            "--runs", [this](const std::string& text) { power_.new_runs = parse_runs(text); },
            "new runs to compare with it (default: 3)")
        ->type_name("N");
    add_limits(command, power_.limits);
  }

  void add_show() {
    auto& command = add_command("show", "Show result files side by side.");
    add_runs(command, show_.runs);
    add_metric(command, show_.judged_by);
  }

  void add_history() {
    auto& command =
        add_command("history", "Follow runs over time, against the first baseline of a line.");
    command.add_option("BASELINE", history_.baseline, "any of the line, made by pin")
        ->required()
        ->type_name("FILE");
    add_runs(command, history_.runs)->required(false);
    add_limits(command, history_.question.limits);
    add_allow_different(command, history_.question.allow_different);
    add_decide_by(command, history_.question, "link, and what can be judged");
    common::add_json(command, history_.json);
  }

  CLI::App app_;
  pin_request pin_;
  check_request check_;
  power_request power_;
  show_request show_;
  history_request history_;
};

}  // namespace

double parse_percentage(const std::string& option, const std::string& text, double least,
                        double most) {
  double percent = 0;
  const auto* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, percent);
  const std::string_view suffix(stopped, end);
  const bool is_percentage = error == std::errc{} && (suffix == "%" || suffix == " %");
  if (!is_percentage || !(percent >= least && percent <= most))
    throw common::usage_error(
        fmt::format("bad {} '{}': a percentage between {}% and {}%, with its sign, "
                    "such as 2%",
                    option, text, least, most));
  return percent / 100;
}

any_request parse_command_line(int argc, const char* const* argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  common::require_values(arguments);
  common::require_command(arguments, {"pin", "check", "power", "show", "history"});
  return command_line().parse(argc, argv);
}

}  // namespace bench_transfers::gate
