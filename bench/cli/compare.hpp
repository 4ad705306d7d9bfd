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

/// The same command line, with the word that CLI11 understands in the place of `--`, by which it
/// would only end the options. Of other commands nothing changes.
std::vector<const char*> with_sides_named(std::span<const char* const> arguments);

/// Adds the subcommand. Parsing fills in the request, which must outlive `app`.
CLI::App* add_compare(CLI::App& app, comparison_request& request);

/// Prints how much longer the second side takes, and writes the requested files. Throws usage_error
/// for files that cannot be used or compared, and common::write_error.
void compare_results(const comparison_request& request);

}  // namespace bench_transfers::bench
