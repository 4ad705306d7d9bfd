#include "src/trust/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "src/common/text.hpp"
#include "src/statistics/quantile.hpp"
#include "src/trust/examination.hpp"

namespace bench_transfers::trust {
namespace {

/// From this size on, transfers are judged by their bandwidth.
constexpr double large = 1 << 20;
/// Of large transfers on a quiet machine, the middle half of the repetitions lies within this part.
constexpr double quiet = 0.03;

std::string percent(double part) { return common::three_digits(100 * part) + " %"; }

/// The distance between the quartiles, as a part of the median. Unlike the range, it does not grow
/// with the number of repetitions.
double middle_half(const measured& benchmark) {
  auto times = benchmark.times_ns;
  std::ranges::sort(times);
  return (statistics::quantile(times, 0.75) - statistics::quantile(times, 0.25)) /
         benchmark.median_ns;
}

double spread(const measured* benchmark) {
  const auto [fastest, slowest] = std::ranges::minmax(benchmark->times_ns);
  return (slowest - fastest) / benchmark->median_ns;
}

/// The benchmarks that tell how noisy the machine was: large transfers, or all if there are none.
struct repeated_benchmarks {
  explicit repeated_benchmarks(const std::vector<measured>& benchmarks) {
    const auto is_large = [](const measured& benchmark) {
      return is_transfer(benchmark) && *benchmark.bytes >= large;
    };
    are_large = std::ranges::any_of(benchmarks, is_large);
    for (const auto& benchmark : benchmarks)
      if (benchmark.times_ns.size() > 1 && (!are_large || is_large(benchmark)))
        all.push_back(&benchmark);
  }

  /// "transfers of 1 MiB and more"
  [[nodiscard]] std::string name() const {
    return are_large ? fmt::format("transfers of {} and more", common::size_text(large))
                     : "benchmarks";
  }
  [[nodiscard]] std::string full_name() const { return (are_large ? "warm " : "") + name(); }

  std::vector<const measured*> all;
  bool are_large = false;
};

/// What the middle halves of the steadier half of the benchmarks lie within, and how wide others
/// are.
struct steadiness {
  explicit steadiness(const repeated_benchmarks& repeated) {
    std::vector<double> halves;
    for (const auto* benchmark : repeated.all) halves.push_back(middle_half(*benchmark));
    typical = statistics::median(halves);
    const auto last = std::ranges::max_element(halves);
    widest = *last;
    least_steady = repeated.all[static_cast<std::size_t>(last - halves.begin())]->described->name;
    const auto count = repeated.all.size();
    who = count == 1
              ? common::printable_in_short(repeated.all.front()->described->name) + " repeats"
              : fmt::format("half of the {} {} repeat", count, repeated.name());
  }

  double typical = 0, widest = 0;
  std::string who;           ///< "half of the 5 benchmarks repeat"
  std::string least_steady;  ///< the name of the benchmark that is as wide as that
};

std::string describe_noise(const repeated_benchmarks& repeated, const steadiness& seen) {
  const auto several = repeated.all.size() > 1;
  const auto& worst = **std::ranges::max_element(repeated.all, {}, spread);
  const auto name = common::printable_in_short(worst.described->name);
  const auto [fastest, slowest] = std::ranges::minmax(worst.times_ns);
  return fmt::format(
      "The middle half of the repetitions of {} lies within {} ({}).{}", repeated.full_name(),
      percent(seen.typical),
      several ? fmt::format("the median of {} benchmarks", repeated.all.size()) : name,
      several ? fmt::format(" The least steady is {}: {} to {}.", name, common::time_text(fastest),
                            common::time_text(slowest))
              : "");
}

std::string brief_of(const repeated_benchmarks& repeated, const steadiness& seen) {
  constexpr const char* half = "middle half of the repetitions";
  if (repeated.all.size() == 1) return half;
  return fmt::format("{} within this, and {} within {} ({})", seen.who,
                     common::printable_in_short(seen.least_steady), percent(seen.widest), half);
}

void about_noise(examination& asked) {
  const repeated_benchmarks repeated(asked.benchmarks);
  if (repeated.all.empty()) {
    auto& said =
        asked.warn("one_repetition",
                   fmt::format("How noisy the machine was is not known: {} have one repetition.",
                               repeated.full_name()));
    said.brief = "one repetition";
    said.unknown = "noise";
    return;
  }
  const steadiness seen(repeated);
  const auto text = describe_noise(repeated, seen);
  const nlohmann::ordered_json data{{"middle_half", seen.typical},
                                    {"benchmarks", repeated.all.size()}};
  const bool is_noisy = seen.typical > quiet;
  const auto repetitions = [](const measured* benchmark) { return benchmark->times_ns.size(); };
  if (repeated.are_large && is_noisy)
    asked
        .warn("noisy",
              fmt::format("The machine was noisy. {} Judge differences by several runs.", text),
              data)
        .brief = "repetitions typically differ by " + percent(seen.typical);
  else if (std::ranges::max(repeated.all | std::views::transform(repetitions)) == 2)
    asked.warn("two_repetitions", text + " Two repetitions say little about that.", data).brief =
        "two repetitions";
  else if (is_noisy)  // as small transfers may be
    asked.say("noise_of_small", text, data).unknown = "noise of large transfers";
  else
    asked.say("quiet", text, data).brief = brief_of(repeated, seen);
}

const registration of_noise{subject::noise, {about_noise}};

}  // namespace

noise noise_of(const std::vector<measured>& benchmarks) {
  const repeated_benchmarks repeated(benchmarks);
  if (repeated.all.empty()) return {};
  const steadiness seen(repeated);
  return {.verdict = "typically " + percent(seen.typical),
          .clause = fmt::format("{} within {}", seen.who, percent(seen.typical))};
}

}  // namespace bench_transfers::trust
