#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/gate/model/run.hpp"
#include "src/result_file/contents.hpp"

namespace bench_transfers::gate {

/// Reads a result file, which has a run for each process that has measured it. Also one compressed
/// with gzip, of up to common::most_text_bytes (unpacked). Throws bad_input: result_file::read or
/// result_file::lacks refuses it, or it has an implausible value. Repetitions with an error are
/// accepted: they count as failed.
std::vector<run> read_runs(const std::filesystem::path& file, const metric& judged_by);

/// Reads a result file. Throws bad_input: result_file::read refuses it.
result_file::contents contents_of(const std::filesystem::path& file);

/// The same from what has been read of `file`. Throws bad_input.
std::vector<run> runs_of(const result_file::contents& contents, const std::filesystem::path& file,
                         const metric& judged_by);

/// The same from a file's text; `file` is only named. Throws bad_input.
std::vector<run> runs_in(std::string text, const std::filesystem::path& file,
                         const metric& judged_by);

}  // namespace bench_transfers::gate
