#include "src/transfers/cuda/cuda_function.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace detail {
namespace {

std::vector<std::size_t> parameter_sizes(const void* kernel) {
  std::vector<std::size_t> sizes;
  for (;;) {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    const auto code = cudaFuncGetParamInfo(kernel, sizes.size(), &offset, &bytes);
    if (code == cudaErrorInvalidValue) {  // no call of CUDA 13.0's runtime returns their number
      cudaGetLastError();
      return sizes;
    }
    cuda_check(code, "cudaFuncGetParamInfo");
    sizes.push_back(bytes);
  }
}

dim3 to_dim3(const extent3& extent) { return {extent.x, extent.y, extent.z}; }

}  // namespace

cuda_kernel::cuda_kernel(std::string name, const void* kernel, std::shared_ptr<const void> library)
    : library_(std::move(library)), name_(std::move(name)), kernel_(kernel) {
  if (!kernel_)  // cudaFuncGetParamInfo would take null for a kernel without parameters
    throw invalid_argument(fmt::format("{} is no kernel: its address is null", name_));
  parameters_ = parameter_sizes(kernel_);
}

void cuda_kernel::launch(stream& stream, const launch_shape& threads,
                         const void* const* arguments) const {
  const auto native_stream = static_cast<cudaStream_t>(stream.native_handle());
  if (!native_stream)
    throw invalid_argument(
        fmt::format("{} is a CUDA kernel: the host device cannot run it", name_));
  check_shape(*this, threads);
  const current_context current(stream);
  const auto code = cudaLaunchKernel(kernel_, to_dim3(threads.grid), to_dim3(threads.block),
                                     const_cast<void**>(arguments),  // CUDA only reads them
                                     threads.shared_bytes, native_stream);
  if (code != cudaSuccess) cuda_check(code, fmt::format("launch of {}", name_).c_str());
}

}  // namespace detail

function cuda_function(std::string name, const void* kernel) {
  return function(std::make_shared<detail::cuda_kernel>(std::move(name), kernel));
}

}  // namespace transfers
