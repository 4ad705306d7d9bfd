#pragma once

#include <cstddef>
#include <stdexcept>

namespace bench_transfers::common {

/// Text cannot be read; what() is the reason in one line, without the file's name.
class read_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No unpacked result file is larger: this is about 200,000 rows of bench_transfers.
inline constexpr std::size_t most_text_bytes = std::size_t{128} << 20;

}  // namespace bench_transfers::common
