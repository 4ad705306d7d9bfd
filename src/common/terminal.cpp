#include "src/common/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace bench_transfers::common {

std::size_t columns_of(std::FILE* stream, std::size_t otherwise) {
  constexpr unsigned short too_narrow = 20;
  winsize size{};
  const bool is_told = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > too_narrow;
  return is_told ? size.ws_col : otherwise;
}

void show_progress(std::FILE* stream, const std::string& text, bool is_last) {
  if (isatty(fileno(stream)) == 0) return;
  const auto line = "\r" + text + (is_last ? "\n" : "");
  std::fputs(line.c_str(), stream);
}

}  // namespace bench_transfers::common
