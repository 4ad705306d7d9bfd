#include "src/result_file/summary/figures.hpp"

#include <cstring>
#include <optional>
#include <string_view>

#include "src/statistics/quantile.hpp"

namespace bench_transfers::results {
namespace {

using json = nlohmann::ordered_json;

std::optional<parts> split_name(const std::string& name) {
  const auto size = name.rfind('/');
  if (size == std::string::npos || size == 0) return std::nullopt;
  const auto variant = name.rfind('/', size - 1);
  if (variant == std::string::npos) return std::nullopt;
  return parts{name.substr(0, variant), name.substr(variant + 1, size - variant - 1),
               name.substr(size + 1)};
}

/// A repetition that was measured: neither an aggregate nor a failure.
bool is_measured(const json& row) {
  return row.value("run_type", "") == "iteration" && row.contains("median_ns");
}

}  // namespace

bool natural_order::operator()(const std::string& left, const std::string& right) const {
  return strverscmp(left.c_str(), right.c_str()) < 0;
}

by_name<std::vector<double>> values_of(const json& content, const std::string& counter) {
  by_name<std::vector<double>> values;
  for (const auto& row : content.at("benchmarks"))
    if (is_measured(row) && row.contains(counter))
      values[row.at("run_name")].push_back(row.at(counter));
  return values;
}

by_name<std::vector<double>> medians_by_name(const json& content) {
  return values_of(content, "median_ns");
}

std::vector<figure> figures_of(const json& content, bool cold) {
  std::map<std::string, double> bytes;
  for (const auto& row : content.at("benchmarks"))
    if (is_measured(row) && row.contains("bytes")) bytes[row.at("run_name")] = row.at("bytes");
  std::vector<figure> figures;
  for (const auto& [name, times] : medians_by_name(content)) {
    constexpr std::string_view suffix = "/cold";
    if (name.ends_with(suffix) != cold) continue;
    const auto split = split_name(cold ? name.substr(0, name.size() - suffix.size()) : name);
    if (!split || !bytes.contains(name)) continue;
    const double median = statistics::median(times);
    figures.push_back({*split, bytes.at(name), median, bytes.at(name) / median, name});
  }
  return figures;
}

bool to_device(const std::string& variant) { return variant == "h2d" || variant == "read"; }

bool is_directed(const figure& one) {
  return to_device(one.name.variant) || one.name.variant == "d2h" || one.name.variant == "write";
}

}  // namespace bench_transfers::results
