#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "src/common/figures.hpp"
#include "src/common/text.hpp"
#include "src/report/matters.hpp"

namespace bench_transfers::report {
namespace {

using common::rate_figure;
using result_file::benchmark;
using result_file::member;
using statistics::most_apart;
using json = nlohmann::ordered_json;

/// Times that differ by less do not differ for a reader.
constexpr double no_difference = 0.01;
// Of findings without a measured factor.
constexpr double weight_of_write_combining_without_effect = 1.05;
constexpr double weight_of_flags_without_effect = 1.01;

findings cost_of_fresh_memory(const run& of) {
  const auto downloads = [&](const char* setting) -> const series& {
    return of.plainest("array", [&](const benchmark& array) {
      return array.direction == direction::d2h && array.memory == "pageable" &&
             array.variant == "float32" && array.setting == setting;
    });
  };
  const auto both = common_pair(downloads("fresh"), downloads("touched"));
  if (!is_slower(both, worth_work)) return {};
  const auto& [slow, fast] = *both;
  return {finding{"fresh_memory_slower",
                  fmt::format("A download of {} takes {} into newly allocated memory, and {} into "
                              "memory that was used before: reuse the destination.",
                              size_words(*slow), time_words(*slow), time_words(*fast)),
                  times_as_long(*slow, *fast)}};
}

findings gain_of_registration(const run& of) {
  const auto allocated = [&](const char* memory) -> const series& {
    return of.plainest("allocation",
                       [&](const benchmark& allocation) { return allocation.memory == memory; });
  };
  const auto both = common_pair(allocated("pinned"), allocated("registered_huge"));
  if (!is_slower(both, worth_work)) return {};
  const auto& [slow, fast] = *both;
  return {
      finding{"registering_faster",
              fmt::format("Allocating {} of pinned memory with cudaHostAlloc takes {}; allocating "
                          "huge pages and page-locking them with cudaHostRegister takes {}.",
                          size_words(*slow), time_words(*slow), time_words(*fast)),
              times_as_long(*slow, *fast)}};
}

/// Whether threads have left lines in their caches, and are awake: then times scatter little.
bool is_told(result_file::cache_state cache) {
  using enum result_file::cache_state;
  return cache == written_here || cache == written_by_one_awake || cache == written_by_all_awake;
}

/// Copies of pinned memory that threads have just written, where that costs most.
findings cost_of_written_lines(const run& of) {
  const auto& untouched = of.copies(direction::h2d, "pinned");
  std::optional<pair> costliest;
  double most = worth_work;
  for (const auto& written : of.benchmarks()) {
    const auto& described = *written.described;
    if (described.role != "copy" || described.direction != direction::h2d ||
        described.memory != "pinned" || described.method || described.in_place ||
        !is_told(described.cache))
      continue;
    const auto* same_size = at_size_of(untouched, written);
    if (!same_size || same_size->described->devices != described.devices ||
        !is_slower(written, *same_size, most))
      continue;
    most = times_as_long(written, *same_size);
    costliest = {&written, same_size};
  }
  if (!costliest) return {};
  const auto& [slow, fast] = *costliest;
  return {finding{
      "written_lines_slow",
      fmt::format("{} of pinned memory, {}, are copied to the device at {}, and at {} after "
                  "another copy.",
                  size_words(*slow), result_file::describe(slow->described->cache),
                  rate_words(*slow), rate_words(*fast)),
      most}};
}

/// How fast the CPU read memory with the flag WRITECOMBINED, and ordinary memory.
struct read_rates {
  std::string memory_type;  ///< of the memory with the flag
  double with_flag, ordinary;
};

/// The first kind of memory with the flag represents all of them.
std::optional<read_rates> rates_of_reads(const json& facts) {
  const auto& buffers = member(facts, {"buffers"});
  if (!buffers.is_array()) return std::nullopt;
  const auto flagged = std::ranges::find_if(
      buffers, [](const json& buffer) { return member(buffer, {"write_combined"}) == true; });
  if (flagged == buffers.end()) return std::nullopt;
  const auto& with_flag = member(*flagged, {"cpu_reads", "plain_gb_per_s"});
  const auto& without = member(*flagged, {"cpu_reads_of_ordinary_memory", "plain_gb_per_s"});
  if (!with_flag.is_number() || !without.is_number()) return std::nullopt;
  read_rates rates{result_file::text_at(*flagged, {"memory_type"}), with_flag.get<double>(),
                   without.get<double>()};
  return rates.with_flag > 0 && rates.ordinary > 0 ? std::optional(rates) : std::nullopt;
}

findings cost_of_reading_write_combined(const run& of) {
  const auto read = rates_of_reads(of.read().facts);
  if (!read) return {};
  const auto rates = fmt::format("{}, and ordinary memory at {}", rate_figure(read->with_flag),
                                 rate_figure(read->ordinary));
  if (read->memory_type == "write-combined" || read->memory_type == "uncached")
    return {
        finding{"write_combined_reads_slow",
                fmt::format("The CPU reads {} memory (flag WRITECOMBINED) at {}, with cold caches: "
                            "only write to it.",
                            read->memory_type, rates),
                read->ordinary / read->with_flag}};
  if (read->memory_type == "write-back")
    return {finding{
        "write_combined_without_effect",
        fmt::format("The flag WRITECOMBINED had no effect: at the start, the CPU read memory "
                    "with it at {}, with cold caches.",
                    rates),
        weight_of_write_combining_without_effect}};
  return {};
}

findings cost_of_write_combining(const run& of) {
  findings found;
  for (const auto towards : both_directions) {
    const auto* const plain = largest(of.copies(towards, "pinned"));
    if (!plain) break;
    const auto* combined = at_size_of(of.copies(towards, "pinned_wc"), *plain);
    if (!combined || !is_slower(*combined, *plain, most_apart)) continue;
    found.push_back({"write_combined_slower",
                     fmt::format("{} {}: copies of pinned memory with the flag WRITECOMBINED reach "
                                 "{}, without it {}.",
                                 size_words(*plain), seen_from_device(towards),
                                 rate_of_link(of, *combined), rate_of_link(of, *plain)),
                     times_as_long(*combined, *plain)});
  }
  return found;
}

/// The flags of cudaHostAlloc, and the kinds of memory that have only this flag.
constexpr std::array flags{std::pair("PORTABLE", "pinned_portable"),
                           std::pair("DEVICEMAP", "pinned_mapped"),
                           std::pair("WRITECOMBINED", "pinned_wc")};

/// By which part of their time copies with a flag differ at most from copies without it; none if
/// they were not measured with each flag.
std::optional<double> largest_effect_of_flags(const run& of, direction towards,
                                              const measured& plain) {
  double most = 0;
  for (const auto& [flag, memory] : flags) {
    const auto* flagged = at_size_of(of.copies(towards, memory), plain);
    if (!flagged) return std::nullopt;
    most = std::max(most, std::abs(times_as_long(*flagged, plain) - 1));
  }
  return most;
}

findings flags_without_effect(const run& of) {
  std::vector<std::string> names, differences;
  std::vector<double> sizes;
  for (const auto towards : both_directions) {
    const auto* const plain = largest(of.copies(towards, "pinned"));
    const auto effect = plain ? largest_effect_of_flags(of, towards, *plain) : std::nullopt;
    if (!effect || *effect > no_difference) return {};
    differences.push_back(
        fmt::format("{} {}", common::percent_figure(*effect), seen_from_device(towards)));
    sizes.push_back(plain->bytes.value_or(0));
  }
  for (const auto& [flag, memory] : flags) names.emplace_back(flag);
  return {
      finding{"flags_without_effect",
              fmt::format("The flags {} make no difference to copies of {} of pinned memory: their "
                          "times differ by at most {}.",
                          common::in_sentence(names), common::size_text(std::ranges::min(sizes)),
                          fmt::join(differences, " and ")),
              weight_of_flags_without_effect}};
}

}  // namespace

findings matters_of_memory(const run& of) {
  findings all;
  for (const auto find :
       {cost_of_fresh_memory, gain_of_registration, cost_of_written_lines,
        cost_of_reading_write_combined, cost_of_write_combining, flags_without_effect})
    std::ranges::move(find(of), std::back_inserter(all));
  return all;
}

}  // namespace bench_transfers::report
