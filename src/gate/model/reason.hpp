#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

// The messages of a check, as data. report/messages.hpp adds the codes of check.json, and
// report/wording.hpp the sentences. The judge knows neither.

namespace bench_transfers::gate {

/// Why an answer is inconclusive, or would be.
namespace reasons {

struct machine_differs {
  std::size_t differences;
};
struct too_few_runs {
  std::size_t runs, needed;
};
struct benchmarks_missing {  ///< or failed
  std::size_t count;
};
struct environment_changed {
  std::size_t benchmarks;  ///< of the class
  bool latency_bound;
  double slowdown;  ///< as a part; negative when faster
};
struct ambiguous {
  std::size_t count;
};
struct too_noisy {};
struct too_few_can_show {
  std::size_t can_show, compared, benchmarks;  ///< of the baseline
};
struct nothing_compared {};

}  // namespace reasons
using reason =
    std::variant<reasons::machine_differs, reasons::too_few_runs, reasons::benchmarks_missing,
                 reasons::environment_changed, reasons::ambiguous, reasons::too_noisy,
                 reasons::too_few_can_show, reasons::nothing_compared>;

/// Further facts about an answer.
namespace notes {

struct faults_injected {
  std::string file;
  std::vector<std::string> faults;
};
struct interrupted {
  std::string file;
};
struct no_fingerprint {};
struct settings_not_covered {};
struct one_session {};
struct measured_again {
  std::size_t suspects, runs;  ///< runs of each program
};

}  // namespace notes
using note = std::variant<notes::faults_injected, notes::interrupted, notes::no_fingerprint,
                          notes::settings_not_covered, notes::one_session, notes::measured_again>;

/// Why a benchmark is missing, or the result of measuring it again.
namespace remarks {

struct failed {
  std::size_t failed, runs;
};
struct no_such_field {
  std::string field;
};
struct not_measured {};
struct measured_by_some {
  std::size_t measured, runs;
};
struct too_few_runs {
  std::size_t measured, runs, needed;
};
struct measured_in_turn {
  double slowdown, p;
};
struct not_measured_again {};

}  // namespace remarks
using remark = std::variant<remarks::failed, remarks::no_such_field, remarks::not_measured,
                            remarks::measured_by_some, remarks::too_few_runs,
                            remarks::measured_in_turn, remarks::not_measured_again>;

/// Warnings of `pin`.
namespace pin_warnings {

struct interrupted {
  std::string file;
};
struct no_such_field {
  std::string benchmark, field, file;
};
struct failed {
  std::string benchmark, file;
};
struct left_out {
  std::string benchmark;
  std::size_t measured, runs;
};
struct lacking_field {
  std::size_t benchmarks;
  std::string field, first;  ///< the first benchmark
};
struct few_runs {
  std::size_t runs, recommended;
};
struct one_session {};

}  // namespace pin_warnings
using pin_warning =
    std::variant<pin_warnings::interrupted, pin_warnings::no_such_field, pin_warnings::failed,
                 pin_warnings::left_out, pin_warnings::lacking_field, pin_warnings::few_runs,
                 pin_warnings::one_session>;

}  // namespace bench_transfers::gate
