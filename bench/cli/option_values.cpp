#include "bench/cli/option_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <string_view>

#include "src/common/number.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {

void add_label(settings& settings, const std::string& text) {
  const auto end = text.find('=');
  const auto key = text.substr(0, end);
  const auto is_of_names = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '-' || letter == '.';
  };
  if (end == std::string::npos || key.empty() || !std::ranges::all_of(key, is_of_names))
    throw common::usage_error(
        fmt::format("bad --label '{}': KEY=VALUE, with letters, digits, _, - and . in KEY",
                    common::printable_in_short(text)));
  if (!settings.labels.emplace(key, common::printable(text.substr(end + 1))).second)
    throw common::usage_error(fmt::format("--label={} is there twice", key));
}

std::uint64_t parse_seed(const std::string& text) {
  const auto seed = common::number_from<std::uint64_t>(text);
  if (!seed)
    throw common::usage_error(
        fmt::format("bad --seed '{}': a whole number from 0 to 2^64 - 1", text));
  return *seed;
}

void require_format(const char* option, const std::string& value) {
  constexpr std::array<std::string_view, 3> allowed{"json", "csv", "console"};
  if (std::ranges::find(allowed, value) == allowed.end())
    throw common::usage_error(
        fmt::format("bad {} '{}': {}", option, value, fmt::join(allowed, ", ")));
}

void require_within(const char* option, int value, int most) {
  if (value < 1 || value > most)
    throw common::usage_error(fmt::format("bad {} '{}': between 1 and {}", option, value, most));
}

void require_json_of_result_file(const settings& settings) {
  if (settings.out.ends_with(".csv") && settings.out_format == "json")
    throw common::usage_error(
        fmt::format("bad --out={}: a result file is JSON; bench_transfers export makes CSV of it",
                    common::printable_in_short(settings.out)));
}

void refuse_warmup_time(double warmup_time) {
  if (warmup_time != 0)
    throw common::usage_error(
        "--benchmark_min_warmup_time is not supported: every repetition warms up by itself");
}

listing parse_listing(const std::string& word, const std::vector<std::string>& strategies) {
  if (!word.empty() && word != "families" && word != "all" && word != "json")
    throw common::usage_error(fmt::format(
        "bad --list '{}': families, all or json (--list --strategies={} chooses what is listed)",
        common::printable_in_short(word), common::printable_in_short(word)));
  if (word.empty()) return strategies.empty() ? listing::families : listing::strategies;
  if (word == "json") return listing::json;
  return word == "all" ? listing::strategies : listing::families;
}

std::vector<result_file::cache_state> parse_cache_states(const std::string& list) {
  using result_file::cache_state;
  const auto is_meant = [](const std::string& word, cache_state state) {
    const bool is_written = result_file::is_written(state);
    return word == "all" || (word == "both" && !is_written) || (word == "written" && is_written) ||
           word == result_file::to_string(state);
  };
  const auto words = common::split(list);
  const auto all = result_file::cache_states();
  for (const auto& word : words)
    if (std::ranges::none_of(all, [&](auto state) { return is_meant(word, state); })) {
      std::vector<std::string> known{"all", "both", "written"};
      for (const auto state : all) known.push_back(result_file::to_string(state));
      throw common::usage_error(fmt::format(
          "bad --cache '{}': {}", common::printable_in_short(word), fmt::join(known, ", ")));
    }
  std::vector<cache_state> states;
  std::ranges::copy_if(all, std::back_inserter(states), [&](auto state) {
    return std::ranges::any_of(words, [&](const auto& word) { return is_meant(word, state); });
  });
  return states;
}

}  // namespace bench_transfers::bench
