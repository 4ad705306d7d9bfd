#include "advice/cpu_rate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace advice {

using statistics::estimate;

cpu_rate::cpu_rate(std::vector<statistics::measured_time> passes) : passes_(std::move(passes)) {
  if (passes_.empty()) throw std::invalid_argument("a rate needs at least one size");
}

estimate cpu_rate::per_byte(const statistics::measured_time& measured) {
  const double value = measured.ns / measured.bytes;
  const double reach = 1.96 * measured.relative_error * value;  // 95 % of a normal distribution
  return {value, std::max(0.0, value - reach), value + reach};
}

estimate cpu_rate::pass(double bytes) const {
  const auto above =
      std::ranges::lower_bound(passes_, bytes, {}, &statistics::measured_time::bytes);
  if (above == passes_.begin()) return scaled(per_byte(*above), bytes);
  const auto below = std::prev(above);
  if (above == passes_.end()) return scaled(per_byte(*below), bytes);
  const auto smaller = per_byte(*below);
  const auto larger = per_byte(*above);
  const double part = std::log(bytes / below->bytes) / std::log(above->bytes / below->bytes);
  if (part == 1) return scaled(larger, bytes);
  return statistics::scaled(
      {std::lerp(smaller.value, larger.value, part), std::min(smaller.low, larger.low),
       std::max(smaller.high, larger.high)},
      bytes);
}

}  // namespace advice
