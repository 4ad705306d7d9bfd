#include "tests/unit/bench/fake_clock.hpp"

#include <optional>

#include "bench/harness/surroundings.hpp"
#include "bench/harness/wall_clock.hpp"
#include "tests/unit/bench/made_up_surroundings.hpp"

namespace bench_transfers::bench {
namespace {

/// Nullopt: the true time.
std::optional<wall_clock::time_point>& moved_time() {
  static std::optional<wall_clock::time_point> time;
  return time;
}

}  // namespace

wall_clock::time_point wall_clock::now() noexcept {
  auto& moved = moved_time();
  if (!moved) return std::chrono::steady_clock::now();
  return *moved += std::chrono::nanoseconds(1);
}

// The programs with this clock depend on nothing else of the machine, either.
std::unique_ptr<surroundings> watched_surroundings() {
  return std::make_unique<made_up_surroundings>();
}

fake_clock::fake_clock() { moved_time().emplace(); }
fake_clock::~fake_clock() { moved_time().reset(); }

void fake_clock::advance(std::chrono::nanoseconds time) { moved_time().value() += time; }

}  // namespace bench_transfers::bench
