#include "move_in_chunks.hpp"

#include <cstring>

#include "transfers/streaming.hpp"

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
  through.run(bytes, {how.least_chunk, shape.host_bytes, shape.threads, page}, work);
}

}  // namespace transfers::detail
