#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bench_transfers::machine {

/// A release of CUDA, or the newest one that a driver supports.
struct cuda_release {
  std::size_t major = 0, minor = 0;
  auto operator<=>(const cuda_release&) const = default;
};

/// "12.9"
std::string to_string(const cuda_release& release);

/// Nullopt for a text that is none.
std::optional<cuda_release> parse_cuda_release(std::string_view text);

}  // namespace bench_transfers::machine
