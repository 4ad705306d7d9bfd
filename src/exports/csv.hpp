#pragma once

#include <string>

#include "src/exports/answer.hpp"

namespace bench_transfers::exports {

/// A table as CSV (RFC 4180), numbers as they are. Other texts that a spreadsheet would take for a
/// formula begin with an apostrophe (OWASP, "CSV Injection").
std::string csv_of(const table& shown);

}  // namespace bench_transfers::exports
