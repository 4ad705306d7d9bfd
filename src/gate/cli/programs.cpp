#include "src/gate/cli/programs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "src/common/text.hpp"
#include "src/gate/cli/shell.hpp"
#include "src/gate/io/read_run.hpp"
#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::gate {
namespace {

namespace files = std::filesystem;

/// A folder that the destructor removes.
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

/// The name as a regular expression that matches nothing else.
std::string escaped(const std::string& name) {
  std::string text;
  for (const char letter : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(letter) != std::string_view::npos) text += '\\';
    text += letter;
  }
  return text;
}

/// The last line that a command wrote, for a message.
std::string last_line(const files::path& messages) {
  std::ifstream in(messages);
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  return last.empty() ? "" : ": " + common::printable_in_short(last);
}

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
    names.reserve(benchmarks.size());
    for (const auto& name : benchmarks) names.push_back(escaped(name));
    const int code =
        run_in_shell(command,
                     {fmt::format("--benchmark_filter=^({})$", fmt::join(names, "|")),
                      "--benchmark_out=" + file.string(), "--benchmark_out_format=json"},
                     messages);
    // 1: a benchmark failed; its rows say so.
    if (code > 1 || !files::exists(file))
      throw bad_input(
          fmt::format("the command of --confirm '{}' {}{}", command,
                      code > 1 ? fmt::format("ended with {}", code) : "has written no result file",
                      last_line(messages)));
    return std::move(read_runs(file, judged_by).front());  // these flags are those of one process
  };
}

}  // namespace bench_transfers::gate
