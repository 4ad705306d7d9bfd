#include "bench/harness/surroundings.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "bench/harness/interruption.hpp"
#include "bench/harness/wall_clock.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::bench {
namespace {

using namespace std::chrono_literals;
using result_file::disturbance;
using std::chrono::nanoseconds;

/// By the kernel itself: whatever makes the C library's clock stand still or jump does not reach
/// this one.
nanoseconds kernel_time(clockid_t clock) {
  timespec now{};
  if (syscall(SYS_clock_gettime, clock, &now) != 0) return {};
  return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

/// CLOCK_MONOTONIC_RAW is not adjusted to the true time, CLOCK_BOOTTIME goes on while the computer
/// is suspended (clock_gettime(2)). wall_clock must go as both do.
constexpr std::array check_clocks{CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME};

/// Reads all clocks at one moment, and again if that took long.
void read_clocks(readings& into) {
  constexpr int most_attempts = 5;
  constexpr auto short_enough = 20us;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    into.check_clocks.clear();
    for (const auto clock : check_clocks) into.check_clocks.push_back({kernel_time(clock), {}});
    into.wall = wall_clock::now().time_since_epoch();
    for (std::size_t i = 0; i < check_clocks.size(); ++i)
      into.check_clocks[i].latest = kernel_time(check_clocks[i]);
    const auto took_long = [&](const bracket& clock) {
      return clock.latest - clock.earliest > short_enough;
    };
    if (std::ranges::none_of(into.check_clocks, took_long)) return;
  }
}

/// A clock may be adjusted by 0.05 % (adjtime(3)), and virtual machines' by more.
void compare_clocks(const readings& before, const readings& after, std::set<disturbance>& seen) {
  constexpr double tolerated_share = 0.02;
  constexpr std::chrono::duration<double, std::nano> tolerated = 1ms;
  constexpr auto noticeable = 10us;  // any clock advances in that time
  const std::chrono::duration<double, std::nano> wall = after.wall - before.wall;
  if (wall.count() < 0) seen.insert(disturbance::clock_jumped);
  const auto count = std::min(before.check_clocks.size(), after.check_clocks.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto least = after.check_clocks[i].earliest - before.check_clocks[i].latest;
    const auto most = after.check_clocks[i].latest - before.check_clocks[i].earliest;
    if (wall > (1 + tolerated_share) * most + tolerated) seen.insert(disturbance::clock_jumped);
    if (wall.count() == 0 && least > noticeable) seen.insert(disturbance::clock_stood_still);
    if (wall.count() >= 0 && wall < (1 - tolerated_share) * least - tolerated)
      seen.insert(disturbance::clock_stood_still);
  }
}

/// Whether others kept these CPUs busy for more than a quarter of the time. What the kernel may
/// have counted late does not count, so short times tell only of much load.
bool has_other_load(const readings& before, const readings& after) {
  constexpr double tolerated_share = 0.25;
  if (!before.cpu_times || !after.cpu_times || before.cpus != after.cpus) return false;
  const auto busy = after.cpu_times->busy - before.cpu_times->busy;
  const auto total = after.cpu_times->total - before.cpu_times->total;
  const auto others = busy - (after.own_cpu - before.own_cpu) - after.cpu_times->tick;
  return total > 0ns && others > tolerated_share * total;
}

}  // namespace

readings true_surroundings::read() const {
  readings now;
  const auto cpus = machine::usable_cpus();
  now.cpus = cpus.size();
  now.cpu_times = machine::cpu_times_of(cpus);
  now.own_cpu = kernel_time(CLOCK_PROCESS_CPUTIME_ID);
  now.stops = stops();
  read_clocks(now);
  return now;
}

std::set<disturbance> disturbances_between(const readings& before, const readings& after,
                                           std::size_t cpus_at_start) {
  std::set<disturbance> seen;
  if (after.stops != before.stops) seen.insert(disturbance::stopped);
  const auto fewest = std::min(before.cpus, after.cpus);
  if (fewest > 0 && fewest < cpus_at_start) seen.insert(disturbance::fewer_cpus);
  if (has_other_load(before, after)) seen.insert(disturbance::other_load);
  compare_clocks(before, after, seen);
  return seen;
}

std::set<disturbance> disturbances_in(std::span<const double> times, std::size_t batch) {
  constexpr std::size_t least = 3;
  constexpr double far_longer = 100;
  constexpr double second = 1e9;
  std::set<disturbance> seen;
  if (times.empty()) return seen;
  const auto [shortest, longest] = std::ranges::minmax(times);
  const double median = statistics::median({times.begin(), times.end()});
  if (shortest < 0) seen.insert(disturbance::clock_jumped);
  if (median <= 0 || shortest == 0) seen.insert(disturbance::clock_stood_still);
  // No signal tells of a frozen control group or a paused virtual machine.
  if (times.size() >= least && longest > far_longer * median &&
      longest * static_cast<double>(batch) > second)
    seen.insert(disturbance::stopped);
  return seen;
}

bool are_spoilt(const std::set<result_file::disturbance>& disturbed) {
  return degree_of(disturbed) == result_file::disturbance_degree::spoilt;
}

std::vector<std::string> codes_of(const std::set<result_file::disturbance>& disturbed) {
  std::vector<std::string> codes;
  for (const auto code : disturbed) codes.push_back(to_string(code));
  return codes;
}

}  // namespace bench_transfers::bench
