#pragma once

#include <simdjson.h>

#include "src/result_file/contents.hpp"

namespace bench_transfers::result_file {

/// Takes over context.transfers, what bench_transfers says of its run. Throws bad_entry.
void take_facts(const simdjson::dom::object& transfers, contents& into);

}  // namespace bench_transfers::result_file
