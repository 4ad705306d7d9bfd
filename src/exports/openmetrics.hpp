#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench_transfers::exports {

/// Gauges alone, which OpenMetrics and the older text format of Prometheus write alike.
class openmetrics {
 public:
  using label = std::pair<const char*, std::string>;

  /// With a time, each sample has it as its timestamp.
  explicit openmetrics(std::optional<std::chrono::sys_seconds> time = {});

  /// The samples that follow belong to this gauge. No name may begin twice.
  void begin(const char* name, const char* help);
  void add(const std::vector<label>& labels, double value);
  /// The exposition, which ends with `# EOF`. To be called once.
  std::string text();

 private:
  std::string timestamp_;  ///< with the space before it, or empty
  const char* name_ = "";
  std::string text_;
};

}  // namespace bench_transfers::exports
