#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>

#include "transfers/array/buffer.hpp"
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

/// Page-locked memory of a pool, for elements of T.
template <class T, class Pool>
host_buffer<T> allocate_elements(Pool& pool, std::size_t elements) {
  if (elements == 0) return host_buffer<T>(0);
  const auto bytes = bytes_of<T>(elements);
  if constexpr (std::same_as<Pool, const context>)
    return {pool.allocate_staging(bytes), elements};
  else
    return {pool.allocate(bytes), elements};
}

[[noreturn]] void throw_moved_from();

template <class T>
concept character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
    std::same_as<T, char16_t> || std::same_as<T, char32_t>;

/// The characters without a NUL that is at the end and nowhere else.
template <class T, std::size_t size>
std::span<T> text_of_literal(T (&literal)[size]) {
  const auto nul = std::ranges::find(literal, T{}) - std::ranges::begin(literal);
  const auto end = static_cast<std::size_t>(nul);
  return {literal, end + 1 == size ? end : size};
}

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

/// An array in host memory of any kind, with its shape: the result of get(), and a source or
/// destination of copies. Movable, not copyable: copy() copies. A const array gives access to const
/// elements only. Threads may share it as they may share a std::vector.
template <class T>
class host_array {
 public:
  using value_type = T;

  /// Uninitialised, in ordinary memory or in memory of the given kind. Throw what host_buffer's
  /// constructors throw.
  explicit host_array(const shape& extents, order order = order::row_major)
      : host_array(host_buffer<T>(extents.elements()), extents, order) {}
  host_array(device& device, const shape& extents, host_memory_kind kind,
             order order = order::row_major)
      : host_array(host_buffer<T>(device, extents.elements(), kind), extents, order) {}
  /// In page-locked memory of a pool. Throw what pinned_pool::allocate throws.
  host_array(pinned_pool& pool, const shape& extents, order order = order::row_major)
      : host_array(detail::allocate_elements<T>(pool, extents.elements()), extents, order) {}
  /// The same from the context's own pool.
  host_array(const context& context, const shape& extents, order order = order::row_major)
      : host_array(detail::allocate_elements<T>(context, extents.elements()), extents, order) {}

  /// In ordinary memory, with a copy of `elements` in the array's order. Throw length_error unless
  /// their number is that of the shape, out_of_memory.
  host_array(const shape& extents, std::initializer_list<T> elements,
             order order = order::row_major)
      : host_array(extents, std::span<const T>(elements.begin(), elements.size()), order) {}
  template <host_elements R>
  requires std::same_as<detail::element_of<R>, T> host_array(const shape& extents,
                                                             const R& elements,
                                                             order order = order::row_major)
      : host_array(extents, order) {
    detail::check_elements(extents, std::ranges::size(elements));
    std::ranges::copy(elements, begin());
  }

  host_array(host_array&&) noexcept = default;
  host_array& operator=(host_array&&) noexcept = default;
  host_array(const host_array&) = delete;             ///< copying is explicit: see copy()
  host_array& operator=(const host_array&) = delete;  ///< copying is explicit: see copy()
  ~host_array() = default;

  /// Returns a copy in ordinary memory. Throws out_of_memory.
  [[nodiscard]] host_array copy() const { return host_array(shape_, *this, order_); }

  [[nodiscard]] T* data() noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.data(); }
  [[nodiscard]] const T* data() const noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return buffer_.size(); }
  [[nodiscard]] bool empty() const noexcept { return buffer_.empty(); }
  [[nodiscard]] T* begin() noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.begin(); }
  [[nodiscard]] const T* begin() const noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.begin(); }
  [[nodiscard]] T* end() noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.end(); }
  [[nodiscard]] const T* end() const noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.end(); }
  /// In the order of the memory; not checked.
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return buffer_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return buffer_[i]; }
  [[nodiscard]] const transfers::shape& shape() const noexcept { return shape_; }
  [[nodiscard]] transfers::order order() const noexcept { return order_; }
  /// The kind of its memory; pageable for an empty array.
  [[nodiscard]] host_memory_kind kind() const noexcept { return buffer_.kind(); }

  /// The same elements at their device address, for kernels that access page-locked or managed
  /// memory in place. Throws unsupported if the device cannot address the memory.
  [[nodiscard]] device_view<T> on_device() & { return buffer_.on_device(); }
  [[nodiscard]] device_view<const T> on_device() const& { return buffer_.on_device(); }
  void on_device() const&& = delete;  ///< of a temporary

  /// Takes one index for each extent. Neither their number nor their values are checked.
  template <std::convertible_to<std::size_t>... Index>
  [[nodiscard]] T& operator()(Index... index) noexcept {
    return buffer_[offset_of(index...)];
  }
  template <std::convertible_to<std::size_t>... Index>
  [[nodiscard]] const T& operator()(Index... index) const noexcept {
    return buffer_[offset_of(index...)];
  }

  /// Changes the shape, not the elements or their order in memory. Throw length_error for another
  /// number of elements.
  host_array& reshape(const transfers::shape& extents) & {
    set_shape(extents);
    return *this;
  }
  host_array&& reshape(const transfers::shape& extents) && {
    set_shape(extents);
    return std::move(*this);
  }

  /// Shapes and the elements at equal indices are equal; memory and order may differ.
  [[nodiscard]] bool operator==(const host_array& other) const {
    // What has been moved from has a shape, but no elements.
    if (shape_ != other.shape_ || size() != other.size()) return false;
    if (empty() || order_ == other.order_ || shape_.rank() < 2)
      return std::equal(begin(), end(), other.begin(), other.end());
    bool equal = true;
    detail::for_each_index(shape_, [&](const detail::indices& index) {
      equal = equal && buffer_[distance_of(index)] == other.buffer_[other.distance_of(index)];
    });
    return equal;
  }

 private:
  host_array(host_buffer<T> buffer, const transfers::shape& extents, transfers::order order)
      : buffer_(std::move(buffer)), shape_(extents), order_(order), strides_() {
    set_strides();
  }

  void set_shape(const transfers::shape& extents) {
    detail::check_elements(extents, size());
    shape_ = extents;
    set_strides();
  }
  void set_strides() {
    std::ranges::transform(strides_of(shape_, order_), strides_.begin(),
                           [](std::ptrdiff_t elements) { return distance{elements}; });
  }

  template <class... Index>
  [[nodiscard]] std::size_t offset_of(Index... index) const noexcept {
    std::size_t offset = 0;
    std::size_t i = 0;
    ((offset += static_cast<std::size_t>(index) * static_cast<std::size_t>(strides_[i++])), ...);
    return offset;
  }
  [[nodiscard]] std::size_t distance_of(const detail::indices& index) const noexcept {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < shape_.rank(); ++i)
      offset += index[i] * static_cast<std::size_t>(strides_[i]);
    return offset;
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

/// Upload a contiguous range (vector, array, span, string) as one row or with a shape, a host_array
/// or a strided view. Return when the data have arrived. Throw length_error if shape and range
/// do not match, out_of_memory, device_error.
template <host_elements R>
[[nodiscard]] auto to_gpu(const context& context, const R& src, const shape& extents,
                          order order = order::row_major) {
  using T = detail::element_of<R>;
  detail::check_elements(extents, std::ranges::size(src));
  gpu_array<T> array(context, extents, order);
  array.set(std::span<const T>(std::ranges::data(src), std::ranges::size(src)));
  return array;
}
template <host_elements R>
[[nodiscard]] auto to_gpu(const context& context, const R& src) {
  return to_gpu(context, src, {std::ranges::size(src)});
}
/// A list of elements: to_gpu(gpu, {1.F, 2.F}).
template <class T>
[[nodiscard]] gpu_array<T> to_gpu(const context& context, std::initializer_list<T> src) {
  return to_gpu(context, std::span<const T>(src.begin(), src.size()));
}
/// The characters of a string literal, without the NUL at its end. An array that is not const, or
/// has a NUL elsewhere, is taken whole.
template <class T, std::size_t size>
requires(std::is_const_v<T>&& detail::character<std::remove_const_t<T>>)
    [[nodiscard]] auto to_gpu(const context& context, T (&literal)[size]) {
  return to_gpu(context, detail::text_of_literal(literal));
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
template <host_elements R>
[[nodiscard]] auto to_gpu_async(const context& context, R&& src, const shape& extents,
                                order order = order::row_major) {
  static_assert(std::ranges::borrowed_range<R>,
                "the source of an asynchronous copy must outlive it: it must not be a temporary");
  using T = detail::element_of<R>;
  detail::check_elements(extents, std::ranges::size(src));
  gpu_array<T> array(context, extents, order);
  array.set_async(std::span<const T>(std::ranges::data(src), std::ranges::size(src)));
  return array;
}
template <host_elements R>
[[nodiscard]] auto to_gpu_async(const context& context, R&& src) {
  return to_gpu_async(context, std::forward<R>(src), {std::ranges::size(src)});
}
template <class T, std::size_t size>
requires(std::is_const_v<T>&& detail::character<std::remove_const_t<T>>)
    [[nodiscard]] auto to_gpu_async(const context& context, T (&literal)[size]) {
  return to_gpu_async(context, detail::text_of_literal(literal));
}
template <class T>
[[nodiscard]] gpu_array<T> to_gpu_async(const context& context, const host_array<T>& src) {
  return to_gpu_async(context, src, src.shape(), src.order());
}
template <class T>
[[nodiscard]] gpu_array<T> to_gpu_async(const context& context, host_array<T>& src) {
  return to_gpu_async(context, std::as_const(src));
}
/// Where the element type of uploaded data is converted.
enum class convert_on {
  host,    ///< before the copy, which has the new type's size; large arrays on all free cores
  device,  ///< after the copy, which has the old type's size
};

namespace detail {
/// Converts on all cores; returns when done.
void convert_on_host(const conversion& conversion);
}  // namespace detail

/// Upload elements and convert them to another type: to_gpu_as<float>(gpu, doubles,
/// convert_on::host).
template <convertible_element T, host_elements R>
requires convertible_element<detail::element_of<R>>
[[nodiscard]] gpu_array<T> to_gpu_as(const context& context, const R& src, const shape& extents,
                                     convert_on convert_where, order order = order::row_major) {
  using From = detail::element_of<R>;
  const std::size_t elements = std::ranges::size(src);
  if (convert_where == convert_on::device)
    return to_gpu(context, src, extents, order).template astype<T>();
  detail::check_elements(extents, elements);
  gpu_array<T> array(context, extents, order);
  if (elements == 0) return array;
  const auto staging = context.allocate_staging(array.bytes());
  detail::convert_on_host({type_of<From>(), type_of<T>(),
                           reinterpret_cast<const std::byte*>(std::ranges::data(src)),
                           staging.data(), elements});
  array.set(std::span(reinterpret_cast<const T*>(staging.data()), elements));
  return array;
}
template <convertible_element T, host_elements R>
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

namespace detail {
template <class T>
void set_to_zero(host_array<T>& array) {
  if (array.size() > 0) std::memset(static_cast<void*>(array.data()), 0, array.size() * sizeof(T));
}
}  // namespace detail

///@{
/// Page-locked host arrays, uninitialised or all zeros, like PyCUDA's pagelocked_empty,
/// pagelocked_zeros and their _like variants: there `other` is an array, or a contiguous range of
/// host memory, whose shape is its size. Throw what device::allocate_host throws.
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
  detail::set_to_zero(array);
  return array;
}
template <class Array>
[[nodiscard]] auto pinned_empty_like(device& device, const Array& other,
                                     pin_flags flags = pin_flags::none) {
  using T = typename Array::value_type;
  if constexpr (requires { other.shape(); })
    return pinned_empty<T>(device, other.shape(), flags, other.order());
  else
    return pinned_empty<T>(device, {std::ranges::size(other)}, flags);
}
template <class Array>
[[nodiscard]] auto pinned_zeros_like(device& device, const Array& other,
                                     pin_flags flags = pin_flags::none) {
  auto array = pinned_empty_like(device, other, flags);
  detail::set_to_zero(array);
  return array;
}
///@}

}  // namespace transfers
