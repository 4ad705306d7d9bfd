#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace bench_transfers::common {

/// What std::from_chars reads, if that is all of the text.
template <class Number, class... Base>
std::optional<Number> number_from(std::string_view text, Base... base) {
  Number number{};
  const auto* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number, base...);
  return error == std::errc{} && stopped == end ? std::optional(number) : std::nullopt;
}

}  // namespace bench_transfers::common
