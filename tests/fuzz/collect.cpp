#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/fleet_properties.hpp"

/// An escaping exception ends the process, which libFuzzer reports as a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_collect({reinterpret_cast<const char*>(data), size});
  return 0;
}
