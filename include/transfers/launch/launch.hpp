#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transfers/launch/arguments.hpp"

namespace transfers {

struct extent3 {
  unsigned x = 1, y = 1, z = 1;
};

/// The execution configuration of a kernel.
struct launch_shape {
  extent3 grid{}, block{};
  std::size_t shared_bytes = 0;  ///< dynamic shared memory of a block
};

/// The index of a thread of a host function: CUDA's blockIdx and threadIdx.
struct thread_index {
  extent3 block{0, 0, 0}, thread{0, 0, 0};
  launch_shape of;

  /// Along x, over all blocks.
  [[nodiscard]] std::size_t x() const { return std::size_t{block.x} * of.block.x + thread.x; }
};

/// A type-erased kernel argument: a copy of up to 16 bytes, or a reference to a larger value, which
/// must live until the launch returns.
class argument {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T> argument(
      const T& value)  // NOLINT(google-explicit-constructor): packs whatever is passed
      : bytes_(sizeof(T)) {
    if constexpr (sizeof(T) <= sizeof small_)
      std::memcpy(small_.data(), &value, sizeof(T));
    else
      large_ = &value;
  }
  template <class T>
  argument(const gpu_array<T>& array)  // NOLINT(google-explicit-constructor): its address
      : argument(array.data()) {}
  template <class T>
  argument(const device_buffer<T>& buffer)  // NOLINT(google-explicit-constructor): its address
      : argument(buffer.data()) {}

  [[nodiscard]] const void* address() const { return large_ ? large_ : small_.data(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  alignas(std::max_align_t) std::array<std::byte, 16> small_{};
  const void* large_ = nullptr;
  std::size_t bytes_;
};

namespace detail {

/// The implementation of a function: one class for each kind of kernel.
class function_body {
 public:
  virtual ~function_body() = default;
  [[nodiscard]] virtual const std::string& name() const noexcept = 0;
  /// Sizes of the parameters in bytes.
  [[nodiscard]] virtual std::span<const std::size_t> parameters() const noexcept = 0;
  /// One address for each parameter; the arguments are copied before it returns.
  virtual void launch(stream& stream, const launch_shape& threads,
                      const void* const* arguments) const = 0;
};

/// Throws invalid_argument that names the function and the wrong number or size.
void check_parameters(const function_body& body, std::span<const std::size_t> bytes);
/// The same for extents of zero and for blocks or grids that no device supports.
void check_shape(const function_body& body, const launch_shape& threads);

}  // namespace detail

/// A function with fixed parameter types, like PyCUDA's prepared functions. Its constructor checks
/// the parameters once, so that a call only passes its arguments.
template <class... A>
class prepared_function {
  static_assert((std::is_trivially_copyable_v<A> && ...),
                "kernel arguments must be trivially copyable: a GPU gets bytes, not objects");

 public:
  /// Throws invalid_argument unless number and sizes of the parameters match the kernel's.
  explicit prepared_function(std::shared_ptr<const detail::function_body> body)
      : body_(std::move(body)) {
    detail::check_parameters(*body_, std::array<std::size_t, sizeof...(A)>{sizeof(A)...});
  }

  /// Enqueues a launch. Throws device_error.
  void operator()(stream& stream, const launch_shape& threads, const A&... arguments) const {
    const std::array<const void*, sizeof...(A) + 1> addresses{&arguments..., nullptr};
    body_->launch(stream, threads, addresses.data());
  }

 private:
  std::shared_ptr<const detail::function_body> body_;
};

/// A kernel: __global__ code compiled by nvcc (cuda_function), from source text (source_module), or
/// host code (host_function). Copies refer to the same kernel.
class function {
 public:
  explicit function(std::shared_ptr<const detail::function_body> body) : body_(std::move(body)) {}

  [[nodiscard]] const std::string& name() const noexcept { return body_->name(); }

  /// Packs any arguments at run time, checks their number and sizes against the kernel's
  /// parameters, and enqueues the launch. Throws invalid_argument, device_error.
  void launch(stream& stream, const launch_shape& threads,
              std::span<const argument> arguments) const;

  /// The same for arrays, buffers, in(), out(), in_out() and plain values; see call(). Returns when
  /// the kernel has finished and the output has arrived.
  template <class... A>
  void operator()(const context& context, const launch_shape& threads,
                  const A&... arguments) const {
    static_assert(
        (std::is_constructible_v<argument,
                                 decltype(std::declval<detail::prepared_argument<A>&>().value())> &&
         ...),
        "kernel arguments must be in(), out(), in_out(), arrays, buffers or trivially "
        "copyable values: a GPU gets bytes, not objects");
    detail::call_kernel(
        context,
        [&](const auto&... values) {
          launch(context.stream(), threads, std::array<argument, sizeof...(A)>{values...});
        },
        arguments...);
  }

  template <class... A>
  [[nodiscard]] prepared_function<A...> prepare() const {
    return prepared_function<A...>(body_);
  }

 private:
  std::shared_ptr<const detail::function_body> body_;
};

/// A __global__ function of this program, for CUDA devices. Asks the current device for its
/// parameters, which creates a context on that device if it has none: call device::make_current()
/// first to use the device of the launch. Throws device_error; unsupported in a build without CUDA.
[[nodiscard]] function cuda_function(std::string name, const void* kernel);

namespace detail {

using erased_call = std::function<void(const thread_index&, const void* const* arguments)>;
[[nodiscard]] function make_host_function(std::string name, std::vector<std::size_t> parameters,
                                          erased_call kernel);

template <class... A, std::size_t... I>
erased_call forget_types(std::function<void(const thread_index&, A...)> kernel,
                         std::index_sequence<I...>) {
  return [kernel = std::move(kernel)](const thread_index& at, const void* const* arguments) {
    static_cast<void>(arguments);  // there may be none
    kernel(at, *static_cast<const A*>(arguments[I])...);
  };
}

template <class A>
concept kernel_parameter = std::is_trivially_copyable_v<A> &&
                           alignof(A) <= alignof(std::max_align_t);

template <class... A>
function host_function_of(std::string name, std::function<void(const thread_index&, A...)> kernel) {
  static_assert((!std::is_reference_v<A> && ...),
                "kernel arguments are passed by value: a kernel cannot refer to the caller's");
  static_assert(
      (kernel_parameter<std::remove_cvref_t<A>> && ...),
      "kernel arguments must be trivially copyable and aligned to 16 bytes at most: a GPU "
      "gets bytes, not objects");
  return make_host_function(std::move(name), {sizeof(A)...},
                            forget_types<A...>(std::move(kernel), std::index_sequence_for<A...>{}));
}

}  // namespace detail

/// A C++ function that stands in for a kernel on the host device. The stream calls
/// `kernel(const thread_index&, arguments...)` for every thread, one after the other. The next
/// synchronize() throws what it throws.
template <class F>
[[nodiscard]] function host_function(std::string name, F&& kernel) {
  return detail::host_function_of(std::move(name), std::function(std::forward<F>(kernel)));
}

}  // namespace transfers
