#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "src/common/text.hpp"
#include "src/result_file/contents.hpp"

namespace bench_transfers::result_file {

/// How much of it is shown.
enum class detail {
  all,
  /// Of what moves data in one direction the first table, where strategies that are alike share a
  /// row; the other tables where there is nothing of this. How many notes there are, and failures.
  brief
};

/// Tables of a result file's content for a terminal of so many columns, chosen by the benchmarks'
/// roles: a row for each strategy with its latency at the smallest size and its bandwidth at the
/// largest, in both directions, as medians over the repetitions of median_ns. The best of each
/// column, and values within 1 % of it, are marked. Names the device and its link, and what was
/// skipped or went wrong. Of few strategies every size is shown. The file must be one of
/// bench_transfers.
std::string summary(const contents& read, std::size_t columns = common::terminal_columns,
                    detail shown = detail::all);

/// The same of what is about to be written. Throws unusable_file where a reader would refuse it.
std::string summary(const nlohmann::ordered_json& document,
                    std::size_t columns = common::terminal_columns, detail shown = detail::all);

}  // namespace bench_transfers::result_file
