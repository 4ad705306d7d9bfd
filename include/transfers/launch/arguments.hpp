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
auto handle(R&& range) {
  using T = element_of<R>;
  TRANSFERS_REQUIRE_ELEMENT(T);
  if constexpr (comes_out) {
    using reference = std::remove_reference_t<std::ranges::range_reference_t<R>>;
    static_assert(!std::is_const_v<reference>, "the destination of a copy must not be const");
  }
  return handled<T, goes_in, comes_out>{{std::ranges::data(range), std::ranges::size(range)}};
}

}  // namespace detail

/// Mark an argument of call() or of function::operator() as a contiguous host range that is
/// uploaded before the launch (in), downloaded after it (out), or both (in_out), like PyCUDA's
/// driver.In, Out and InOut. The range must live until the call returns. A const range as out() or
/// in_out() does not compile.
template <detail::contiguous_elements R>
[[nodiscard]] auto in(const R& range) {
  return detail::handle<true, false>(range);
}
template <detail::contiguous_elements R>
[[nodiscard]] auto out(R&& range) {
  return detail::handle<false, true>(range);
}
template <detail::contiguous_elements R>
[[nodiscard]] auto in_out(R&& range) {
  return detail::handle<true, true>(range);
}

namespace detail {

/// The value that a launch gets for an argument, and its transfers before and after the launch. An
/// argument that is neither a host range nor an array or buffer is passed unchanged.
template <class A>
class prepared_argument {
 public:
  prepared_argument(const context&, const A& value) : value_(value) {}
  void upload() {}
  [[nodiscard]] const A& value() const { return value_; }
  void download() {}

 private:
  const A& value_;
};

template <class T, bool goes_in, bool comes_out>
class prepared_argument<handled<T, goes_in, comes_out>> {
 public:
  prepared_argument(const context& context, const handled<T, goes_in, comes_out>& range)
      : range_(range.range), buffer_(context, range.range.size()) {}
  void upload() {
    if constexpr (goes_in)
      copy(on_device(), reinterpret_cast<const std::byte*>(range_.data()), direction::h2d);
  }
  /// Device address; of const elements if nothing is downloaded.
  [[nodiscard]] auto value() const { return static_cast<pointer>(buffer_.data()); }
  void download() {
    if constexpr (comes_out)
      copy(reinterpret_cast<std::byte*>(range_.data()), on_device(), direction::d2h);
  }

 private:
  [[nodiscard]] std::byte* on_device() const {
    return reinterpret_cast<std::byte*>(buffer_.data());
  }
  void copy(std::byte* dst, const std::byte* src, direction direction) const {
    if (buffer_.bytes() > 0)
      buffer_.context().copy_or_enqueue(dst, src, buffer_.bytes(), direction);
  }

  using pointer = std::conditional_t<comes_out, T*, const T*>;
  decltype(handled<T, goes_in, comes_out>::range) range_;
  device_buffer<T> buffer_;
};

template <class T>
class prepared_argument<gpu_array<T>> {
 public:
  prepared_argument(const context&, const gpu_array<T>& array) : array_(array) {}
  void upload() {}
  [[nodiscard]] T* value() const { return array_.data(); }
  void download() {}

 private:
  const gpu_array<T>& array_;
};

template <class T>
class prepared_argument<device_buffer<T>> {
 public:
  prepared_argument(const context&, const device_buffer<T>& buffer) : buffer_(buffer) {}
  void upload() {}
  [[nodiscard]] T* value() const { return buffer_.data(); }
  void download() {}

 private:
  const device_buffer<T>& buffer_;
};

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
void call_kernel(const context& context, Launch&& launch, const A&... arguments) {
  std::tuple<detail::prepared_argument<A>...> prepared{
      detail::prepared_argument<A>(context, arguments)...};
  detail::sync_on_unwind guard(context);  // before the memory is freed
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
/// their place (arrays and buffers become addresses as well; other arguments are passed unchanged),
/// downloads the output, and returns when it has arrived. `launch` must enqueue its work on the
/// context's stream; the device is current during the call. Large pageable ranges are staged
/// (context::copy). All device memory is freed, also if `launch` throws; in that case nothing is
/// downloaded (but an exception of a host function may appear only after the downloads). Throws
/// what `launch` throws, out_of_memory, device_error (the output is then undefined).
template <class Launch, class... A>
void call(const context& context, Launch&& launch, const A&... arguments) {
  const auto current = context.device().make_current();
  detail::call_kernel(context, std::forward<Launch>(launch), arguments...);
}

}  // namespace transfers
