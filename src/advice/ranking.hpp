#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/advice/cpu_rate.hpp"
#include "src/advice/measurements.hpp"
#include "src/advice/small_transfers.hpp"
#include "src/statistics/broken_line.hpp"

namespace bench_transfers::advice {

/// The question that a ranking answers. A transfer happens `reuse` times with the same host memory;
/// for each, the CPU fills the memory `cpu_writes` times and reads it back `cpu_reads` times.
struct question {
  double bytes;
  result_file::direction direction;
  double reuse = 1;
  double cpu_writes = 0;
  double cpu_reads = 0;
  /// Of the host's lines when the copy begins; the measurements are those of this state.
  result_file::cache_state lines = result_file::cache_state::warm;
};

/// Of no bytes yet: by default the CPU writes the data before an upload and reads them after a
/// download.
question usual_question(result_file::direction towards);

/// How often host memory must be used again for a strategy to take no longer than the baseline.
struct break_even {
  enum class kind {
    from,   ///< with `count` transfers or more (1: always)
    up_to,  ///< with `count` transfers or fewer
    never
  };
  kind when;
  double count;
};

/// Predicted times of one strategy for one transfer, in ns.
struct ranked_strategy {
  std::string name;
  statistics::estimate allocation;  ///< allocate and free, divided by reuse
  statistics::estimate fill;        ///< all CPU writes
  statistics::estimate transfer;
  statistics::estimate read_back;  ///< all CPU reads
  statistics::estimate total;
  /// By how much the total exceeds that of the fastest. Terms that both take from the same rows
  /// cancel out, however uncertain they are.
  statistics::estimate behind;
  std::optional<break_even> pays;  ///< none if allocation or the baseline was not measured
  bool extrapolated = false;       ///< more than twice beyond the sizes measured
  advice::plainness plainness = {};
  /// Its transfers were repeated often enough to tell noise from a difference.
  bool can_tell = true;
  /// Of a small transfer, whether repetitions confirm that it is faster than the baseline's; none
  /// for the baseline, and where nothing can be told.
  std::optional<bool> gain_confirmed = std::nullopt;
};

/// A strategy that could not be ranked, and what the file lacks.
struct left_out {
  std::string name;
  std::string code;    ///< "not_measured", "one_size", "exceeds_memory"
  std::string reason;  ///< in words, with the term: "transfer measured at one size only"
};

struct ranking {
  std::vector<ranked_strategy> strategies;  ///< fastest first
  std::vector<advice::left_out> left_out;
  /// The strategy that all others are compared with: the plainest copy, of ordinary memory by the
  /// plain call. None if it cannot be ranked.
  std::optional<std::string> baseline;
};

/// A question and its answer.
struct ranked_question {
  question asked;
  ranking ranked;
};

/// The terms of the sum that a file has for at least one strategy. A term that it has for none is
/// left out of every sum.
struct measured_terms {
  bool allocation = false, cpu_writes = false, cpu_reads = false;
};

struct strategy_costs;

/// Total time per transfer, strategy by strategy, predicted from measurements:
/// (allocate + free) / reuse + cpu_writes × fill + transfer + cpu_reads × read-back.
class cost_model {
 public:
  explicit cost_model(const measurements& measured);

  /// Throws std::invalid_argument for an impossible question: no bytes, reuse below 1, negative
  /// CPU accesses.
  [[nodiscard]] ranking rank(const question& question) const;

  [[nodiscard]] const measured_terms& measured() const { return measured_; }
  /// Whether transfers have costs of memory at all.
  [[nodiscard]] bool has_memory() const { return has_memory_; }
  /// The fit of a strategy's transfers; null if they were measured at one size only.
  [[nodiscard]] const statistics::broken_line* transfer_line(const std::string& strategy,
                                                             result_file::direction towards) const;
  /// The smallest and largest size at which transfers were measured, in bytes; none if there is
  /// none.
  struct range {
    double smallest, largest;
  };
  [[nodiscard]] std::optional<range> transfer_sizes() const;

 private:
  /// Where a term of a sum comes from: a series of the file.
  struct source {
    /// Its time by size; that of a single size, if it can be used at all; of CPU access a rate.
    std::variant<std::monostate, statistics::broken_line, statistics::measured_time, cpu_rate>
        times;
    std::optional<std::string> memory;
    advice::plainness plainness = {};
    std::optional<std::string> pool = std::nullopt;  ///< of CPU access
    bool can_tell = true;

    [[nodiscard]] bool is_known_at(double bytes) const;
    [[nodiscard]] bool may_be_baseline() const { return plainness.options == 0; }
  };
  using place = std::pair<term, std::string>;
  /// A term that a sum needs.
  struct need {
    const source* series;  ///< null if it was not measured
    std::string title;
  };

  [[nodiscard]] source source_of(const series& added) const;
  void add_by_memory(const series& added);
  void compare_small_transfers(const measurements& measured);
  [[nodiscard]] const source& transfer(const std::string& strategy,
                                       result_file::direction towards) const;
  [[nodiscard]] std::optional<left_out> why_left_out(const std::string& strategy,
                                                     const source& transfer,
                                                     const question& question) const;
  [[nodiscard]] std::vector<need> needs_of(const source& transfer, const question& question) const;
  [[nodiscard]] const source* by_memory(term needed, const source& transfer) const;
  [[nodiscard]] const cpu_rate& rate(term access, const source& transfer) const;
  [[nodiscard]] strategy_costs costs_of(const source& transfer, const question& question) const;
  [[nodiscard]] ranked_strategy predicted(const std::string& strategy, const strategy_costs& costs,
                                          const question& question) const;
  [[nodiscard]] std::optional<bool> is_confirmed(const std::string& strategy, const ranking& ranked,
                                                 const question& question) const;
  [[nodiscard]] statistics::estimate difference_to_fastest(const ranked_strategy& ranked,
                                                           const ranked_strategy& fastest,
                                                           const question& question) const;

  std::map<place, source> transfers_;      // by strategy
  std::map<place, source> by_memory_;      // what memory costs, by its kind
  std::map<term, small_transfers> small_;  // by direction
  measured_terms measured_;
  std::optional<double> host_bytes_, device_bytes_;  // as origin has them
  bool needs_memory_;
  bool has_memory_ = true;
};

/// The fastest strategy and those that may be as fast, because the interval of the difference
/// includes zero; fastest first. The ranking must not be empty.
std::vector<const ranked_strategy*> statistically_tied(const ranking& ranked);

/// Those to choose from, fastest first: what is within 3 % of the fastest, or within 10 % and
/// not to be told from it: statistically tied, or repeated too seldom. Of small transfers also the
/// baseline, and all that are no slower, if repetitions confirm of none of the others that it is
/// faster. The ranking must not be empty.
std::vector<const ranked_strategy*> as_good(const ranking& ranked);

/// The strategy to use: the plainest of those; of equally plain ones, the faster.
const ranked_strategy& recommended(const ranking& ranked);

/// By which part of it the total of a strategy may be wrong (95 %).
double uncertainty_of(const ranked_strategy& ranked);

/// That of the recommended strategy, if it is all of it or more and other strategies cannot be told
/// from it: then nothing is known.
std::optional<double> reason_not_to_recommend(const ranking& ranked);

/// The question's size and those around it, in bytes: with them an answer is no extrapolation.
std::vector<std::size_t> sizes_to_measure(const question& question);

}  // namespace bench_transfers::advice
