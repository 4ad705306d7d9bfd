#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace bench_transfers::common {

/// Options of bench_transfers that choose what is measured and how. A result file and a baseline
/// keep these, and no others: with them another run measures the same.
inline constexpr std::array<std::string_view, 11> measuring_options{
    "--device",
    "--profile",
    "--sizes",
    "--cold-sizes",
    "--cache",
    "--strategies",
    "--concurrent",
    "--benchmark_filter",
    "--benchmark_repetitions",
    "--benchmark_min_time",
    "--benchmark_enable_random_interleaving"};

/// Whether it is one of them with a value, "--profile=quick".
inline bool is_measuring_option(std::string_view option) {
  const auto end = option.find('=');
  return end != std::string_view::npos &&
         std::ranges::find(measuring_options, option.substr(0, end)) != measuring_options.end();
}

}  // namespace bench_transfers::common
