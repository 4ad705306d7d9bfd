#pragma once

#include <filesystem>
#include <span>
#include <vector>

namespace CLI {
class App;
}

namespace bench_transfers::bench {

/// The command line of `bench_transfers compare`.
struct comparison_request {
  std::vector<std::filesystem::path> first;   ///< without `second`: two files, one of each side
  std::vector<std::filesystem::path> second;  ///< behind -- or --with
  std::filesystem::path json, markdown;       ///< empty: none; "-": standard output
};

/// The option that stands for `--` between both sides.
inline constexpr const char* second_side = "--with";

/// Adds the subcommand. Parsing fills in the request, which must outlive `app`.
CLI::App* add_compare(CLI::App& app, comparison_request& request);

/// Prints how much longer the second side takes, and writes the requested files. Throws usage_error
/// for files that cannot be used or compared, and common::write_error.
void compare_results(const comparison_request& request);

}  // namespace bench_transfers::bench
