#include "src/trust/times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "src/common/text.hpp"
#include "src/machine/pcie.hpp"
#include "src/result_file/benchmark_class.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::trust {
namespace {

using common::counted;
using common::decimals;
using common::size_text;
using json = nlohmann::ordered_json;
using result_file::direction;

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
          : repeated.are_large
              ? fmt::format("half of the {} transfers of 1 MiB and more repeat", count)
              : fmt::format("half of the {} benchmarks repeat", count);
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
      "The middle half of the repetitions of {} lies within {} ({}).{}",
      repeated.are_large ? "warm transfers of 1 MiB and more" : "benchmarks", percent(seen.typical),
      several ? fmt::format("the median of {} benchmarks", repeated.all.size()) : name,
      several ? fmt::format(" The least steady is {}: {} to {}.", name, common::time_text(fastest),
                            common::time_text(slowest))
              : "");
}

finding about_noise(const repeated_benchmarks& repeated, const steadiness& seen) {
  const auto text = describe_noise(repeated, seen);
  const json data{{"middle_half", seen.typical}, {"benchmarks", repeated.all.size()}};
  const bool is_noisy = seen.typical > quiet;
  if (repeated.are_large && is_noisy)
    return {
        .about = subject::noise,
        .said = {"noisy", data,
                 fmt::format("The machine was noisy. {} Judge differences by several runs.", text)},
        .warns = true,
        .brief = "repetitions typically differ by " + percent(seen.typical)};
  const auto most = std::ranges::max(repeated.all, {}, [](const measured* benchmark) {
                      return benchmark->times_ns.size();
                    })->times_ns.size();
  if (most == 2)
    return {.about = subject::noise,
            .said = {"two_repetitions", data, text + " Two repetitions say little about that."},
            .warns = true,
            .brief = "two repetitions"};
  if (is_noisy)  // as small transfers may be
    return {.about = subject::noise,
            .said = {"noise_of_small", data, text},
            .unknown = "noise of large transfers"};
  constexpr const char* half = "middle half of the repetitions";
  return {.about = subject::noise,
          .said = {"quiet", data, text},
          .brief = repeated.all.size() == 1
                       ? half
                       : fmt::format("{} within this, and {} within {} ({})", seen.who,
                                     common::printable_in_short(seen.least_steady),
                                     percent(seen.widest), half)};
}

const char* title_of(direction towards) {
  return towards == direction::h2d ? "host → device" : "device → host";
}

/// The limits in GB/s that the file gives to the link.
struct link_limits {
  explicit link_limits(const json& facts) {
    const auto& limit = result_file::member(facts, {"link", "limit_gb_per_s"});
    if (limit.is_number() && limit.get<double>() > 0) raw = limit.get<double>();
    const auto& ends = result_file::member(facts, {"link", "packet_limit_gb_per_s"});
    const auto is_rate = [](const json& end) { return end.is_number() && end.get<double>() > 0; };
    if (ends.is_array() && !ends.empty() && std::ranges::all_of(ends, is_rate))
      packets = std::ranges::minmax(ends.get<std::vector<double>>());
  }

  std::optional<double> raw;
  std::optional<std::ranges::minmax_result<double>> packets;  ///< less packet headers
};

/// Whether it is a plain copy that fills a healthy link.
bool fills_a_link(const measured* benchmark) {
  const auto& described = *benchmark->described;
  return !described.method && !described.in_place &&
         result_file::limited_by(described, false) == result_file::benchmark_class::link &&
         *benchmark->bytes >= static_cast<double>(machine::filling_bytes);
}

std::vector<const measured*> transfers_in(const std::vector<measured>& benchmarks,
                                          direction towards) {
  std::vector<const measured*> transfers;
  for (const auto& benchmark : benchmarks)
    if (is_transfer(benchmark) && benchmark.described->direction == towards)
      transfers.push_back(&benchmark);
  return transfers;
}

std::string which(const std::vector<const measured*>& transfers, const measured& fastest) {
  std::vector<const measured*> candidates;
  std::ranges::copy_if(transfers, std::back_inserter(candidates),
                       [&](const measured* transfer) { return transfer->bytes == fastest.bytes; });
  const auto as_good = as_good_as_fastest(candidates);
  const auto others =
      as_good.size() > 1 ? fmt::format(" and {} more", as_good.size() - 1) : std::string();
  return fmt::format("{}{}, {}", as_good.front()->described->strategy, others,
                     size_text(*fastest.bytes));
}

finding about_rate(const std::vector<const measured*>& transfers, const link_limits& limits,
                   direction towards) {
  const auto way = result_file::to_string(towards);
  const auto& fastest = **std::ranges::max_element(transfers, {}, &measured::gb_per_s);
  const auto rate = fastest.gb_per_s(), limit = *limits.raw;
  const json data{{"direction", way}, {"gb_per_s", rate}, {"limit_gb_per_s", limit}};
  auto text = fmt::format("{}: at best {:.2f} GB/s ({})", title_of(towards), rate,
                          which(transfers, fastest));
  if (rate > limit)
    return {
        .about = subject::rate,
        .said = {"above_link_limit", data,
                 fmt::format("{}, more than the {:.2f} GB/s that the link can carry: the link's "
                             "generation or width was misread, or the measurement is wrong.",
                             text, limit)},
        .warns = true,
        .brief = way + " above the link's limit"};
  text += fmt::format(", {:.0f} % of the link's {:.2f} GB/s", 100 * rate / limit, limit);
  if (!limits.packets)
    return {.about = subject::rate,
            .said = {"packet_limit_not_known", data, text + '.'},
            .unknown = "what packet headers leave"};
  const auto low = fmt::format("{:.0f}", 100 * rate / limits.packets->max);
  const auto high = fmt::format("{:.0f}", 100 * rate / limits.packets->min);
  text += fmt::format(" and {} % of what packet headers leave",
                      low == high ? low : fmt::format("{} to {}", low, high));
  if (rate >= machine::least_part_of_pcie_link * limits.packets->min)
    return {.about = subject::rate,
            .said = {"link_healthy", data, text + ", as on a healthy link."},
            .brief = way + " at its usual speed"};
  if (std::ranges::any_of(transfers, fills_a_link))
    return {.about = subject::rate,
            .said = {"below_link_limit", data, text + ". A healthy link reaches more."},
            .warns = true,
            .brief = fmt::format("{} only {:.2f} GB/s, {:.0f} % of the raw rate", way, rate,
                                 100 * rate / limit)};
  return {.about = subject::rate,
          .said = {"link_not_filled", data,
                   fmt::format(
                       "{}. That says nothing about the link: copies of {} and more of page-locked "
                       "memory were not measured.",
                       text, size_text(static_cast<double>(machine::filling_bytes)))},
          .unknown = "what the link carries " + way};
}

/// Says only once in a few words that both directions are as they should be.
void join_usual(std::vector<finding>& rates) {
  const auto is_usual = [](const finding& rate) { return rate.said.code == "link_healthy"; };
  if (rates.size() < 2 || !std::ranges::all_of(rates, is_usual)) return;
  for (auto& rate : rates) rate.brief.clear();
  rates.front().brief = "each direction at its usual speed";
}

bool is_round_trip(const measured& benchmark) {
  const auto& described = *benchmark.described;
  return described.role == "array" && described.direction == direction::both && benchmark.bytes &&
         described.cache == result_file::cache_state::warm;
}

}  // namespace

noise noise_of(const std::vector<measured>& benchmarks) {
  const repeated_benchmarks repeated(benchmarks);
  if (repeated.all.empty())
    return {{.about = subject::noise,
             .said = {"one_repetition", json::object(),
                      fmt::format(
                          "How noisy the machine was is not known: {} have one repetition.",
                          repeated.are_large ? "warm transfers of 1 MiB and more" : "benchmarks")},
             .warns = true,
             .brief = "one repetition",
             .unknown = "noise"}};
  const steadiness seen(repeated);
  return {about_noise(repeated, seen), "typically " + percent(seen.typical),
          fmt::format("{} within {}", seen.who, percent(seen.typical))};
}

std::vector<finding> about_rates(const result_file::contents& read,
                                 const std::vector<measured>& benchmarks) {
  const link_limits limits(read.facts);
  std::vector<finding> rates, missing;
  if (!limits.raw)
    rates.push_back(
        {.about = subject::rate,
         .said = {"link_limit_not_known", json::object(),
                  "The limit of the link is not known: no rate here is compared with it."},
         .unknown = "the link's limit"});
  for (const auto towards : {direction::h2d, direction::d2h}) {
    const auto transfers = transfers_in(benchmarks, towards);
    if (transfers.empty())
      missing.push_back(
          {.about = subject::rate,
           .said = {"direction_not_measured",
                    {{"direction", result_file::to_string(towards)}},
                    fmt::format("{}: nothing here is compared with the link.", title_of(towards))},
           .unknown = "what the link carries " + result_file::to_string(towards)});
    else if (limits.raw)
      rates.push_back(about_rate(transfers, limits, towards));
  }
  join_usual(rates);
  rates.insert(rates.end(), missing.begin(), missing.end());
  return rates;
}

std::vector<finding> about_both_ways(const std::vector<measured>& benchmarks) {
  const measured* plainest = nullptr;
  const auto order = [](const measured& benchmark) {
    const auto& described = *benchmark.described;
    return std::tuple(described.plainness, described.strategy, described.variant.value_or(""),
                      -benchmark.bytes.value_or(0));
  };
  for (const auto& benchmark : benchmarks) {
    const auto& described = *benchmark.described;
    if (described.role == "duplex" && described.memory == "pinned" && benchmark.bytes &&
        described.cache == result_file::cache_state::warm &&
        (!plainest || order(benchmark) < order(*plainest)))
      plainest = &benchmark;
  }
  if (!plainest) return {};
  return {{subject::both_ways,
           {"both_ways",
            {{"gb_per_s", plainest->gb_per_s()}},
            fmt::format("Both directions at once: {:.2f} GB/s in total ({}, {} each). This rate is "
                        "shown, but not judged: what a healthy link carries in both directions at "
                        "once is not known.",
                        plainest->gb_per_s(), plainest->described->strategy,
                        size_text(static_cast<double>(*plainest->described->size_bytes)))}}};
}

std::vector<choice> choices_in(const std::vector<measured>& benchmarks) {
  std::map<std::tuple<std::string, direction, std::size_t, bool>, std::vector<const measured*>>
      candidates;
  for (const auto& benchmark : benchmarks) {
    const auto& described = *benchmark.described;
    if (!is_transfer(benchmark) && !is_round_trip(benchmark)) continue;
    for (const bool of_pageable : {false, true})
      if (!of_pageable || described.memory == "pageable")
        candidates[{described.role, described.direction, *described.size_bytes, of_pageable}]
            .push_back(&benchmark);
  }
  std::vector<choice> choices;
  for (const auto& [job, of_job] : candidates) {
    const auto& [role, towards, size_bytes, of_pageable] = job;
    auto& made = choices.emplace_back(choice{role, towards, size_bytes, of_pageable, {}});
    for (const auto* benchmark : as_good_as_fastest(of_job))
      made.benchmarks.push_back(benchmark->described->name);
  }
  return choices;
}

}  // namespace bench_transfers::trust
