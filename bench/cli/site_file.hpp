#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench_transfers::bench {

struct site_default {
  std::string option;  ///< "--profile=quick"
  std::size_t line;    ///< from 1, where the file has it
};

/// The defaults of whoever runs a machine, for all runs there.
struct site_defaults {
  std::filesystem::path file;
  std::vector<site_default> defaults;  ///< each option once
};

/// What TRANSFERS_SITE_FILE names, or /etc/bench_transfers.conf if that variable is not set; none:
/// the variable is empty, or there is no such file. Throws usage_error for a file that cannot be
/// read or sets another option than the allowed ones.
std::optional<site_defaults> read_site_file(const std::vector<std::string>& allowed);

/// Throws usage_error, which names the file and the line, if it is about one.
[[noreturn]] void refuse_site_file(const std::filesystem::path& file,
                                   std::optional<std::size_t> line, std::string_view why);

/// Sets the options that neither the command line nor a variable sets. Returns those.
std::vector<std::string> apply(const site_defaults& site, CLI::App& app);

}  // namespace bench_transfers::bench
