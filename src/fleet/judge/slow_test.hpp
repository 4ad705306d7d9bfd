#pragma once

#include <vector>

#include "src/fleet/judge/compared_parts.hpp"
#include "src/fleet/judge/levels.hpp"
#include "src/fleet/judge/spread.hpp"

namespace bench_transfers::fleet {

/// Tests which parts of one kind are slow by their own distances. The criteria outlive it.
class slow_test {
 public:
  explicit slow_test(const criteria& criteria) : criteria_(criteria) {}

  /// By all repetitions, and those that only their slowest runs show. Each part is there once.
  [[nodiscard]] std::vector<slow_part> slow_among(scope scope, const compared_parts& all) const;
  /// What such a test finds.
  [[nodiscard]] tested_parts tested_in(scope scope, const compared_parts& all) const;
  /// What healthy parts differ by, or what is expected where there are none.
  [[nodiscard]] double deviation_of(const std::vector<scored_part>& parts) const;

 private:
  /// What must be slower than what.
  struct rule {
    double score::*member;
    double threshold;
  };
  [[nodiscard]] std::vector<slow_part> slow_by(const rule& by, scope scope,
                                               const compared_parts& all) const;
  [[nodiscard]] std::vector<double> adjusted_p(const spread& healthy,
                                               const std::vector<double>& values) const;
  [[nodiscard]] spread spread_among(const std::vector<scored_part>& parts,
                                    double score::*member) const;
  [[nodiscard]] double threshold_of(scope scope, const std::vector<scored_part>& parts) const;

  const criteria& criteria_;
};

}  // namespace bench_transfers::fleet
