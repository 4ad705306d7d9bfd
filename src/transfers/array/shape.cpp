#include "transfers/array/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "transfers/core/error.hpp"

namespace transfers {

template <class Extents>
void shape::assign(const Extents& extents) {
  if (extents.size() > max_rank)
    throw length_error(
        fmt::format("a shape of {} extents: there can be at most {}", extents.size(), max_rank));
  rank_ = extents.size();
  std::ranges::copy(extents, extents_.begin());
  if (std::ranges::find(this->extents(), 0U) != this->extents().end()) {
    elements_ = 0;
    return;
  }
  for (const auto factor : this->extents()) {
    if (factor > PTRDIFF_MAX / elements_)
      throw length_error(
          fmt::format("the shape {} has more elements than there are addresses", to_string(*this)));
    elements_ *= factor;
  }
}

shape::shape(std::initializer_list<extent> extents) { assign(extents); }
shape::shape(std::span<const std::size_t> extents) { assign(extents); }

std::string to_string(const shape& shape) {
  return fmt::format("({})", fmt::join(shape.extents(), ", "));
}

strides strides_of(const shape& extents, order order) {
  strides steps{};
  if (extents.elements() == 0) return steps;
  std::ptrdiff_t step = 1;
  for (std::size_t k = 0; k < extents.rank(); ++k) {
    const auto i = order == order::column_major ? k : extents.rank() - 1 - k;
    steps[i] = step;
    step *= static_cast<std::ptrdiff_t>(extents[i]);
  }
  return steps;
}

namespace detail {

void check_elements(const shape& extents, std::size_t elements) {
  if (extents.elements() != elements)
    throw length_error(fmt::format("the shape {} has {} elements, not {}", to_string(extents),
                                   extents.elements(), elements));
}

strides checked_strides(const shape& extents, std::span<const std::ptrdiff_t> steps) {
  if (steps.size() != extents.rank())
    throw invalid_argument(fmt::format("{} strides for the shape {}: there must be {}",
                                       steps.size(), to_string(extents), extents.rank()));
  strides checked{};
  std::ranges::copy(steps, checked.begin());
  if (extents.elements() == 0) return checked;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] < 0)
      throw invalid_argument(fmt::format(
          "stride {} of index {} is negative: begin at the other end, or copy the array", steps[i],
          i));
    if (steps[i] == 0 && extents[i] > 1)
      throw invalid_argument(
          fmt::format("stride 0 of index {}: its {} elements share memory", i, extents[i]));
  }

  std::vector<std::size_t> by_stride(extents.rank());
  std::iota(by_stride.begin(), by_stride.end(), 0);
  std::ranges::sort(by_stride, {}, [&](auto i) { return checked[i]; });
  std::ptrdiff_t reach = 0;  // offset of the last element, with the indices seen so far
  for (const auto i : by_stride) {
    if (extents[i] == 1) continue;
    if (checked[i] <= reach)
      throw invalid_argument(
          fmt::format("stride {} of index {} makes elements overlap: smaller indices reach {} "
                      "elements far",
                      checked[i], i, reach + 1));
    const auto steps_taken = static_cast<std::ptrdiff_t>(extents[i] - 1);
    if (checked[i] > (PTRDIFF_MAX - reach) / steps_taken)
      throw invalid_argument(
          fmt::format("stride {} of index {} reaches beyond all addresses", checked[i], i));
    reach += checked[i] * steps_taken;
  }
  return checked;
}

void check_reach(const shape& extents, const strides& steps, std::size_t available) {
  if (extents.elements() == 0) return;
  std::size_t last = 0;
  for (std::size_t i = 0; i < extents.rank(); ++i)
    last += (extents[i] - 1) * static_cast<std::size_t>(steps[i]);
  if (last >= available)
    throw out_of_range(fmt::format("a view of shape {} reaches element {}, but the memory has {}",
                                   to_string(extents), last, available));
}

}  // namespace detail
}  // namespace transfers
