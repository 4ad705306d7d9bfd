#pragma once

#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace bench_transfers::bench {

/// The command line of `bench_transfers import`.
struct import_request {
  std::filesystem::path file;
  std::string format = "nvbandwidth";
  std::string buffer_size;          ///< of each copy; empty: what the other program uses
  std::filesystem::path out = "-";  ///< "-": standard output
};

/// Adds the subcommand. Parsing fills in the request, which must outlive `app`.
CLI::App* add_import(CLI::App& app, import_request& request);

/// Writes another program's results as a result file. Throws usage_error for files and options
/// that cannot be used, and common::write_error.
void import_results(const import_request& request);

}  // namespace bench_transfers::bench
