#include "src/exports/openmetrics.hpp"

#include <fmt/format.h>

#include <string_view>

namespace bench_transfers::exports {
namespace {

/// As a label's value: OpenMetrics 1.0, "Escaping".
std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    if (character == '\\' || character == '"') result += '\\';
    if (character == '\n')
      result += "\\n";
    else
      result += character;
  }
  return result;
}

}  // namespace

openmetrics::openmetrics(std::optional<std::chrono::sys_seconds> time)
    : timestamp_(time ? fmt::format(" {}", time->time_since_epoch().count()) : "") {}

void openmetrics::begin(const char* name, const char* help) {
  name_ = name;
  text_ += fmt::format("# TYPE {0} gauge\n# HELP {0} {1}\n", name, help);
}

void openmetrics::add(const std::vector<label>& labels, double value) {
  std::string list;
  for (const auto& [name, text] : labels)
    list += fmt::format("{}{}=\"{}\"", list.empty() ? "" : ",", name, escaped(text));
  text_ += fmt::format("{}{} {:.12g}{}\n", name_, list.empty() ? "" : "{" + list + "}", value,
                       timestamp_);
}

std::string openmetrics::text() { return std::move(text_) + "# EOF\n"; }

}  // namespace bench_transfers::exports
