#include "src/common/read_text.hpp"

#include <fmt/format.h>
#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

namespace bench_transfers::common {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

[[noreturn]] void refuse(const std::string& why) { throw read_error(why); }

std::string in_mib(std::size_t bytes) {
  return fmt::format("{:.3g} MiB", static_cast<double>(bytes) / (1 << 20));
}

/// zlib's state of unpacking gzip members.
class gzip_stream {
 public:
  explicit gzip_stream(std::string_view packed) : left_(packed) {
    constexpr int gzip_only = 16;  // zlib.h, inflateInit2
    if (inflateInit2(&state_, MAX_WBITS + gzip_only) != Z_OK) refuse("not enough memory");
  }
  gzip_stream(const gzip_stream&) = delete;
  gzip_stream& operator=(const gzip_stream&) = delete;
  ~gzip_stream() { inflateEnd(&state_); }

  /// The next part of the text; empty at its end.
  std::string_view next() {
    while (!ended_) {
      if (member_ended_) {
        next_member();
        continue;
      }
      const auto input_bytes = std::min(left_.size(), std::size_t{1} << 30);  // zlib counts in uInt
      state_.next_in = reinterpret_cast<const Bytef*>(left_.data());
      state_.avail_in = static_cast<uInt>(input_bytes);
      state_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      state_.avail_out = static_cast<uInt>(buffer_.size());
      const int state = inflate(&state_, Z_NO_FLUSH);
      left_.remove_prefix(input_bytes - state_.avail_in);
      member_ended_ = state == Z_STREAM_END;
      // What precedes damage is text. zlib repeats the error at the next call.
      const auto output_bytes = buffer_.size() - state_.avail_out;
      if (output_bytes > 0) return {buffer_.data(), output_bytes};
      if (!member_ended_) require_good(state);
    }
    return {};
  }

 private:
  void require_good(int state) const {
    if (state == Z_OK) return;
    if (state == Z_MEM_ERROR) refuse("not enough memory");
    if (state == Z_BUF_ERROR) refuse("it is cut off: the end of the compressed text is missing");
    refuse(fmt::format("it is damaged, it cannot be unpacked: {}",
                       state_.msg == nullptr ? "not as gzip has it" : state_.msg));
  }
  void next_member() {
    member_ended_ = false;
    ended_ = left_.empty();
    if (ended_) return;
    if (!left_.starts_with(gzip_magic)) refuse("something else follows the compressed text");
    inflateReset(&state_);
  }

  z_stream state_{};
  std::string_view left_;
  std::array<char, chunk_bytes> buffer_;
  bool member_ended_ = false;
  bool ended_ = false;
};

/// Opening a named pipe waits for a writer, perhaps for ever. A pipe of the shell, such as
/// /dev/stdin, has a writer and no path.
bool is_named_pipe(const std::filesystem::path& file) {
  std::error_code unknown;
  if (!std::filesystem::is_fifo(file, unknown)) return false;
  std::error_code without_path;
  static_cast<void>(std::filesystem::canonical(file, without_path));
  return !without_path;
}

std::string read_bytes(const std::filesystem::path& file, std::size_t most_bytes) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) refuse("it is a folder, not a file");
  if (is_named_pipe(file)) refuse("it is a named pipe, not a file");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open()) refuse(std::generic_category().message(errno));
  std::string bytes;
  if (const auto size = std::filesystem::file_size(file, unknown); !unknown && size <= most_bytes)
    bytes.reserve(size);
  std::array<char, chunk_bytes> chunk;
  while (stream) {
    errno = 0;
    stream.read(chunk.data(), chunk.size());
    bytes.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
    if (bytes.size() > most_bytes) refuse("it is larger than " + in_mib(most_bytes));
  }
  if (stream.bad()) refuse(std::generic_category().message(errno));
  return bytes;
}

}  // namespace

std::string unpacked(std::string bytes, std::size_t most_bytes) {
  if (!bytes.starts_with(gzip_magic)) return bytes;
  gzip_stream packed(bytes);
  std::string text;
  for (auto more = packed.next(); !more.empty(); more = packed.next()) {
    text += more;
    if (text.size() > most_bytes) refuse("unpacked it is larger than " + in_mib(most_bytes));
  }
  return text;
}

std::string read_text(const std::filesystem::path& file, std::size_t most_bytes) {
  return unpacked(read_bytes(file, most_bytes), most_bytes);
}

std::string unpacked_beginning(std::string_view bytes, std::size_t most_bytes) {
  if (!bytes.starts_with(gzip_magic)) return std::string(bytes.substr(0, most_bytes));
  std::string text;
  try {
    gzip_stream packed(bytes);
    while (text.size() < most_bytes) {
      const auto more = packed.next();
      if (more.empty()) break;
      text += more;
    }
  } catch (const read_error&) {
    return text;  // as far as it goes: less than most_bytes
  }
  text.resize(std::min(text.size(), most_bytes));
  return text;
}

std::string beginning_of(const std::filesystem::path& file, std::size_t bytes) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return {};
  std::ifstream stream(file, std::ios::binary);
  // Packed text can be longer than text by a few bytes, and has codes at its beginning.
  std::string packed(bytes + chunk_bytes, '\0');
  stream.read(packed.data(), static_cast<std::streamsize>(packed.size()));
  packed.resize(static_cast<std::size_t>(stream.gcount()));
  return unpacked_beginning(packed, bytes);
}

}  // namespace bench_transfers::common
