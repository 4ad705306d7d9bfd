#include "src/transfers/cuda/cuda_host_memory.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "src/transfers/core/numa.hpp"
#include "src/transfers/core/pages.hpp"
#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "src/transfers/cuda/toolkit.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

unsigned host_register_flags(pin_flags flags) {
  unsigned bits = cudaHostRegisterDefault;
  if (has(flags, pin_flags::portable)) bits |= cudaHostRegisterPortable;
  if (has(flags, pin_flags::mapped)) bits |= cudaHostRegisterMapped;
  return bits;
}

unsigned host_alloc_flags(pin_flags flags) {
  unsigned bits = cudaHostAllocDefault;
  if (has(flags, pin_flags::portable)) bits |= cudaHostAllocPortable;
  if (has(flags, pin_flags::mapped)) bits |= cudaHostAllocMapped;
  if (has(flags, pin_flags::write_combined)) bits |= cudaHostAllocWriteCombined;
  return bits;
}

std::byte* mapped_address(std::byte* host) {
  void* address = nullptr;
  if (cudaHostGetDevicePointer(&address, host, 0) == cudaSuccess)
    return static_cast<std::byte*>(address);
  cudaGetLastError();  // not mapped: host_memory has a null device address
  return nullptr;
}

host_memory allocate_registered(CUcontext context, std::size_t bytes, host_memory_kind kind) {
  auto pages = map_pages_of(kind, bytes);
  auto* const data = pages.get();
  // Shared, because a deleter must be copyable.
  auto locked =
      std::make_shared<std::optional<page_lock>>(lock_host(context, {data, bytes}, kind.flags));
  // The kernel moves pages out of memory that must stay movable before it locks them.
  if (kind.node) verify_node({data, bytes}, *kind.node);
  auto* const on_device = (*locked)->on_device();
  auto unmap = std::move(pages.get_deleter());
  return {{pages.release(),
           [unmap, locked](std::byte* p) {
             locked->reset();
             unmap(p);
           }},
          bytes,
          kind,
          on_device};
}

/// Makes memory resident on the host: advises CUDA to prefer the host, and touches it on the CPU.
host_memory allocate_managed(CUcontext context, std::size_t bytes) {
  if (bytes == 0) throw invalid_argument("cannot allocate zero bytes of host memory");
  void* memory = nullptr;
  cuda_check(cudaMallocManaged(&memory, bytes), "cudaMallocManaged");
  auto* const data = static_cast<std::byte*>(memory);
  host_memory memory_owner{{data, in_context(context, cudaFree)}, bytes, managed, data};
  cuda_check(
      cudaMemAdvise(memory, bytes, cudaMemAdviseSetPreferredLocation, place_of(cudaCpuDeviceId)),
      "cudaMemAdvise");
  std::memset(memory, 0, bytes);
  return memory_owner;
}

host_memory allocate_pinned(CUcontext context, std::size_t bytes, host_memory_kind kind) {
  if (bytes == 0) throw invalid_argument("cannot allocate zero bytes of host memory");
  void* memory = nullptr;
  cuda_check(cudaHostAlloc(&memory, bytes, host_alloc_flags(kind.flags)), "cudaHostAlloc");
  auto* const data = static_cast<std::byte*>(memory);
  return {{data, in_context(context, cudaFreeHost)}, bytes, kind, mapped_address(data)};
}

}  // namespace

bool is_registered(host_memory_kind kind) {
  return kind.origin == host_origin::registered || kind.origin == host_origin::registered_huge ||
         (kind.origin == host_origin::pinned && kind.node);
}

host_memory allocate_host(CUcontext context, std::size_t bytes, host_memory_kind kind) {
  const current_context current(context);
  if (is_registered(kind)) return allocate_registered(context, bytes, kind);
  switch (kind.origin) {
    case host_origin::managed: return allocate_managed(context, bytes);
    case host_origin::pinned: return allocate_pinned(context, bytes, kind);
    case host_origin::pageable:
    case host_origin::pageable_huge:
    case host_origin::registered:
    case host_origin::registered_huge: break;
  }
  return {map_pages_of(kind, bytes), bytes, kind, nullptr};
}

page_lock lock_host(CUcontext context, std::span<std::byte> memory, pin_flags flags) {
  if (memory.empty()) throw invalid_argument("cannot lock zero bytes of host memory");
  const current_context current(context);
  const auto is_known = [context](const std::byte* host) {
    return attributes_of(context, host).type != cudaMemoryTypeUnregistered;
  };
  // This recognises memory from cudaHostAlloc; the code below recognises parts of registered
  // memory.
  if (is_known(memory.data()) || is_known(memory.data() + memory.size() - 1))
    throw invalid_argument("this host memory is page-locked already, or a part of it is");
  const auto code = cudaHostRegister(memory.data(), memory.size(), host_register_flags(flags));
  if (code == cudaErrorHostMemoryAlreadyRegistered) {
    cudaGetLastError();
    throw invalid_argument("this host memory is page-locked already, or a part of it is");
  }
  cuda_check(code, "cudaHostRegister");
  return {{memory.data(), in_context(context, cudaHostUnregister)},
          memory.size(),
          mapped_address(memory.data())};
}

cudaPointerAttributes attributes_of(CUcontext context, const std::byte* host) {
  const current_context current(context);
  cudaPointerAttributes attributes{};
  cuda_check(cudaPointerGetAttributes(&attributes, host), "cudaPointerGetAttributes");
  return attributes;
}

}  // namespace transfers::detail
