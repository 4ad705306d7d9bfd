#include "src/common/packed.hpp"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <new>
#include <string_view>

namespace bench_transfers::common {
namespace {

/// zlib's state of packing.
class gzip_packer {
 public:
  gzip_packer() {
    constexpr int gzip = 16;  // zlib.h, deflateInit2
    constexpr int usual_memory = 8;
    if (deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip, usual_memory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  gzip_packer(const gzip_packer&) = delete;
  gzip_packer& operator=(const gzip_packer&) = delete;
  ~gzip_packer() { deflateEnd(&state_); }

  std::string pack(std::string_view text) {
    constexpr std::size_t chunk = std::size_t{1} << 20;
    std::string result;
    for (int state = Z_OK; state != Z_STREAM_END;) {
      const auto input = std::min<std::size_t>(text.size(), chunk);
      state_.next_in = reinterpret_cast<const Bytef*>(text.data());
      state_.avail_in = static_cast<uInt>(input);
      const auto begin = result.size();
      result.resize(begin + chunk);
      state_.next_out = reinterpret_cast<Bytef*>(result.data() + begin);
      state_.avail_out = static_cast<uInt>(chunk);
      state = deflate(&state_, input == text.size() ? Z_FINISH : Z_NO_FLUSH);
      text.remove_prefix(input - state_.avail_in);
      result.resize(begin + chunk - state_.avail_out);
    }
    return result;
  }

 private:
  z_stream state_{};
};

}  // namespace

std::string packed(const std::string& text) { return gzip_packer().pack(text); }

}  // namespace bench_transfers::common
