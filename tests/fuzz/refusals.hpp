#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "src/common/text.hpp"

namespace bench_transfers::fuzz {

/// Small, so that highly compressed input takes little time.
constexpr std::size_t most_unpacked = std::size_t{1} << 20;
constexpr std::size_t longest_message = 2000;

inline void require(bool holds, const char* property) {
  if (!holds) throw std::logic_error(property);
}

inline bool is_one_line(std::string_view text) { return common::printable(text) == text; }

/// What every reader promises of the message with which it refuses an input.
inline void check_refusal(std::string_view message) {
  require(!message.empty(), "a refusal says nothing");
  require(is_one_line(message), "a refusal is not one printable line");
  require(message.size() <= longest_message, "a refusal is too long");
}

}  // namespace bench_transfers::fuzz
