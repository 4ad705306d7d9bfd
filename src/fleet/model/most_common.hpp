#pragma once

#include <cstddef>
#include <map>
#include <optional>

namespace bench_transfers::fleet {

/// The value that most of them have; of equally many the largest. None if there are none.
template <class Values>
auto most_common(const Values& values) {
  using value = typename Values::value_type;
  std::map<value, std::size_t> times;
  for (const auto& one : values) ++times[one];
  std::optional<value> found;
  std::size_t most = 0;
  for (const auto& [one, count] : times) {
    if (count < most) continue;
    most = count;
    found = one;
  }
  return found;
}

}  // namespace bench_transfers::fleet
