#include "src/gate/cli/confirm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <boost/math/special_functions/binomial.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "src/common/printable.hpp"
#include "src/gate/cli/shell.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/gate/report/wording.hpp"
#include "src/statistics/holm.hpp"
#include "src/statistics/location.hpp"
#include "src/statistics/rank_test.hpp"

namespace bench_transfers::gate {
namespace {

namespace files = std::filesystem;

/// A folder that goes when it is no longer needed.
class temporary_folder {
 public:
  temporary_folder() {
    auto name = (files::temp_directory_path() / "gate_transfers-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw bad_input("cannot make a folder for temporary files");
    path_ = name;
  }
  ~temporary_folder() {
    std::error_code ignored;
    files::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  [[nodiscard]] const files::path& path() const noexcept { return path_; }

 private:
  files::path path_;
};

/// The name as a regular expression that fits nothing else.
std::string escaped(const std::string& name) {
  std::string text;
  for (const char one : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(one) != std::string_view::npos) text += '\\';
    text += one;
  }
  return text;
}

/// What a command said last, for a message.
std::string last_line(const files::path& messages) {
  std::ifstream in(messages);
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  return last.empty() ? "" : ": " + common::printable_in_short(last);
}

/// Enough processes of each for the least p that so many suspects ask for, twice over.
std::size_t rounds_for(std::size_t suspects, double false_alarm) {
  for (std::size_t rounds = least_confirm_rounds; rounds < most_confirm_rounds; ++rounds) {
    const auto each = static_cast<unsigned>(2 * rounds);
    if (2 * static_cast<double>(suspects) /
            boost::math::binomial_coefficient<double>(2 * each, each) <
        false_alarm)
      return rounds;
  }
  return most_confirm_rounds;
}

/// What was measured must be what the check was about, the same each time, and measured anew.
void require_alike(const report& answer, const std::vector<run>& measured) {
  const auto& first = measured.front();
  for (const auto& one : measured) {
    if (one.on_host != answer.on_host || one.device != answer.device)
      throw bad_input(fmt::format("--confirm measured on {}, the check is about {}",
                                  device_text(one.device, one.on_host),
                                  device_text(answer.device, answer.on_host)));
    if (const auto other = differences(first.machine, one.machine); !other.empty())
      throw bad_input(
          fmt::format("the programs of --confirm do not measure alike: {} is '{}' and '{}'",
                      other.front().key, other.front().before, other.front().after));
  }
  require_comparable(measured);
}

/// Costs of one suspect with both programs, by process.
struct duel {
  std::vector<double> before, after;
  std::size_t missing = 0;
};

}  // namespace

programs parse_programs(const std::string& text) {
  std::optional<std::size_t> comma;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '\'' || text[i] == '"') {
      quote = text[i];
    } else if (text[i] == ',') {
      if (comma)
        throw bad_input(
            "--confirm has several commas: put what contains one in quotes, or in a script");
      comma = i;
    }
  }
  if (!comma || *comma == 0 || *comma + 1 == text.size())
    throw bad_input("--confirm needs two commands, COMMAND_A,COMMAND_B");
  return {text.substr(0, *comma), text.substr(*comma + 1)};
}

measure_once measure_with_shell(const metric& judged_by) {
  return [judged_by](const std::string& command, const std::vector<std::string>& benchmarks) {
    const temporary_folder folder;
    const auto file = folder.path() / "result.json";
    const auto messages = folder.path() / "messages.txt";
    std::vector<std::string> names;
    for (const auto& one : benchmarks) names.push_back(escaped(one));
    const int code =
        run_in_shell(command,
                     {fmt::format("--benchmark_filter=^({})$", fmt::join(names, "|")),
                      "--benchmark_out=" + file.string(), "--benchmark_out_format=json"},
                     messages);
    // 1: a benchmark failed, which its rows say.
    if (code > 1 || !files::exists(file))
      throw bad_input(
          fmt::format("the command of --confirm '{}' {}{}", command,
                      code > 1 ? fmt::format("ended with {}", code) : "has written no result file",
                      last_line(messages)));
    return read_run(file, judged_by);
  };
}

void confirm(report& answer, const programs& both, const measure_once& measure,
             const std::function<void(std::size_t, std::size_t)>& progress) {
  std::vector<line*> suspects;
  std::vector<std::string> names;
  for (auto& one : answer.lines)
    if (one.found == verdict::slower || one.found == verdict::ambiguous) {
      suspects.push_back(&one);
      names.push_back(one.name);
    }
  if (suspects.empty()) return;

  const auto rounds = rounds_for(suspects.size(), answer.asked.allowed.false_alarm);
  std::vector<duel> duels(suspects.size());
  std::vector<run> measured;
  for (std::size_t round = 0; round < rounds; ++round)
    for (const bool is_after : {false, true, true, false}) {
      progress(measured.size(), 4 * rounds);
      measured.push_back(measure(is_after ? both.after : both.before, names));
      require_alike(answer, measured);
      for (std::size_t i = 0; i < suspects.size(); ++i) {
        const auto found = measured.back().benchmarks.find(names[i]);
        const auto value = found == measured.back().benchmarks.end()
                               ? std::nullopt
                               : figure_of(found->second, answer.judged_by);
        if (value)
          (is_after ? duels[i].after : duels[i].before).push_back(cost(*value, answer.judged_by));
        else
          ++duels[i].missing;
      }
    }
  progress(measured.size(), 4 * rounds);

  // That a suspect is slower at all, and that it is not slower by the threshold.
  std::vector<double> p_slower;
  std::vector<double> p_not_slower;
  for (std::size_t i = 0; i < duels.size(); ++i) {
    auto& [before, after, missing] = duels[i];
    p_slower.push_back(missing > 0 ? 1 : statistics::rank_test(before, after));
    auto least = before;
    for (auto& one : least) one += std::log1p(suspects[i]->threshold);
    p_not_slower.push_back(missing > 0 ? 1 : statistics::rank_test(after, least));
  }
  p_slower = statistics::holm_adjusted(p_slower);
  p_not_slower = statistics::holm_adjusted(p_not_slower);
  const double false_alarm = answer.asked.allowed.false_alarm;
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    auto& suspect = *suspects[i];
    if (duels[i].missing > 0) {
      suspect.note = "could not be measured again with both programs";
      continue;
    }
    const double shift =
        statistics::location(duels[i].after) - statistics::location(duels[i].before);
    if (slowdown(shift) > suspect.threshold && p_slower[i] < false_alarm)
      suspect.found = verdict::slower;
    else if (slowdown(shift) <= suspect.threshold && p_not_slower[i] < false_alarm)
      suspect.found = verdict::same;
    else
      suspect.found = verdict::ambiguous;
    suspect.note =
        fmt::format("in turn: {}, p {}", signed_percent_text(slowdown(shift)), p_text(p_slower[i]));
  }
  answer.notes.push_back(fmt::format(
      "{} measured again, {} runs of each program in turn; the verdict on them is from these",
      counted(suspects.size(), "suspect was", "suspects were"), 2 * rounds));
  conclude(answer);
}

}  // namespace bench_transfers::gate
