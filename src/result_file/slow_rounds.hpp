#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "src/common/message.hpp"
#include "src/result_file/control_chart.hpp"

// What a file says of the rounds that sentinels were outside their control limits in.

namespace bench_transfers::result_file {

/// The warning `rounds_slowed`; none if there are no such rounds. `judged`: how many could be.
std::optional<common::message> warning_of(std::span<const slow_round> slow, std::size_t judged);

/// Marks rows of a file, with the code `slow_round`.
class slow_round_marks {
 public:
  /// `facts`: context.transfers, which outlives it.
  slow_round_marks(const nlohmann::ordered_json& facts, std::span<const slow_round> slow);

  /// Gives the row the mark if it is a repetition of a slow round and of a class that the sentinel
  /// stands for, and takes it away otherwise.
  void apply(nlohmann::ordered_json& row);

 private:
  struct known_benchmark {
    benchmark_class limited_by;
    std::set<std::size_t> devices;
  };
  [[nodiscard]] bool is_slow(const nlohmann::ordered_json& row);

  const nlohmann::ordered_json& facts_;
  std::span<const slow_round> slow_;
  bool on_host_;
  std::map<std::string, known_benchmark, std::less<>> known_;
};

}  // namespace bench_transfers::result_file
