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

std::vector<CLI::ConfigItem> items_in(const fs::path& file, const std::string& text) {
  std::istringstream stream(text);
  try {
    return CLI::ConfigTOML().from_config(stream);
  } catch (const CLI::Error& error) {
    refuse_site_file(file, std::nullopt, common::first_line(error.what()));
  }
}

/// The last line that sets an item, because the parser does not tell it.
std::optional<std::size_t> line_of(const CLI::ConfigItem& item, const std::string& text) {
  std::optional<std::size_t> found;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto key = CLI::detail::trim_copy(line.substr(0, line.find('=')));
    if (key == item.name || key == item.fullname()) found = number;
  }
  return found;
}

/// "--sizes=4KiB,1MiB": the parser takes a list apart.
site_default default_of(const fs::path& file, const CLI::ConfigItem& item,
                        const std::string& text) {
  const auto line = line_of(item, text);
  const auto refuse = [&](const std::string& why) {
    refuse_site_file(file, line,
                     fmt::format("'{}'{}", common::printable_in_short(item.fullname()), why));
  };
  if (!item.parents.empty()) refuse(": it has no sections");
  if (std::ranges::find(allowed_defaults, item.name) == allowed_defaults.end())
    refuse(fmt::format(" is not among what it may set: {}", fmt::join(allowed_defaults, ", ")));
  const auto value = fmt::format("{}", fmt::join(item.inputs, ","));
  if (value.empty()) refuse(" has no value");
  return {fmt::format("--{}={}", item.name, value), line};
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
  const auto text = text_of_site_file(site.file);
  std::set<std::string> names;
  for (const auto& item : items_in(site.file, text)) {
    site.defaults.push_back(default_of(site.file, item, text));
    if (!names.insert(item.name).second)
      refuse_site_file(site.file, site.defaults.back().line,
                       fmt::format("'{}' is there twice", item.name));
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
