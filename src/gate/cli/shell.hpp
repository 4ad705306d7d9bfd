#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench_transfers::gate {

/// A signal (SIGINT, SIGTERM, SIGHUP) that came while a command ran, which was given it as well.
class interrupted : public std::runtime_error {
 public:
  explicit interrupted(int number) : std::runtime_error("interrupted"), number_(number) {}
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

/// Runs `sh -c 'COMMAND "$@"'` with these arguments in a process group of its own and waits for it;
/// its output goes to /dev/null, its messages to the file. The exit code, or 128 plus the number of
/// the signal that ended it. Throws interrupted, when the whole group has been told to end and has.
int run_in_shell(const std::string& command, const std::vector<std::string>& arguments,
                 const std::filesystem::path& messages);

}  // namespace bench_transfers::gate
