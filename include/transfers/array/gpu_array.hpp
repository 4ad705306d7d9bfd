#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "transfers/array/buffer.hpp"
#include "transfers/array/shape.hpp"

namespace transfers {

/// The method by which a strided view is copied.
enum class strided_route {
  automatic,  ///< one plain copy if possible; pitched for long rows; otherwise packed
  pitched,    ///< cudaMemcpy2D or 3D; throws unsupported if rows are not contiguous on both sides
  packed,     ///< one copy of page-locked memory, which the CPU packs or unpacks
};

namespace detail {

/// An array without gaps on the device and a view of the same shape on the host.
struct strided_copy {
  std::byte* device;
  order device_order;
  std::byte* host;  ///< an upload does not write to it
  shape extents;
  strides host_strides;  ///< in elements
  std::size_t element_bytes;
};
/// May return before the data have arrived.
void upload(const context& context, const strided_copy& copy, strided_route route);
/// Returns when the data have arrived.
void download(const context& context, const strided_copy& copy, strided_route route);

/// Throws shape_mismatch with both shapes unless shape and order are equal.
void check_alike(const shape& a, order a_order, const shape& b, order b_order);
/// Throws std::invalid_argument unless the contexts are the same.
void check_same_context(const context& a, const context& b);
/// Throws std::invalid_argument if an array has fewer elements than its shape.
void check_not_moved_from(std::size_t elements, const shape& shape);

/// The scalar as an element. Throws std::out_of_range if it does not fit.
template <class T, scalar_for<T> S>
T as_element(S scalar) {
  if constexpr (std::is_integral_v<T>)
    if (!std::in_range<T>(scalar))
      throw std::out_of_range("the scalar " + std::to_string(scalar) +
                              " does not fit into the array's element type");
  if constexpr (std::is_floating_point_v<S> && sizeof(T) < sizeof(S))
    if (std::isfinite(scalar) && std::abs(scalar) > std::numeric_limits<T>::max())
      throw std::out_of_range("the scalar " + std::to_string(scalar) +
                              " does not fit into the array's element type");
  return static_cast<T>(scalar);
}

}  // namespace detail

/// An array in host memory of any kind, with its shape: the result of get(), and a source or
/// destination of copies. Movable, not copyable. Like a span, a const host_array gives access to
/// non-const elements.
template <class T>
class host_array {
 public:
  using value_type = T;

  /// Uninitialised, in ordinary memory or in memory of the given kind.
  explicit host_array(const shape& extents, order order = order::row_major)
      : host_array(host_buffer<T>(extents.elements()), extents, order) {}
  host_array(device& device, const shape& extents, host_memory_kind kind,
             order order = order::row_major)
      : host_array(host_buffer<T>(device, extents.elements(), kind), extents, order) {}

  [[nodiscard]] T* data() const noexcept { return buffer_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return buffer_.size(); }
  [[nodiscard]] bool empty() const noexcept { return buffer_.empty(); }
  [[nodiscard]] T* begin() const noexcept { return buffer_.begin(); }
  [[nodiscard]] T* end() const noexcept { return buffer_.end(); }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return buffer_[i]; }
  [[nodiscard]] const transfers::shape& shape() const noexcept { return shape_; }
  [[nodiscard]] transfers::order order() const noexcept { return order_; }
  [[nodiscard]] host_memory_kind kind() const noexcept { return buffer_.kind(); }

  /// Takes one index for each extent; indices are not checked.
  template <std::convertible_to<std::size_t>... Index>
  [[nodiscard]] T& operator()(Index... index) const noexcept {
    std::size_t offset = 0;
    std::size_t i = 0;
    ((offset += static_cast<std::size_t>(index) * static_cast<std::size_t>(strides_[i++])), ...);
    return buffer_[offset];
  }

 private:
  host_array(host_buffer<T> buffer, const transfers::shape& extents, transfers::order order)
      : buffer_(std::move(buffer)), shape_(extents), order_(order), strides_() {
    std::ranges::transform(strides_of(extents, order), strides_.begin(),
                           [](std::ptrdiff_t elements) { return distance{elements}; });
  }

  /// Not the type of any element, so the compiler knows that a write to an element changes no
  /// stride.
  enum class distance : std::ptrdiff_t {};

  host_buffer<T> buffer_;
  transfers::shape shape_;
  transfers::order order_;
  /// Stored, because computing them takes longer than an access to an element.
  std::array<distance, max_rank> strides_;
};

/// An array in device memory, like PyCUDA's gpuarray. All operations run in the order of the
/// context's stream. Movable, not copyable; destruction does not throw. An empty array owns no
/// memory, and its operations do nothing. If an operation throws device_error, the content of its
/// destination is undefined; if it throws anything else, nothing has changed.
template <class T>
class gpu_array {
 public:
  using value_type = T;

  /// Uninitialised. Throws out_of_memory, device_error.
  gpu_array(const context& context, const shape& extents, order order = order::row_major)
      : buffer_(context, extents.elements()), shape_(extents), order_(order) {}

  /// Device address.
  [[nodiscard]] T* data() const noexcept { return buffer_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return buffer_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return buffer_.bytes(); }
  [[nodiscard]] const transfers::shape& shape() const noexcept { return shape_; }
  [[nodiscard]] transfers::order order() const noexcept { return order_; }
  [[nodiscard]] const transfers::context& context() const noexcept { return buffer_.context(); }

  /// Upload into this array. Throw std::length_error or shape_mismatch if sizes or shapes differ. A
  /// range must have its elements in the array's order. set() returns when the data have arrived;
  /// set_async() only enqueues (see device_buffer::copy_from_async).
  void set(std::span<const T> src) { buffer_.copy_from(src); }
  void set_async(std::span<const T> src) { buffer_.copy_from_async(src); }
  template <detail::contiguous_elements R>
  void set_async(R&& src) {
    if constexpr (std::derived_from<std::remove_cvref_t<R>, host_array<T>>)
      detail::check_alike(src.shape(), src.order(), shape_, order_);
    buffer_.copy_from_async(std::forward<R>(src));
  }
  void set(const host_array<T>& src) {
    detail::check_alike(src.shape(), src.order(), shape_, order_);
    buffer_.copy_from(src);
  }
  void set(const strided_view<const T>& src, strided_route route = strided_route::automatic) {
    detail::upload(context(), ends(src), route);
    context().synchronize();
  }

  /// Download, with the same rules. A const destination does not compile.
  template <detail::contiguous_elements R>
  void get(R&& dst) const {
    buffer_.copy_to(dst);
  }
  template <detail::contiguous_elements R>
  void get_async(R&& dst) const {
    buffer_.copy_to_async(std::forward<R>(dst));
  }
  void get_async(const host_array<T>& dst) const {
    detail::check_alike(shape_, order_, dst.shape(), dst.order());
    buffer_.copy_to_async(dst);
  }
  void get_async(host_array<T>& dst) const { get_async(std::as_const(dst)); }
  void get(const host_array<T>& dst) const {
    detail::check_alike(shape_, order_, dst.shape(), dst.order());
    buffer_.copy_to(dst);
  }
  void get(host_array<T>& dst) const { get(std::as_const(dst)); }
  template <class U>
  void get(const strided_view<U>& dst, strided_route route = strided_route::automatic) const {
    static_assert(!std::is_const_v<U>, "the destination of a copy must not be const");
    static_assert(std::is_same_v<U, T>,
                  "the destination must have the elements' type: nothing is converted on the way");
    detail::download(context(), ends(dst), route);
  }

  /// Downloads into new ordinary memory. Its pages are allocated during the copy, which is
  /// therefore slower than a copy into memory that has been used before.
  [[nodiscard]] host_array<T> get() const {
    host_array<T> fresh(shape_, order_);
    get(fresh);
    return fresh;
  }
  /// Downloads into new memory of the given kind.
  [[nodiscard]] host_array<T> get(host_memory_kind kind) const {
    host_array<T> fresh(context().device(), shape_, kind, order_);
    get(fresh);
    return fresh;
  }

  /// Enqueues setting all bytes to zero.
  void clear() {
    if (size() > 0) context().stream().clear(reinterpret_cast<std::byte*>(data()), bytes());
  }

  /// A new array with the elements in another type, converted on the device (see conversion in
  /// stream.hpp).
  template <convertible_element U>
  requires convertible_element<T>
  [[nodiscard]] gpu_array<U> astype() const {
    gpu_array<U> result(context(), shape_, order_);
    if (size() > 0)
      context().stream().convert({type_of<T>(), type_of<U>(),
                                  reinterpret_cast<const std::byte*>(data()),
                                  reinterpret_cast<std::byte*>(result.data()), size()});
    return result;
  }

 private:
  template <class U>
  detail::strided_copy ends(const strided_view<U>& host) const {
    detail::check_alike(shape_, order_, host.shape(), order_);
    return {reinterpret_cast<std::byte*>(data()),
            order_,
            reinterpret_cast<std::byte*>(const_cast<T*>(host.data())),
            shape_,
            host.strides(),
            sizeof(T)};
  }

  device_buffer<T> buffer_;
  transfers::shape shape_;
  transfers::order order_;
};

template <class T>
[[nodiscard]] gpu_array<T> empty(const context& context, const shape& extents,
                                 order order = order::row_major) {
  return {context, extents, order};
}
template <class T>
[[nodiscard]] gpu_array<T> zeros(const context& context, const shape& extents,
                                 order order = order::row_major) {
  gpu_array<T> array(context, extents, order);
  array.clear();
  return array;
}
template <class T>
[[nodiscard]] gpu_array<T> empty_like(const gpu_array<T>& other) {
  return {other.context(), other.shape(), other.order()};
}
template <class T>
[[nodiscard]] gpu_array<T> zeros_like(const gpu_array<T>& other) {
  return zeros<T>(other.context(), other.shape(), other.order());
}

/// Upload a contiguous range (vector, array, span, string) as one row or with a shape, a host_array
/// or a strided view. Return when the data have arrived. Throw std::length_error if shape and range
/// do not match, out_of_memory, device_error.
template <detail::contiguous_elements R>
[[nodiscard]] auto to_gpu(const context& context, const R& src, const shape& extents,
                          order order = order::row_major) {
  using T = detail::element_of<R>;
  detail::check_sizes(std::ranges::size(src), extents.elements());
  gpu_array<T> array(context, extents, order);
  array.set(std::span<const T>(std::ranges::data(src), std::ranges::size(src)));
  return array;
}
template <detail::contiguous_elements R>
[[nodiscard]] auto to_gpu(const context& context, const R& src) {
  return to_gpu(context, src, {std::ranges::size(src)});
}
template <class T>
[[nodiscard]] gpu_array<T> to_gpu(const context& context, const host_array<T>& src) {
  return to_gpu(context, src, src.shape(), src.order());
}
template <class T>
[[nodiscard]] auto to_gpu(const context& context, const strided_view<T>& src,
                          order order = order::row_major,
                          strided_route route = strided_route::automatic) {
  gpu_array<std::remove_const_t<T>> array(context, src.shape(), order);
  array.set(src, route);
  return array;
}
template <mdspan_like View>
[[nodiscard]] auto to_gpu(const context& context, const View& src, order order = order::row_major) {
  return to_gpu(context, strided_view(src), order);
}

/// The same, but only enqueue the upload: the source must stay unchanged until the context has been
/// synchronized. Return at once only if the source is page-locked.
template <detail::contiguous_elements R>
[[nodiscard]] auto to_gpu_async(const context& context, R&& src, const shape& extents,
                                order order = order::row_major) {
  static_assert(std::ranges::borrowed_range<R>,
                "the source of an asynchronous copy must outlive it: it must not be a temporary");
  using T = detail::element_of<R>;
  detail::check_sizes(std::ranges::size(src), extents.elements());
  gpu_array<T> array(context, extents, order);
  array.set_async(std::span<const T>(std::ranges::data(src), std::ranges::size(src)));
  return array;
}
template <detail::contiguous_elements R>
[[nodiscard]] auto to_gpu_async(const context& context, R&& src) {
  return to_gpu_async(context, std::forward<R>(src), {std::ranges::size(src)});
}
template <class T>
[[nodiscard]] gpu_array<T> to_gpu_async(const context& context, const host_array<T>& src) {
  return to_gpu_async(context, src, src.shape(), src.order());
}
template <class T>
[[nodiscard]] gpu_array<T> to_gpu_async(const context& context, host_array<T>& src) {
  return to_gpu_async(context, std::as_const(src));
}
template <class T>
gpu_array<T> to_gpu_async(const context& context, host_array<T>&& src) = delete;  // a temporary

/// Where the element type of uploaded data is converted.
enum class convert_on {
  host,    ///< on all cores before the copy, which has the new type's size
  device,  ///< after the copy, which has the old type's size
};

namespace detail {
/// Converts on all cores; returns when done.
void convert_on_host(const conversion& conversion);
}  // namespace detail

/// Upload elements and convert them to another type: to_gpu_as<float>(gpu, doubles,
/// convert_on::host).
template <convertible_element T, detail::contiguous_elements R>
requires convertible_element<detail::element_of<R>>
[[nodiscard]] gpu_array<T> to_gpu_as(const context& context, const R& src, const shape& extents,
                                     convert_on convert_where, order order = order::row_major) {
  using From = detail::element_of<R>;
  const std::size_t elements = std::ranges::size(src);
  if (convert_where == convert_on::device)
    return to_gpu(context, src, extents, order).template astype<T>();
  detail::check_sizes(elements, extents.elements());
  gpu_array<T> array(context, extents, order);
  if (elements == 0) return array;
  const auto staging = context.allocate_staging(array.bytes());
  detail::convert_on_host({type_of<From>(), type_of<T>(),
                           reinterpret_cast<const std::byte*>(std::ranges::data(src)),
                           staging.data(), elements});
  array.set({reinterpret_cast<const T*>(staging.data()), elements});
  return array;
}
template <convertible_element T, detail::contiguous_elements R>
requires convertible_element<detail::element_of<R>>
[[nodiscard]] gpu_array<T> to_gpu_as(const context& context, const R& src,
                                     convert_on convert_where) {
  return to_gpu_as<T>(context, src, {std::ranges::size(src)}, convert_where);
}
template <convertible_element T, convertible_element From>
[[nodiscard]] gpu_array<T> to_gpu_as(const context& context, const host_array<From>& src,
                                     convert_on convert_where) {
  return to_gpu_as<T>(context, src, src.shape(), convert_where, src.order());
}

/// Page-locked host arrays, like PyCUDA's pagelocked_empty, pagelocked_zeros and their _like
/// variants.
template <class T>
[[nodiscard]] host_array<T> pinned_empty(device& device, const shape& extents,
                                         pin_flags flags = pin_flags::none,
                                         order order = order::row_major) {
  return {device, extents, pinned(flags), order};
}
template <class T>
[[nodiscard]] host_array<T> pinned_zeros(device& device, const shape& extents,
                                         pin_flags flags = pin_flags::none,
                                         order order = order::row_major) {
  auto array = pinned_empty<T>(device, extents, flags, order);
  if (array.size() > 0) std::memset(static_cast<void*>(array.data()), 0, array.size() * sizeof(T));
  return array;
}
/// `other` may be any type with shape() and order().
template <class Array>
[[nodiscard]] auto pinned_empty_like(device& device, const Array& other,
                                     pin_flags flags = pin_flags::none) {
  return pinned_empty<typename Array::value_type>(device, other.shape(), flags, other.order());
}
template <class Array>
[[nodiscard]] auto pinned_zeros_like(device& device, const Array& other,
                                     pin_flags flags = pin_flags::none) {
  return pinned_zeros<typename Array::value_type>(device, other.shape(), flags, other.order());
}

}  // namespace transfers
