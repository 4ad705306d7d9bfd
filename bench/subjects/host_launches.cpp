#include <algorithm>
#include <cstring>
#include <string>

#include "bench/subjects/launches.hpp"

namespace bench_transfers::bench::subjects {

std::size_t count_of(std::string_view variant) { return std::stoul(std::string(variant)); }

transfers::function empty_host_kernel(std::size_t arguments) {
  return with_arguments(arguments, []<class... A>() -> transfers::function {
    return transfers::host_function("nothing", [](const transfers::thread_index&, A...) {});
  });
}

copying_kernel copy_pieces_on_host() {
  return {transfers::host_function("copy_pieces",
                                   [](const transfers::thread_index&, piece_list list) {
                                     for (std::size_t i = 0; i < list.count; ++i) {
                                       const auto& piece = list.pieces[i];
                                       if (list.exchange)
                                         std::swap_ranges(piece.dst, piece.dst + piece.bytes,
                                                          piece.src);
                                       else
                                         std::memcpy(piece.dst, piece.src, piece.bytes);
                                     }
                                   }),
          {}};
}

}  // namespace bench_transfers::bench::subjects
