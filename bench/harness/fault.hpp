#pragma once

#include <regex>
#include <string>
#include <string_view>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// A fault that is injected into some benchmarks, to prove that tests, exit codes and the gate
/// detect it. Hidden option --inject; the result file records it.
struct fault {
  enum class kind {
    corrupt,  ///< one byte of the destination, or one bit of an answer, is flipped every time
    fail,     ///< the third operation throws device_error
    lose,     ///< as `fail`, and the device counts as lost
    slow,     ///< every operation takes `factor` times as long
  };
  kind effect;
  double factor;     ///< for slow
  std::string text;  ///< as on the command line
  std::regex names;
};

/// "corrupt@REGEX", "fail@REGEX", "lose@REGEX", "slow:1.1@REGEX". Throws usage_error.
fault parse_fault(std::string_view text);

/// Injects the faults whose expression matches `name` into the transfer's steps.
void inject(const std::vector<fault>& faults, std::string_view name, transfers::device& device,
            transfer& transfer);

}  // namespace bench_transfers::bench
