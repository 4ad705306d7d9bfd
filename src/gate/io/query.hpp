#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace bench_transfers::gate {

/// One value of an answer (check --json) or of a baseline, in one line: a text as it is, anything
/// else as JSON. `pointer` is a JSON pointer (RFC 6901); none where the file has nothing there.
/// Throws bad_input: neither of the two files, damaged, of a newer format, or no pointer.
std::optional<std::string> value_at(const std::filesystem::path& file, const std::string& pointer);

}  // namespace bench_transfers::gate
