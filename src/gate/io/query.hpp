#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace bench_transfers::gate {

/// One value of an answer (check --json) or of a baseline, as one line: a text without quotes,
/// anything else as JSON. None if the file has nothing at `pointer` (a JSON pointer, RFC 6901).
/// Throws bad_input: neither of the two kinds of file, damaged, of a newer format, or no pointer.
std::optional<std::string> value_at(const std::filesystem::path& file, const std::string& pointer);

/// The same from a file's text; `file` is only named. Throws bad_input.
std::optional<std::string> value_in(std::string text, const std::filesystem::path& file,
                                    const std::string& pointer);

}  // namespace bench_transfers::gate
