#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "src/result_file/format.hpp"

namespace bench_transfers::advice {

/// How benchmarks of a role compare.
struct role_rules {
  std::string_view role;
  /// Benchmarks that differ in it do different jobs.
  std::optional<std::string> result_file::benchmark::*apart = &result_file::benchmark::setting;
  std::string_view time = "median_ns";
  bool counts_memory = true;           ///< whether what its memory costs is part of the answers
  std::string_view rate_of_loss = {};  ///< the metric of which a loss is a part
  std::string_view read_again = {};    ///< the time in which the CPU reads the memory afterwards
};

role_rules rules_of(std::string_view role);

/// Whether benchmarks of the role are alternatives to each other. Those of a role that is not known
/// here are.
bool has_alternatives(std::string_view role);
/// Whether a benchmark is of such a role, on this device alone, with warm caches and a size.
bool is_rankable(const result_file::benchmark& described, std::size_t device);

/// "overlap/pinned/chosen": a variant is part of it unless it only says the direction, or the job.
std::string strategy_of(const result_file::benchmark& described, const role_rules& rules);

/// Whether a metric is what a strategy takes from others: a number of cores or multiprocessors, or
/// a part of a rate. And the rate itself.
bool is_price(const result_file::metric& metric, const role_rules& rules);

}  // namespace bench_transfers::advice
