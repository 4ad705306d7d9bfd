#pragma once

#include <cmath>
#include <concepts>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "transfers/array/buffer.hpp"
#include "transfers/array/host_array.hpp"
#include "transfers/array/shape.hpp"
#include "transfers/core/error.hpp"

namespace transfers {

/// The method by which a strided view is copied.
enum class strided_route {
  automatic,  ///< one plain copy if possible; pitched for long rows; otherwise packed
  pitched,    ///< cudaMemcpy2D or 3D; throws unsupported if rows are not contiguous on both sides
  packed,     ///< one copy of page-locked memory, which the CPU packs or unpacks
};

namespace detail {

/// A view of host memory, without its type.
struct strided_host {
  std::byte* data;  ///< an upload does not write to it
  shape extents;
  transfers::strides strides;  ///< in elements
  std::size_t element_bytes;
};
/// An array without gaps on the device and a view of the same shape on the host.
template <class Byte>
struct strided_copy {
  Byte* device;
  order device_order;
  strided_host host;
};
/// May return before the data have arrived.
void upload(const context& context, const strided_copy<std::byte>& copy, strided_route route);
/// Returns when the data have arrived.
void download(const context& context, const strided_copy<const std::byte>& copy,
              strided_route route);

/// Device memory as bytes.
template <class T>
auto bytes_at(device_view<T> view) {
  using byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
  return reinterpret_cast<byte*>(view.data());
}

[[noreturn]] void throw_moved_from();

/// Throws shape_mismatch with both shapes unless shape and order are equal.
void check_alike(const shape& a, order a_order, const shape& b, order b_order);
/// Throws invalid_argument unless the contexts are the same.
void check_same_context(const context& a, const context& b);

/// The scalar as an element. Throws out_of_range if it does not fit.
template <class T, scalar_for<T> S>
T as_element(S scalar) {
  if constexpr (std::is_integral_v<T>)
    if (!std::in_range<T>(scalar))
      throw out_of_range("the scalar " + std::to_string(scalar) +
                         " does not fit into the array's element type");
  if constexpr (std::is_floating_point_v<S> && sizeof(T) < sizeof(S))
    if (std::isfinite(scalar) && std::abs(scalar) > std::numeric_limits<T>::max())
      throw out_of_range("the scalar " + std::to_string(scalar) +
                         " does not fit into the array's element type");
  return static_cast<T>(scalar);
}

}  // namespace detail

/// An array in device memory, like PyCUDA's gpuarray. All operations run in the order of the
/// context's stream; one thread at a time may use an array. Movable, not copyable: copy() copies;
/// destruction does not throw. A const array gives access to const elements only. An empty array
/// owns no memory, and its operations do nothing; an array that has been moved from is refused with
/// invalid_argument. If an operation throws device_error, the content of its destination is
/// undefined; if it throws anything else, nothing has changed.
template <class T>
class gpu_array {
 public:
  using value_type = T;

  /// Uninitialised. Throws out_of_memory, device_error.
  gpu_array(const context& context, const shape& extents, order order = order::row_major)
      : buffer_(context, extents.elements()), shape_(extents), order_(order) {}

  gpu_array(gpu_array&&) noexcept = default;
  gpu_array& operator=(gpu_array&&) noexcept = default;
  gpu_array(const gpu_array&) = delete;             ///< copying is explicit: see copy()
  gpu_array& operator=(const gpu_array&) = delete;  ///< copying is explicit: see copy()
  ~gpu_array() = default;

  /// Returns a copy on the device, in this array's context or in another, whose device may be
  /// another. Enqueues the work. Throw out_of_memory, device_error.
  [[nodiscard]] gpu_array copy() const { return copy(context()); }
  [[nodiscard]] gpu_array copy(const transfers::context& destination) const {
    gpu_array result(destination, shape_, order_);
    result.set(*this);
    return result;
  }

  /// Device address.
  [[nodiscard]] T* data() noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.data(); }
  [[nodiscard]] const T* data() const noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return buffer_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return buffer_.bytes(); }
  [[nodiscard]] const transfers::shape& shape() const noexcept { return shape_; }
  [[nodiscard]] transfers::order order() const noexcept { return order_; }
  [[nodiscard]] const transfers::context& context() const noexcept { return buffer_.context(); }

  /// The elements without their owner, which must outlive the view. Parts of it can be copied
  /// (context::copy), calculated with and passed to kernels.
  [[nodiscard]] device_view<T> view() & {
    check_usable();
    return buffer_.view();
  }
  [[nodiscard]] device_view<const T> view() const& {
    check_usable();
    return buffer_.view();
  }
  void view() const&& = delete;  ///< of a temporary
  ///@{
  /// Passed where a device_view is expected.
  // NOLINTNEXTLINE(google-explicit-constructor): like span
  operator device_view<T>() & TRANSFERS_LIFETIMEBOUND { return view(); }
  // NOLINTNEXTLINE(google-explicit-constructor): like span; of a temporary for a call's argument
  operator device_view<const T>() const TRANSFERS_LIFETIMEBOUND { return view(); }
  ///@}

  /// Does not compile: the host cannot access device memory.
  template <class Index>
  T& operator[](Index&&) const {
    static_assert(sizeof(Index) == 0,
                  "the host cannot access an element of device memory: get() copies the array, "
                  "context::copy a part of its view()");
  }

  /// Changes the shape, not the elements or their order in memory. Throw length_error for another
  /// number of elements.
  gpu_array& reshape(const transfers::shape& extents) & {
    set_shape(extents);
    return *this;
  }
  gpu_array&& reshape(const transfers::shape& extents) && {
    set_shape(extents);
    return std::move(*this);
  }

  /// Upload into this array. Throw length_error or shape_mismatch if sizes or shapes differ. A
  /// range must have its elements in the array's order. set() returns when the data have arrived;
  /// set_async() only enqueues (see context::copy_async).
  template <host_elements R>
  void set(const R& src) {
    check_fits(src);
    buffer_.copy_from(src);
  }
  void set(std::initializer_list<T> src) { set(std::span<const T>(src.begin(), src.size())); }
  /// Only enqueues; see set().
  template <host_elements R>
  void set_async(R&& src) {
    check_fits(src);
    buffer_.copy_from_async(std::forward<R>(src));
  }
  void set_async(std::initializer_list<T> src) = delete;  // a temporary
  void set(const strided_view<const T>& src, strided_route route = strided_route::automatic) {
    detail::upload(context(), {detail::bytes_at(view()), order_, ends(src)}, route);
    context().synchronize();
  }

  /// Enqueues a copy of another array, which may belong to another context or device; the two
  /// contexts wait for each other, the calling thread does not. Throws shape_mismatch,
  /// device_error.
  void set(const gpu_array& src) {
    detail::check_alike(src.shape(), src.order(), shape_, order_);
    const auto from = src.view();
    if (from.empty() || &src == this) return;
    context().copy_async(view(), src);
  }

  /// Download, with the same rules. A const destination does not compile.
  template <host_elements R>
  void get(R&& dst) const {
    static_assert(detail::outlives_expression<R>,
                  "nobody gets what is copied to a temporary: it must outlive the copy");
    check_fits(dst);
    buffer_.copy_to(dst);
  }
  template <host_elements R>
  void get_async(R&& dst) const {
    check_fits(dst);
    buffer_.copy_to_async(std::forward<R>(dst));
  }
  template <class U>
  void get(const strided_view<U>& dst, strided_route route = strided_route::automatic) const {
    static_assert(!std::is_const_v<U>, "the destination of a copy must not be const");
    static_assert(std::is_same_v<U, T>,
                  "both ends of a copy must have the same type: nothing is converted on the way");
    detail::download(context(), {detail::bytes_at(view()), order_, ends(dst)}, route);
  }

  /// Downloads into new ordinary memory. Its pages are allocated during the copy, which is
  /// therefore slower than a copy into memory that has been used before.
  [[nodiscard]] host_array<T> get() const {
    host_array<T> fresh(shape_, order_);
    get(fresh);
    return fresh;
  }
  /// Downloads into new memory of the given kind. Throws also what device::allocate_host throws.
  [[nodiscard]] host_array<T> get(host_memory_kind kind) const {
    host_array<T> fresh(context().device(), shape_, kind, order_);
    get(fresh);
    return fresh;
  }
  /// Enqueues a download into page-locked memory of the context's pool. The elements are there when
  /// the context has been synchronized. Throws out_of_memory, device_error; unsupported while the
  /// stream records a graph.
  [[nodiscard]] host_array<T> get_async() const {
    host_array<T> fresh(context(), shape_, order_);
    get_async(fresh);
    return fresh;
  }

  /// Enqueues setting all bytes to zero. Throws device_error.
  void clear() { context().stream().clear(view()); }

  /// Returns a new array with the elements in another type, converted on the device (see conversion
  /// in stream.hpp). Enqueues the work. Throws out_of_memory, device_error.
  template <convertible_element U>
  requires convertible_element<T>
  [[nodiscard]] gpu_array<U> astype() const {
    gpu_array<U> result(context(), shape_, order_);
    if (const auto elements = view(); !elements.empty())
      context().stream().convert({type_of<T>(), type_of<U>(), detail::bytes_at(elements),
                                  detail::bytes_at(result.view()), size()});
    return result;
  }

 private:
  /// What has been moved from has a shape, but no elements.
  void check_usable() const {
    if (size() != shape_.elements()) detail::throw_moved_from();
  }
  template <class R>
  void check_fits(const R& range) const {
    check_usable();
    if constexpr (std::derived_from<R, host_array<T>>)
      detail::check_alike(range.shape(), range.order(), shape_, order_);
  }
  void set_shape(const transfers::shape& extents) {
    check_usable();
    detail::check_elements(extents, size());
    shape_ = extents;
  }

  template <class U>
  detail::strided_host ends(const strided_view<U>& host) const {
    detail::check_alike(shape_, order_, host.shape(), order_);
    return {reinterpret_cast<std::byte*>(const_cast<T*>(host.data())), shape_, host.strides(),
            sizeof(T)};
  }

  device_buffer<T> buffer_;
  transfers::shape shape_;
  transfers::order order_;
};

///@{
/// New arrays in device memory: uninitialised or all zeros, with a shape or with context, shape and
/// order of another array. Throw out_of_memory, device_error.
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
///@}

}  // namespace transfers
