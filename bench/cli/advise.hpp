#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench_transfers::bench {

/// The command line of `bench_transfers advise`.
struct advice_request {
  std::string role = "copy";  ///< of the benchmarks that are ranked
  /// A size as common::parse_size takes it; of copies also several, as common::parse_sizes takes
  /// them; empty: no ranking.
  std::string bytes;
  /// "h2d" or "d2h"; of copies also "h2d,d2h", of other roles "both", "none"; empty: all.
  std::string direction;
  std::vector<std::int64_t> reuses{1};
  std::optional<double> cpu_writes, cpu_reads;  ///< empty: the usual value for the direction
  std::filesystem::path source;                 ///< empty: the newest local result
  std::string device;                           ///< id of one of its devices; empty: the first
  std::filesystem::path json, map;              ///< empty: none
  std::string devices;  ///< "all" or devices of a host map, "cuda:0,2-3"; empty: no copies at once
  std::filesystem::path host_map;  ///< what `bench_transfers map` wrote
  bool check = false;
  bool allow_host = false;
};

/// A result file was read, but nothing in it can be ranked; what() is one line. Exit code 3.
class nothing_to_rank : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Adds the subcommand. Parsing fills in the request, which must outlive `app`.
CLI::App* add_advise(CLI::App& app, advice_request& request);

/// Throws usage_error, which says the right spelling, if arguments that `advise` does not take are
/// values without their options: "64MiB".
void refuse_values_of_no_option(const std::vector<std::string>& arguments);

/// Throws usage_error, with one line, for missing, invalid or contradictory options.
void check_advice_request(const advice_request& request, const CLI::App& command);

/// Answers from a result file: writes the requested files, and prints. Returns whether everything
/// that was asked has an answer. Throws usage_error for an invalid result file or an output path
/// that cannot be written, nothing_to_rank, and common::write_error.
bool advise(const advice_request& request);

}  // namespace bench_transfers::bench
