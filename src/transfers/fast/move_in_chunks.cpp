#include "src/transfers/fast/move_in_chunks.hpp"

#include <algorithm>
#include <cstring>

#include "transfers/fast/streaming.hpp"

namespace transfers::detail {

void move(std::byte* dst, const std::byte* src, std::size_t bytes, bool streaming) {
  if (streaming)
    streaming_store({dst, bytes}, {src, bytes});
  else
    std::memcpy(dst, src, bytes);
}

void move_in_chunks(chunk_pipeline& pipeline, const staging::route& settings, std::byte* dst,
                    const std::byte* src, std::size_t bytes, direction direction) {
  const bool streaming = settings.streams(bytes);
  chunk_work work;
  if (direction == direction::h2d) {
    work.fill = [=](const chunk& piece) {
      move(piece.on_host, src + piece.offset, piece.bytes, streaming);
    };
    work.enqueue = [=](const chunk& piece, stream& stream) {
      stream.copy(dst + piece.offset, piece.on_host, piece.bytes, direction);
    };
  } else {
    work.enqueue = [=](const chunk& piece, stream& stream) {
      stream.copy(piece.on_host, src + piece.offset, piece.bytes, direction);
    };
    work.drain = [=](const chunk& piece) {
      move(dst + piece.offset, piece.on_host, piece.bytes, streaming);
    };
  }
  constexpr std::size_t page = 4096;
  const auto& shape = pipeline.shape();
  // Copies in one stream leave the shortest gaps on the copy engine, but each waits for those
  // before it, which matters if there are few. Smaller chunks stay in the caches.
  const bool large = bytes >= staging::large;
  work.in_one_stream = large;
  constexpr std::size_t most_when_small = std::size_t{2} << 20;
  const auto most = large ? shape.host_bytes : std::min(shape.host_bytes, most_when_small);
  pipeline.run(bytes, {std::min(settings.least_chunk, most), most, shape.threads, page}, work);
}

}  // namespace transfers::detail
