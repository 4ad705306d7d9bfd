#include <cstddef>
#include <cstdint>

#include "tests/fuzz/properties.hpp"

/// An escaping exception ends the process, which libFuzzer reports as a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bench_transfers::fuzz::FUZZED_CHECK({reinterpret_cast<const char*>(data), size});
  return 0;
}
