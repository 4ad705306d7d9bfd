#pragma once

#include <thrust/system_error.h>

#include <new>

#include "bench/cuda/check.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {

/// Calls Thrust and translates its exceptions into the library's.
template <class Call>
auto translated(const char* call_name, Call&& call) {
  try {
    return call();
  } catch (const std::bad_alloc& failure) {
    throw transfers::out_of_memory(std::string(call_name) + ": " + failure.what());
  } catch (const thrust::system_error& failure) {
    throw transfers::device_error(std::string(call_name) + ": " + failure.what(),
                                  cudaFree(nullptr) != cudaSuccess);
  }
}

}  // namespace bench_transfers::bench
