#pragma once

#include <string>

namespace bench_transfers::bench {

/// The end of --help, behind the options. `is_fleet`: of `bench_transfers fleet`.
std::string footer_of_help(bool is_fleet);

/// The answer of --version.
std::string version_text();

}  // namespace bench_transfers::bench
