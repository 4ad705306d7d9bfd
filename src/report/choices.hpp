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
  /// What advice names for memory that is used so often; empty if nothing can be ranked.
  struct by_reuse {
    std::vector<double> reuses;
    std::vector<std::string> names;
  };
  [[nodiscard]] by_reuse advised(const choice& made) const;
  /// From how many uses of its memory on advice names a strategy, and the largest number at which
  /// it names another one. None if it does not, or the costs of memory are not known.
  [[nodiscard]] std::optional<double> pays_from(const choice& made, const std::string& name) const;
  [[nodiscard]] std::optional<double> pays_behind(const choice& made,
                                                  const std::string& name) const;
  /// What the sums of advice have; none if nothing can be ranked.
  [[nodiscard]] std::optional<advice::measured_terms> terms() const;

 private:
  [[nodiscard]] by_reuse of_strategy(const choice& made, const std::string& name) const;

  const run& run_;
  advice::cost_model model_;
};

}  // namespace bench_transfers::report
