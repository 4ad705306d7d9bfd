#pragma once

#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "transfers/array/gpu_array.hpp"

namespace transfers {
namespace detail {

/// A host range whose elements go to the device before a launch, come back after it, or both.
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

/// Mark an argument of call() or of function::operator(), like PyCUDA's driver.In, Out and InOut: a
/// contiguous range on the host that is uploaded before the launch, downloaded after it, or both.
/// The range must live until the call returns. A const range as out() or in_out() does not compile.
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

/// What a launch gets for an argument, and what becomes of it before and after. Anything that is
/// neither handled nor an array is passed on as it is.
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
  /// Address on the device; to const elements when nothing comes back.
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

/// Work under way may use the caller's memory: it must have ended when an exception reaches the
/// caller.
class waits_when_unwinding {
 public:
  explicit waits_when_unwinding(const context& context) : context_(context) {}
  waits_when_unwinding(const waits_when_unwinding&) = delete;
  waits_when_unwinding& operator=(const waits_when_unwinding&) = delete;
  ~waits_when_unwinding();
  void no_more() { armed_ = false; }

 private:
  const context& context_;
  bool armed_ = true;
};

/// call() for a `launch` that makes the device current by itself.
template <class Launch, class... A>
void call_kernel(const context& context, Launch&& launch, const A&... arguments) {
  std::tuple<detail::prepared_argument<A>...> prepared{
      detail::prepared_argument<A>(context, arguments)...};
  detail::waits_when_unwinding guard(context);  // before the memory is freed
  std::apply(
      [&](auto&... each) {
        (each.upload(), ...);
        std::invoke(std::forward<Launch>(launch), each.value()...);
        (each.download(), ...);
      },
      prepared);
  guard.no_more();
  context.synchronize();
}

}  // namespace detail

/// Allocates device memory for handled arguments, uploads what goes in, calls `launch` with their
/// addresses on the device in their place (arrays and buffers become addresses as well, everything
/// else stays), downloads what comes out, and returns when that has arrived. `launch` enqueues its
/// work on the context's stream; the device is current meanwhile. Much pageable memory is staged
/// (context::copy). All device memory is freed, also when `launch` throws; then nothing is
/// downloaded (but what a host function throws may come out after downloads). Throws what `launch`
/// throws, out_of_memory, device_error (what comes out is undefined then).
template <class Launch, class... A>
void call(const context& context, Launch&& launch, const A&... arguments) {
  const auto current = context.device().make_current();
  detail::call_kernel(context, std::forward<Launch>(launch), arguments...);
}

}  // namespace transfers
