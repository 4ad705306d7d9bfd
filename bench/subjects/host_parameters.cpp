#include <cstring>

#include "bench/subjects/parameters.hpp"

namespace bench_transfers::bench::subjects {

writing_kernel write_parameter_on_host(std::size_t bytes) {
  return {with_capacity(bytes,
                        []<std::size_t Capacity>() -> transfers::function {
                          return transfers::host_function(
                              "write_parameter", [](const transfers::thread_index&,
                                                    data_parameter<Capacity> parameter) {
                                std::memcpy(parameter.dst, parameter.data, parameter.bytes);
                              });
                        }),
          {}};
}

writing_kernel write_from_memory_on_host(std::size_t /*bytes*/) {
  return {transfers::host_function(
              "write_from_memory",
              [](const transfers::thread_index&, std::uint32_t* dst, const std::uint32_t* src,
                 std::uint32_t bytes) { std::memcpy(dst, src, bytes); }),
          {}};
}

}  // namespace bench_transfers::bench::subjects
