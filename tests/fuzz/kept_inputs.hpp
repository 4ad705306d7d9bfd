#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace bench_transfers::fuzz {

/// Expects that a check holds for each input kept for a fuzzer. Returns how many there are.
inline std::size_t expect_of_kept_inputs(const std::string& fuzzer,
                                         void (*check)(const std::string&)) {
  const std::filesystem::path kept = PROJECT_DIR "/tests/fuzz/corpus";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kept / fuzzer)) {
    std::ifstream in(entry.path(), std::ios::binary);
    EXPECT_NO_THROW(check({std::istreambuf_iterator<char>(in), {}})) << entry.path();
    ++files;
  }
  return files;
}

}  // namespace bench_transfers::fuzz
