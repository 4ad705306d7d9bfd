#include "src/machine/cpu_times.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "src/machine/files.hpp"

namespace bench_transfers::machine {

namespace {

/// The columns of a CPU's line that are idle time: idle and iowait. The guests' time (the last two)
/// is a part of the user's.
constexpr std::size_t first_idle = 4;
constexpr std::size_t last_idle = 5;
constexpr std::size_t last_used = 8;

std::optional<std::size_t> cpu_of(std::string_view name) {
  constexpr std::string_view prefix = "cpu";
  if (!name.starts_with(prefix)) return std::nullopt;
  return parse_count(name.substr(prefix.size()));
}

}  // namespace

std::vector<std::size_t> usable_cpus() {
  constexpr std::size_t most = 1 << 16;
  for (std::size_t count = CPU_SETSIZE; count <= most; count *= 2) {
    const auto release = [](cpu_set_t* set) { CPU_FREE(set); };
    const std::unique_ptr<cpu_set_t, decltype(release)> set(CPU_ALLOC(count), release);
    const auto bytes = CPU_ALLOC_SIZE(count);
    if (!set) return {};
    if (sched_getaffinity(0, bytes, set.get()) != 0) {
      if (errno == EINVAL) continue;  // the kernel knows more CPUs
      return {};
    }
    std::vector<std::size_t> cpus;
    for (std::size_t cpu = 0; cpu < count; ++cpu)
      if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(cpu);
    return cpus;
  }
  return {};
}

std::optional<cpu_times> cpu_times_of(const std::vector<std::size_t>& cpus,
                                      const std::filesystem::path& root) {
  const auto lines = read_lines(root / "proc/stat");
  const auto per_second = sysconf(_SC_CLK_TCK);
  if (!lines || per_second <= 0 || cpus.empty()) return std::nullopt;
  std::size_t busy = 0, total = 0, seen = 0;
  for (const auto& line : *lines) {
    const auto columns = words(line);
    const auto cpu = columns.empty() ? std::nullopt : cpu_of(columns.front());
    if (!cpu || !std::ranges::binary_search(cpus, *cpu)) continue;
    ++seen;
    for (std::size_t i = 1; i < columns.size() && i <= last_used; ++i) {
      const auto ticks = parse_count(columns[i]);
      if (!ticks) return std::nullopt;
      total += *ticks;
      if (i < first_idle || i > last_idle) busy += *ticks;
    }
  }
  if (seen != cpus.size()) return std::nullopt;
  const std::chrono::nanoseconds tick(1'000'000'000 / per_second);
  return cpu_times{busy * tick, total * tick, cpus.size() * tick};
}

}  // namespace bench_transfers::machine
