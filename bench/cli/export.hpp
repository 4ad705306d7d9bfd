#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench_transfers::bench {

/// The command line of `bench_transfers export`.
struct export_request {
  std::vector<std::filesystem::path> files;
  std::string format;
  std::filesystem::path out = "-";  ///< "-": standard output
};

/// Adds the subcommand. Parsing fills in the request, which must outlive `app`.
CLI::App* add_export(CLI::App& app, export_request& request);

/// Writes the values of the files in another program's format. Throws usage_error for files and
/// options that cannot be used, and common::write_error.
void export_results(const export_request& request);

}  // namespace bench_transfers::bench
