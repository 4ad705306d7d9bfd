#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "src/common/text.hpp"
#include "src/machine/pcie.hpp"
#include "src/result_file/benchmark_class.hpp"
#include "src/trust/examination.hpp"

namespace bench_transfers::trust {
namespace {

using common::size_text;
using json = nlohmann::ordered_json;
using result_file::direction;

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

/// The plain copies in one direction.
struct plain_copies {
  plain_copies(const std::vector<measured>& benchmarks, direction way) : towards(way) {
    for (const auto& benchmark : benchmarks)
      if (is_transfer(benchmark) && benchmark.described->direction == towards)
        all.push_back(&benchmark);
    if (!all.empty()) fastest = *std::ranges::max_element(all, {}, &measured::gb_per_s);
  }

  direction towards;
  std::vector<const measured*> all;
  const measured* fastest = nullptr;  ///< null if there are none
};

/// "pinned and 2 more, 64 MiB"
std::string names_of_fastest(const plain_copies& copies) {
  std::vector<const measured*> candidates;
  std::ranges::copy_if(copies.all, std::back_inserter(candidates), [&](const measured* transfer) {
    return transfer->bytes == copies.fastest->bytes;
  });
  const auto as_good = as_good_as_fastest(candidates);
  const auto others =
      as_good.size() > 1 ? fmt::format(" and {} more", as_good.size() - 1) : std::string();
  return fmt::format("{}{}, {}", as_good.front()->described->strategy, others,
                     size_text(*copies.fastest->bytes));
}

bool is_usual(const plain_copies& copies, const link_limits& limits) {
  const auto rate = copies.fastest->gb_per_s();
  return limits.packets && rate <= limits.raw &&
         rate >= machine::least_part_of_pcie_link * limits.packets->min;
}

finding& about_rate(examination& asked, const plain_copies& copies, const link_limits& limits) {
  const auto way = result_file::to_string(copies.towards);
  const auto rate = copies.fastest->gb_per_s(), limit = *limits.raw;
  const json data{{"direction", way}, {"gb_per_s", rate}, {"limit_gb_per_s", limit}};
  auto text = fmt::format("{}: at best {:.2f} GB/s ({})", title_of(copies.towards), rate,
                          names_of_fastest(copies));
  const auto warn = [&](const char* code, const std::string& why, std::string brief) -> finding& {
    auto& said = asked.warn(code, text + why, data);
    said.brief = std::move(brief);
    return said;
  };
  const auto lack = [&](const char* code, const std::string& why, std::string fact) -> finding& {
    auto& said = asked.say(code, text + why, data);
    said.unknown = std::move(fact);
    return said;
  };
  if (rate > limit)
    return warn("above_link_limit",
                fmt::format(", more than the {:.2f} GB/s that the link can carry: the link's "
                            "generation or width was misread, or the measurement is wrong.",
                            limit),
                way + " above the link's limit");
  text += fmt::format(", {:.0f} % of the link's {:.2f} GB/s", 100 * rate / limit, limit);
  if (!limits.packets) return lack("packet_limit_not_known", ".", "what packet headers leave");
  const auto low = fmt::format("{:.0f}", 100 * rate / limits.packets->max);
  const auto high = fmt::format("{:.0f}", 100 * rate / limits.packets->min);
  text += fmt::format(" and {} % of what packet headers leave",
                      low == high ? low : fmt::format("{} to {}", low, high));
  if (is_usual(copies, limits)) {
    auto& said = asked.say("link_healthy", text + ", as on a healthy link.", data);
    said.brief = way + " at its usual speed";
    return said;
  }
  if (std::ranges::any_of(copies.all, fills_a_link))
    return warn("below_link_limit", ". A healthy link reaches more.",
                fmt::format("{} only {:.2f} GB/s, {:.0f} % of the raw rate", way, rate,
                            100 * rate / limit));
  return lack("link_not_filled",
              fmt::format(". That says nothing about the link: copies of {} and more of "
                          "page-locked memory were not measured.",
                          size_text(static_cast<double>(machine::filling_bytes))),
              "what the link carries " + way);
}

/// The fastest copy of each direction beside what the link can carry.
void about_rates(examination& asked) {
  if (asked.read.on_host || !faults_in(asked.read).empty()) return;
  const link_limits limits(asked.facts);
  std::vector<plain_copies> found, missing;
  for (const auto towards : {direction::h2d, direction::d2h}) {
    plain_copies copies(asked.benchmarks, towards);
    (copies.fastest ? found : missing).push_back(std::move(copies));
  }
  if (!limits.raw)
    asked.not_known("link_limit_not_known",
                    "The limit of the link is not known: no rate here is compared with it.",
                    "the link's limit");
  const bool are_usual = found.size() > 1 && std::ranges::all_of(found, [&](const auto& copies) {
                           return is_usual(copies, limits);
                         });
  if (limits.raw)
    for (const auto& copies : found) {
      auto& said = about_rate(asked, copies, limits);
      if (are_usual)  // said once for both
        said.brief = &copies == &found.front() ? "each direction at its usual speed" : "";
    }
  for (const auto& copies : missing) {
    const auto way = result_file::to_string(copies.towards);
    asked
        .say("direction_not_measured",
             fmt::format("{}: nothing here is compared with the link.", title_of(copies.towards)),
             {{"direction", way}})
        .unknown = "what the link carries " + way;
  }
}

/// What both directions at once reach.
void about_both_ways(examination& asked) {
  if (asked.read.on_host || !faults_in(asked.read).empty()) return;
  const measured* plainest = nullptr;
  const auto order = [](const measured& benchmark) {
    const auto& described = *benchmark.described;
    return std::tuple(described.plainness, described.strategy, described.variant.value_or(""),
                      -benchmark.bytes.value_or(0));
  };
  for (const auto& benchmark : asked.benchmarks) {
    const auto& described = *benchmark.described;
    if (described.role == "duplex" && described.memory == "pinned" && benchmark.bytes &&
        described.cache == result_file::cache_state::warm &&
        (!plainest || order(benchmark) < order(*plainest)))
      plainest = &benchmark;
  }
  if (!plainest) return;
  asked.say("both_ways",
            fmt::format("Both directions at once: {:.2f} GB/s in total ({}, {} each). This rate is "
                        "shown, but not judged: what a healthy link carries in both directions at "
                        "once is not known.",
                        plainest->gb_per_s(), plainest->described->strategy,
                        size_text(static_cast<double>(*plainest->described->size_bytes))),
            {{"gb_per_s", plainest->gb_per_s()}});
}

const registration of_rates{subject::rate, {about_rates}};
const registration of_both_ways{subject::both_ways, {about_both_ways}};

}  // namespace
}  // namespace bench_transfers::trust
