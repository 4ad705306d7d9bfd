#include "src/common/terminal.hpp"

#include <sys/ioctl.h>

namespace bench_transfers::common {

std::size_t columns_of(std::FILE* stream, std::size_t otherwise) {
  constexpr unsigned short too_narrow = 20;
  winsize size{};
  const bool is_told = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > too_narrow;
  return is_told ? size.ws_col : otherwise;
}

}  // namespace bench_transfers::common
