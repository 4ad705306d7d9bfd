#include "bench/cli/processes.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "bench/cli/default_file.hpp"
#include "bench/cli/run.hpp"
#include "bench/harness/interruption.hpp"
#include "bench/harness/progress.hpp"
#include "bench/harness/wall_clock.hpp"
#include "src/common/files.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {
namespace {

constexpr const char* self = "/proc/self/exe";

/// The file that the processes of a run add to, if the run itself keeps none.
class temporary_file {
 public:
  temporary_file() {
    auto folder = (std::filesystem::temp_directory_path() / "bench_transfers-XXXXXX").string();
    if (!mkdtemp(folder.data()))
      throw std::system_error(errno, std::generic_category(), "cannot make " + folder);
    folder_ = folder;
  }
  ~temporary_file() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "run.json"; }

 private:
  std::filesystem::path folder_;
};

template <class Number>
Number take_number(std::string_view& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc{} || length >= text.size() || text[length] != ',')
    throw common::usage_error(fmt::format("bad {}", option_of_process));
  text.remove_prefix(length + 1);
  return number;
}

std::string value_for(const settings& settings, const process_of_run& process,
                      const std::optional<std::chrono::nanoseconds>& left,
                      const std::filesystem::path& file) {
  return fmt::format("{},{},{},{},{}", process.number, process.count, settings.seed,
                     left ? left->count() : -1, file.string());
}

/// How a process ended: by itself, or by a signal.
struct ending {
  exit_code code = next_process;
  int signal = 0;
};

/// Starts this program with one more argument, and passes interruptions on to it.
ending run_process(std::span<char* const> arguments, std::string more) {
  std::vector<char*> pointers(arguments.begin(), arguments.end());
  pointers.push_back(more.data());
  pointers.push_back(nullptr);
  pid_t process = 0;
  const int error = posix_spawn(&process, self, nullptr, nullptr, pointers.data(), environ);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start a process");
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "cannot wait for a process");
    else if (interruption() != 0)
      kill(process, interruption());
  return WIFEXITED(status) ? ending{static_cast<exit_code>(WEXITSTATUS(status))}
                           : ending{exit_code::something_failed, WTERMSIG(status)};
}

/// Why the run ended in the middle.
std::string reason_of(const ending& ended, const process_of_run& process) {
  if (interruption() != 0) return "interrupted";
  return fmt::format("process {} of {} was ended by signal {} ({})", process.number, process.count,
                     ended.signal, strsignal(ended.signal));
}

/// Of a run that no process has ended. Returns the exit code.
exit_code give_up(const ending& ended, const process_of_run& process, const std::string& file) {
  const auto kept =
      file.empty() || process.number == 1
          ? ""
          : fmt::format("; --resume={} goes on with what was measured", common::printable(file));
  common::complain("bench_transfers", reason_of(ended, process) + kept);
  return interruption() != 0 ? common::code_of_signal(interruption()) : exit_code::something_failed;
}

bool has_content(const std::string& file) {
  std::error_code missing;
  return !file.empty() && std::filesystem::file_size(file, missing) > 0 && !missing;
}

}  // namespace

void become_process(const std::string& value, settings& settings) {
  std::string_view rest = value;
  settings.process.number = take_number<int>(rest);
  settings.process.count = take_number<int>(rest);
  // Further from each other than rounds are, whose orders are drawn by it, too.
  constexpr std::uint64_t apart = 1'000'000;
  settings.seed = take_number<std::uint64_t>(rest) +
                  apart * static_cast<std::uint64_t>(settings.process.number - 1);
  if (const auto left = take_number<std::int64_t>(rest); left >= 0)
    settings.time_left = std::chrono::nanoseconds(left);
  settings.file_of_run = rest;
  if (!settings.process.is_last() || settings.display_format.empty())
    settings.out = settings.file_of_run;
  // Nothing waits for it when the one that has started it is gone.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
}

exit_code measure_in_processes(const settings& given, std::span<char* const> arguments) {
  const auto settings = with_result_file(given);
  std::optional<temporary_file> temporary;
  if (settings.out.empty()) temporary.emplace();
  const auto file = temporary ? temporary->path() : std::filesystem::path(settings.out);
  const auto start = wall_clock::now();
  process_of_run process{0, std::min(settings.processes, settings.rounds)};
  ending ended;
  while (ended.code == next_process && interruption() == 0) {
    ++process.number;
    auto left = settings.max_time;
    if (left)
      left = std::max(std::chrono::nanoseconds(0),
                      std::chrono::nanoseconds(*left - (wall_clock::now() - start)));
    ended = run_process(arguments, fmt::format("{}={}", option_of_process,
                                               value_for(settings, process, left, file)));
  }
  if (!settings.chose_out && !has_content(settings.out)) std::remove(settings.out.c_str());
  if (ended.signal != 0 || ended.code == next_process) return give_up(ended, process, settings.out);
  if (ended.code != exit_code::bad_input && says_where(settings) && has_content(settings.out))
    progress(stderr).say("Result file: " + settings.out);
  return ended.code;
}

}  // namespace bench_transfers::bench
