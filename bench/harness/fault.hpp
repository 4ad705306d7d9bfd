#pragma once

#include <regex>
#include <string>
#include <string_view>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// A fault put into chosen benchmarks on purpose, to prove that tests, exit codes and the gate
/// notice it. Hidden option --inject; results say that it was used.
struct fault {
  enum class kind {
    corrupt,  ///< one byte of the destination is flipped after every operation
    fail,     ///< the third operation throws device_error
    lose,     ///< the same, and the device counts as lost
    slow,     ///< every operation takes `factor` times as long
  };
  kind what;
  double factor;     ///< for slow
  std::string text;  ///< as given
  std::regex names;
};

/// "corrupt@REGEX", "fail@REGEX", "lose@REGEX", "slow:1.1@REGEX". Throws usage_error.
fault parse_fault(std::string_view text);

/// Puts the faults that match `name` into the transfer's steps.
void inject(const std::vector<fault>& faults, std::string_view name, transfers::device& device,
            transfer& into);

}  // namespace bench_transfers::bench
