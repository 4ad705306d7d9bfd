#include "src/gate/cli/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "src/command/options.hpp"
#include "src/common/program.hpp"

namespace bench_transfers::gate {
namespace {

constexpr double least_threshold = 0.01;
constexpr double most_threshold = 1000;
constexpr double least_false_alarm = 0.001;
constexpr double most_false_alarm = 50;

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

bool parse_fastest(const std::string& figure) {
  if (figure != "median" && figure != "fastest")
    throw common::usage_error(fmt::format("bad --of-repetitions '{}': median or fastest", figure));
  return figure == "fastest";
}

benchmark_class parse_class(const std::string& word) {
  const auto kind = benchmark_class_from(word);
  if (!kind)
    throw common::usage_error(
        fmt::format("bad --decide-by '{}': link, host, latency or other", word));
  return *kind;
}

/// A comma-separated option that may be repeated, of which `take` gets each word.
template <class Take>
void add_words(CLI::App& command, const char* name, const char* type, const char* description,
               Take take) {
  auto& option = *command.add_option_function<std::vector<std::string>>(
      name,
      [take](const std::vector<std::string>& words) {
        for (const auto& word : words) take(word);
      },
      description);
  commands::take_each(option, type).delimiter(',');
}

void add_percentage(CLI::App& command, const char* name, double& part, double least, double most,
                    const char* description) {
  command
      .add_option_function<std::string>(
          name,
          [name, least, most, &part](const std::string& text) {
            part = parse_percentage(name, text, least, most);
          },
          description)
      ->type_name("P%");
}

}  // namespace

void add_baseline(CLI::App& command, std::filesystem::path& baseline, const char* description) {
  command.add_option("BASELINE", baseline, description)->required()->type_name("FILE");
}

CLI::Option& add_runs(CLI::App& command, paths& runs) {
  return commands::add_files(command, "RUN", runs,
                             "result files; each of their processes is a run");
}

void add_metric(CLI::App& command, metric_request& request) {
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
            request.judged_by.fastest_repetition = parse_fastest(figure);
          },
          "the figure of a run: median (the default) or fastest")
      ->type_name("WHICH");
}

void add_allow_different(CLI::App& command, std::set<std::string>& keys) {
  add_words(command, "--allow-different", "KEY,",
            "facts of the machine that may differ, such as device.driver_version",
            [&keys](const std::string& key) { keys.insert(key); });
}

void add_limits(CLI::App& command, limits& limits) {
  add_percentage(command, "--threshold", limits.threshold, least_threshold, most_threshold,
                 "the slowdown that matters (default: 2%)");
  add_percentage(command, "--latency-threshold", limits.latency_threshold, least_threshold,
                 most_threshold, "the same if latency decides (default: 5%)");
  add_percentage(command, "--false-alarm", limits.false_alarm, least_false_alarm, most_false_alarm,
                 "probability of any false alarm in a check (default: 1%)");
}

void add_decide_by(CLI::App& command, question& question) {
  add_words(command, "--decide-by", "CLASS,",
            "classes that decide (default: link, and what can be judged)",
            [&question](const std::string& word) { question.decide_by.insert(parse_class(word)); });
}

commands::offers metrics_offered() {
  return {{"--judge-by", {"real_time", "gb_per_s"}}, {"--of-repetitions", {"median", "fastest"}}};
}

commands::offers classes_offered() {
  return {{"--decide-by", {"link", "host", "latency", "other"}}};
}

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

}  // namespace bench_transfers::gate
