#pragma once

#include <cuda_runtime.h>
#include <thrust/system_error.h>

#include <new>
#include <string>

#include "transfers/core/error.hpp"

namespace transfers::detail {

/// Calls Thrust and translates its exceptions into the library's.
template <class Call>
auto translated(const char* call_name, Call&& call) {
  try {
    return call();
  } catch (const std::bad_alloc& failure) {
    throw out_of_memory(std::string(call_name) + ": " + failure.what());
  } catch (const thrust::system_error& failure) {
    throw device_error(std::string(call_name) + ": " + failure.what(),
                       cudaFree(nullptr) != cudaSuccess);
  }
}

}  // namespace transfers::detail
