#pragma once

#include <cuda_runtime.h>
#include <thrust/system_error.h>

#include <new>
#include <string>

#include "transfers/core/error.hpp"

namespace transfers::detail {

/// Calls Thrust, which reports failures of its own kinds, and throws ours.
template <class Call>
auto translated(const char* what, Call&& call) {
  try {
    return call();
  } catch (const std::bad_alloc& failure) {
    throw out_of_memory(std::string(what) + ": " + failure.what());
  } catch (const thrust::system_error& failure) {
    throw device_error(std::string(what) + ": " + failure.what(), cudaFree(nullptr) != cudaSuccess);
  }
}

}  // namespace transfers::detail
