#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include "bench/strategy/strategy.hpp"
#include "src/result_file/sentinels.hpp"

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
  /// Where a fault may be in some rounds only.
  struct place {
    std::string name;  ///< of a benchmark, or of a sentinel: "sentinel/h2d"
    int round = 0;     ///< of the process, from 1; 0: none, while a benchmark is prepared
    bool is_sentinel = false;
  };
  kind effect;
  double factor;             ///< for slow
  std::optional<int> round;  ///< for slow: a load of a neighbour, in this round of each process
  std::string text;          ///< as on the command line
  std::regex names;
};

/// "corrupt@REGEX", "fail@REGEX", "lose@REGEX", "slow:1.1@REGEX", "slow:1.1:2@REGEX" (in the second
/// round of each process, sentinels as well). Throws usage_error.
fault parse_fault(std::string_view text);

/// What a fault's expression is matched with to reach one of several copies at once:
/// "concurrent/pinned/h2d/all/1MiB cuda:1:h2d". An expression that matches the benchmark's name
/// reaches all of them.
std::string name_of_flow(const std::string& benchmark, const std::string& flow);

/// The same for a sentinel: "sentinel/h2d".
std::string name_of(result_file::sentinel kind);
/// Whether a fault reaches a sentinel: one of some rounds only, which stands for what others do.
bool concerns_sentinels(const fault& injected);

/// Injects the faults whose expression matches the place's name into the transfer's steps.
/// Sentinels get those of their round only.
void inject(const std::vector<fault>& faults, const fault::place& where, transfers::device& device,
            transfer& transfer);

/// Injects the faults whose expression matches the benchmark's name or the flow's into a flow on
/// this device.
void inject(const std::vector<fault>& faults, const fault::place& where, transfers::device& device,
            flow& copy);

}  // namespace bench_transfers::bench
