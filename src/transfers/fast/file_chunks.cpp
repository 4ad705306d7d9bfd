#include "src/transfers/fast/file_chunks.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "src/transfers/core/units.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

constexpr std::size_t least_file_chunk = 1024 * kib;
/// A piece that a thread reads at a time: of small files small, so that all threads have work.
constexpr std::size_t small_read = 128 * kib;
constexpr std::size_t large_read = 256 * kib;
constexpr std::size_t large_file = 32 * 1024 * kib;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Throws unless the read is only to be repeated.
void handle_failed_read(const file_reader& file) {
  const int code = errno;
  if (code == EINTR) return;
  if (code == EINVAL && file.is_direct())
    throw unsupported("the file system of '" + file.name +
                      "' refuses reads past the page cache (O_DIRECT)");
  throw std::system_error(code, std::generic_category(), "cannot read '" + file.name + "'");
}

}  // namespace

void read_whole(const file_reader& file, std::byte* memory, std::size_t needed,
                std::uint64_t offset) {
  const auto wanted = rounded_up(needed, file.alignment);
  std::size_t complete = 0;
  while (complete < needed) {
    // A direct read that ends within a block has met the end of the file, or must begin at that
    // block again.
    const auto first = complete / file.alignment * file.alignment;
    const auto count = file.read(memory + first, wanted - first, offset + first);
    if (count < 0) {
      handle_failed_read(file);
      continue;
    }
    const auto end = first + static_cast<std::size_t>(count);
    if (end <= complete)
      throw out_of_range("'" + file.name + "' ends after " + std::to_string(offset + complete) +
                         " bytes: it has become shorter while it was read");
    complete = end;
  }
}

void copy_from_file(chunk_ring& ring, const file_reader& file, std::byte* dst, std::size_t bytes,
                    std::uint64_t offset) {
  if (bytes == 0) return;
  // The chunks lie next to each other, and each must begin at a multiple of the alignment.
  if (ring.chunk_bytes() % file.alignment != 0)
    throw unsupported("direct reads of '" + file.name + "' have multiples of " +
                      std::to_string(file.alignment) + " bytes, and chunks " +
                      std::to_string(ring.chunk_bytes()));
  // Direct reads begin and end at whole blocks. What lies outside the range is read and not copied.
  const auto first_block = offset / file.alignment * file.alignment;
  const auto head = static_cast<std::size_t>(offset - first_block);
  const auto unit = std::max(cut::page, file.alignment);
  const auto most = ring.chunk_bytes() / unit * unit;
  const auto total = head + bytes;
  const cut sizes{.least = std::min(rounded_up(least_file_chunk, unit), most),
                  .most = most,
                  .piece = rounded_up(total < large_file ? small_read : large_read, unit),
                  .unit = unit};
  ring.run(
      total, sizes,
      {.fill = [&](std::byte* in_chunk, std::size_t place,
                   std::size_t size) { read_whole(file, in_chunk, size, first_block + place); },
       .enqueue =
           [dst, head](const chunk& filled, stream& stream) {
             const auto skipped = filled.offset == 0 ? head : 0;
             stream.copy(dst + (filled.offset + skipped - head), filled.on_host + skipped,
                         filled.bytes - skipped, direction::h2d);
           }});
}

}  // namespace transfers::detail
