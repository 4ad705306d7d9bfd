#include "bench/harness/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "src/common/terminal.hpp"
#include "src/common/wrapped.hpp"

namespace bench_transfers::bench {
namespace {

using namespace std::chrono_literals;

}  // namespace

std::string format_duration(std::chrono::duration<double> time) {
  const auto seconds = static_cast<long>(std::ceil(time.count()));
  if (seconds < 60) return fmt::format("{}s", seconds);
  return fmt::format("{}m {:02}s", seconds / 60, seconds % 60);
}

progress::progress(std::FILE* stream) : stream_(stream), terminal_(isatty(fileno(stream)) != 0) {}

progress::~progress() { clear(); }

void progress::show(std::string_view phase, std::size_t completed, std::size_t total,
                    std::string_view current, std::chrono::duration<double> time_left) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  // Seldom enough not to disturb the measurement; fewer lines for a log.
  next_ = now + (terminal_ ? 200ms : 10s);
  auto line = fmt::format("{} {}/{}  {}", phase, completed, total, current);
  if (time_left.count() > 0) line += fmt::format("  (about {} left)", format_duration(time_left));
  if (!terminal_) {
    print(line + "\n");
  } else {
    print("\r\033[K" + line.substr(0, common::columns_of(stream_, 80) - 1));
    line_open_ = true;
  }
}

void progress::say(std::string_view line) {
  clear();
  print(common::wrapped_if_long(std::string(line)));
}

void progress::clear() {
  if (line_open_) print("\r\033[K");
  line_open_ = false;
}

void progress::print(const std::string& text) {
  // A closed or full stream must not end a measurement.
  std::fputs(text.c_str(), stream_);
  std::fflush(stream_);
}

}  // namespace bench_transfers::bench
