#include "src/machine/cpu_speed.hpp"

#include <string>
#include <vector>

#include "src/machine/files.hpp"

namespace bench_transfers::machine {
namespace {

using clock_limit = cpu_speed::clock_limit;

std::optional<clock_limit> limit_of(const std::filesystem::path& cpu) {
  const auto limit = read_count(cpu / "cpufreq/scaling_max_freq");
  const auto most = read_count(cpu / "cpufreq/cpuinfo_max_freq");
  if (!limit || !most || *most == 0) return std::nullopt;
  return clock_limit{*limit, *most};
}

bool is_lower(const clock_limit& limit, const clock_limit& than) {
  const auto part = [](const clock_limit& of) {
    return static_cast<double>(of.limit_khz) / static_cast<double>(of.most_khz);
  };
  return part(limit) < part(than);
}

std::optional<bool> boost(const std::filesystem::path& cpus) {
  if (const auto boost = read_count(cpus / "cpufreq/boost")) return *boost != 0;
  if (const auto no_turbo = read_count(cpus / "intel_pstate/no_turbo")) return *no_turbo == 0;
  return std::nullopt;
}

}  // namespace

cpu_speed read_cpu_speed(const std::filesystem::path& root) {
  const auto cpus = root / "sys/devices/system/cpu";
  cpu_speed speed{.limit = {},
                  .boost = boost(cpus),
                  .boost_by_intel_pstate =
                      !present(cpus / "cpufreq/boost") && present(cpus / "intel_pstate/no_turbo")};
  for (const auto& name : names_in(cpus).value_or(std::vector<std::string>{})) {
    if (!name.starts_with("cpu")) continue;
    const auto limit = limit_of(cpus / name);
    if (limit && (!speed.limit || is_lower(*limit, *speed.limit))) speed.limit = limit;
  }
  return speed;
}

}  // namespace bench_transfers::machine
