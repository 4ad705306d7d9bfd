#pragma once

/// \file
/// fmt::format("{}", array), for programs that use {fmt}; the library itself does not ask for it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "transfers/array/print.hpp"

/// \cond Doxygen does not find the scope of specialisations in a namespace that it has not seen.
/// Text as of transfers::to_string(); takes the options of texts (width, alignment).
template <transfers::detail::printable T>
struct fmt::formatter<transfers::host_array<T>> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const transfers::host_array<T>& array, Context& context) const {
    return fmt::formatter<std::string_view>::format(to_string(array), context);
  }
};
template <transfers::detail::printable T>
struct fmt::formatter<transfers::gpu_array<T>> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const transfers::gpu_array<T>& array, Context& context) const {
    return fmt::formatter<std::string_view>::format(to_string(array), context);
  }
};

/// Not formatted as one flat range.
template <class T>
struct fmt::is_range<transfers::host_array<T>, char> : std::false_type {};
/// \endcond
