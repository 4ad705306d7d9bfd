#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

namespace bench_transfers::bench {

/// Whose run a result file is of, as far as its beginning tells.
struct told_run {
  nlohmann::json fleet = nullptr;  ///< context.transfers.fleet; null: it is not told
  std::optional<std::chrono::sys_seconds> started = {};
  bool is_complete = false;
  bool is_cut_off = false;  ///< the file is empty, or ends within what precedes the benchmarks
};

/// Reads no more than precedes the benchmarks. What cannot be read tells nothing.
told_run told_by(const std::filesystem::path& file);

}  // namespace bench_transfers::bench
