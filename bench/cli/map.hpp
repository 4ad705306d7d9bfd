#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace bench_transfers::bench {

/// The command line of `bench_transfers map`.
struct map_request {
  std::string device = "all";
  std::string size;           ///< of each copy, as common::parse_size takes it; empty: by itself
  std::filesystem::path out;  ///< empty: none
};

/// Sets of copies that were measured for a map.
struct map_outcome {
  std::size_t measured = 0, skipped = 0;
  int signal = 0;  ///< that interrupted it, 0 for none
};

/// Adds the subcommand. Parsing fills in the request, which must outlive `app`.
CLI::App* add_map(CLI::App& app, map_request& request);

/// Measures which links the devices share, prints the map, and writes it if that is requested.
/// Throws usage_error for devices, sizes and files that cannot be used, and common::write_error.
map_outcome map_host(const map_request& request);

}  // namespace bench_transfers::bench
