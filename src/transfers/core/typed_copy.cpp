#include "transfers/core/typed_copy.hpp"

#include <fmt/format.h>

#include "transfers/core/error.hpp"

namespace transfers::detail {

void check_sizes(std::size_t src, std::size_t dst) {
  if (src != dst)
    throw length_error(fmt::format("a copy of {} elements to {}: the sizes must match", src, dst));
}

}  // namespace transfers::detail
