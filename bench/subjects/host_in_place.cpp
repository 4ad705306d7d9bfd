#include <cstring>
#include <memory>

#include "bench/subjects/in_place.hpp"

namespace bench_transfers::bench::subjects {

pieces_kernel copy_pieces_in_place_on_host(transfers::stream& stream,
                                           const pieces_in_place& pieces) {
  const auto shared = std::make_shared<const pieces_in_place>(pieces);
  return {[&stream, shared] {
    stream.call([shared] {
      auto* packed = shared->on_device;
      for (const auto offset : shared->offsets) {
        auto* const piece = shared->host + std::size_t{offset} * pieces_in_place::unit;
        if (shared->direction == transfers::direction::h2d)
          std::memcpy(packed, piece, shared->piece_bytes);
        else
          std::memcpy(piece, packed, shared->piece_bytes);
        packed += shared->piece_bytes;
      }
    });
  }};
}

}  // namespace bench_transfers::bench::subjects
