#include "src/common/gzip.hpp"

#define ZLIB_CONST
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "src/common/text.hpp"

namespace bench_transfers::common {

namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr int gzip_window = MAX_WBITS + 16;  // 16 says gzip: zlib.h, inflateInit2 and deflateInit2

/// zlib's state of unpacking gzip members.
class gzip_unpacker {
 public:
  explicit gzip_unpacker(std::string_view packed) : left_(packed) {
    if (inflateInit2(&state_, gzip_window) != Z_OK) throw read_error("not enough memory");
  }
  gzip_unpacker(const gzip_unpacker&) = delete;
  gzip_unpacker& operator=(const gzip_unpacker&) = delete;
  ~gzip_unpacker() { inflateEnd(&state_); }

  /// The next part of the text; empty at its end.
  std::string_view next() {
    while (!ended_) {
      if (member_ended_) {
        next_member();
        continue;
      }
      const auto [result, text] = unpack_some();
      member_ended_ = result == Z_STREAM_END;
      // Text in front of damage counts. zlib repeats the error at the next call.
      if (!text.empty()) return text;
      if (!member_ended_) require_good(result);
    }
    return {};
  }

 private:
  struct unpacked_part {
    int result;  ///< of zlib
    std::string_view text;
  };

  unpacked_part unpack_some() {
    const auto input_bytes = std::min(left_.size(), std::size_t{1} << 30);  // zlib counts in uInt
    state_.next_in = reinterpret_cast<const Bytef*>(left_.data());
    state_.avail_in = static_cast<uInt>(input_bytes);
    state_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    state_.avail_out = static_cast<uInt>(buffer_.size());
    const int result = inflate(&state_, Z_NO_FLUSH);
    left_.remove_prefix(input_bytes - state_.avail_in);
    return {result, {buffer_.data(), buffer_.size() - state_.avail_out}};
  }
  void require_good(int result) const {
    if (result == Z_OK) return;
    if (result == Z_MEM_ERROR) throw read_error("not enough memory");
    if (result == Z_BUF_ERROR)
      throw read_error("it is cut off: the end of the compressed text is missing");
    throw read_error(fmt::format("it is damaged, it cannot be unpacked: {}",
                                 state_.msg == nullptr ? "not as gzip has it" : state_.msg));
  }
  void next_member() {
    member_ended_ = false;
    ended_ = left_.empty();
    if (ended_) return;
    if (!left_.starts_with(gzip_magic))
      throw read_error("something else follows the compressed text");
    inflateReset(&state_);
  }

  z_stream state_{};
  std::string_view left_;
  std::array<char, std::size_t{64} << 10> buffer_;
  bool member_ended_ = false;
  bool ended_ = false;
};

}  // namespace

std::string unpacked(std::string bytes, std::size_t most_bytes) {
  if (!bytes.starts_with(gzip_magic)) return bytes;
  gzip_unpacker packed(bytes);
  std::string text;
  for (auto more = packed.next(); !more.empty(); more = packed.next()) {
    text += more;
    if (text.size() > most_bytes)
      throw read_error("unpacked it is larger than " + mib_text(most_bytes));
  }
  return text;
}

std::string unpacked_beginning(std::string_view bytes, std::size_t most_bytes) {
  if (!bytes.starts_with(gzip_magic)) return std::string(bytes.substr(0, most_bytes));
  std::string text;
  try {
    gzip_unpacker packed(bytes);
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

std::string packed(const std::string& text) {
  constexpr int usual_memory = 8;
  constexpr std::size_t chunk = std::size_t{1} << 20;
  z_stream state{};
  if (deflateInit2(&state, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, usual_memory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&deflateEnd)> closed(&state, deflateEnd);
  std::string_view left = text;
  std::string packed;
  for (int result = Z_OK; result != Z_STREAM_END;) {
    const auto input_bytes = std::min(left.size(), chunk);
    state.next_in = reinterpret_cast<const Bytef*>(left.data());
    state.avail_in = static_cast<uInt>(input_bytes);
    const auto begin = packed.size();
    packed.resize(begin + chunk);
    state.next_out = reinterpret_cast<Bytef*>(packed.data() + begin);
    state.avail_out = static_cast<uInt>(chunk);
    result = deflate(&state, input_bytes == left.size() ? Z_FINISH : Z_NO_FLUSH);
    left.remove_prefix(input_bytes - state.avail_in);
    packed.resize(begin + chunk - state.avail_out);
  }
  return packed;
}

}  // namespace bench_transfers::common
