#include "transfers/core/device.hpp"

#include <algorithm>

#include "src/transfers/core/copy_kernel.hpp"
#include "src/transfers/core/on_all_cores.hpp"
#include "src/transfers/core/pattern.hpp"

namespace transfers {

std::uint64_t pattern::word(std::size_t index) const { return detail::pattern_word(*this, index); }

void pattern::words(std::size_t first, std::span<std::uint64_t> words) const {
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = detail::pattern_word(*this, first + i);
}

void write_host_pattern(std::byte* block, std::size_t offset, std::size_t bytes, pattern pattern) {
  detail::on_all_cores(bytes, [&](const auto& policy) {
    detail::write_pattern(policy, block, offset, bytes, pattern);
  });
}

pattern_check check_host_pattern(const std::byte* block, std::size_t offset, std::size_t bytes,
                                 pattern pattern) {
  return detail::on_all_cores(bytes, [&](const auto& policy) {
    return detail::check_pattern(policy, block, offset, bytes, pattern);
  });
}

std::size_t copy_kernel_multiprocessors(const device_description& description, const std::byte* dst,
                                        const std::byte* src, std::size_t bytes,
                                        unsigned most_blocks) {
  if (!description.cuda) return 0;
  const auto shape =
      detail::shape_of_copy_kernel(dst, src, bytes, description.cuda->multiprocessors, most_blocks);
  return std::min<std::size_t>(shape.blocks,
                               static_cast<std::size_t>(description.cuda->multiprocessors));
}

}  // namespace transfers
