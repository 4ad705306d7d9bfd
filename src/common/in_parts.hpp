#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace bench_transfers::common {

/// "measured in 2 parts": how all readers say that a run was resumed. None: it was not.
std::optional<std::string> in_parts_text(std::size_t parts);

}  // namespace bench_transfers::common
