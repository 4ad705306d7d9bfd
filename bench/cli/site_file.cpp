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

[[noreturn]] void refuse_site_file(const fs::path& file, std::string_view why) {
  throw common::usage_error(
      fmt::format("cannot use the site file {}: {}", common::printable(file.string()), why));
}

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
    refuse_site_file(file, error.what());
  }
}

std::vector<CLI::ConfigItem> items_in(const fs::path& file) {
  std::istringstream text(text_of_site_file(file));
  try {
    return CLI::ConfigTOML().from_config(text);
  } catch (const CLI::Error& error) {
    refuse_site_file(file, common::first_line(error.what()));
  }
}

/// "--sizes=4KiB,1MiB": the parser takes a list apart.
std::string option_of(const fs::path& file, const CLI::ConfigItem& item) {
  const auto name = common::printable_in_short(item.fullname());
  if (!item.parents.empty()) refuse_site_file(file, fmt::format("'{}': it has no sections", name));
  if (std::ranges::find(allowed_defaults, item.name) == allowed_defaults.end())
    refuse_site_file(file, fmt::format("'{}' is not among what it may set: {}", name,
                                       fmt::join(allowed_defaults, ", ")));
  const auto value = fmt::format("{}", fmt::join(item.inputs, ","));
  if (value.empty()) refuse_site_file(file, fmt::format("'{}' has no value", name));
  return fmt::format("--{}={}", item.name, value);
}

std::string name_in(const std::string& option) { return option.substr(0, option.find('=')); }

}  // namespace

std::optional<site_defaults> read_site_file() {
  site_defaults site{.file = name_of_file(), .options = {}};
  if (site.file.empty()) return std::nullopt;
  std::set<std::string> names;
  for (const auto& item : items_in(site.file)) {
    site.options.push_back(option_of(site.file, item));
    if (!names.insert(item.name).second)
      refuse_site_file(site.file, fmt::format("'{}' is there twice", item.name));
  }
  return site;
}

std::vector<std::string> apply(const site_defaults& site, CLI::App& app) {
  std::vector<std::string> applied;
  for (const auto& option : site.options) {
    auto* const target = app.get_option(name_in(option));
    if (target->count() > 0) continue;
    target->add_result(option.substr(option.find('=') + 1));
    target->run_callback();
    applied.push_back(option);
  }
  return applied;
}

}  // namespace bench_transfers::bench
