#include "bench/cli/resume.hpp"

#include "src/common/files.hpp"

namespace bench_transfers::bench {

resumption::resumption(const std::filesystem::path& file, const std::filesystem::path& out)
    : claim_(file), claim_of_out_(common::is_same_file(file, out) ? "" : out), earlier_(file) {}

std::vector<std::string> resumed_arguments(const std::vector<std::string>& arguments,
                                           const earlier_run& earlier) {
  std::vector<std::string> resumed{arguments.front()};
  resumed.insert(resumed.end(), earlier.options().begin(), earlier.options().end());
  resumed.insert(resumed.end(), arguments.begin() + 1, arguments.end());
  return resumed;
}

}  // namespace bench_transfers::bench
