#include "bench/subjects/work.hpp"

namespace bench_transfers::bench::subjects {

work_kernel multiplying_kernel_on_host() {
  const auto multiply = transfers::host_function(
      "multiply", [](const transfers::thread_index&, std::uint32_t* words, std::uint64_t count,
                     unsigned passes, unsigned factors) {
        for (unsigned pass = 0; pass < passes; ++pass)
          for (std::uint64_t i = 0; i < count; ++i)
            for (unsigned factor = 0; factor < factors; ++factor) words[i] *= 3;
      });
  return {multiply.prepare(), {}};
}

}  // namespace bench_transfers::bench::subjects
