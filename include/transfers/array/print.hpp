#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <type_traits>

#include "transfers/array/gpu_array.hpp"

namespace transfers {
namespace detail {

std::string element_text(bool value);
std::string element_text(char value);  ///< 'a', or the number of a character that does not print
std::string element_text(long long value);
std::string element_text(unsigned long long value);
std::string element_text(float value);  ///< the shortest text that reads back as the same number
std::string element_text(double value);

/// std::complex and the like.
template <class T>
concept complex_number = requires(const T& value) {
  { value.real() } -> std::floating_point;
  { value.imag() } -> std::floating_point;
};

template <class T>
concept printable =
    convertible_element<T> || complex_number<T> || std::same_as<T, bool> || std::same_as<T, char>;

template <printable T>
std::string text_of(const T& element) {
  if constexpr (is_float16<T>) {
    return element_text(static_cast<float>(element));
  } else if constexpr (complex_number<T>) {
    const auto imaginary = element_text(element.imag());
    return element_text(element.real()) + (imaginary.starts_with('-') ? "" : "+") + imaginary + 'i';
  } else if constexpr (integer_number<T>) {
    using widest = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
    return element_text(static_cast<widest>(element));
  } else {
    return element_text(element);
  }
}

/// The text of an array whose element at an offset in memory has the text text_at(offset).
std::string array_text(const shape& extents, order order,
                       const std::function<std::string(std::size_t)>& text_at);

/// For headers that know std::ostream only by name.
void write(std::ostream& out, const std::string& text);

}  // namespace detail

/// The elements in brackets, one pair for each index, like NumPy: [[1 2] [3 4]] in two
/// lines. Of more than 1000 elements, the first and last three along each index. Elements are
/// numbers, complex numbers, bool or char.
template <detail::printable T>
[[nodiscard]] std::string to_string(const host_array<T>& array) {
  if (array.size() != array.shape().elements()) detail::throw_moved_from();
  return detail::array_text(array.shape(), array.order(),
                            [&](std::size_t offset) { return detail::text_of(array[offset]); });
}
/// The same, after a download of the whole array. Throws out_of_memory, device_error.
template <detail::printable T>
[[nodiscard]] std::string to_string(const gpu_array<T>& array) {
  return to_string(array.get());
}

///@{
/// Writes the text of to_string().
template <detail::printable T>
std::ostream& operator<<(std::ostream& out, const host_array<T>& array) {
  detail::write(out, to_string(array));
  return out;
}
template <detail::printable T>
std::ostream& operator<<(std::ostream& out, const gpu_array<T>& array) {
  detail::write(out, to_string(array));
  return out;
}
///@}

}  // namespace transfers
