#include "src/advice/measurements.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "src/common/printable.hpp"
#include "src/common/read_text.hpp"
#include "src/common/sizes.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::advice {
namespace {

using json = nlohmann::json;

constexpr int known_format = 1;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw unusable_file(fmt::format("cannot use {}: {}", file.string(), why));
}

std::string text_of(const std::filesystem::path& file) {
  try {
    return common::read_text(file);
  } catch (const common::read_error& wrong) {
    refuse(file, wrong.what());
  }
}

json parse(const std::filesystem::path& file) {
  const auto text = text_of(file);
  if (text.empty()) refuse(file, "it is empty");
  auto content = json::parse(text, nullptr, false);
  if (content.is_discarded()) refuse(file, "it is not JSON, or only the beginning of it");
  return content;
}

/// A member of nested objects; null where there is none.
json member(const json& in, std::initializer_list<const char*> keys) {
  const json* found = &in;
  for (const auto* key : keys) {
    if (!found->is_object() || !found->contains(key)) return nullptr;
    found = &found->at(key);
  }
  return *found;
}

/// Printable, as all that is taken over from the file.
std::string text_at(const json& in, std::initializer_list<const char*> keys) {
  const auto found = member(in, keys);
  return found.is_string() ? common::printable(found.get_ref<const std::string&>()) : "";
}

/// None where it is not there.
std::optional<bool> truth_at(const json& in, const char* key, const std::filesystem::path& file) {
  const auto found = member(in, {key});
  if (found.is_null()) return std::nullopt;
  if (!found.is_boolean()) refuse(file, fmt::format("its {} is neither true nor false", key));
  return found.get<bool>();
}

/// A counter that is a positive number.
std::optional<double> positive(const json& row, const char* key) {
  const auto found = member(row, {key});
  if (!found.is_number()) return std::nullopt;
  const auto value = found.get<double>();
  if (!(value > 0 && std::isfinite(value))) return std::nullopt;
  return value;
}

std::vector<std::string> split(const std::string& name) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const auto end = std::min(name.find('/', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

struct quantity {
  std::string name;  ///< as in measurements::times
  double bytes;      ///< by the benchmark's name
};

/// What a benchmark measures, when advice can use it.
std::optional<quantity> quantity_of(const std::string& benchmark) {
  static const std::map<std::string, std::map<std::string, std::string>> variants{
      {"copy", {{"h2d", "h2d"}, {"d2h", "d2h"}}},
      {"copy_async", {{"h2d", "h2d"}, {"d2h", "d2h"}}},
      {"zero_copy", {{"read", "h2d"}, {"write", "d2h"}}},
      {"cpu", {{"write_memcpy", "write_memcpy"}, {"read_memcpy", "read_memcpy"}}},
  };
  const auto parts = split(benchmark);
  std::string name;
  if (parts.size() == 3 && (parts[0] == "allocate" || parts[0] == "free")) {
    name = parts[0] + "/" + parts[1];
  } else if (parts.size() == 4 && variants.contains(parts[0])) {
    const auto& known = variants.at(parts[0]);
    const auto found = known.find(parts[2]);
    if (found == known.end()) return std::nullopt;
    name = parts[0] + "/" + parts[1] + "/" + found->second;
  } else {
    return std::nullopt;
  }
  try {
    return quantity{name, static_cast<double>(common::parse_size(parts.back()))};
  } catch (const common::usage_error&) {
    return std::nullopt;
  }
}

/// Standard error of a median, as a part of it: a 95 % interval by order statistics taken for that
/// of a normal distribution, so that one repetition that met something else does not count. 0 for a
/// single value.
double relative_error(const std::vector<double>& values, double median) {
  if (values.size() < 2) return 0;
  const auto [low, high] = statistics::interval_of_median(values, 0.95);
  constexpr double standard_errors = 1.96;
  return (high - low) / 2 / standard_errors / median;
}

/// ns per byte of every repetition, by quantity and size.
using rates = std::map<std::string, std::map<double, std::vector<double>>>;

void add(rates& all, measurements& read, const json& row) {
  if (text_at(row, {"run_type"}) != "iteration") return;
  const auto what = quantity_of(text_at(row, {"run_name"}));
  if (!what) return;
  if (truth_at(row, "error_occurred", read.from.file).value_or(false)) {
    ++read.failed_rows;
    return;
  }
  const auto ns = positive(row, "median_ns");
  const auto bytes = positive(row, "bytes");
  if (ns && bytes)
    all[what->name][what->bytes].push_back(*ns / *bytes);
  else
    ++read.unusable_rows;
}

origin origin_in(const json& facts, const std::filesystem::path& file) {
  const auto format = member(facts, {"format"});
  if (!format.is_number_integer())
    refuse(file, "it does not say its format (context.transfers.format)");
  if (const auto number = format.get<long long>(); number < 1 || number > known_format)
    refuse(file, fmt::format("its format is {}, this program reads {}", number, known_format));
  const auto kind = text_at(facts, {"device", "kind"});
  if (kind.empty())
    refuse(file, "it does not say what device was measured (context.transfers.device)");
  return {file,
          text_at(facts, {"device", "name"}),
          text_at(facts, {"machine", "cpu", "model"}),
          text_at(facts, {"run", "started_utc"}),
          text_at(facts, {"program", "git_commit"}),
          kind != "host",
          truth_at(facts, "complete", file).value_or(true)};
}

}  // namespace

measurements measurements_in(const json& content, const std::filesystem::path& file) {
  const auto facts = member(content, {"context", "transfers"});
  const auto rows = member(content, {"benchmarks"});
  if (!facts.is_object() || !rows.is_array())
    refuse(file, "it is no result file of bench_transfers");
  measurements read;
  read.from = origin_in(facts, file);
  for (const auto& one : member(facts, {"strategies"}))
    if (const auto memory = text_at(one, {"memory"}); !memory.empty())
      read.memory_by_strategy[text_at(one, {"name"})] = memory;
  rates all;
  for (const auto& row : rows) add(all, read, row);
  for (const auto& [name, by_size] : all)
    for (const auto& [bytes, values] : by_size) {
      const double ns_per_byte = statistics::median(values);
      read.times[name].push_back({bytes, ns_per_byte * bytes, relative_error(values, ns_per_byte)});
    }
  return read;
}

measurements read_measurements(const std::filesystem::path& file) {
  return measurements_in(parse(file), file);
}

}  // namespace bench_transfers::advice
