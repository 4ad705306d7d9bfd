#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/advice/ranking.hpp"
#include "src/report/run.hpp"
#include "src/statistics/ratio.hpp"

namespace bench_transfers::report {

/// What can be used for a copy in one direction at one size, beside the plain copy.
struct choice {
  direction towards = direction::none;
  std::size_t size = 0;
  const measured* plain = nullptr;
  std::vector<const measured*> candidates;
  std::vector<const measured*> as_good;  ///< as the fastest, the plainest first

  [[nodiscard]] const measured& best() const { return *as_good.front(); }
  /// Null if it is none of these.
  [[nodiscard]] const measured* candidate(const std::string& strategy) const;
  [[nodiscard]] bool is_plain(const measured& chosen) const;
  /// Whether the plain copy was repeated often enough for an interval.
  [[nodiscard]] bool is_certain() const;
  /// How many times as fast as the plain copy it is.
  [[nodiscard]] statistics::ratio gain(const measured& chosen) const;
  /// Whether no strategy has a gain that noise could not explain.
  [[nodiscard]] bool is_tie() const;
};

enum class among { all_memory, ordinary_memory };

/// How often memory must be used until its strategy pays, of the numbers of uses that were asked.
struct reuse_needed {
  double enough;                     ///< from here on, advice names the strategy
  double too_few;                    ///< up to here, advice names others
  std::vector<std::string> instead;  ///< the others
};

/// What to use for the copies of a run: by what advice says of memory that is used again, and where
/// that is not known, by repetitions alone.
class choices {
 public:
  explicit choices(const run& of);

  /// None without a plain copy of this size.
  [[nodiscard]] std::optional<choice> at(direction towards, std::size_t size,
                                         among memory = among::all_memory) const;
  /// Ascending sizes at which there is a choice beside the plain copy.
  [[nodiscard]] std::vector<std::size_t> sizes(direction towards,
                                               among memory = among::all_memory) const;

  /// What to use again and again.
  [[nodiscard]] const measured& decide(const choice& made) const;
  /// None if advice names the strategy however often its memory is used, or never, or if the costs
  /// of memory are not known.
  [[nodiscard]] std::optional<reuse_needed> reuse_needed_for(const choice& made,
                                                             const std::string& strategy) const;
  /// What the sums of advice have; none if nothing can be ranked.
  [[nodiscard]] std::optional<advice::measured_terms> terms() const;

 private:
  /// The strategy that advice names for each of `asked_reuses`; empty if nothing can be ranked.
  [[nodiscard]] std::vector<std::string> advised(const choice& made) const;

  const run& run_;
  advice::cost_model model_;
};

}  // namespace bench_transfers::report
