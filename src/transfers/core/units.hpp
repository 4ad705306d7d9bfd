#pragma once

#include <cstddef>

namespace transfers::detail {

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;

}  // namespace transfers::detail
