#pragma once

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <span>
#include <utility>

#include "transfers/array/device_array.hpp"
#include "transfers/array/host_array.hpp"

namespace transfers {

namespace detail {

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

}  // namespace detail

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

}  // namespace transfers
