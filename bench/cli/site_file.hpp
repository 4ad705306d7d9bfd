#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bench_transfers::bench {

/// The defaults of whoever runs a machine, for all runs there.
struct site_defaults {
  std::filesystem::path file;
  std::vector<std::string> options;  ///< "--profile=quick", each once
};

/// What TRANSFERS_SITE_FILE names, or /etc/bench_transfers.conf if that variable is not set; none:
/// the variable is empty, or there is no such file. Throws usage_error for a file that cannot be
/// read or has something that is no default of a site.
std::optional<site_defaults> read_site_file();

/// Sets the options that neither the command line nor a variable sets. Returns those.
std::vector<std::string> apply(const site_defaults& site, CLI::App& app);

}  // namespace bench_transfers::bench
