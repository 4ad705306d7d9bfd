#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "../fuzz/read_run_properties.hpp"

namespace {

TEST(fuzz_corpus, result_files_are_read_or_refused_as_promised) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(PROJECT_DIR "/tests/fuzz/corpus/read_run")) {
    std::ifstream in(entry.path(), std::ios::binary);
    EXPECT_NO_THROW(check_read_run({std::istreambuf_iterator<char>(in), {}})) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 30U);
}

}  // namespace
