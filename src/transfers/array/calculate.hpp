#pragma once

#include <math.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "transfers/core/both_systems.hpp"
#include "transfers/core/stream.hpp"

// Elementwise arithmetic, and contents for arrays. `loops`: host_loops or cuda_loops.

namespace transfers::detail {

/// Defines what C++ leaves undefined, as stream.hpp says (elementwise_operation).
template <class T>
TRANSFERS_BOTH T apply(arithmetic operation, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using unsigned_type = std::make_unsigned_t<T>;
    const auto x = static_cast<unsigned_type>(a);
    const auto y = static_cast<unsigned_type>(b);
    switch (operation) {
      case arithmetic::add: return static_cast<T>(x + y);
      case arithmetic::subtract: return static_cast<T>(x - y);
      case arithmetic::multiply: return static_cast<T>(x * y);
      case arithmetic::divide: break;
    }
    if (b == 0) return 0;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(unsigned_type{0} - x);
    return static_cast<T>(a / b);
  } else {
    switch (operation) {
      case arithmetic::add: return a + b;
      case arithmetic::subtract: return a - b;
      case arithmetic::multiply: return a * b;
      case arithmetic::divide: break;
    }
    return a / b;
  }
}

template <class T>
struct typed_operand {
  const T* array;
  T value;

  TRANSFERS_BOTH T at(std::size_t i) const { return array != nullptr ? array[i] : value; }
};

template <class T>
T typed(const element_value& untyped) {
  T value;
  std::memcpy(&value, untyped.bytes.data(), sizeof value);
  return value;
}

template <class T>
typed_operand<T> typed(const operand& untyped) {
  if (untyped.kind == operand::kinds::value) return {nullptr, typed<T>(untyped.value)};
  return {reinterpret_cast<const T*>(untyped.array), T{}};
}

template <class T>
struct calculate_element {
  arithmetic operation;
  typed_operand<T> lhs, rhs;
  T* result;

  TRANSFERS_BOTH void operator()(std::size_t i) const {
    result[i] = apply(operation, lhs.at(i), rhs.at(i));
  }
};

template <class T>
struct element_of_sequence {
  widened<T> first, step;
  T* result;

  TRANSFERS_BOTH void operator()(std::size_t i) const {
    if constexpr (std::is_integral_v<T>)
      result[i] =
          static_cast<T>(static_cast<std::uint64_t>(first) + i * static_cast<std::uint64_t>(step));
    else
      result[i] = static_cast<T>(fma(static_cast<double>(i), step, first));
  }
};

/// Calls `work` with a value of the C++ type. The caller has checked that it has arithmetic.
template <class Work>
auto with_arithmetic_type(element_type type, Work&& work) {
  switch (type) {
    case element_type::int32: return work(std::int32_t{});
    case element_type::int64: return work(std::int64_t{});
    case element_type::uint32: return work(std::uint32_t{});
    case element_type::uint64: return work(std::uint64_t{});
    case element_type::float32: return work(float{});
    case element_type::float64: return work(double{});
    default: throw std::logic_error("the caller has checked the type");
  }
}

template <class Loops>
void calculate(const Loops& loops, const elementwise_operation& operation) {
  with_arithmetic_type(operation.type, [&]<class T>(T) {
    loops.for_each_index(
        operation.elements,
        calculate_element<T>{operation.operation, typed<T>(operation.lhs), typed<T>(operation.rhs),
                             reinterpret_cast<T*>(operation.result)});
  });
}

template <class Loops>
void write_sequence(const Loops& loops, const sequence& sequence) {
  with_arithmetic_type(sequence.type, [&]<class T>(T) {
    using wide = widened<T>;
    loops.for_each_index(
        sequence.elements,
        element_of_sequence<T>{typed<wide>(sequence.first), typed<wide>(sequence.step),
                               reinterpret_cast<T*>(sequence.result)});
  });
}

struct alignas(16) sixteen_bytes {
  std::uint64_t words[2];
};

/// The caller has checked the size of the element.
template <class Loops>
void fill(const Loops& loops, std::byte* memory, std::span<const std::byte> element,
          std::size_t elements) {
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, element.data(), sizeof value);
    loops.fill(reinterpret_cast<T*>(memory), elements, value);
  };
  switch (element.size()) {
    case 1: return as(std::uint8_t{});
    case 2: return as(std::uint16_t{});
    case 4: return as(std::uint32_t{});
    case 8: return as(std::uint64_t{});
    default: return as(sixteen_bytes{});
  }
}

}  // namespace transfers::detail
