#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/report/choices.hpp"
#include "src/report/said.hpp"

// Rules as facts: rules.cpp decides them, and rule_words.cpp words them.

namespace bench_transfers::report {

enum class rule_subject { large_arrays, small_transfers, ordinary_memory };

/// How the chosen strategy compares with the plain copy.
enum class outcome {
  is_plain,             ///< it is the plain copy
  too_few_repetitions,  ///< to know the interval of its gain
  no_clear_gain,        ///< the interval has 1, or less
  clear_gain
};

/// The strategy that is chosen for the copies of one size in one direction.
struct pick {
  direction towards;
  std::size_t size;
  const measured* plain;
  const measured* chosen;
  statistics::ratio gain;  ///< how many times as fast as the plain copy; 1 if it is the plain copy
  report::outcome outcome;
  bool is_certain;  ///< the plain copy was repeated often enough for an interval
  std::optional<reuse_needed> reuse;

  [[nodiscard]] const std::string& strategy() const { return chosen->described->strategy; }
  [[nodiscard]] bool is_plain() const { return outcome == outcome::is_plain; }
};
using picks = std::vector<pick>;

/// The sizes, from the smallest on, at which the plain copy is to be used.
struct plain_range {
  direction towards;
  std::size_t largest;
  bool are_ties;  ///< no strategy is faster; otherwise some are, but for the costs of their memory
  bool is_certain;  ///< at one of them, the plain copy was repeated often enough
};

/// The strategy of a rule that keeps the most CPU cores busy.
struct busy_cores {
  std::string strategy;
  double count;
};

struct decided_rule {
  rule_subject subject;
  report::picks picks;  ///< in each direction that has a choice
  std::vector<use> uses;
  /// Of large arrays: strategies are as good as the fastest, but their gains are not clear. Then
  /// the rule names the plain copy.
  bool is_without_gain = false;
  std::optional<busy_cores> cores = {};        ///< if they are worth a warning
  std::vector<plain_range> plain_ranges = {};  ///< of small transfers, by direction
};

struct decided_rules {
  std::vector<decided_rule> rules;
  bool lacks_allocation;  ///< what allocating memory costs was not measured
};

std::vector<rule> in_words(const decided_rules& decided);

}  // namespace bench_transfers::report
