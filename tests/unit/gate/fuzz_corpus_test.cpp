#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/read_baseline_properties.hpp"
#include "tests/fuzz/read_run_properties.hpp"
#include "tests/fuzz/read_value_properties.hpp"

namespace bench_transfers::gate::fuzz_corpus_test {
namespace {

std::size_t for_each_file_in(const std::string& corpus, void (*check)(const std::string&)) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(PROJECT_DIR "/tests/fuzz/corpus/" + corpus)) {
    std::ifstream in(entry.path(), std::ios::binary);
    EXPECT_NO_THROW(check({std::istreambuf_iterator<char>(in), {}})) << entry.path();
    ++files;
  }
  return files;
}

TEST(fuzz_corpus, result_files_are_read_or_refused_as_promised) {
  EXPECT_GE(for_each_file_in("read_run", [](const std::string& text) { check_read_run(text); }),
            30U);
}

TEST(fuzz_corpus, baselines_are_read_or_refused_as_promised) {
  EXPECT_GE(for_each_file_in("read_baseline", check_read_baseline), 15U);
}

TEST(fuzz_corpus, values_of_answers_are_read_or_refused_as_promised) {
  EXPECT_GE(for_each_file_in("read_value", check_read_value), 8U);
}

}  // namespace
}  // namespace bench_transfers::gate::fuzz_corpus_test
