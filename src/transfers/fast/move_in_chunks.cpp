#include "src/transfers/fast/move_in_chunks.hpp"

#include <algorithm>
#include <cstring>

#include "transfers/fast/streaming.hpp"

namespace transfers::detail {

void move(std::byte* to, const std::byte* from, std::size_t bytes, bool streaming) {
  if (streaming)
    streaming_store({to, bytes}, {from, bytes});
  else
    std::memcpy(to, from, bytes);
}

void move_in_chunks(chunk_pipeline& through, const staging::way& how, std::byte* destination,
                    const std::byte* source, std::size_t bytes, direction way) {
  const bool streaming = how.streams(bytes);
  chunk_work work;
  if (way == direction::h2d) {
    work.fill = [=](const chunk& one) {
      move(one.on_host, source + one.offset, one.bytes, streaming);
    };
    work.enqueue = [=](const chunk& one, stream& in) {
      in.copy(destination + one.offset, one.on_host, one.bytes, way);
    };
  } else {
    work.enqueue = [=](const chunk& one, stream& in) {
      in.copy(one.on_host, source + one.offset, one.bytes, way);
    };
    work.drain = [=](const chunk& one) {
      move(destination + one.offset, one.on_host, one.bytes, streaming);
    };
  }
  constexpr std::size_t page = 4096;
  const auto& shape = through.shape();
  // Copies that follow each other in one stream leave the engine the shortest gaps, but each waits
  // for those before it, which matters where there are few. Smaller chunks stay in the caches.
  const bool large = bytes >= staging::large;
  work.in_one_stream = large;
  constexpr std::size_t most_when_small = std::size_t{2} << 20;
  const auto most = large ? shape.host_bytes : std::min(shape.host_bytes, most_when_small);
  through.run(bytes, {std::min(how.least_chunk, most), most, shape.threads, page}, work);
}

}  // namespace transfers::detail
