#include <array>

#include "bench/subjects/batch_copy.hpp"

namespace bench_transfers::bench::subjects {

std::string to_string(source_access_order order) {
  switch (order) {
    case source_access_order::stream: return "stream";
    case source_access_order::during_api_call: return "during_api_call";
    case source_access_order::any: break;
  }
  return "any";
}

std::function<void()> batched_copy_on_host(transfers::stream& stream, const one_copy& copy,
                                           source_access_order order) {
  return [&stream, copy, reads_at_once = order == source_access_order::during_api_call] {
    stream.copy_batch(std::array{copy.dst}, std::array{copy.src}, std::array{copy.bytes},
                      copy.direction);
    if (reads_at_once) stream.synchronize();
  };
}

}  // namespace bench_transfers::bench::subjects
