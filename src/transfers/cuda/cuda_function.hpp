#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transfers/launch/launch.hpp"

namespace transfers::detail {

/// A kernel that the CUDA runtime launches: a __global__ function of this program, or a
/// cudaKernel_t of a library, cast to void* as the runtime's execution control wants it.
class cuda_kernel final : public function_body {
 public:
  /// `library` is kept as long as the kernel; the runtime is asked for
  /// `parameters` that are not given. Throws
  /// invalid_argument for no kernel, device_error.
  cuda_kernel(std::string name, const void* kernel, std::shared_ptr<const void> library = nullptr,
              std::optional<std::vector<parameter>> parameters = std::nullopt);

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  [[nodiscard]] std::span<const parameter> parameters() const noexcept override {
    return parameters_;
  }
  /// Throws invalid_argument for a stream that is not CUDA's, device_error.
  void launch(stream& stream, const launch_shape& threads,
              const void* const* arguments) const override;

 private:
  std::shared_ptr<const void> library_;
  std::string name_;
  const void* kernel_;
  std::vector<parameter> parameters_;
};

}  // namespace transfers::detail
