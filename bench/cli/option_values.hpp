#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/harness/settings.hpp"

// What the values of options mean, and which of them are refused. All throw usage_error.

namespace bench_transfers::bench {

/// The states that "written_here,both" names, which has states and groups of them.
std::vector<result_file::cache_state> parse_cache_states(const std::string& list);

/// Of --list. `strategies`: the value of --strategies, which a mere --list goes by.
listing parse_listing(const std::string& word, const std::vector<std::string>& strategies);

std::uint64_t parse_seed(const std::string& text);

/// Adds a fact, "KEY=VALUE".
void add_label(settings& settings, const std::string& text);

/// The formats of Google Benchmark.
void require_format(const char* option, const std::string& value);

/// From 1 to `most`.
void require_within(const char* option, int value, int most);

void require_json_of_result_file(const settings& settings);

void refuse_warmup_time(double warmup_time);

}  // namespace bench_transfers::bench
