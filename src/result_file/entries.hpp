#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "src/common/message.hpp"
#include "src/result_file/format.hpp"

// Entries of context.transfers, read strictly: the other way round than to_json.

namespace bench_transfers::result_file {

/// Something in a file is not as it must be; what() is the reason alone, one line.
class bad_entry : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// About a benchmark.
bad_entry bad_benchmark(std::string_view name, std::string_view why);

/// Each throws bad_entry that names the entry and what is wrong with it.
benchmark benchmark_from(const std::string& name, const nlohmann::ordered_json& entry);
role role_from(const std::string& name, const nlohmann::ordered_json& entry);
metric metric_from(const std::string& name, const nlohmann::ordered_json& entry);
/// `place`: where it is, "warnings".
common::message message_from(const nlohmann::ordered_json& entry, const std::string& place);

/// `name`: what the file calls the version. Throws bad_entry if it is another than the known one.
void require_version(const nlohmann::ordered_json& version, const char* name, int known);

}  // namespace bench_transfers::result_file
