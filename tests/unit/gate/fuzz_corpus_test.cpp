#include <gtest/gtest.h>

#include "tests/fuzz/kept_inputs.hpp"
#include "tests/fuzz/properties.hpp"

namespace bench_transfers::gate::fuzz_corpus_test {
namespace {

TEST(fuzz_corpus, result_files_are_read_or_refused_as_promised) {
  EXPECT_GE(fuzz::expect_of_kept_inputs("read_run", fuzz::check_read_run), 30U);
}

TEST(fuzz_corpus, baselines_are_read_or_refused_as_promised) {
  EXPECT_GE(fuzz::expect_of_kept_inputs("read_baseline", fuzz::check_read_baseline), 15U);
}

}  // namespace
}  // namespace bench_transfers::gate::fuzz_corpus_test
