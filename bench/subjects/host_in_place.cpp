#include <cstring>
#include <memory>

#include "bench/subjects/in_place.hpp"

namespace bench_transfers::bench::subjects {

pieces_kernel copy_pieces_in_place_on_host(transfers::stream& in, const pieces_in_place& what) {
  const auto kept = std::make_shared<const pieces_in_place>(what);
  return {[&in, kept] {
    in.call([kept] {
      auto* there = kept->on_device;
      for (const auto offset : kept->offsets) {
        auto* const here = kept->host + std::size_t{offset} * pieces_in_place::unit;
        if (kept->way == transfers::direction::h2d)
          std::memcpy(there, here, kept->piece_bytes);
        else
          std::memcpy(here, there, kept->piece_bytes);
        there += kept->piece_bytes;
      }
    });
  }};
}

}  // namespace bench_transfers::bench::subjects
