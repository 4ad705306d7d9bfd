#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace bench_transfers::bench {

/// Which program measures, and how it was built: context.transfers.program.
nlohmann::ordered_json program_facts();

/// Which program has made another document, where and when: the beginning of its context.
nlohmann::ordered_json program_in_document();

/// "2026-11-20T11:00:00Z"
std::string utc_now();

}  // namespace bench_transfers::bench
