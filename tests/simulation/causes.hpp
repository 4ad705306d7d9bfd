#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "src/fleet/judge/judge.hpp"
#include "tests/simulation/made_up_fleet.hpp"

namespace bench_transfers::simulation {

/// A finding that a cause must lead to.
struct expected_finding {
  std::string scope;
  std::string name;  ///< empty: whatever it is called
};

/// What has gone wrong in a made-up fleet, and what must be found: these and nothing else.
struct cause {
  std::string name;
  std::vector<fault> faults;
  std::vector<expected_finding> expected;
  std::size_t models = 1;
  bool has_reference = false;  ///< the fleet was swept before, without the faults
};

/// One of each kind that a fleet like this can have, at places that are drawn. What is slow of it
/// is so by `slower`; the second of two causes by 7 % more.
std::vector<cause> causes_of(const fleet_kind& kind, double slower, std::mt19937_64& random);

/// Makes up a sweep with the cause, and judges it.
fleet::judgement judged(fleet_kind kind, const cause& cause, std::mt19937_64& random);

/// Whether a judgement has the expected findings of the class link.
bool is_found(const fleet::judgement& judged, const cause& cause);

/// Whether it has these, and no others of any class.
bool is_as_expected(const fleet::judgement& judged, const cause& cause);

}  // namespace bench_transfers::simulation
