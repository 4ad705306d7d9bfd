#include "src/gate/model/fingerprint.hpp"

#include <algorithm>

namespace bench_transfers::gate {
namespace {

std::string value_in(const fingerprint& facts, const std::string& key) {
  const auto fact = std::ranges::find(facts, key, &fingerprint::value_type::first);
  return fact == facts.end() ? std::string() : fact->second;
}

/// Known only of memory that a run has used.
bool may_be_unknown(const std::string& key) { return key.starts_with("memory_type."); }

}  // namespace

std::vector<difference> differences(const fingerprint& before, const fingerprint& after) {
  std::vector<difference> differing;
  for (const auto& [key, value] : before) {
    const auto other = value_in(after, key);
    if (other != value && !(other.empty() && may_be_unknown(key)))
      differing.push_back({key, value, other});
  }
  for (const auto& [key, value] : after)
    if (value_in(before, key).empty() && !may_be_unknown(key))
      differing.push_back({key, "", value});
  return differing;
}

}  // namespace bench_transfers::gate
