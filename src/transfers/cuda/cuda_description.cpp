#include "src/transfers/cuda/cuda_description.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>

#include "src/transfers/cuda/check.hpp"

namespace transfers {
namespace {

using detail::cuda_check;

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

std::optional<int> host_numa_node(int index) {
  int node = -1;
  if (cudaDeviceGetAttribute(&node, cudaDevAttrHostNumaId, index) != cudaSuccess) {
    cudaGetLastError();  // a driver that is older than the attribute
    return std::nullopt;
  }
  return node < 0 ? std::nullopt : std::optional(node);
}

std::string why_no_device(cudaError_t code) {
  int driver = 0;
  int runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  if (driver == 0) return "no NVIDIA driver is installed";
  if (code == cudaErrorInsufficientDriver)
    return fmt::format("the NVIDIA driver is too old: it supports CUDA {}, this program needs {}",
                       version_text(driver), version_text(runtime));
  if (code == cudaErrorNoDevice || code == cudaSuccess) {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return visible ? fmt::format("no GPU is visible (CUDA_VISIBLE_DEVICES is '{}')", visible)
                   : std::string("the driver sees no GPU");
  }
  return fmt::format("{} ({})", cudaGetErrorName(code), cudaGetErrorString(code));
}

}  // namespace

device_description detail::describe_cuda_device(int index) {
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  std::array<char, 32> bus_id{};
  cuda_check(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), index),
             "cudaDeviceGetPCIBusId");
  int driver = 0;
  int runtime = 0;
  cuda_check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  cuda_check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");

  cuda_properties cuda;
  cuda.index = index;
  cuda.uuid = uuid_text(properties.uuid);
  cuda.pci_bus_id = bus_id.data();
  cuda.compute_capability = fmt::format("{}.{}", properties.major, properties.minor);
  cuda.multiprocessors = properties.multiProcessorCount;
  cuda.copy_engines = properties.asyncEngineCount;
  cuda.memory_bytes = properties.totalGlobalMem;
  cuda.driver_cuda_version = version_text(driver);
  cuda.runtime_cuda_version = version_text(runtime);
  cuda.maps_host_memory = properties.canMapHostMemory != 0;
  cuda.pageable_memory_access = properties.pageableMemoryAccess != 0;
  cuda.host_page_tables = properties.pageableMemoryAccessUsesHostPageTables != 0;
  cuda.concurrent_managed_access = properties.concurrentManagedAccess != 0;
  cuda.integrated = properties.integrated != 0;
  cuda.host_numa_node = host_numa_node(index);
  return {"cuda", properties.name, cuda, index};
}

cuda_presence find_cuda() noexcept {
  int count = 0;
  const auto code = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (code == cudaSuccess && count > 0) return {count, {}};
  return {0, why_no_device(code)};
}

}  // namespace transfers
