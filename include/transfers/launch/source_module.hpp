#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transfers/launch/launch.hpp"

namespace transfers {

/// The compiler refused a source text. what() is one line; log() is NVRTC's whole output.
class compile_error : public detail::error_and<std::runtime_error> {
 public:
  /// `message` is one line.
  compile_error(const std::string& message, std::string log)
      : error_and(message), log_(std::move(log)) {}
  /// NVRTC's output, with the numbers of lines of the text.
  [[nodiscard]] const std::string& log() const noexcept { return log_; }

 private:
  std::string log_;
};

/// How a source text is compiled.
struct source_options {
  std::vector<std::string> flags;  ///< NVRTC's, for example "--use_fast_math"
  /// Puts the text into an extern "C" block, so that functions are found by their plain names, as
  /// in PyCUDA. If false, they are found by C++ names such as "scale<float>", which must be listed
  /// in `names`.
  bool extern_c = true;
  std::vector<std::string> names;  ///< C++ names of the functions to look up
};

/// Machine code compiled from CUDA C++ source text.
struct compiled_source {
  std::vector<char> cubin;                                         ///< for one architecture
  std::string log;                                                 ///< warnings
  std::vector<std::pair<std::string, std::string>> lowered_names;  ///< of options.names
};

/// Returns why source text cannot be compiled; nullopt if it can. (NVRTC is searched at run time;
/// it is not linked.)
[[nodiscard]] std::optional<std::string> why_no_compiler();

/// Compiles for an architecture such as "sm_90". Needs no GPU. Throws compile_error, unsupported.
[[nodiscard]] compiled_source compile_source(std::string_view source, std::string_view architecture,
                                             const source_options& options = {});

/// Kernels from source text, like PyCUDA's SourceModule. Functions keep it loaded, and it may
/// outlive the device object. Copies refer to the same code; threads may share it. Unloading waits
/// for all work of the device.
class source_module {
 public:
  /// Throws compile_error; unsupported for host devices and without NVRTC; device_error.
  source_module(device& device, std::string_view source, const source_options& options = {});

  /// The compiler's warnings.
  [[nodiscard]] const std::string& log() const noexcept { return log_; }

  /// Throws unsupported if there is no such function.
  [[nodiscard]] function get_function(const std::string& name) const;
  template <class... A>
  requires(sizeof...(A) > 0)
      [[nodiscard]] prepared_function<A...> get_function(const std::string& name) const {
    return get_function(name).prepare<A...>();
  }

 private:
  class loaded;
  std::shared_ptr<const loaded> loaded_;
  std::string log_;
};

}  // namespace transfers
