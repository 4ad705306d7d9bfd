#pragma once

namespace bench_transfers::common {

/// What the programs end with; docs/METHOD.md has the table. A verdict is one of them, and each
/// judge has a name of its own for it.
enum class exit_code {
  done = 0,
  pass = done,
  healthy = done,

  something_failed = 1,
  regression = something_failed,
  named = something_failed,
  findings = something_failed,

  bad_input = 2,  ///< or usage

  nothing_ran = 3,
  inconclusive = nothing_ran,
  unknown = nothing_ran,
  not_known = nothing_ran,

  no_time = 4,            ///< the time was up before anything was measured
  environment = no_time,  ///< is slower as a whole

  interrupted = 130,  ///< by SIGINT
  terminated = 143    ///< by SIGTERM
};

constexpr exit_code code_of_signal(int signal) { return static_cast<exit_code>(128 + signal); }

}  // namespace bench_transfers::common
