#pragma once

#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "transfers/array/gpu_array.hpp"

namespace transfers {
namespace detail {

/// A host range whose elements are uploaded before a launch, downloaded after it, or both.
template <class T, bool goes_in, bool comes_out>
struct handled {
  using value_type = T;
  std::conditional_t<comes_out, std::span<T>, std::span<const T>> range;
};

template <bool goes_in, bool comes_out, contiguous_elements R>
auto handle(R& range) {
  using T = element_of<R>;
  TRANSFERS_REQUIRE_ELEMENT(T);
  if constexpr (comes_out) {
    using reference = std::remove_reference_t<std::ranges::range_reference_t<R>>;
    static_assert(!std::is_const_v<reference>, "the destination of a copy must not be const");
  }
  return handled<T, goes_in, comes_out>{{std::ranges::data(range), std::ranges::size(range)}};
}

/// A single value: the launch gets its address.
template <class T>
concept single_value =
    element<T> && !std::ranges::range<T> && !std::is_pointer_v<T> && !device_elements<T>;

template <bool goes_in, bool comes_out, class T>
auto handle_value(T& value) {
  static_assert(!comes_out || !std::is_const_v<T>, "the destination of a copy must not be const");
  return handled<std::remove_const_t<T>, goes_in, comes_out>{{&value, 1}};
}

}  // namespace detail

///@{
/// Mark an argument of call() or of function::operator() as a contiguous host range, or a single
/// variable, that is uploaded before the launch (in), downloaded after it (out), or both (in_out),
/// like PyCUDA's driver.In, Out and InOut. The range must live until the call returns. A const
/// range as out() or in_out() and a temporary that owns its elements do not compile.
template <host_elements R>
[[nodiscard]] auto in(R&& range) {
  static_assert(detail::outlives_expression<R>,
                "in() refers to a range, which must outlive it: it must not be a temporary");
  return detail::handle<true, false>(range);
}
template <host_elements R>
[[nodiscard]] auto out(R&& range) {
  static_assert(detail::outlives_expression<R>,
                "out() refers to a range, which must outlive it: it must not be a temporary");
  return detail::handle<false, true>(range);
}
template <host_elements R>
[[nodiscard]] auto in_out(R&& range) {
  static_assert(detail::outlives_expression<R>,
                "in_out() refers to a range, which must outlive it: it must not be a temporary");
  return detail::handle<true, true>(range);
}
template <class T>
requires detail::single_value<std::remove_cvref_t<T>>
[[nodiscard]] auto in(T&& value) {
  static_assert(std::is_lvalue_reference_v<T>,
                "in() refers to a variable, which must outlive it: it must not be a temporary");
  return detail::handle_value<true, false>(value);
}
template <class T>
requires detail::single_value<std::remove_cvref_t<T>>
[[nodiscard]] auto out(T&& value) {
  static_assert(std::is_lvalue_reference_v<T>,
                "out() refers to a variable, which must outlive it: it must not be a temporary");
  return detail::handle_value<false, true>(value);
}
template <class T>
requires detail::single_value<std::remove_cvref_t<T>>
[[nodiscard]] auto in_out(T&& value) {
  static_assert(std::is_lvalue_reference_v<T>,
                "in_out() refers to a variable, which must outlive it: it must not be a temporary");
  return detail::handle_value<true, true>(value);
}
template <device_elements D>
auto in(D&&) {
  static_assert(!device_elements<D>,
                "in() marks host memory; device memory is passed to a kernel as it is");
}
template <device_elements D>
auto out(D&&) {
  static_assert(!device_elements<D>,
                "out() marks host memory; device memory is passed to a kernel as it is");
}
template <device_elements D>
auto in_out(D&&) {
  static_assert(!device_elements<D>,
                "in_out() marks host memory; device memory is passed to a kernel as it is");
}
///@}

namespace detail {

/// The value that a launch gets for an argument, and its transfers before and after the launch. An
/// argument that has no memory is passed unchanged. `A` is const for arguments that are const.
template <class A>
class prepared_argument {
 public:
  prepared_argument(const context&, A& value) : value_(value) {}
  void upload() {}
  [[nodiscard]] const A& value() const { return value_; }
  void download() {}

 private:
  A& value_;
};

/// Device memory: its address.
template <device_elements D>
class prepared_argument<D> {
 public:
  prepared_argument(const context& context, D& memory) : address_(memory.view().data()) {
    check_accessible(memory, context.device().identity());
    context.wait_for_owner(memory);
  }
  void upload() {}
  [[nodiscard]] auto value() const { return address_; }
  void download() {}

 private:
  decltype(std::declval<D&>().view().data()) address_;
};

/// Page-locked or managed host memory, which the kernel accesses in place: its device address.
template <class H>
requires requires(H& memory) { memory.on_device().data(); }
class prepared_argument<H> {
 public:
  prepared_argument(const context&, H& memory) : address_(memory.on_device().data()) {}
  void upload() {}
  [[nodiscard]] auto value() const { return address_; }
  void download() {}

 private:
  decltype(std::declval<H&>().on_device().data()) address_;
};

template <class T, bool goes_in, bool comes_out>
class prepared_argument<handled<T, goes_in, comes_out>> {
 public:
  prepared_argument(const context& context, const handled<T, goes_in, comes_out>& range)
      : range_(range.range), buffer_(context, range.range.size()) {}
  void upload() {
    if constexpr (goes_in) buffer_.context().copy_or_enqueue(buffer_, range_);
  }
  /// Device address; of const elements if nothing is downloaded.
  [[nodiscard]] auto value() { return static_cast<pointer>(buffer_.data()); }
  void download() {
    if constexpr (comes_out) buffer_.context().copy_or_enqueue(range_, buffer_);
  }

 private:
  using pointer = std::conditional_t<comes_out, T*, const T*>;
  decltype(handled<T, goes_in, comes_out>::range) range_;
  device_buffer<T> buffer_;
};
template <class T, bool goes_in, bool comes_out>
class prepared_argument<const handled<T, goes_in, comes_out>>
    : public prepared_argument<handled<T, goes_in, comes_out>> {
 public:
  using prepared_argument<handled<T, goes_in, comes_out>>::prepared_argument;
};

/// The type of the value that a launch gets for an argument.
template <class A>
using passed_type = std::remove_cvref_t<
    decltype(std::declval<prepared_argument<std::remove_reference_t<A>>&>().value())>;

/// Synchronizes the context when an exception passes, because enqueued work may use the caller's
/// memory.
class sync_on_unwind {
 public:
  explicit sync_on_unwind(const context& context) : context_(context) {}
  sync_on_unwind(const sync_on_unwind&) = delete;
  sync_on_unwind& operator=(const sync_on_unwind&) = delete;
  ~sync_on_unwind();
  void dismiss() { armed_ = false; }

 private:
  const context& context_;
  bool armed_ = true;
};

/// call() for a `launch` that makes the device current itself.
template <class Launch, class... A>
void call_kernel(const context& context, Launch&& launch, A&... arguments) {
  std::tuple<prepared_argument<A>...> prepared{prepared_argument<A>(context, arguments)...};
  sync_on_unwind guard(context);  // before the memory is freed
  std::apply(
      [&](auto&... entries) {
        (entries.upload(), ...);
        std::invoke(std::forward<Launch>(launch), entries.value()...);
        (entries.download(), ...);
      },
      prepared);
  guard.dismiss();
  context.synchronize();
}

}  // namespace detail

/// Calls `launch` with device copies of host ranges. Allocates device memory for the arguments
/// marked with in(), out() and in_out(), uploads the input, calls `launch` with device addresses in
/// their place, downloads the output, and returns when it has arrived. Arrays, buffers and views of
/// device memory become addresses as well, of const elements if they are const; so do arrays and
/// buffers in page-locked or managed host memory, which the kernel accesses in place. Other
/// arguments are passed unchanged. `launch` must enqueue its work on the context's stream; the
/// device is current during the call. Large pageable ranges are staged (context::copy). All device
/// memory is freed, also if `launch` throws; in that case nothing is downloaded (but an exception
/// of a host function may appear only after the downloads). Throws what `launch` throws,
/// out_of_memory, device_error (the output is then undefined); unsupported for host memory that the
/// device cannot address.
template <class Launch, class... A>
void call(const context& context, Launch&& launch, A&&... arguments) {
  const auto current = context.device().make_current();
  detail::call_kernel(context, std::forward<Launch>(launch), arguments...);
}

}  // namespace transfers
