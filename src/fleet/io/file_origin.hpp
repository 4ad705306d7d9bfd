#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bench_transfers::fleet {

/// Whose result a file is that cannot be used, as far as it tells. All texts are printable.
struct file_origin {
  std::string node, gpu, sweep;  ///< empty: not known
  std::optional<std::size_t> rank;
  bool is_cut_off = false;  ///< it is the beginning of a result, or empty
};

/// By the beginning of a file's text: what precedes the place at which it is cut off, or makes no
/// sense. `is_whole`: the text is all that the file has.
file_origin origin_of(std::string_view text, bool is_whole);

}  // namespace bench_transfers::fleet
