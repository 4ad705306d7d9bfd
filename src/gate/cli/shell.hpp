#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench_transfers::gate {

/// A signal (SIGINT, SIGTERM, SIGHUP) arrived while a command ran, and was passed on to it.
class interrupted : public std::runtime_error {
 public:
  explicit interrupted(int number) : std::runtime_error("interrupted"), number_(number) {}
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

/// Runs `sh -c 'COMMAND "$@"'` with these arguments in its own process group and waits for it. Its
/// standard output goes to /dev/null, its standard error to the file `messages`. Returns the exit
/// code, or 128 plus the number of the signal that ended it. Throws interrupted after the whole
/// group has ended.
int run_in_shell(const std::string& command, const std::vector<std::string>& arguments,
                 const std::filesystem::path& messages);

}  // namespace bench_transfers::gate
