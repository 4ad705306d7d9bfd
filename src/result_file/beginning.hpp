#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace bench_transfers::result_file {

/// What a result file tells before its benchmarks, also if the rest is cut off or makes no sense.
/// Texts are those of the file: they may not be printable.
struct beginning {
  bool is_of_bench_transfers = false;  ///< it has context.transfers
  bool is_cut_off = false;             ///< the file is empty, or ends before its benchmarks
  bool is_complete = false;            ///< context.transfers.complete
  /// The values of context.transfers.fleet that are no lists or objects; null unless the file has
  /// the whole of it: half a number is another number.
  nlohmann::json fleet = nullptr;
  std::optional<std::chrono::sys_seconds> started = {};  ///< context.transfers.run.started_utc
  std::set<std::string> gpus = {};  ///< UUIDs; a run of several devices has several
};

/// By the first bytes of a file's text. `is_whole`: the text is all that the file has.
beginning beginning_of_text(std::string_view text, bool is_whole);

/// By the bytes of a file, which may be compressed with gzip.
beginning beginning_of_bytes(std::string_view bytes);

/// Of a file on the disk; nothing if it cannot be read.
std::optional<beginning> beginning_of_file(const std::filesystem::path& file);

}  // namespace bench_transfers::result_file
