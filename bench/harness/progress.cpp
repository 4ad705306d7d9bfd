#include "bench/harness/progress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/common/program.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {
namespace {

using common::first_letters;
using common::letters_in;
using namespace std::chrono_literals;

std::string shortened(std::string_view text, std::size_t width) {
  if (letters_in(text) <= width) return std::string(text);
  return width == 0 ? "" : first_letters(text, width - 1) + "…";
}

/// "  (95.3 µs so far, about 12s left)"; empty: nothing is known.
std::string known_of(const step_of_run& step) {
  std::vector<std::string> known;
  if (step.estimate_ns) known.push_back(common::time_text(*step.estimate_ns) + " so far");
  if (step.time_left.count() > 0)
    known.push_back(fmt::format("about {} left", format_duration(step.time_left)));
  return known.empty() ? "" : fmt::format("  ({})", fmt::join(known, ", "));
}

}  // namespace

std::string line_of(const step_of_run& step, std::optional<std::size_t> columns) {
  const auto begin = fmt::format("{} {}/{}  ", step.phase, step.completed, step.total);
  const auto end = known_of(step);
  if (!columns) return fmt::format("{}{}{}", begin, step.current, end);
  const auto taken = letters_in(begin) + letters_in(end);
  const auto name = shortened(step.current, *columns - std::min(*columns, taken));
  return first_letters(begin + name + end, *columns);
}

std::string format_duration(std::chrono::duration<double> time) {
  const auto seconds = static_cast<long>(std::ceil(time.count()));
  if (seconds < 60) return fmt::format("{}s", seconds);
  return fmt::format("{}m {:02}s", seconds / 60, seconds % 60);
}

progress::progress(std::FILE* stream) : stream_(stream), terminal_(isatty(fileno(stream)) != 0) {}

progress::~progress() { clear(); }

void progress::show(const step_of_run& step) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  // Seldom enough not to disturb the measurement; fewer lines for a log.
  next_ = now + (terminal_ ? 200ms : 10s);
  if (!terminal_) {
    print(line_of(step) + "\n");
  } else {
    print("\r\033[K" + line_of(step, common::columns_of(stream_, 80) - 1));
    line_open_ = true;
  }
}

void progress::say(std::string_view line) {
  clear();
  print(common::wrapped_if_long(common::printable(line)));
}

void progress::note(std::string_view line) {
  if (!terminal_) say(line);
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
