#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bench_transfers::results {

/// What a benchmark's name says: strategy/variant/size, with "/cold" left to the caller.
struct parts {
  std::string strategy, variant, size;
};

/// A benchmark's medians over its repetitions, as `gate_transfers show` and reports have them.
struct figure {
  parts name;
  double bytes;
  double median_ns;
  double gb_per_s;  ///< bytes / median_ns
  std::string run_name;
};

/// "2_arguments" before "16_arguments".
struct natural_order {
  bool operator()(const std::string& left, const std::string& right) const;
};
template <class Value>
using by_name = std::map<std::string, Value, natural_order>;

/// A counter's values over the repetitions, by the names of the benchmarks that have it.
by_name<std::vector<double>> values_of(const nlohmann::ordered_json& content,
                                       const std::string& counter);
by_name<std::vector<double>> medians_by_name(const nlohmann::ordered_json& content);

/// One for each benchmark with a size, of warm or of cold caches.
std::vector<figure> figures_of(const nlohmann::ordered_json& content, bool cold);

/// Of a variant: "h2d" and "read".
bool to_device(const std::string& variant);

/// Whether it moves data in one direction, which its variant names; others have a list of their
/// own.
bool is_directed(const figure& one);

}  // namespace bench_transfers::results
