#include "src/common/natural_order.hpp"

#include <algorithm>
#include <compare>
#include <cstring>
#include <optional>
#include <string_view>

#include "src/common/sizes.hpp"

namespace bench_transfers::common {
namespace {

/// Takes the first part of a name, up to a '/', off it.
std::string take_part(std::string_view& name) {
  const auto end = std::min(name.find('/'), name.size());
  std::string part(name.substr(0, end));
  name.remove_prefix(std::min(end + 1, name.size()));
  return part;
}

/// Of "64KiB", "64KiB@cuda:1" and "64KiB_blocks".
std::optional<std::size_t> size_in(const std::string& part) {
  return size_from(std::string_view(part).substr(0, part.find_first_of("@_")));
}

std::strong_ordering compare(const std::string& lhs, const std::string& rhs) {
  const auto left = size_in(lhs), right = size_in(rhs);
  if (left.has_value() != right.has_value())
    return left ? std::strong_ordering::less : std::strong_ordering::greater;
  if (left && left != right) return *left <=> *right;
  return strverscmp(lhs.c_str(), rhs.c_str()) <=> 0;
}

}  // namespace

bool natural_order::operator()(std::string_view lhs, std::string_view rhs) const {
  auto left = lhs, right = rhs;
  while (!left.empty() && !right.empty())
    if (const auto order = compare(take_part(left), take_part(right)); order != 0) return order < 0;
  if (left.empty() != right.empty()) return left.empty();
  return lhs < rhs;  // "a" and "a/"
}

}  // namespace bench_transfers::common
