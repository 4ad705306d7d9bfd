#include "src/transfers/fast/file_chunks.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "transfers/core/error.hpp"
#include "transfers/fast/staged_copy.hpp"

namespace transfers::detail {
namespace {

constexpr std::size_t least_file_chunk = std::size_t{256} << 10;

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

void copy_from_file(chunk_pipeline& pipeline, const file_reader& file, std::byte* dst,
                    std::size_t bytes, std::uint64_t offset) {
  if (bytes == 0) return;
  const auto& shape = pipeline.shape();
  if (file.alignment > shape.host_bytes)
    throw unsupported("direct reads of '" + file.name + "' have multiples of " +
                      std::to_string(file.alignment) + " bytes, and chunks only " +
                      std::to_string(shape.host_bytes));
  // Direct reads begin and end at whole blocks. What lies outside the range is read and not copied.
  const auto first_block = offset / file.alignment * file.alignment;
  const auto head = static_cast<std::size_t>(offset - first_block);

  chunk_work work;
  work.fill = [&](const chunk& piece) {
    read_whole(file, piece.on_host, piece.bytes, first_block + piece.offset);
  };
  work.enqueue = [&](const chunk& piece, stream& stream) {
    const auto skipped = piece.offset == 0 ? head : 0;  // less than the first chunk
    stream.copy(dst + (piece.offset + skipped - head), piece.on_host + skipped,
                piece.bytes - skipped, direction::h2d);
  };
  const auto total = head + bytes;
  work.in_one_stream = total >= staging::large;  // as staged copies (move_in_chunks.cpp)
  constexpr std::size_t page = 4096;
  pipeline.run(total,
               {std::min(least_file_chunk, shape.host_bytes), shape.host_bytes, shape.threads,
                std::max(page, file.alignment)},
               work);
}

}  // namespace transfers::detail
