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
#include <utility>
#include <vector>

#include "bench/cli/default_file.hpp"
#include "bench/cli/run.hpp"
#include "bench/harness/interruption.hpp"
#include "bench/harness/progress.hpp"
#include "bench/harness/wall_clock.hpp"
#include "src/claims/file_claim.hpp"
#include "src/common/program.hpp"

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
  return fmt::format("{},{},{},{},{},{}", getpid(), process.number, process.count, settings.seed,
                     left ? left->count() : -1, file.string());
}

bool has_content(const std::string& file) {
  std::error_code missing;
  return !file.empty() && std::filesystem::file_size(file, missing) > 0 && !missing;
}

/// Removes the new file of a run without --out if nothing was measured.
class removed_if_empty {
 public:
  explicit removed_if_empty(const settings& settings) : settings_(settings) {}
  ~removed_if_empty() {
    if (!settings_.chose_out && !has_content(settings_.out)) std::remove(settings_.out.c_str());
  }
  removed_if_empty(const removed_if_empty&) = delete;
  removed_if_empty& operator=(const removed_if_empty&) = delete;

 private:
  const settings& settings_;
};

/// How a process ended: by itself, or by a signal.
struct ending {
  exit_code code = next_process;
  int signal = 0;
};

/// Holds interruptions back except in wait(): none gets lost between a look for one and the wait.
class held_signals {
 public:
  held_signals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
    struct sigaction noticed {};
    noticed.sa_handler = [](int) {};
    sigaction(SIGCHLD, &noticed, &of_children_);
  }
  ~held_signals() {
    sigaction(SIGCHLD, &of_children_, nullptr);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  held_signals(const held_signals&) = delete;
  held_signals& operator=(const held_signals&) = delete;

  void wait() const { sigsuspend(&before_); }
  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
  struct sigaction of_children_ {};
};

pid_t spawn(std::vector<char*> arguments, const sigset_t& mask) {
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &mask);
  pid_t process = 0;
  const int error = posix_spawn(&process, self, nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    throw std::system_error(error, std::generic_category(), fmt::format("cannot start {}", self));
  return process;
}

/// Starts this program with one more argument, and passes an interruption on to it.
ending run_process(std::span<char* const> arguments, std::string more) {
  std::vector<char*> pointers(arguments.begin(), arguments.end());
  pointers.push_back(more.data());
  const held_signals held;
  const auto process = spawn(std::move(pointers), held.before());
  int status = 0;
  bool is_told = false;
  for (pid_t ended = 0; (ended = waitpid(process, &status, WNOHANG)) != process;) {
    if (ended < 0)
      throw std::system_error(errno, std::generic_category(), "cannot wait for a process");
    if (interruption() != 0 && !std::exchange(is_told, true)) kill(process, interruption());
    held.wait();
  }
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
      has_content(file) ? fmt::format("; --resume={} goes on with what was measured", file) : "";
  common::complain("bench_transfers", reason_of(ended, process) + kept);
  return interruption() != 0 ? common::code_of_signal(interruption()) : exit_code::something_failed;
}

/// Of a run whose file somebody else has removed: the next process has nothing to add to.
exit_code lose(const process_of_run& process, const std::filesystem::path& file) {
  common::complain("bench_transfers",
                   fmt::format("{} is gone after process {} of {}: what the run had measured is "
                               "lost; measure it anew",
                               file.string(), process.number, process.count));
  return exit_code::something_failed;
}

}  // namespace

void become_process(const std::string& value, settings& settings) {
  std::string_view rest = value;
  const auto parent = take_number<pid_t>(rest);
  auto& process = settings.process;
  process.number = take_number<int>(rest);
  process.count = take_number<int>(rest);
  // Nothing waits for it when the one that has started it is gone.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const bool is_possible = process.number >= 1 && process.number <= process.count &&
                           process.count <= most_processes && process.count <= settings.rounds;
  if (getppid() != parent || !is_possible)
    throw common::usage_error(fmt::format("{} is for the processes of a run", option_of_process));
  // Further from each other than rounds are, whose orders are drawn by it, too.
  constexpr std::uint64_t apart = 1'000'000;
  settings.seed = take_number<std::uint64_t>(rest) +
                  apart * static_cast<std::uint64_t>(settings.process.number - 1);
  if (const auto left = take_number<std::int64_t>(rest); left >= 0)
    settings.time_left = std::chrono::nanoseconds(left);
  settings.file_of_run = rest;
  if (!settings.process.is_last() || settings.display_format.empty())
    settings.out = settings.file_of_run;
}

exit_code measure_in_processes(const settings& given, std::span<char* const> arguments) {
  const auto settings = with_result_file(given);
  std::optional<temporary_file> temporary;
  if (settings.out.empty()) temporary.emplace();
  const removed_if_empty removed(settings);
  const claims::file_claim claim(settings.out);  // also between two processes
  const auto file = temporary ? temporary->path() : std::filesystem::path(settings.out);
  const auto start = wall_clock::now();
  process_of_run process{0, std::min(settings.processes, settings.rounds)};
  ending ended;
  while (ended.code == next_process && interruption() == 0) {
    if (process.number > 0 && !has_content(file.string())) return lose(process, file);
    ++process.number;
    auto left = settings.max_time;
    if (left)
      left = std::max(std::chrono::nanoseconds(0),
                      std::chrono::nanoseconds(*left - (wall_clock::now() - start)));
    ended = run_process(arguments, fmt::format("{}={}", option_of_process,
                                               value_for(settings, process, left, file)));
  }
  if (ended.signal != 0 || ended.code == next_process) return give_up(ended, process, settings.out);
  if (ended.code != exit_code::bad_input && says_where(settings) && has_content(settings.out))
    progress(stderr).say("Result file: " + settings.out);
  return ended.code;
}

}  // namespace bench_transfers::bench
