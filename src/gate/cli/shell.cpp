#include "src/gate/cli/shell.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <system_error>

namespace bench_transfers::gate {
namespace {

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

/// Blocks signals in this thread, so that sigtimedwait receives them and they do not end the
/// program.
class blocked_signals {
 public:
  explicit blocked_signals(const sigset_t& signals) {
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;

  [[nodiscard]] const sigset_t& before() const noexcept { return before_; }

 private:
  sigset_t before_{};
};

/// Attributes and file actions of posix_spawn, which must be destroyed.
class spawn_settings {
 public:
  spawn_settings(const sigset_t& mask, const std::filesystem::path& messages) {
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &mask);
    const auto ignored_here = set_of({SIGXFSZ});
    posix_spawnattr_setsigdefault(&attributes, &ignored_here);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  }
  ~spawn_settings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  spawn_settings(const spawn_settings&) = delete;
  spawn_settings& operator=(const spawn_settings&) = delete;

  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t actions{};
};

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

int run_in_shell(const std::string& command, const std::vector<std::string>& arguments,
                 const std::filesystem::path& messages) {
  const auto waited_for = set_of({SIGINT, SIGTERM, SIGHUP, SIGCHLD});
  const blocked_signals blocked(waited_for);
  std::vector<std::string> words{"sh", "-c", command + " \"$@\"", "sh"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const spawn_settings settings(blocked.before(), messages);
  pid_t child = 0;
  if (const int error = posix_spawn(&child, "/bin/sh", &settings.actions, &settings.attributes,
                                    pointers.data(), environ);
      error != 0)
    throw std::system_error(error, std::generic_category(), "cannot start a shell");

  int interruption = 0;
  for (int status = 0;;) {
    // Checked twice a second, because several signals of one kind may arrive as one.
    const timespec half_a_second{0, 500'000'000};
    const int signal = sigtimedwait(&waited_for, nullptr, &half_a_second);
    if (signal > 0 && signal != SIGCHLD) {
      interruption = signal;
      kill(-child, signal);
    }
    if (waitpid(child, &status, WNOHANG) != child) continue;
    if (interruption == 0) return code_of(status);
    kill(-child, SIGKILL);  // processes of the group that ignored the signal
    throw interrupted(interruption);
  }
}

}  // namespace bench_transfers::gate
