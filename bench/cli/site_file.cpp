#include "bench/cli/site_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <system_error>

#include "src/common/files.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/common/trusted_path.hpp"

namespace bench_transfers::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* usual_file = "/etc/bench_transfers.conf";
constexpr const char* name_of_variable = "TRANSFERS_SITE_FILE";
constexpr std::size_t most_bytes_of_site_file = std::size_t{1} << 16;

fs::path name_of_file() {
  const auto* const named = std::getenv(name_of_variable);
  if (named) return named;
  std::error_code error;
  return fs::exists(usual_file, error) ? usual_file : "";
}

std::string text_of_site_file(const fs::path& file) {
  if (const auto why = common::why_untrusted(file))
    refuse_site_file(file, std::nullopt, common::printable(*why));
  try {
    return common::read_text(file, most_bytes_of_site_file);
  } catch (const common::read_error& error) {
    refuse_site_file(file, std::nullopt, error.what());
  }
}

/// What CLI11 reads from a line, as from a file of its own.
std::vector<CLI::ConfigItem> items_in(const std::string& line) {
  CLI::ConfigINI reader;
  reader.comment('#');
  std::istringstream text(line);
  return reader.from_config(text);
}

}  // namespace

void refuse_site_file(const fs::path& file, std::optional<std::size_t> line, std::string_view why) {
  throw common::usage_error(fmt::format("cannot use the site file {}{}: {}",
                                        common::printable(file.string()),
                                        line ? fmt::format(", line {}", *line) : "", why));
}

std::optional<site_defaults> read_site_file(const std::vector<std::string>& allowed) {
  site_defaults site{.file = name_of_file(), .defaults = {}};
  if (site.file.empty()) return std::nullopt;
  std::istringstream lines(text_of_site_file(site.file));
  std::set<std::string> names;
  std::size_t number = 0;
  // One by one: CLI11 does not say in which line something is.
  for (std::string line; std::getline(lines, line);) try {
      ++number;
      for (const auto& item : items_in(line)) {
        const bool is_section = item.name == "++";
        const auto name = is_section ? fmt::format("[{}]", item.parents.front()) : item.fullname();
        const auto shown = common::printable_in_short(name);
        if (std::ranges::find(allowed, name) == allowed.end())
          refuse_site_file(site.file, number,
                           fmt::format("'{}' is not among what it may set: {}", shown,
                                       fmt::join(allowed, ", ")));
        if (!names.insert(name).second)
          refuse_site_file(site.file, number, fmt::format("'{}' is there twice", shown));
        site.defaults.push_back(
            {fmt::format("--{}={}", name, fmt::join(item.inputs, ",")), number});
      }
    } catch (const CLI::Error& error) {
      refuse_site_file(site.file, number, common::first_line(error.what()));
    }
  return site;
}

std::vector<std::string> apply(const site_defaults& site, CLI::App& app) {
  std::vector<std::string> applied;
  for (const auto& [option, line] : site.defaults) {
    auto* const target = app.get_option(option.substr(0, option.find('=')));
    if (target->count() > 0) continue;
    target->add_result(option.substr(option.find('=') + 1));
    target->run_callback();
    applied.push_back(option);
  }
  return applied;
}

}  // namespace bench_transfers::bench
