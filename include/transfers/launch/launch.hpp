#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "transfers/launch/arguments.hpp"
#include "transfers/launch/parameter.hpp"

namespace transfers {

/// Numbers of threads or blocks along three indices, or a position among them.
struct extent3 {
  unsigned x = 1, y = 1, z = 1;
};

/// The execution configuration of a kernel.
struct launch_shape {
  /// Blocks of the grid, and threads of a block: at most 1024.
  extent3 grid{}, block{};
  /// Dynamic shared memory of a block, in bytes; more than 48 KiB as far as the device has it.
  std::size_t shared_bytes = 0;
};

/// The index of a thread of a host function: CUDA's blockIdx and threadIdx.
struct thread_index {
  /// Index of the block in the grid, and of the thread in the block.
  extent3 block{0, 0, 0}, thread{0, 0, 0};
  launch_shape threads;  ///< CUDA's gridDim and blockDim

  /// Over all blocks.
  [[nodiscard]] std::size_t x() const { return std::size_t{block.x} * threads.block.x + thread.x; }
  [[nodiscard]] std::size_t y() const { return std::size_t{block.y} * threads.block.y + thread.y; }
  [[nodiscard]] std::size_t z() const { return std::size_t{block.z} * threads.block.z + thread.z; }
};

namespace detail {

/// The implementation of a function: one class for each kind of kernel.
class function_body {
 public:
  virtual ~function_body() = default;
  [[nodiscard]] virtual const std::string& name() const noexcept = 0;
  [[nodiscard]] virtual std::span<const parameter> parameters() const noexcept = 0;
  /// One address for each parameter; the arguments are copied before it returns.
  virtual void launch(stream& stream, const launch_shape& threads,
                      const void* const* arguments) const = 0;
};

/// Throws invalid_argument that names the function and the wrong number, size or type. Types are
/// compared where both are known.
void check_parameters(const function_body& body, std::span<const parameter> arguments);
/// Throws invalid_argument for extents of zero and for blocks or grids that no device supports.
void check_shape(const function_body& body, const launch_shape& threads);

}  // namespace detail

/// A function with fixed parameter types, like PyCUDA's prepared functions. Its constructor checks
/// the parameters once, so that a call only passes its arguments, converted as C++ converts
/// arguments of functions. Copies refer to the same kernel; threads may share it.
template <class... A>
class prepared_function {
  static_assert((std::is_trivially_copyable_v<A> && ...),
                "kernel arguments must be trivially copyable: a GPU gets bytes, not objects");

 public:
  /// Throws invalid_argument unless the number, sizes and types of the parameters match the
  /// kernel's. Types of kernels from source text are not known.
  explicit prepared_function(std::shared_ptr<const detail::function_body> body)
      : body_(std::move(body)) {
    detail::check_parameters(
        *body_, std::array<detail::parameter, sizeof...(A)>{detail::parameter_of<A>()...});
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
/// host code (host_function). Copies refer to the same kernel; threads may share it.
class function {
 public:
  /// For cuda_function, source_module and host_function.
  explicit function(std::shared_ptr<const detail::function_body> body) : body_(std::move(body)) {}

  /// The name in messages of errors.
  [[nodiscard]] const std::string& name() const noexcept { return body_->name(); }

  /// Packs any arguments at run time, checks their number, sizes and known types against the
  /// kernel's parameters, and enqueues the launch. Throws invalid_argument, also for an array of a
  /// device that the stream's may not access; device_error.
  void launch(stream& stream, const launch_shape& threads,
              std::span<const argument> arguments) const;

  /// Launches with arrays, buffers, in(), out(), in_out() and plain values; see call(). Returns
  /// when the kernel has finished and the output has arrived.
  template <class... A>
  void operator()(const context& context, const launch_shape& threads, A&&... arguments) const {
    static_assert((std::is_constructible_v<argument, detail::passed_type<A>> && ...),
                  "kernel arguments must be in(), out(), in_out(), arrays, buffers or trivially "
                  "copyable values: a GPU gets bytes, not objects");
    detail::call_kernel(
        context,
        [&](const auto&... values) {
          launch(context.stream(), threads, std::array<argument, sizeof...(A)>{values...});
        },
        arguments...);
  }

  /// The kernel with fixed parameter types. Throws as prepared_function's constructor.
  template <class... A>
  [[nodiscard]] prepared_function<A...> prepare() const {
    return prepared_function<A...>(body_);
  }

 private:
  std::shared_ptr<const detail::function_body> body_;
};

/// A function whose parameter types the compiler knows: wrong arguments do not compile. Copied and
/// shared as a function.
template <class... P>
class typed_function : public function {
 public:
  using function::function;  ///< The types are not checked.
  /// Not checked: the caller knows that the kernel has these parameters.
  explicit typed_function(const function& kernel) : function(kernel) {}

  /// As for function. Arguments have the parameters' types: no number is converted.
  template <class... A>
  void operator()(const context& context, const launch_shape& threads, A&&... arguments) const {
    static_assert(sizeof...(A) == sizeof...(P), "the kernel has another number of parameters");
    if constexpr (sizeof...(A) == sizeof...(P)) {
      static_assert((detail::reachable<P, detail::passed_type<A>> && ...),
                    "a kernel cannot access a host range as it is: mark it with in(), out() or "
                    "in_out()");
      static_assert((!detail::writes_to_const<P, detail::passed_type<A>> && ...),
                    "the kernel writes to a parameter whose argument is const");
      static_assert((detail::accepts<P, detail::passed_type<A>> && ...),
                    "an argument does not have the type of the kernel's parameter: nothing is "
                    "converted, so write 2.0F for a float, and pass an array of its elements");
      function::operator()(context, threads, std::forward<A>(arguments)...);
    }
  }

  using function::prepare;  ///< With parameter types A, which are checked.
  /// With the kernel's own parameter types.
  [[nodiscard]] prepared_function<P...> prepare() const { return function::prepare<P...>(); }
};

namespace detail {

/// The kernel with the parameter types of another function. Throws invalid_argument if their number
/// or sizes differ.
template <class... P>
typed_function<P...> with_types_of(const typed_function<P...>& /*types*/, const function& kernel) {
  static_cast<void>(kernel.prepare<P...>());
  return typed_function<P...>(kernel);
}

}  // namespace detail

/// A __global__ function of this program, for CUDA devices. Asks the current device for its
/// parameters, which creates a context on that device if it has none: call device::make_current()
/// first to use the device of the launch. Only the sizes of parameters are known. Throws
/// device_error; unsupported in a build without CUDA.
[[nodiscard]] function cuda_function(std::string name, const void* kernel);

namespace detail {

[[nodiscard]] std::shared_ptr<const function_body> make_cuda_function(
    std::string name, const void* kernel, std::vector<parameter> parameters);

}  // namespace detail

/// The __global__ function with the types of its parameters.
template <class... P>
[[nodiscard]] typed_function<std::remove_cv_t<P>...> cuda_function(std::string name,
                                                                   void (*kernel)(P...)) {
  return typed_function<std::remove_cv_t<P>...>(
      detail::make_cuda_function(std::move(name), reinterpret_cast<const void*>(kernel),
                                 {detail::parameter_of<std::remove_cv_t<P>>()...}));
}

namespace detail {

using erased_call = std::function<void(const thread_index&, const void* const* arguments)>;
[[nodiscard]] std::shared_ptr<const function_body> make_host_function(
    std::string name, std::vector<parameter> parameters, erased_call kernel);

template <class... A>
erased_call forget_types(std::function<void(const thread_index&, A...)> kernel) {
  return [kernel = std::move(kernel)](const thread_index& at, const void* const* arguments) {
    const auto call = [&]<std::size_t... I>(std::index_sequence<I...>) {
      static_cast<void>(arguments);  // there may be none
      kernel(at, *static_cast<const A*>(arguments[I])...);
    };
    call(std::index_sequence_for<A...>{});
  };
}

template <class... A>
auto host_function_of(std::string name, std::function<void(const thread_index&, A...)> kernel) {
  static_assert((!std::is_reference_v<A> && ...),
                "kernel arguments are passed by value: a kernel cannot refer to the caller's");
  static_assert(
      (kernel_parameter<std::remove_cvref_t<A>> && ...),
      "kernel arguments must be trivially copyable and aligned to 16 bytes at most: a GPU "
      "gets bytes, not objects");
  return typed_function<std::remove_cv_t<A>...>(
      make_host_function(std::move(name), {parameter_of<std::remove_cv_t<A>>()...},
                         forget_types<A...>(std::move(kernel))));
}

}  // namespace detail

/// A C++ function that stands in for a kernel on the host device. The stream calls
/// `kernel(const thread_index&, arguments...)` for every thread, one after the other: it cannot
/// wait for the other threads of its block or share memory with them. The next synchronize() throws
/// what it throws.
template <class F>
[[nodiscard]] auto host_function(std::string name, F&& kernel) {
  return detail::host_function_of(std::move(name), std::function(std::forward<F>(kernel)));
}

}  // namespace transfers
