#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "src/gate/model/benchmark_class.hpp"

// The messages of a check, as data. report/messages.hpp adds the codes of check.json, and
// report/wording.hpp the sentences. The judge knows neither.

namespace bench_transfers::gate {

/// Why an answer is inconclusive, or would be.
namespace reasons {

// Of the runs.

struct machine_differs {
  std::vector<std::string> keys;  ///< of the facts that may not differ
};
struct too_few_runs {
  std::size_t runs, needed;
};
/// What looks slower may be slower because of this.
struct runs_disturbed {
  std::size_t disturbed, runs;
};
struct nothing_compared {};

// Of one class.

struct benchmarks_missing {  ///< or failed
  benchmark_class kind;
  std::size_t count;
};
/// Other procedures have measured them than in the baseline.
struct procedures_differ {
  benchmark_class kind;
  std::size_t count;
};
struct environment_changed {
  benchmark_class kind;
  std::size_t benchmarks, of;  ///< compared, of the baseline's
  double slowdown;             ///< as a part; negative when faster
};
struct ambiguous {
  benchmark_class kind;
  std::size_t count;
};
struct too_noisy {
  benchmark_class kind;
};
struct too_few_can_show {
  benchmark_class kind;
  std::size_t can_show, compared, benchmarks;  ///< of the baseline
};
/// In new runs: fewer than half of their repetitions are left, in so many that too few of the class
/// are tested, or compared.
struct repetitions_left_out {
  benchmark_class kind;
  std::size_t count;
};

/// The baseline's benchmarks are slower as a whole than in the first baseline of its line.
struct class_crept {
  benchmark_class kind;
  double slowdown;  ///< as a part
};

// Of the runs.

/// They began before the newest session of the baseline.
struct runs_older {
  std::size_t older, runs;
};

/// Some runs were much slower than any of the baseline, and nobody has looked again; or runs of two
/// looks were, and chance may be the reason.
struct seen_slower {
  benchmark_class kind;
  std::size_t count, again;
};

}  // namespace reasons
using reason =
    std::variant<reasons::machine_differs, reasons::too_few_runs, reasons::runs_disturbed,
                 reasons::nothing_compared, reasons::benchmarks_missing, reasons::procedures_differ,
                 reasons::environment_changed, reasons::ambiguous, reasons::too_noisy,
                 reasons::too_few_can_show, reasons::repetitions_left_out, reasons::runs_older,
                 reasons::class_crept, reasons::seen_slower>;

/// Further facts about an answer.
namespace notes {

struct faults_injected {
  std::string file;
  std::vector<std::string> faults;
};
struct interrupted {
  std::string file;
};
/// The run was ended and resumed.
struct in_parts {
  std::string file;
  std::size_t parts;
};
/// A warning in the file of a run.
struct warned {
  std::string file, code, text;
};
struct no_fingerprint {};
/// Whether they are older than the baseline: they do not tell when they began, or it does not.
struct age_unknown {
  std::size_t undated, runs;
};
struct one_session {};
/// Benchmarks that are much slower in some runs.
struct slow_runs {
  std::size_t benchmarks;
};
/// Compared with the first baseline of its line, this one is slower.
struct baseline_crept {
  std::size_t benchmarks;
  std::string worst;
  double slowdown;
};
struct measured_again {
  std::size_t suspects, runs;  ///< runs of each program
};

}  // namespace notes
using note =
    std::variant<notes::faults_injected, notes::interrupted, notes::in_parts, notes::warned,
                 notes::no_fingerprint, notes::age_unknown, notes::one_session, notes::slow_runs,
                 notes::baseline_crept, notes::measured_again>;

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
/// A run moves other numbers of bytes than the baseline: the times cannot be compared.
struct other_bytes {
  double before, after;
};
/// Faster than any improvement explains: it may not have moved the data.
struct implausibly_fast {
  double factor;
};
/// Some runs are much slower than all of the baseline.
struct slow_runs {
  std::size_t slow, runs;
  double slowdown;  ///< of the slowest
};
struct measured_in_turn {
  double slowdown, p;
};
/// The reference program of --confirm is slower than the baseline, so it clears nobody.
struct reference_slower {
  double slowdown;
};
struct not_measured_again {};
/// Fewer than half of its repetitions are left in some runs: the others were disturbed, or are not
/// there.
struct few_repetitions {
  std::size_t few, runs;
};
/// A run does another amount of work than the baseline: the times cannot be compared.
struct other_work {
  std::string key, before, after;
};
/// Its numbers are those of two procedures: they cannot be compared.
struct other_procedure {
  unsigned before, after;
};
/// Most runs are slower than nine tenths of the baseline's.
struct most_runs_slower {
  std::size_t slow, runs;
};
/// By the mean of all operations, which the median does not show.
struct mean_slower {
  double slowdown;
};
/// By it, some runs are much slower than all of the baseline.
struct mean_slow_runs {
  std::size_t slow, runs;
  double slowdown;  ///< of the slowest
};
/// By it, most runs are slower than nine tenths of the baseline's.
struct mean_of_most_runs_slower {
  std::size_t slow, runs;
};
/// By the fastest operation, of which noise hides less than of the median.
struct fastest_slower {
  double slowdown;
};
/// The benchmark looks slower, but its fastest operation does not.
struct fastest_not_slower {
  double at_most_95;  ///< slower, as all bounds
};

}  // namespace remarks
using remark = std::variant<
    remarks::failed, remarks::no_such_field, remarks::not_measured, remarks::measured_by_some,
    remarks::too_few_runs, remarks::implausibly_fast, remarks::slow_runs, remarks::other_bytes,
    remarks::reference_slower, remarks::measured_in_turn, remarks::not_measured_again,
    remarks::few_repetitions, remarks::other_work, remarks::other_procedure, remarks::mean_slower,
    remarks::mean_slow_runs, remarks::most_runs_slower, remarks::mean_of_most_runs_slower,
    remarks::fastest_slower, remarks::fastest_not_slower>;

/// Warnings of `pin`.
namespace pin_warnings {

using notes::interrupted, notes::one_session, notes::warned;

struct no_such_field {
  std::string benchmark, field, file;
};
struct failed {
  std::string benchmark, file;
};
struct left_out {
  std::size_t benchmarks, all;
  std::string first;
  std::size_t measured, runs;  ///< of the first
};
struct lacking_field {
  std::size_t benchmarks;
  std::string field, first;  ///< the first benchmark
};
struct few_runs {
  std::size_t runs, recommended;
};
/// Slower than the baseline that is replaced, or than the first of its line.
struct slower_than_replaced {
  std::size_t benchmarks;
  std::string worst;
  double slowdown;
};
struct sessions_differ {
  benchmark_class kind;
  double slowdown;  ///< of the slowest session against the fastest
};
/// What is replaced cannot be read, or is judged otherwise: slowdowns against it are not seen.
struct not_compared {
  std::string reason;
};
struct crept {
  std::size_t benchmarks;
  std::string worst;
  double slowdown;
};
/// Fewer than half of their repetitions are left in this run.
struct few_repetitions {
  std::string file;
  std::size_t benchmarks;
};

/// Fewer sessions than show which benchmarks have levels of their own in each session.
struct few_sessions {
  std::size_t sessions, recommended;
};

}  // namespace pin_warnings
using pin_warning =
    std::variant<pin_warnings::interrupted, pin_warnings::no_such_field, pin_warnings::failed,
                 pin_warnings::left_out, pin_warnings::lacking_field, pin_warnings::few_runs,
                 pin_warnings::one_session, pin_warnings::warned, pin_warnings::sessions_differ,
                 pin_warnings::slower_than_replaced, pin_warnings::not_compared,
                 pin_warnings::crept, pin_warnings::few_repetitions, pin_warnings::few_sessions>;

}  // namespace bench_transfers::gate
