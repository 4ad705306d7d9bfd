#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "transfers/launch/launch.hpp"

namespace bench_transfers::bench::subjects {

/// Bytes that all parameters of a kernel have together at most, since CUDA 12.1 and Volta; before,
/// 4096 (CUDA Programming Guide, "Function Parameters").
inline constexpr std::size_t most_parameter_bytes = 32764;

/// What a kernel writes, and where. `bytes` of the data count.
template <std::size_t Capacity>
struct data_parameter {
  std::uint32_t* dst;
  std::uint32_t bytes;
  std::uint32_t data[Capacity / sizeof(std::uint32_t)];
};

/// Capacities of the kernels that take data as a parameter, ascending.
inline constexpr std::array<std::size_t, 8> parameter_capacities{64,   256,  1024,  2048,
                                                                 4096, 8192, 16384, 32736};
static_assert(sizeof(data_parameter<parameter_capacities.back()>) <= most_parameter_bytes);

/// Calls work.operator()<capacity>() with the smallest that holds so many bytes.
template <std::size_t I = 0, class Work>
auto with_capacity(std::size_t bytes, Work&& work) {
  constexpr auto capacity = parameter_capacities[I];
  if constexpr (I + 1 < parameter_capacities.size()) {
    if (bytes > capacity) return with_capacity<I + 1>(bytes, work);
  } else if (bytes > capacity) {
    throw std::logic_error("no kernel takes so much data as a parameter");
  }
  return work.template operator()<capacity>();
}

/// A kernel with one parameter, a data_parameter of the capacity for `bytes`: it writes the data to
/// device memory.
struct writing_kernel {
  transfers::function run;
  transfers::launch_shape threads;
};
writing_kernel write_parameter(const transfers::device& device, std::size_t bytes);

/// A kernel with the parameters dst, src and bytes: it writes the same from device memory.
writing_kernel write_from_memory(const transfers::device& device, std::size_t bytes);

/// The host device's counterparts.
writing_kernel write_parameter_on_host(std::size_t bytes);
writing_kernel write_from_memory_on_host(std::size_t bytes);

}  // namespace bench_transfers::bench::subjects
