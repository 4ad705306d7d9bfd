#pragma once

#include <simdjson.h>

#include <string>

#include "src/result_file/contents.hpp"

namespace bench_transfers::result_file {

/// What a benchmark of this name is. Throws bad_entry where that is not known.
using describe_benchmark = benchmark (*)(const std::string& name);

/// Reads the list of rows; asks for each benchmark that is not in `into` yet. Throws bad_entry.
void read_rows(const simdjson::dom::array& rows, describe_benchmark describe, contents& into);

}  // namespace bench_transfers::result_file
