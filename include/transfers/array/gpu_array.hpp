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

/// How a strided view gets across.
enum class strided_route {
  automatic,  ///< one plain copy where it can be; pitched for long rows; otherwise packed
  pitched,  ///< cudaMemcpy2D or 3D; throws unsupported where rows are not contiguous on both sides
  packed,   ///< gathered by the CPU into page-locked memory, one copy; and the reverse
};

namespace detail {

/// An array without gaps on the device and a view of the same shape on the host.
struct strided_copy {
  std::byte* device;
  order device_order;
  std::byte* host;  ///< not written to by an upload
  shape extents;
  strides host_strides;  ///< in elements
  std::size_t element_bytes;
};
/// May return before the data have arrived.
void upload(const context& in, const strided_copy& what, strided_route by);
/// Returns when the data have arrived.
void download(const context& in, const strided_copy& what, strided_route by);

/// Throws shape_mismatch with both.
void check_alike(const shape& a, order a_order, const shape& b, order b_order);
/// Throws std::invalid_argument.
void check_same_context(const context& a, const context& b);

/// The scalar as an element. Throws std::out_of_range when it does not fit.
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

/// An array in host memory, with its shape: what get() gives, and a source or destination of any
/// kind of memory. Moves, does not copy. Like a span, a const one gives access to elements that are
/// not const.
template <class T>
class host_array {
 public:
  using value_type = T;

  /// Uninitialised, in ordinary memory or in memory of a kind.
  explicit host_array(const shape& extents, order as = order::row_major)
      : host_array(host_buffer<T>(extents.elements()), extents, as) {}
  host_array(device& on, const shape& extents, host_memory_kind kind, order as = order::row_major)
      : host_array(host_buffer<T>(on, extents.elements(), kind), extents, as) {}

  [[nodiscard]] T* data() const noexcept { return buffer_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return buffer_.size(); }
  [[nodiscard]] bool empty() const noexcept { return buffer_.empty(); }
  [[nodiscard]] T* begin() const noexcept { return buffer_.begin(); }
  [[nodiscard]] T* end() const noexcept { return buffer_.end(); }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return buffer_[i]; }
  [[nodiscard]] const transfers::shape& shape() const noexcept { return shape_; }
  [[nodiscard]] transfers::order order() const noexcept { return order_; }
  [[nodiscard]] host_memory_kind kind() const noexcept { return buffer_.kind(); }

  /// One index for each extent; not checked.
  template <std::convertible_to<std::size_t>... Index>
  [[nodiscard]] T& operator()(Index... index) const noexcept {
    std::size_t offset = 0;
    std::size_t i = 0;
    ((offset += static_cast<std::size_t>(index) * static_cast<std::size_t>(strides_[i++])), ...);
    return buffer_[offset];
  }

 private:
  host_array(host_buffer<T> buffer, const transfers::shape& extents, transfers::order as)
      : buffer_(std::move(buffer)), shape_(extents), order_(as), strides_() {
    std::ranges::transform(strides_of(extents, as), strides_.begin(),
                           [](std::ptrdiff_t elements) { return distance{elements}; });
  }

  /// A type of its own, which no element has: the compiler then knows that a write to an element
  /// changes no stride.
  enum class distance : std::ptrdiff_t {};

  host_buffer<T> buffer_;
  transfers::shape shape_;
  transfers::order order_;
  /// Kept: to compute them costs more than to access an element.
  std::array<distance, max_rank> strides_;
};

/// An array in device memory, like PyCUDA's gpuarray. All work is done in the order of the
/// context's stream. Moves, does not copy; frees without throwing; an empty one has no memory and
/// its operations do nothing. When an operation throws device_error, its destination's content is
/// undefined; when anything else is thrown, nothing has changed.
template <class T>
class gpu_array {
 public:
  using value_type = T;

  /// Uninitialised. Throws out_of_memory, device_error.
  gpu_array(const context& in, const shape& extents, order as = order::row_major)
      : buffer_(in, extents.elements()), shape_(extents), order_(as) {}

  /// Address on the device.
  [[nodiscard]] T* data() const noexcept { return buffer_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return buffer_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return buffer_.bytes(); }
  [[nodiscard]] const transfers::shape& shape() const noexcept { return shape_; }
  [[nodiscard]] transfers::order order() const noexcept { return order_; }
  [[nodiscard]] const transfers::context& context() const noexcept { return buffer_.context(); }

  /// Upload into this array; sizes and shapes must match, or std::length_error and shape_mismatch
  /// are thrown. A range has its elements in the array's order. set() returns when the data have
  /// arrived; set_async() only enqueues (see device_buffer::copy_from_async).
  void set(std::span<const T> source) { buffer_.copy_from(source); }
  void set_async(std::span<const T> source) { buffer_.copy_from_async(source); }
  template <detail::contiguous_elements R>
  void set_async(R&& source) {
    if constexpr (std::derived_from<std::remove_cvref_t<R>, host_array<T>>)
      detail::check_alike(source.shape(), source.order(), shape_, order_);
    buffer_.copy_from_async(std::forward<R>(source));
  }
  void set(const host_array<T>& source) {
    detail::check_alike(source.shape(), source.order(), shape_, order_);
    buffer_.copy_from(source);
  }
  void set(const strided_view<const T>& source, strided_route by = strided_route::automatic) {
    detail::upload(context(), ends(source), by);
    context().synchronize();
  }

  /// Download, likewise. A const destination does not compile.
  template <detail::contiguous_elements R>
  void get(R&& destination) const {
    buffer_.copy_to(destination);
  }
  template <detail::contiguous_elements R>
  void get_async(R&& destination) const {
    buffer_.copy_to_async(std::forward<R>(destination));
  }
  void get_async(const host_array<T>& destination) const {
    detail::check_alike(shape_, order_, destination.shape(), destination.order());
    buffer_.copy_to_async(destination);
  }
  void get_async(host_array<T>& destination) const { get_async(std::as_const(destination)); }
  void get(const host_array<T>& destination) const {
    detail::check_alike(shape_, order_, destination.shape(), destination.order());
    buffer_.copy_to(destination);
  }
  void get(host_array<T>& destination) const { get(std::as_const(destination)); }
  template <class U>
  void get(const strided_view<U>& destination, strided_route by = strided_route::automatic) const {
    static_assert(!std::is_const_v<U>, "the destination of a copy must not be const");
    static_assert(std::is_same_v<U, T>,
                  "the destination must have the elements' type: nothing is converted on the way");
    detail::download(context(), ends(destination), by);
  }

  /// Into new ordinary memory: its pages come into being during the copy, which makes that slower
  /// than one into memory that has been used before.
  [[nodiscard]] host_array<T> get() const {
    host_array<T> fresh(shape_, order_);
    get(fresh);
    return fresh;
  }
  /// Into new memory of a kind.
  [[nodiscard]] host_array<T> get(host_memory_kind kind) const {
    host_array<T> fresh(context().device(), shape_, kind, order_);
    get(fresh);
    return fresh;
  }

  /// All bytes to zero; enqueued.
  void clear() {
    if (size() > 0) context().stream().clear(reinterpret_cast<std::byte*>(data()), bytes());
  }

  /// The elements in another type, converted on the device (see conversion in stream.hpp).
  template <arithmetic_element U>
  requires arithmetic_element<T>
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
[[nodiscard]] gpu_array<T> empty(const context& in, const shape& extents,
                                 order as = order::row_major) {
  return {in, extents, as};
}
template <class T>
[[nodiscard]] gpu_array<T> zeros(const context& in, const shape& extents,
                                 order as = order::row_major) {
  gpu_array<T> made(in, extents, as);
  made.clear();
  return made;
}
template <class T>
[[nodiscard]] gpu_array<T> empty_like(const gpu_array<T>& other) {
  return {other.context(), other.shape(), other.order()};
}
template <class T>
[[nodiscard]] gpu_array<T> zeros_like(const gpu_array<T>& other) {
  return zeros<T>(other.context(), other.shape(), other.order());
}

/// Uploads any contiguous range (vector, array, span, string), as one row or with a shape. Returns
/// when the data have arrived. Throws std::length_error when shape and range do not match,
/// out_of_memory, device_error.
template <detail::contiguous_elements R>
[[nodiscard]] auto to_gpu(const context& in, const R& source, const shape& extents,
                          order as = order::row_major) {
  using T = detail::element_of<R>;
  detail::check_sizes(std::ranges::size(source), extents.elements());
  gpu_array<T> made(in, extents, as);
  made.set(std::span<const T>(std::ranges::data(source), std::ranges::size(source)));
  return made;
}
template <detail::contiguous_elements R>
[[nodiscard]] auto to_gpu(const context& in, const R& source) {
  return to_gpu(in, source, {std::ranges::size(source)});
}
template <class T>
[[nodiscard]] gpu_array<T> to_gpu(const context& in, const host_array<T>& source) {
  return to_gpu(in, source, source.shape(), source.order());
}
template <class T>
[[nodiscard]] auto to_gpu(const context& in, const strided_view<T>& source,
                          order as = order::row_major,
                          strided_route by = strided_route::automatic) {
  gpu_array<std::remove_const_t<T>> made(in, source.shape(), as);
  made.set(source, by);
  return made;
}
template <mdspan_like View>
[[nodiscard]] auto to_gpu(const context& in, const View& source, order as = order::row_major) {
  return to_gpu(in, strided_view(source), as);
}

/// The same, only enqueued: the source must stay as it is until the context has been synchronized.
/// Returns at once only when the source is page-locked.
template <detail::contiguous_elements R>
[[nodiscard]] auto to_gpu_async(const context& in, R&& source, const shape& extents,
                                order as = order::row_major) {
  static_assert(std::ranges::borrowed_range<R>,
                "the source of an asynchronous copy must outlive it: it must not be a temporary");
  using T = detail::element_of<R>;
  detail::check_sizes(std::ranges::size(source), extents.elements());
  gpu_array<T> made(in, extents, as);
  made.set_async(std::span<const T>(std::ranges::data(source), std::ranges::size(source)));
  return made;
}
template <detail::contiguous_elements R>
[[nodiscard]] auto to_gpu_async(const context& in, R&& source) {
  return to_gpu_async(in, std::forward<R>(source), {std::ranges::size(source)});
}
template <class T>
[[nodiscard]] gpu_array<T> to_gpu_async(const context& in, const host_array<T>& source) {
  return to_gpu_async(in, source, source.shape(), source.order());
}
template <class T>
[[nodiscard]] gpu_array<T> to_gpu_async(const context& in, host_array<T>& source) {
  return to_gpu_async(in, std::as_const(source));
}
template <class T>
gpu_array<T> to_gpu_async(const context& in, host_array<T>&& source) = delete;  // gone too soon

/// Where to change the element type of data on their way to the device.
enum class convert_on {
  host,    ///< by all cores, before the copy: the copy is of the new type's size
  device,  ///< after the copy, which is of the old type's size
};

namespace detail {
/// By all cores; returns when done.
void convert_on_host(const conversion& what);
}  // namespace detail

/// Uploads elements of another type: to_gpu_as<float>(gpu, doubles, convert_on::host).
template <arithmetic_element T, detail::contiguous_elements R>
requires arithmetic_element<detail::element_of<R>>
[[nodiscard]] gpu_array<T> to_gpu_as(const context& in, const R& source, const shape& extents,
                                     convert_on where, order as = order::row_major) {
  using From = detail::element_of<R>;
  const std::size_t elements = std::ranges::size(source);
  if (where == convert_on::device) return to_gpu(in, source, extents, as).template astype<T>();
  detail::check_sizes(elements, extents.elements());
  gpu_array<T> made(in, extents, as);
  if (elements == 0) return made;
  const auto staging = in.allocate_staging(made.bytes());
  detail::convert_on_host({type_of<From>(), type_of<T>(),
                           reinterpret_cast<const std::byte*>(std::ranges::data(source)),
                           staging.data(), elements});
  made.set({reinterpret_cast<const T*>(staging.data()), elements});
  return made;
}
template <arithmetic_element T, detail::contiguous_elements R>
requires arithmetic_element<detail::element_of<R>>
[[nodiscard]] gpu_array<T> to_gpu_as(const context& in, const R& source, convert_on where) {
  return to_gpu_as<T>(in, source, {std::ranges::size(source)}, where);
}
template <arithmetic_element T, arithmetic_element From>
[[nodiscard]] gpu_array<T> to_gpu_as(const context& in, const host_array<From>& source,
                                     convert_on where) {
  return to_gpu_as<T>(in, source, source.shape(), where, source.order());
}

/// Page-locked arrays on the host, like PyCUDA's pagelocked_empty and its relatives.
template <class T>
[[nodiscard]] host_array<T> pinned_empty(device& on, const shape& extents,
                                         pin_flags flags = pin_flags::none,
                                         order as = order::row_major) {
  return {on, extents, pinned(flags), as};
}
template <class T>
[[nodiscard]] host_array<T> pinned_zeros(device& on, const shape& extents,
                                         pin_flags flags = pin_flags::none,
                                         order as = order::row_major) {
  auto made = pinned_empty<T>(on, extents, flags, as);
  if (made.size() > 0) std::memset(static_cast<void*>(made.data()), 0, made.size() * sizeof(T));
  return made;
}
/// `other`: anything with shape() and order().
template <class Array>
[[nodiscard]] auto pinned_empty_like(device& on, const Array& other,
                                     pin_flags flags = pin_flags::none) {
  return pinned_empty<typename Array::value_type>(on, other.shape(), flags, other.order());
}
template <class Array>
[[nodiscard]] auto pinned_zeros_like(device& on, const Array& other,
                                     pin_flags flags = pin_flags::none) {
  return pinned_zeros<typename Array::value_type>(on, other.shape(), flags, other.order());
}

}  // namespace transfers
