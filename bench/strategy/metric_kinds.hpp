#pragma once

#include <optional>
#include <string>

#include "src/result_file/format.hpp"

namespace bench_transfers::bench {

/// A metric in ns; less is better.
result_file::metric time_metric(std::string name, std::string description, bool headline = false);
/// A metric in GB/s (10⁹ bytes per second); more is better.
result_file::metric rate_metric(std::string name, std::string description, bool headline = false);
/// A metric in percent.
result_file::metric share_metric(std::string name, std::string description,
                                 std::optional<result_file::better> preferred = {},
                                 bool headline = false);
/// A metric that is a number of something.
result_file::metric count_metric(std::string name, std::string description,
                                 std::optional<result_file::better> preferred = {});
/// A metric in bytes.
result_file::metric size_metric(std::string name, std::string description);

}  // namespace bench_transfers::bench
