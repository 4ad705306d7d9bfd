#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <span>

#include "transfers/core/host_memory.hpp"

// The parts of a CUDA device that concern host memory. All throw as the device's functions do.

namespace transfers::detail {

/// Whether memory of the kind is mapped first and page-locked afterwards, by cudaHostRegister.
bool is_registered(host_memory_kind kind);

/// Of a kind that the device supports.
host_memory allocate_host(CUcontext context, std::size_t bytes, host_memory_kind kind);

page_lock lock_host(CUcontext context, std::span<std::byte> memory,
                    pin_flags flags = pin_flags::none);

/// What CUDA knows about an address of host memory.
cudaPointerAttributes attributes_of(CUcontext context, const std::byte* host);

}  // namespace transfers::detail
