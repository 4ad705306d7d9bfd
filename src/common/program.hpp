#pragma once

#include <string>

// What the programs say.

namespace bench_transfers::common {

/// Writes "PROGRAM: SENTENCE" to standard error, printable and folded if it is long. Never throws
/// because it cannot be written.
void complain(const char* program, const std::string& sentence);

/// Writes to standard output. Throws usage_error if the text could not be written: an answer that
/// is lost must not look like a success.
void print(const std::string& text);

}  // namespace bench_transfers::common
