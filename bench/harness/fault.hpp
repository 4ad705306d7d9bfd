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

/// What a fault's expression is matched with to reach one of several copies at once:
/// "concurrent/pinned/h2d/all/1MiB cuda:1:h2d". An expression that matches the benchmark's name
/// reaches all of them.
std::string name_of_flow(const std::string& benchmark, const std::string& flow);

/// Injects the faults whose expression matches `name` into the transfer's steps.
void inject(const std::vector<fault>& faults, std::string_view name, transfers::device& device,
            transfer& transfer);

/// Injects the faults whose expression matches the benchmark's name or the flow's into a flow on
/// this device.
void inject(const std::vector<fault>& faults, const std::string& name, transfers::device& device,
            flow& copy);

}  // namespace bench_transfers::bench
