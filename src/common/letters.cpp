#include "src/common/letters.hpp"

#include <algorithm>

namespace bench_transfers::common {
namespace {

bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80; }

}  // namespace

std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_letter));
}

std::string first_letters(std::string_view text, std::size_t letters) {
  std::size_t end = 0;
  while (end < text.size() && (!begins_letter(text[end]) || letters-- > 0)) ++end;
  return std::string(text.substr(0, end));
}

}  // namespace bench_transfers::common
