#include "move_in_chunks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "transfers/streaming.hpp"

namespace transfers::detail {

std::size_t chunk_size(std::size_t bytes, std::size_t growth, std::size_t largest) {
  constexpr std::size_t page = 4096;
  const auto root = std::sqrt(static_cast<double>(bytes) * static_cast<double>(growth));
  const auto pages = static_cast<std::size_t>(std::min(root, static_cast<double>(largest))) / page;
  return std::clamp(pages * page, page, largest);
}

void move(std::byte* to, const std::byte* from, std::size_t bytes, bool streaming) {
  if (streaming)
    streaming_store({to, bytes}, {from, bytes});
  else
    std::memcpy(to, from, bytes);
}

void move_in_chunks(chunk_pipeline& through, const staging::way& how, std::byte* destination,
                    const std::byte* source, std::size_t bytes, direction way) {
  const bool streaming = how.streaming_stores;
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
  through.run(bytes, chunk_size(bytes, how.chunk_growth, through.shape().host_bytes), work);
}

}  // namespace transfers::detail
