#include "src/transfers/cuda/cuda_function.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <utility>

#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/cuda_stream.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace detail {
namespace {

std::vector<parameter> parameters_of(const void* kernel) {
  std::vector<parameter> parameters;
  for (;;) {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    const auto code = cudaFuncGetParamInfo(kernel, parameters.size(), &offset, &bytes);
    if (code == cudaErrorInvalidValue) {  // no call of CUDA 13.0's runtime returns their number
      cudaGetLastError();
      return parameters;
    }
    cuda_check(code, "cudaFuncGetParamInfo");
    parameters.push_back({bytes});
  }
}

/// Blocks with more dynamic shared memory must be permitted (CUDA C++ Programming Guide, "Shared
/// Memory"). The permission is for the largest block that the device runs, so that launches of
/// several threads do not disturb each other.
void permit_large_blocks(const void* kernel) {
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  int device = 0;
  cuda_check(cudaGetDevice(&device), "cudaGetDevice");
  const auto largest = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device) -
                       static_cast<int>(attributes.sharedSizeBytes);
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, largest),
             "cudaFuncSetAttribute");
}

dim3 to_dim3(const extent3& extent) { return {extent.x, extent.y, extent.z}; }

}  // namespace

cuda_kernel::cuda_kernel(std::string name, const void* kernel, std::shared_ptr<const void> library,
                         std::optional<std::vector<parameter>> parameters)
    : library_(std::move(library)), name_(std::move(name)), kernel_(kernel) {
  if (!kernel_)  // cudaFuncGetParamInfo would take null for a kernel without parameters
    throw invalid_argument(fmt::format("{} is no kernel: its address is null", name_));
  parameters_ = parameters ? std::move(*parameters) : parameters_of(kernel_);
}

void cuda_kernel::launch(stream& stream, const launch_shape& threads,
                         const void* const* arguments) const {
  const auto native_stream = static_cast<cudaStream_t>(stream.native_handle());
  if (!native_stream)
    throw invalid_argument(
        fmt::format("{} is a CUDA kernel: the host device cannot run it", name_));
  check_shape(*this, threads);
  const current_context current(stream);
  constexpr std::size_t always_permitted = std::size_t{48} << 10;
  if (threads.shared_bytes > always_permitted) permit_large_blocks(kernel_);
  const auto code = cudaLaunchKernel(kernel_, to_dim3(threads.grid), to_dim3(threads.block),
                                     const_cast<void**>(arguments),  // CUDA only reads them
                                     threads.shared_bytes, native_stream);
  if (code != cudaSuccess) cuda_check(code, fmt::format("launch of {}", name_).c_str());
}

std::shared_ptr<const function_body> make_cuda_function(std::string name, const void* kernel,
                                                        std::vector<parameter> parameters) {
  return std::make_shared<cuda_kernel>(std::move(name), kernel, nullptr, std::move(parameters));
}

}  // namespace detail

function cuda_function(std::string name, const void* kernel) {
  return function(std::make_shared<detail::cuda_kernel>(std::move(name), kernel));
}

}  // namespace transfers
