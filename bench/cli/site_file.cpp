#include "bench/cli/site_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "src/common/command_line.hpp"
#include "src/common/printable.hpp"
#include "src/common/read_text.hpp"

namespace bench_transfers::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* usual_file = "/etc/bench_transfers.conf";
constexpr const char* name_of_variable = "TRANSFERS_SITE_FILE";
constexpr std::size_t most_bytes_of_site_file = std::size_t{1} << 16;
/// Those that mean the same for each run. What a run is for, and where its file goes, is its own.
constexpr std::array<std::string_view, 8> allowed_defaults{"device",
                                                           "profile",
                                                           "sizes",
                                                           "cold-sizes",
                                                           "cache",
                                                           "max-time",
                                                           "benchmark_repetitions",
                                                           "benchmark_min_time"};

fs::path name_of_file() {
  const auto* const named = std::getenv(name_of_variable);
  if (named) return named;
  std::error_code error;
  return fs::exists(usual_file, error) ? usual_file : "";
}

std::string text_of_site_file(const fs::path& file) {
  try {
    return common::read_text(file, most_bytes_of_site_file);
  } catch (const common::read_error& error) {
    refuse_site_file(file, std::nullopt, error.what());
  }
}

/// A line without its comment and the blanks at its ends.
std::string content_of(const std::string& line) {
  const auto content = CLI::detail::trim_copy(line.substr(0, line.find('#')));
  return content.starts_with(';') ? "" : content;
}

/// "4KiB, 1MiB", in quotes or not, as the command line would have it: "4KiB,1MiB".
std::string value_of(const std::string& text) {
  auto value = CLI::detail::trim_copy(text);
  // One pair of quotes around all of it, or one around each.
  if (value.find("\",") == std::string::npos) CLI::detail::remove_quotes(value);
  auto items = CLI::detail::split(value, ',');
  for (auto& item : items) {
    CLI::detail::trim(item);
    CLI::detail::remove_quotes(item);
  }
  const auto joined = fmt::format("{}", fmt::join(items, ","));
  return value.ends_with(',') ? joined + "," : joined;
}

/// "--sizes=4KiB,1MiB" of "sizes = 4KiB, 1MiB".
site_default default_of(const fs::path& file, std::size_t line, const std::string& content) {
  const auto refuse = [&](const std::string& name, const std::string& why) {
    refuse_site_file(file, line, fmt::format("'{}'{}", common::printable_in_short(name), why));
  };
  const auto end = content.find('=');
  const auto name = CLI::detail::trim_copy(content.substr(0, end));
  if (content.front() == '[' && content.back() == ']') refuse(content, ": it has no sections");
  if (end == std::string::npos || name.empty()) refuse(content, " is not OPTION = VALUE");
  if (std::ranges::find(allowed_defaults, name) == allowed_defaults.end())
    refuse(name,
           fmt::format(" is not among what it may set: {}", fmt::join(allowed_defaults, ", ")));
  const auto value = value_of(content.substr(end + 1));
  if (value.empty()) refuse(name, " has no value");
  return {fmt::format("--{}={}", name, value), line};
}

std::string name_in(const std::string& option) { return option.substr(0, option.find('=')); }

}  // namespace

void refuse_site_file(const fs::path& file, std::optional<std::size_t> line, std::string_view why) {
  throw common::usage_error(fmt::format("cannot use the site file {}{}: {}",
                                        common::printable(file.string()),
                                        line ? fmt::format(", line {}", *line) : "", why));
}

std::optional<site_defaults> read_site_file() {
  site_defaults site{.file = name_of_file(), .defaults = {}};
  if (site.file.empty()) return std::nullopt;
  std::istringstream lines(text_of_site_file(site.file));
  std::set<std::string> names;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto content = content_of(line);
    if (content.empty()) continue;
    const auto& added = site.defaults.emplace_back(default_of(site.file, number, content));
    if (const auto name = name_in(added.option); !names.insert(name).second)
      refuse_site_file(site.file, number, fmt::format("'{}' is there twice", name.substr(2)));
  }
  return site;
}

std::vector<std::string> apply(const site_defaults& site, CLI::App& app) {
  std::vector<std::string> applied;
  for (const auto& [option, line] : site.defaults) {
    auto* const target = app.get_option(name_in(option));
    if (target->count() > 0) continue;
    target->add_result(option.substr(option.find('=') + 1));
    target->run_callback();
    applied.push_back(option);
  }
  return applied;
}

}  // namespace bench_transfers::bench
