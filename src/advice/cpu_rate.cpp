#include "src/advice/cpu_rate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bench_transfers::advice {

using statistics::estimate;
using statistics::scaled;

cpu_rate::cpu_rate(std::vector<statistics::measured_time> passes) : passes_(std::move(passes)) {
  if (passes_.empty()) throw std::invalid_argument("a rate needs at least one size");
}

estimate cpu_rate::per_byte(const statistics::measured_time& measured) {
  return statistics::with_error(measured.ns / measured.bytes, measured.relative_error);
}

cpu_rate::neighbours cpu_rate::around(double bytes) const {
  const auto above =
      std::ranges::lower_bound(passes_, bytes, {}, &statistics::measured_time::bytes);
  if (above == passes_.end()) return {passes_.back(), passes_.back()};
  if (above == passes_.begin() || above->bytes == bytes) return {*above, *above};
  return {*std::prev(above), *above};
}

estimate cpu_rate::pass(double bytes) const {
  const auto [below, above] = around(bytes);
  const auto smaller = per_byte(below);
  if (&below == &above) return scaled(smaller, bytes);
  const auto larger = per_byte(above);
  const double part = std::log(bytes / below.bytes) / std::log(above.bytes / below.bytes);
  return scaled({std::lerp(smaller.value, larger.value, part), std::min(smaller.low, larger.low),
                 std::max(smaller.high, larger.high)},
                bytes);
}

estimate cpu_rate::pass_beyond(const cpu_rate& reference, double bytes) const {
  const auto [below, above] = around(bytes);
  const auto per_byte_at = [&](double size) {
    return scaled(statistics::difference(pass(size), reference.pass(size)), 1 / size);
  };
  const auto smaller = per_byte_at(below.bytes);
  const auto larger = per_byte_at(above.bytes);
  const double value = (pass(bytes).value - reference.pass(bytes).value) / bytes;
  return scaled({value, std::min({value, smaller.low, larger.low}),
                 std::max({value, smaller.high, larger.high})},
                bytes);
}

}  // namespace bench_transfers::advice
