#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transfers/core/element.hpp"

// What streams are asked to do.

namespace transfers {

/// The direction of a copy: host to device, or device to host.
enum class direction { h2d, d2h };

/// The rows of a two- or three-dimensional block in memory: the address of the first byte, and the
/// distances between the beginnings of rows and slices, in bytes.
template <class Byte>
struct pitched {
  Byte* data = nullptr;
  std::size_t row_pitch = 0;    ///< at least the length of a row
  std::size_t slice_pitch = 0;  ///< a multiple of row_pitch
};

/// The size of a block of rows; bytes of a row are contiguous.
struct pitched_extent {
  std::size_t row_bytes = 0;  ///< length of a row
  std::size_t rows = 1;       ///< of each slice
  std::size_t slices = 1;     ///< 1 for two dimensions
};

/// The bytes of one value of an element_type with arithmetic.
struct element_value {
  alignas(8) std::array<std::byte, 8> bytes{};
};

namespace detail {

/// The bytes of a number.
template <class T>
element_value value_of(T number) {
  element_value result;
  std::memcpy(result.bytes.data(), &number, sizeof number);
  return result;
}

}  // namespace detail

/// One side of an elementwise operation: an array in device memory, or one value for all elements.
struct operand {
  /// What the operand is.
  enum class kinds { array, value };

  kinds kind = kinds::value;         ///< which of the members below counts
  const std::byte* array = nullptr;  ///< of kinds::array
  element_value value;               ///< of kinds::value, of the operation's type
};

/// Operations on two elements.
enum class arithmetic { add, subtract, multiply, divide };

/// result[i] = lhs[i] op rhs[i] for `elements` elements of one type with arithmetic. `result` may
/// be one of the operands. Cases that C++ leaves undefined are defined for all devices: signed
/// integers wrap around, and integer division by zero gives 0, as in NumPy.
struct elementwise_operation {
  arithmetic operation = arithmetic::add;     ///< `op`
  element_type type = element_type::float32;  ///< of operands and result
  /// Left and right operand.
  operand lhs, rhs;
  std::byte* result = nullptr;  ///< device address
  std::size_t elements = 0;     ///< of the result
};

/// to[i] = from[i] in another type, rounded as in C++, and to the nearest float16. A floating-point
/// value that does not fit into an integer type becomes the nearest value that does; NaN becomes 0.
struct conversion {
  /// Types of the source and of the destination.
  element_type from_type, to_type;
  const std::byte* from = nullptr;  ///< device address
  std::byte* to = nullptr;          ///< device address; the two must not overlap
  std::size_t elements = 0;         ///< at either end
};

/// result[i] = first + i * step, for a type with arithmetic: calculated and, in double, rounded
/// once in the widened type, and then converted. Integers wrap around.
struct sequence {
  element_type type = element_type::float32;  ///< of the result
  /// Of the widened type.
  element_value first, step;
  std::byte* result = nullptr;  ///< device address
  std::size_t elements = 0;     ///< of the result
};

/// Operations that make one value of all elements.
enum class reduction_operation { sum, min, max, dot };

/// The sum, the least or the greatest of all elements, or the sum of all lhs[i] * rhs[i], for a
/// type with arithmetic. Sums and products are calculated and returned in the widened type:
/// integers wrap around, and the order of additions is not specified. The least and the greatest
/// are of the elements' type. The result is NaN if an element is NaN.
struct reduction {
  reduction_operation operation = reduction_operation::sum;  ///< how elements are combined
  element_type type = element_type::float32;                 ///< of the elements
  const std::byte* lhs = nullptr;                            ///< device address
  const std::byte* rhs = nullptr;                            ///< device address; only for dot
  std::size_t elements = 0;                                  ///< of each operand
};

/// A piece of host memory, by its device address, and the offset of its counterpart in a range of
/// device memory, in bytes.
struct scattered_piece {
  static constexpr std::size_t most_bytes = 4096;  ///< of one piece

  std::byte* host = nullptr;      ///< device address of host memory
  std::uint64_t bytes : 16 = 0;   ///< up to most_bytes
  std::uint64_t offset : 48 = 0;  ///< in the range of device memory
};
static_assert(sizeof(scattered_piece) == 16, "a kernel reads one with a single access");

}  // namespace transfers
