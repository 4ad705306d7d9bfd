#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "src/common/figures.hpp"
#include "src/common/text.hpp"
#include "src/report/said.hpp"
#include "src/statistics/sample_order.hpp"

namespace bench_transfers::report {
namespace {

using common::rate_figure;
using common::time_figure;
using common::times_figure;
using result_file::benchmark;
using result_file::member;
using statistics::most_apart;
using json = nlohmann::ordered_json;

/// Advice that costs work, such as another layout, needs as clear a gain.
constexpr double worth_work = 1.2;
/// A call that returns within this part of a copy's time has not waited for it.
constexpr double asynchronous_part = 0.5;
/// Times that differ by less do not differ for a reader.
constexpr double no_difference = 0.01;
constexpr std::size_t most_findings = 5;
constexpr const char* enqueue = "enqueue_ns";  // the time until a call that need not wait returns

// Sentences without a measured factor: these only place them among the others.
constexpr double place_of_blocking = 2;  // at most, the copy could overlap with as much work
constexpr double place_of_write_combining_without_effect = 1.05;
constexpr double place_of_flags_without_effect = 1.01;

/// A sentence, and by how many times something differs.
struct finding {
  common::message said;
  double factor;
};
using findings = std::vector<finding>;

finding finding_of(const char* code, std::string text, double factor) {
  return {{code, {{"factor", factor}}, std::move(text)}, factor};
}

std::string seen_from_device(direction towards) {
  return towards == direction::h2d ? "to the device" : "from the device";
}
std::string size(const measured& benchmark) {
  return common::size_text(benchmark.bytes.value_or(0));
}
std::string asked_size(const measured& benchmark) {
  return common::size_text(static_cast<double>(benchmark.described->size_bytes.value_or(0)));
}
std::string rate(const measured& benchmark) { return rate_figure(benchmark.gb_per_s()); }
std::string time(const measured& benchmark) { return time_figure(benchmark.median_ns); }
double ratio(const measured& slow, const measured& fast) { return slow.median_ns / fast.median_ns; }

std::string rate_of_link(const run& of, const measured& benchmark) {
  const auto limit = of.link_limit();
  return rate(benchmark) +
         (limit ? fmt::format(" ({:.0f} % of the link)", 100 * benchmark.gb_per_s() / *limit) : "");
}

/// Whether it takes so many times as long, and nearly all repetitions agree.
bool is_slower(const measured& slow, const measured& fast, double factor) {
  return ratio(slow, fast) >= factor && statistics::nearly_all_larger(slow.times_ns, fast.times_ns);
}
bool is_slower(const std::optional<pair>& both, double factor) {
  return both && is_slower(*both->first, *both->second, factor);
}

/// For sentences that compare methods.
std::string words_of_method(const measured& benchmark) {
  static const std::map<std::string, const char*> words{
      {"loop", "a loop of copies"},
      {"batch", "one batch of copies"},
      {"gather_kernel", "one kernel that gathers them"},
      {"memcpy", "two copies"},
      {"mapped_flag", "a running kernel that answers through mapped memory"}};
  const auto& described = *benchmark.described;
  if (!described.method)
    return described.strategy + (described.variant ? '/' + *described.variant : "");
  const auto known = words.find(*described.method);
  return known == words.end() ? *described.method : known->second;
}

/// The plainest series with the fastest other at their largest common size.
std::optional<pair> plainest_and_fastest(const std::vector<const series*>& all) {
  std::optional<pair> best;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const auto both = common_pair(*all.front(), *all[i]);
    if (!both) continue;
    const auto order = [](const pair& each) {
      return std::pair(-static_cast<double>(each.first->described->size_bytes.value_or(0)),
                       each.second->median_ns);
    };
    if (!best || order(*both) < order(*best)) best = both;
  }
  return best;
}

findings penalty_of_pageable(const run& of) {
  findings penalties;
  for (const auto towards : both_directions) {
    const auto both = common_pair(of.copies(towards, "pageable"), of.copies(towards, "pinned"));
    if (!is_slower(both, most_apart)) continue;
    const auto& [slow, fast] = *both;
    const auto factor = ratio(*slow, *fast);
    auto text = fmt::format(
        "Copies of pinned memory are {} as fast as those of pageable memory: {} {} at {} instead "
        "of {}",
        times_figure(factor), size(*slow), seen_from_device(towards), rate_of_link(of, *fast),
        rate_of_link(of, *slow));
    const auto* staged = at_size_of(of.copies(towards, "pageable", "staged"), *slow);
    if (staged && is_slower(*slow, *staged, most_apart))
      text += fmt::format(
          ". Staged copies of pageable memory reach {}: use staged_copier where memory cannot be "
          "pinned",
          rate_of_link(of, *staged));
    penalties.push_back(finding_of("pageable_slower", text + '.', factor));
  }
  if (penalties.size() < 2) return penalties;
  return {*std::ranges::max_element(penalties, {}, &finding::factor)};
}

/// The plainest copies to the device whose call and wait are timed apart.
const series& timed_apart(const run& of, const char* memory) {
  static const series none;
  const auto is_wanted = [&](const benchmark& copy) {
    return copy.direction == direction::h2d && copy.memory == memory && !copy.method &&
           !copy.in_place;
  };
  for (const auto* sizes : of.matching("copy", is_wanted))
    for (const auto& [size, copy] : *sizes)
      if (copy->median(enqueue)) return *sizes;
  return none;
}

findings blocking_calls(const run& of) {
  const auto* const pageable = largest(timed_apart(of, "pageable"));
  const auto returned = pageable ? pageable->median(enqueue) : std::nullopt;
  if (!returned || *returned < asynchronous_part * pageable->median_ns) return {};
  auto text = fmt::format(
      "cudaMemcpyAsync blocks on pageable memory: for {} to the device it returns after {}, and "
      "the data have arrived after {}",
      size(*pageable), time_figure(*returned), time(*pageable));
  const auto* pinned = at_size_of(timed_apart(of, "pinned"), *pageable);
  const auto at_once = pinned ? pinned->median(enqueue) : std::nullopt;
  if (at_once && *at_once < asynchronous_part * pinned->median_ns)
    text +=
        fmt::format(". From pinned memory it returns after {}, and the data have arrived after {}",
                    time_figure(*at_once), time(*pinned));
  return {finding_of("asynchronous_copy_blocks", text + '.', place_of_blocking)};
}

findings gain_of_gathering(const run& of) {
  for (const auto& [setting, blocks] :
       {std::pair("4KiB_blocks", "4 KiB"), std::pair("64KiB_blocks", "64 KiB")}) {
    const auto all = of.matching("scattered_copy", [&](const benchmark& copy) {
      return copy.direction == direction::h2d && copy.memory == "pinned" && copy.setting == setting;
    });
    const auto both = plainest_and_fastest(all);
    if (!is_slower(both, worth_work)) continue;
    const auto& [slow, fast] = *both;
    std::string others;
    for (const auto* sizes : all)
      if (const auto* other = at_size_of(*sizes, *slow); other && other != slow && other != fast)
        others += fmt::format(", {} with {}", rate(*other), words_of_method(*other));
    return {finding_of(
        "gathering_faster",
        fmt::format("{} in blocks of {}, scattered over pinned memory, reach the device at "
                    "{} with {}, {} with {}{}.",
                    size(*slow), blocks, rate(*fast), words_of_method(*fast), rate(*slow),
                    words_of_method(*slow), others),
        ratio(*slow, *fast))};
  }
  return {};
}

findings rate_of_both_ways(const run& of) {
  const auto* const duplex =
      largest(of.plainest("duplex", [](const benchmark& copy) { return copy.memory == "pinned"; }));
  if (!duplex || !duplex->bytes) return {};
  const auto alone_to_device = duplex->median("h2d_alone_gb_per_s");
  std::vector<std::string> parts;
  double factor = 0;
  for (const auto towards : both_directions) {
    const auto name = result_file::to_string(towards);
    const auto alone = duplex->median(name + "_alone_gb_per_s");
    const auto busy = duplex->median(name + "_gb_per_s");
    if (!alone || !busy) continue;
    parts.push_back(fmt::format("{} {} ({} alone)", rate_figure(*busy), seen_from_device(towards),
                                rate_figure(*alone)));
    factor = std::max(factor, *alone / *busy);
  }
  if (!alone_to_device || parts.empty()) return {};
  const auto of_one = duplex->gb_per_s() / *alone_to_device;
  return {finding_of(
      "both_ways",
      fmt::format("Both directions at once, {} of pinned memory each, carry {} until both "
                  "have ended, {} as much as to the device alone. While both run: {}.",
                  asked_size(*duplex), rate(*duplex), times_figure(of_one), fmt::join(parts, ", ")),
      std::max(factor, of_one))};
}

/// The second plainest is the cut that the library chooses. The fastest of all would need a search.
findings gain_of_overlap(const run& of) {
  const auto all =
      of.matching("overlap", [](const benchmark& trip) { return trip.memory == "pinned"; });
  const auto both = all.size() > 1 ? common_pair(*all[0], *all[1]) : std::nullopt;
  if (!is_slower(both, most_apart)) return {};
  const auto& [slow, fast] = *both;
  return {finding_of(
      "overlap_faster",
      fmt::format("Upload, kernel and download of {} of pinned memory take {} when pieces "
                  "of it overlap, {} one after the other.",
                  size(*slow), time(*fast), time(*slow)),
      ratio(*slow, *fast))};
}

findings gain_of_messages(const run& of) {
  const auto both = plainest_and_fastest(of.matching("latency"));
  if (!is_slower(both, most_apart)) return {};
  const auto& [slow, fast] = *both;
  return {finding_of(
      "messages_faster",
      fmt::format("A message to the device and its answer take {} with {}, and {} with {}.",
                  time(*fast), words_of_method(*fast), time(*slow), words_of_method(*slow)),
      ratio(*slow, *fast))};
}

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
  return {
      finding_of("fresh_memory_slower",
                 fmt::format("A download of {} takes {} into newly allocated memory, and {} into "
                             "memory that was used before: reuse the destination.",
                             size(*slow), time(*slow), time(*fast)),
                 ratio(*slow, *fast))};
}

findings gain_of_registration(const run& of) {
  const auto allocated = [&](const char* memory) -> const series& {
    return of.plainest("allocation",
                       [&](const benchmark& allocation) { return allocation.memory == memory; });
  };
  const auto both = common_pair(allocated("pinned"), allocated("registered_huge"));
  if (!is_slower(both, worth_work)) return {};
  const auto& [slow, fast] = *both;
  return {finding_of(
      "registering_faster",
      fmt::format("Allocating {} of pinned memory with cudaHostAlloc takes {}; allocating "
                  "huge pages and page-locking them with cudaHostRegister takes {}.",
                  size(*slow), time(*slow), time(*fast)),
      ratio(*slow, *fast))};
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
    most = ratio(written, *same_size);
    costliest = {&written, same_size};
  }
  if (!costliest) return {};
  const auto& [slow, fast] = *costliest;
  return {finding_of(
      "written_lines_slow",
      fmt::format("{} of pinned memory, {}, are copied to the device at {}, and at {} after "
                  "another copy.",
                  size(*slow), result_file::describe(slow->described->cache), rate(*slow),
                  rate(*fast)),
      most)};
}

/// The first kind of memory with the flag represents all of them.
findings reads_of_write_combined(const run& of) {
  const auto& buffers = member(of.read().facts, {"buffers"});
  if (!buffers.is_array()) return {};
  const auto flagged = std::ranges::find_if(
      buffers, [](const json& buffer) { return member(buffer, {"write_combined"}) == true; });
  if (flagged == buffers.end()) return {};
  const auto plain_rate = [&](const char* reads) {
    const auto& value = member(*flagged, {reads, "plain_gb_per_s"});
    return value.is_number() ? value.get<double>() : 0;
  };
  const auto combined = plain_rate("cpu_reads");
  const auto of_ordinary = plain_rate("cpu_reads_of_ordinary_memory");
  if (!(combined > 0 && of_ordinary > 0)) return {};
  const auto rates =
      fmt::format("{}, and ordinary memory at {}", rate_figure(combined), rate_figure(of_ordinary));
  const auto type = result_file::text_at(*flagged, {"memory_type"});
  if (type == "write-combined" || type == "uncached")
    return {finding_of(
        "write_combined_reads_slow",
        fmt::format("The CPU reads {} memory (flag WRITECOMBINED) at {}, with cold caches: "
                    "only write to it.",
                    type, rates),
        of_ordinary / combined)};
  if (type == "write-back")
    return {
        finding_of("write_combined_without_effect",
                   fmt::format("The flag WRITECOMBINED had no effect: at the start, the CPU read "
                               "memory with it at {}, with cold caches.",
                               rates),
                   place_of_write_combining_without_effect)};
  return {};
}

/// The flags of cudaHostAlloc, and the kinds of memory that have only this flag.
constexpr const char* write_combined = "WRITECOMBINED";
constexpr std::array flags{std::pair("PORTABLE", "pinned_portable"),
                           std::pair("DEVICEMAP", "pinned_mapped"),
                           std::pair(write_combined, "pinned_wc")};

/// The same copies of memory with each flag, by the flag; null if they were not measured.
std::map<std::string, const measured*> with_flags(const run& of, direction towards,
                                                  const measured& plain) {
  std::map<std::string, const measured*> copies;
  for (const auto& [flag, memory] : flags)
    copies.emplace(flag, at_size_of(of.copies(towards, memory), plain));
  return copies;
}

findings effects_of_flags(const run& of) {
  findings effects;
  std::vector<std::string> differences;
  double smallest = 0;
  for (const auto towards : both_directions) {
    const auto* const plain = largest(of.copies(towards, "pinned"));
    if (!plain) return effects;
    const auto flagged = with_flags(of, towards, *plain);
    if (const auto* combined = flagged.at(write_combined);
        combined && is_slower(*combined, *plain, most_apart))
      effects.push_back(finding_of(
          "write_combined_slower",
          fmt::format("{} {}: copies of pinned memory with the flag WRITECOMBINED reach {}, "
                      "without it {}.",
                      size(*plain), seen_from_device(towards), rate_of_link(of, *combined),
                      rate_of_link(of, *plain)),
          ratio(*combined, *plain)));
    if (std::ranges::any_of(flagged, [](const auto& copies) { return !copies.second; })) continue;
    double most = 0;
    for (const auto& [flag, copies] : flagged)
      most = std::max(most, std::abs(ratio(*copies, *plain) - 1));
    if (most > no_difference) continue;
    differences.push_back(
        fmt::format("{} {}", common::percent_figure(most), seen_from_device(towards)));
    smallest =
        smallest > 0 ? std::min(smallest, plain->bytes.value_or(0)) : plain->bytes.value_or(0);
  }
  if (differences.size() < both_directions.size()) return effects;
  std::vector<std::string> names;
  for (const auto& [flag, memory] : flags) names.emplace_back(flag);
  effects.push_back(
      finding_of("flags_without_effect",
                 fmt::format("The flags {} make no difference to copies of {} of pinned "
                             "memory: their times differ by at most {}.",
                             common::in_sentence(names), common::size_text(smallest),
                             fmt::join(differences, " and ")),
                 place_of_flags_without_effect));
  return effects;
}

}  // namespace

std::vector<common::message> what_matters(const run& of) {
  if (of.read().on_host || of.is_falsified()) return {};
  findings all;
  for (const auto find :
       {penalty_of_pageable, blocking_calls, gain_of_gathering, rate_of_both_ways, gain_of_overlap,
        gain_of_messages, cost_of_fresh_memory, gain_of_registration, cost_of_written_lines,
        reads_of_write_combined, effects_of_flags})
    for (auto& each : find(of)) all.push_back(std::move(each));
  std::ranges::stable_sort(all, std::ranges::greater{}, &finding::factor);
  std::vector<common::message> said;
  for (std::size_t i = 0; i < std::min(all.size(), most_findings); ++i)
    said.push_back(std::move(all[i].said));
  return said;
}

}  // namespace bench_transfers::report
