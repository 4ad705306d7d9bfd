#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "src/common/message.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::result_file {

/// Converts a file of format 1 to format 2. Only this class parses a benchmark's name and
/// recognises a sentence by its beginning; format_1.json lists both.
class format_1_lift {
 public:
  /// `facts`: context.transfers of format 1.
  explicit format_1_lift(const nlohmann::ordered_json& facts);

  /// The benchmark of this name.
  [[nodiscard]] benchmark described(const std::string& name) const;

  /// context.transfers of format 2 without benchmarks, roles and metrics.
  [[nodiscard]] nlohmann::ordered_json facts() const;

  /// All known roles, and "other".
  [[nodiscard]] std::map<std::string, role> roles() const;
  [[nodiscard]] std::map<std::string, metric> metrics() const;

 private:
  const nlohmann::ordered_json& known_;  ///< format_1.json
  nlohmann::ordered_json facts_;
  std::map<std::string, std::string> memory_;  ///< that the file says a strategy uses, by its name
};

}  // namespace bench_transfers::result_file
