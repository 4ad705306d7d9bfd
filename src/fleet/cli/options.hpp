#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <vector>

namespace bench_transfers::fleet {

/// 2 is bad input or usage.
enum class exit_code { healthy = 0, named = 1, bad_input = 2, unknown = 3 };

constexpr int number(exit_code code) { return static_cast<int>(code); }

/// An option that counts each time it is given, with one value each time: it would take the file
/// that follows, too.
inline CLI::Option& take_each(CLI::Option& option, const char* type) {
  return *option.allow_extra_args(false)
              ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
              ->type_name(type);
}

inline void add_sweep(CLI::App& options, std::filesystem::path& sweep) {
  options.add_option("SWEEP", sweep, "made by collect")->required()->type_name("FILE");
}

inline void add_references(CLI::App& options, std::vector<std::filesystem::path>& references,
                           const char* description) {
  take_each(*options.add_option("--reference", references, description), "FILE");
}

}  // namespace bench_transfers::fleet
