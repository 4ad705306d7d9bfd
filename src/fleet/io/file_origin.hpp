#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace bench_transfers::fleet {

/// Whose result a file is that cannot be used, as far as it tells. All texts are printable.
struct file_origin {
  /// It is a result of bench_transfers. That includes a file that is empty or cut off before it
  /// tells.
  bool is_result = false;
  std::string node, sweep;     ///< empty: not known
  std::set<std::string> gpus;  ///< UUIDs; a run of several devices has several
  std::optional<std::size_t> rank, world_size;
};

// Each of these reads only what precedes the rows, and less if the text ends or makes no sense
// before.

/// By the beginning of a file's text. `is_whole`: the text is all that the file has.
file_origin origin_of_text(std::string_view text, bool is_whole);
/// By the bytes of a file, which may be compressed with gzip.
file_origin origin_of_bytes(std::string_view bytes);
/// Of a file on the disk; that of an empty file if it cannot be read.
file_origin origin_of_file(const std::filesystem::path& file);

}  // namespace bench_transfers::fleet
