#pragma once

#include <string_view>

namespace bench_transfers::common {

/// "2_arguments" before "16_arguments", and parts of names that are sizes by their bytes:
/// "copy/pinned/h2d/64KiB" before "copy/pinned/h2d/1MiB", "512B_blocks" before "4KiB_blocks". Sizes
/// come before other parts.
struct natural_order {
  bool operator()(std::string_view lhs, std::string_view rhs) const;
};

}  // namespace bench_transfers::common
