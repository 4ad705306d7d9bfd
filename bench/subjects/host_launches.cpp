#include <cstring>

#include "launches.hpp"

namespace bench::subjects {

transfers::function empty_host_kernel(std::size_t arguments) {
  return with_arguments(arguments, []<class... A>() {
    return transfers::host_function("nothing", [](const transfers::thread_index&, A...) {});
  });
}

copying_kernel copy_pieces_on_host() {
  return {transfers::host_function("copy_pieces",
                                   [](const transfers::thread_index&, piece_list all) {
                                     for (std::size_t i = 0; i < all.count; ++i)
                                       std::memcpy(all.pieces[i].to, all.pieces[i].from,
                                                   all.pieces[i].bytes);
                                   }),
          {}};
}

}  // namespace bench::subjects
