#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <typeinfo>

#include "transfers/launch/arguments.hpp"

// Types of a kernel's parameters, and arguments without their types. arguments.hpp has what a
// caller may pass.

namespace transfers {
namespace detail {

/// What is known about a parameter of a kernel, or about an argument.
struct parameter {
  std::size_t bytes = 0;
  const std::type_info* type = nullptr;  ///< null if it is not known
  /// The type of an argument that converts to a pointer parameter: float* for const float*.
  const std::type_info* converts_from = nullptr;
  bool is_pointer = false;
  bool points_to_void = false;
  bool points_to_const = false;
};

template <class T>
parameter parameter_of() {
  parameter result{sizeof(T), &typeid(T)};
  if constexpr (std::is_pointer_v<T>) {
    using pointee = std::remove_pointer_t<T>;
    result.converts_from = &typeid(std::remove_const_t<pointee>*);
    result.is_pointer = true;
    result.points_to_void = std::is_void_v<pointee>;
    result.points_to_const = std::is_const_v<pointee>;
  }
  return result;
}

/// Whether a kernel writes to a parameter of type P, whose argument is const.
template <class P, class A>
inline constexpr bool writes_to_const =
    std::is_pointer_v<P>&& std::is_pointer_v<A> && !std::is_const_v<std::remove_pointer_t<P>> &&
    std::is_const_v<std::remove_pointer_t<A>>;

/// Whether a kernel with a parameter of type P may get an argument of type A. Numbers are not
/// converted: a program that passes 2 where 2.0F is meant has made a mistake.
template <class P, class A>
inline constexpr bool accepts = std::is_same_v<P, A> ||
                                (std::is_pointer_v<P> && std::is_pointer_v<A> &&
                                 std::is_convertible_v<A, P> &&
                                 (std::is_void_v<std::remove_pointer_t<P>> ||
                                  std::is_same_v<std::remove_cv_t<std::remove_pointer_t<P>>,
                                                 std::remove_cv_t<std::remove_pointer_t<A>>>));

/// False for a host range in the place of a pointer.
template <class P, class A>
inline constexpr bool reachable = !(std::is_pointer_v<P> && host_elements<A>);

/// A type of arguments that a GPU gets as they are.
template <class A>
concept kernel_parameter = std::is_trivially_copyable_v<A> &&
                           alignof(A) <= alignof(std::max_align_t);

}  // namespace detail

/// A type-erased kernel argument: a copy of up to 16 bytes, or a reference to a larger value, which
/// must live until the launch returns.
class argument {
 public:
  template <class T>
  requires(std::is_trivially_copyable_v<T> && !device_elements<T> && !std::is_array_v<T>)
      argument(const T& value)  // NOLINT(google-explicit-constructor): packs whatever is passed
      : kind_(detail::parameter_of<T>()) {
    if constexpr (sizeof(T) <= sizeof small_)
      std::memcpy(small_.data(), &value, sizeof(T));
    else
      large_ = &value;
  }
  /// Device memory is passed by its address. It must live until the kernel has finished;
  /// temporaries that own their elements do not compile.
  template <device_elements D>
  argument(D&& memory)  // NOLINT(google-explicit-constructor)
      : argument(memory.view().data()) {
    static_assert(detail::outlives_expression<D>,
                  "an argument refers to device memory, which must outlive the launch: it must not "
                  "be a temporary");
    owner_ = detail::owner_of(memory);
  }

  /// Valid as long as the argument, and the value that it refers to.
  [[nodiscard]] const void* address() const { return large_ ? large_ : small_.data(); }
  [[nodiscard]] std::size_t bytes() const { return kind_.bytes; }
  /// Size and type of the argument.
  [[nodiscard]] const detail::parameter& kind() const { return kind_; }
  /// The device of an array or a buffer; not known of other arguments.
  [[nodiscard]] const detail::device_identity& owner() const { return owner_; }

 private:
  alignas(std::max_align_t) std::array<std::byte, 16> small_{};
  const void* large_ = nullptr;
  detail::parameter kind_;
  detail::device_identity owner_;
};

}  // namespace transfers
