#include "src/transfers/cuda/current_context.hpp"

#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <fmt/format.h>

#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/toolkit.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

/// Looks the function up in the installed driver, because the program must start without one.
template <class Function>
Function driver_function(const char* name) {
  constexpr unsigned version = 12000;  // older than every driver that runs this program
  void* address = nullptr;
  auto state = cudaDriverEntryPointSymbolNotFound;
  cuda_check(find_in_driver(name, &address, version, &state), name);
  if (state != cudaDriverEntryPointSuccess) cuda_check(cudaErrorSymbolNotFound, name);
  return reinterpret_cast<Function>(address);
}

struct driver {
  PFN_cuCtxGetCurrent_v4000 get_current =
      driver_function<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent");
  PFN_cuCtxPushCurrent_v4000 push = driver_function<PFN_cuCtxPushCurrent_v4000>("cuCtxPushCurrent");
  PFN_cuCtxPopCurrent_v4000 pop = driver_function<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent");
  PFN_cuDevicePrimaryCtxRetain_v7000 retain_primary =
      driver_function<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain");
  PFN_cuDevicePrimaryCtxRelease_v11000 release_primary =
      driver_function<PFN_cuDevicePrimaryCtxRelease_v11000>("cuDevicePrimaryCtxRelease");
  PFN_cuStreamGetCtx_v9020 context_of = driver_function<PFN_cuStreamGetCtx_v9020>("cuStreamGetCtx");
  PFN_cuCtxGetDevice_v2000 current_device =
      driver_function<PFN_cuCtxGetDevice_v2000>("cuCtxGetDevice");
};

const driver& the_driver() {
  static const driver loaded;
  return loaded;
}

/// Replaces cuda_check(), which asks the current device whether it is lost: here another device is
/// current, and the context in question cannot be used. The two enumerations have the same numbers
/// (CUDA Runtime API, cudaError).
void driver_check(CUresult code, const char* call) {
  if (code == CUDA_SUCCESS) return;
  const auto same = static_cast<cudaError_t>(code);
  throw device_error(
      fmt::format("{}: {} ({})", call, cudaGetErrorName(same), cudaGetErrorString(same)), true);
}

}  // namespace

CUcontext primary_context(int device) {
  constexpr unsigned no_flags = 0;
  cuda_check(cudaInitDevice(device, no_flags, no_flags), "creating the CUDA context");
  CUcontext context{};
  driver_check(the_driver().retain_primary(&context, device), "cuDevicePrimaryCtxRetain");
  // The runtime's own reference keeps it.
  driver_check(the_driver().release_primary(device), "cuDevicePrimaryCtxRelease");
  return context;
}

int device_of(CUstream stream) {
  CUcontext context{};
  cuda_check(static_cast<cudaError_t>(the_driver().context_of(stream, &context)), "cuStreamGetCtx");
  const current_context current(context);
  CUdevice device = 0;
  cuda_check(static_cast<cudaError_t>(the_driver().current_device(&device)), "cuCtxGetDevice");
  return device;
}

std::shared_ptr<const void> pushed(CUcontext context) {
  driver_check(the_driver().push(context), "cuCtxPushCurrent");
  return {context, [](const void*) {
            CUcontext popped{};
            the_driver().pop(&popped);
          }};
}

current_context::current_context(CUcontext context) {
  driver_check(enter(context), "cuCtxPushCurrent");
}

current_context::current_context(CUcontext context, std::nothrow_t) noexcept {
  static_cast<void>(enter(context));
}

current_context::~current_context() {
  CUcontext popped{};
  if (pushed_) the_driver().pop(&popped);
}

CUresult current_context::enter(CUcontext context) noexcept {
  CUcontext previous{};
  if (const auto code = the_driver().get_current(&previous); code != CUDA_SUCCESS) return code;
  if (previous == context) return CUDA_SUCCESS;
  const auto code = the_driver().push(context);
  pushed_ = code == CUDA_SUCCESS;
  return code;
}

}  // namespace transfers::detail
