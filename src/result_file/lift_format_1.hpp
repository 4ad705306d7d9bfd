#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "src/common/message.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::result_file {

/// Makes a file of format 1 one of format 2. Only here a benchmark's name is taken apart, and a
/// sentence recognised by its beginning; what is known of them is in format_1.json.
class format_1_lift {
 public:
  /// `facts`: context.transfers of format 1.
  explicit format_1_lift(const nlohmann::ordered_json& facts);

  /// What a benchmark of this name is.
  [[nodiscard]] benchmark described(const std::string& name) const;

  /// context.transfers as format 2 has it, without benchmarks, roles and metrics.
  [[nodiscard]] nlohmann::ordered_json facts() const;

  /// All that a benchmark can have, and "other".
  [[nodiscard]] std::map<std::string, role> roles() const;
  [[nodiscard]] std::map<std::string, metric> metrics() const;

 private:
  const nlohmann::ordered_json& known_;  ///< format_1.json
  nlohmann::ordered_json facts_;
};

}  // namespace bench_transfers::result_file
