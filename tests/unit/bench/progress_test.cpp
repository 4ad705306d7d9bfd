#include "bench/harness/progress.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

namespace bench_transfers::bench::progress_test {
namespace {

using namespace std::chrono_literals;

TEST(format_duration, in_whole_seconds_rounded_up) {
  EXPECT_EQ(format_duration(0s), "0s");
  EXPECT_EQ(format_duration(10ms), "1s");
  EXPECT_EQ(format_duration(12s), "12s");
  EXPECT_EQ(format_duration(59.2s), "1m 00s");
  EXPECT_EQ(format_duration(100s), "1m 40s");
  EXPECT_EQ(format_duration(3661s), "61m 01s");
}

TEST(line_of_a_step, says_what_is_known) {
  EXPECT_EQ(line_of({"preparing", 1, 9, "a/b/4B"}), "preparing 1/9  a/b/4B");
  EXPECT_EQ(line_of({"round 2/5,", 12, 40, "a/b/4B", 12s}),
            "round 2/5, 12/40  a/b/4B  (about 12s left)");
  EXPECT_EQ(line_of({"round 2/5,", 12, 40, "a/b/4B", 12s, 95'300}),
            "round 2/5, 12/40  a/b/4B  (95.3 µs so far, about 12s left)");
  EXPECT_EQ(line_of({"round 2/5,", 12, 40, "a/b/4B", 0s, 95'300}),
            "round 2/5, 12/40  a/b/4B  (95.3 µs so far)");
}

TEST(line_of_a_step, shortens_the_name_on_a_narrow_terminal) {
  const step_of_run step{"round 2/5,", 12, 40, "copy/pinned/h2d/1MiB", 12s, 95'300};
  const std::string whole =
      "round 2/5, 12/40  copy/pinned/h2d/1MiB  (95.3 µs so far, about 12s left)";
  EXPECT_EQ(line_of(step), whole);
  EXPECT_EQ(line_of(step, 72), whole);
  EXPECT_EQ(line_of(step, 71),
            "round 2/5, 12/40  copy/pinned/h2d/1M…  (95.3 µs so far, about 12s left)");
  EXPECT_EQ(line_of(step, 53), "round 2/5, 12/40  …  (95.3 µs so far, about 12s left)");
  EXPECT_EQ(line_of(step, 27), "round 2/5, 12/40    (95.3 µ");
  EXPECT_EQ(line_of(step, 0), "");
}

TEST(progress, prints_an_occasional_line_in_a_log) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> log(std::tmpfile(), std::fclose);
  {
    progress shown(log.get());
    for (std::size_t i = 1; i <= 1000; ++i) shown.show({"measuring", i, 1000, "a/b/4B", 100s});
    shown.say("done\r");
  }
  std::rewind(log.get());
  std::string text(1000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), log.get()));
  EXPECT_EQ(text, "measuring 1/1000  a/b/4B  (about 1m 40s left)\ndone\\r\n");
}

}  // namespace
}  // namespace bench_transfers::bench::progress_test
