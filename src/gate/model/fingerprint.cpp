#include "src/gate/model/fingerprint.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace bench_transfers::gate {
namespace {

std::string value_in(const fingerprint& facts, const std::string& key) {
  const auto fact = std::ranges::find(facts, key, &fingerprint::value_type::first);
  return fact == facts.end() ? std::string() : fact->second;
}

/// Whether a fact may have this value and a file not tell it. The type of memory is known only if a
/// run has used the memory, and baselines of older releases do not tell the toolkit.
bool may_be_unknown(const std::string& key, const std::string& value) {
  return key.starts_with("memory_type.") || key == "program.cuda_toolkit" ||
         (is_false_unless_told(key) && value == "false") || goes_without_saying(key, value);
}

/// Google Benchmark measures the clock where the kernel does not tell it.
bool is_same(const std::string& key, const std::string& before, const std::string& after) {
  if (key != "mhz_per_cpu" || before.empty() || after.empty()) return before == after;
  constexpr double tolerance = 0.05;
  const double mhz = std::strtod(before.c_str(), nullptr);
  return std::abs(std::strtod(after.c_str(), nullptr) - mhz) <= tolerance * mhz;
}

}  // namespace

bool is_false_unless_told(const std::string& key) { return key == "device.confidential_computing"; }

bool goes_without_saying(const std::string& key, const std::string& value) {
  return key == "settings.processes" && value == "1";
}

std::vector<difference> differences(const fingerprint& before, const fingerprint& after) {
  std::vector<difference> differing;
  for (const auto& [key, value] : before) {
    const auto value_after = value_in(after, key);
    if (!is_same(key, value, value_after) && !(value_after.empty() && may_be_unknown(key, value)))
      differing.push_back({key, value, value_after});
  }
  for (const auto& [key, value] : after)
    if (value_in(before, key).empty() && !may_be_unknown(key, value))
      differing.push_back({key, "", value});
  return differing;
}

}  // namespace bench_transfers::gate
