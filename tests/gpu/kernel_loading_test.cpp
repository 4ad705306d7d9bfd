// Kernels of transfers are loaded when a device is opened: CUDA would load each at its first
// launch, and launches of other threads would wait.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "src/transfers/cuda/kernels.hpp"
#include "src/transfers/cuda/toolkit.hpp"
#include "tests/gpu/on_gpu.hpp"

namespace transfers::kernel_loading_test {
namespace {

class kernel_loading : public on_gpu {};

#if CUDART_VERSION >= 12040

template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult status{};
  EXPECT_EQ(detail::find_in_driver(name, &address, version, &status), cudaSuccess);
  return status == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(address) : nullptr;
}

/// Those of the module of one of them: none of the others need have been asked for.
std::vector<CUfunction> kernels_beside(const void* kernel) {
  cudaFunction_t function{};
  EXPECT_EQ(cudaGetFuncBySymbol(&function, kernel), cudaSuccess);
  CUmodule module{};
  EXPECT_EQ(
      driver_function<PFN_cuFuncGetModule_v11000>("cuFuncGetModule", 11000)(&module, function),
      CUDA_SUCCESS);
  unsigned count = 0;
  EXPECT_EQ(driver_function<PFN_cuModuleGetFunctionCount_v12040>("cuModuleGetFunctionCount", 12040)(
                &count, module),
            CUDA_SUCCESS);
  std::vector<CUfunction> functions(count);
  EXPECT_EQ(driver_function<PFN_cuModuleEnumerateFunctions_v12040>(
                "cuModuleEnumerateFunctions", 12040)(functions.data(), count, module),
            CUDA_SUCCESS);
  return functions;
}

std::string name_of(CUfunction function) {
  const char* name = nullptr;
  EXPECT_EQ(driver_function<PFN_cuFuncGetName_v12030>("cuFuncGetName", 12030)(&name, function),
            CUDA_SUCCESS);
  return name == nullptr ? "" : name;
}

TEST_F(kernel_loading, is_done_for_each_kernel_of_transfers_when_a_device_is_opened) {
  const auto is_loaded = driver_function<PFN_cuFuncIsLoaded_v12040>("cuFuncIsLoaded", 12040);
  if (is_loaded == nullptr) GTEST_SKIP() << "the driver does not tell";
  const auto current = gpu->make_current();
  std::map<std::string, CUfunction> kernels;
  for (const auto& source : {detail::copy_kernels(), detail::pieces_kernels(),
                             detail::polite_copy_kernels(), detail::mailbox_kernels()})
    for (auto* const function : kernels_beside(source.front()))
      kernels.emplace(name_of(function), function);
  // A build in batches has those of arithmetic in the same module.
  std::erase_if(kernels, [](const auto& kernel) {
    return kernel.first.find("call_for_each") != std::string::npos ||
           kernel.first.find("reduce_by_blocks") != std::string::npos;
  });
  EXPECT_EQ(kernels.size(), detail::transfer_kernels().size()) << "a source does not list one";
  for (const auto& [name, function] : kernels) {
    auto state = CU_FUNCTION_LOADING_STATE_UNLOADED;
    EXPECT_EQ(is_loaded(&state, function), CUDA_SUCCESS) << name;
    EXPECT_EQ(state, CU_FUNCTION_LOADING_STATE_LOADED) << name;
  }
}

#endif

}  // namespace
}  // namespace transfers::kernel_loading_test
