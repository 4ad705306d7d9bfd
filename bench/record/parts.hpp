#pragma once

#include <nlohmann/json.hpp>

#include "bench/record/earlier_run.hpp"

namespace bench_transfers::bench {

/// The context of a run that goes on with an earlier one: `own`, a context of make_context, with
/// what the earlier parts have measured, skipped and warned of, and a list of the parts
/// (context.transfers.parts). `is_process`: it is the next process of the same run, which was not
/// resumed.
nlohmann::ordered_json with_earlier_parts(nlohmann::ordered_json own, const earlier_run& earlier,
                                          bool is_process);

}  // namespace bench_transfers::bench
