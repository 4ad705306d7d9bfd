#include "gate/confirm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "gate/baseline.hpp"
#include "gate/wording.hpp"
#include "statistics/holm.hpp"
#include "statistics/location.hpp"
#include "statistics/rank_test.hpp"

namespace gate {
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

/// As one word of a shell's command.
std::string in_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char one : text) quoted += one == '\'' ? std::string("'\\''") : std::string(1, one);
  return quoted + "'";
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
    std::vector<std::string> names;
    for (const auto& one : benchmarks) names.push_back(escaped(one));
    const auto filter = fmt::format("--benchmark_filter=^({})$", fmt::join(names, "|"));
    const auto line = fmt::format("{} {} {} >/dev/null 2>&1", command, in_quotes(filter),
                                  in_quotes("--benchmark_out=" + file.string()));
    const int status = std::system(line.c_str());
    const bool ended = status != -1 && WIFEXITED(status);
    if (!ended || WEXITSTATUS(status) > 1)
      throw bad_input(fmt::format(
          "'{}' {}", command,
          ended ? fmt::format("ended with {}", WEXITSTATUS(status)) : "did not end by itself"));
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

  std::vector<duel> duels(suspects.size());
  std::size_t done = 0;
  for (std::size_t round = 0; round < confirm_rounds; ++round)
    for (const bool is_after : {false, true, true, false}) {
      progress(done++, 4 * confirm_rounds);
      const auto result = measure(is_after ? both.after : both.before, names);
      for (std::size_t i = 0; i < suspects.size(); ++i) {
        const auto found = result.benchmarks.find(names[i]);
        const auto value = found == result.benchmarks.end()
                               ? std::nullopt
                               : figure_of(found->second, answer.judged_by);
        if (value)
          (is_after ? duels[i].after : duels[i].before).push_back(cost(*value, answer.judged_by));
        else
          ++duels[i].missing;
      }
    }
  progress(done, 4 * confirm_rounds);

  std::vector<double> p;
  for (const auto& one : duels)
    p.push_back(one.missing > 0 ? 1 : statistics::rank_test(one.before, one.after));
  p = statistics::holm_adjusted(p);
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    auto& suspect = *suspects[i];
    if (duels[i].missing > 0) {
      suspect.note = "could not be measured again with both programs";
      continue;
    }
    const double shift =
        statistics::location(duels[i].after) - statistics::location(duels[i].before);
    const bool counts = slowdown(shift) > suspect.threshold;
    const bool sure = p[i] < answer.asked.allowed.false_alarm;
    suspect.found = !counts ? verdict::same : sure ? verdict::slower : verdict::ambiguous;
    suspect.note =
        fmt::format("in turn: {}, {}", signed_percent_text(slowdown(shift)), p_text(p[i]));
  }
  answer.notes.push_back(fmt::format(
      "{} measured again, {} runs of each program in turn; the verdict on them is from these",
      counted(suspects.size(), "suspect was", "suspects were"), 2 * confirm_rounds));
  conclude(answer);
}

}  // namespace gate
