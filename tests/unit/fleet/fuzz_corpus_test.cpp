#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "src/fleet/io/sweep_file.hpp"
#include "tests/fuzz/kept_inputs.hpp"
#include "tests/fuzz/properties.hpp"

namespace bench_transfers::fleet::fuzz_corpus_test {
namespace {

const std::filesystem::path kept = PROJECT_DIR "/tests/fuzz/corpus";

TEST(fleet_fuzz_corpus, sweeps_are_read_and_judged_or_refused_as_promised) {
  EXPECT_GE(fuzz::expect_of_kept_inputs("read_sweep", fuzz::check_read_sweep), 20U);
}

TEST(fleet_fuzz_corpus, result_files_are_collected_and_judged_as_promised) {
  EXPECT_GE(fuzz::expect_of_kept_inputs("collect", fuzz::check_collect), 15U);
}

/// Otherwise the fuzzer would begin with nothing that is judged.
TEST(fleet_fuzz_corpus, has_sweeps_that_are_read) {
  for (const auto* const seed : {"healthy.json", "healthy.json.gz", "slow_rack.json"})
    EXPECT_FALSE(read_sweep(kept / "read_sweep" / seed).gpus.empty()) << seed;
}

/// The logarithm of what one takes longer than the other would not be finite.
TEST(fleet_fuzz_corpus, a_time_too_short_to_be_one_is_refused) {
  EXPECT_THAT([&] { read_sweep(kept / "read_sweep" / "times_extreme.json"); },
              testing::ThrowsMessage<unusable_sweep>(
                  testing::HasSubstr("is no time that can be measured")));
}

}  // namespace
}  // namespace bench_transfers::fleet::fuzz_corpus_test
