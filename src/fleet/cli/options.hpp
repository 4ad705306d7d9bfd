#pragma once

#include <filesystem>
#include <vector>

#include "src/command/command.hpp"
#include "src/command/options.hpp"

namespace bench_transfers::fleet {

using common::exit_code;

inline void add_sweep(CLI::App& options, std::filesystem::path& sweep) {
  options.add_option("SWEEP", sweep, "made by collect")->required()->type_name("FILE");
}

inline void add_references(CLI::App& options, std::vector<std::filesystem::path>& references,
                           const char* description) {
  commands::take_each(*options.add_option("--reference", references, description), "FILE");
}

}  // namespace bench_transfers::fleet
