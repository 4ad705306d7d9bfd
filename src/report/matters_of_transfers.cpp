#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "src/common/figures.hpp"
#include "src/common/text.hpp"
#include "src/report/matters.hpp"

namespace bench_transfers::report {
namespace {

using common::rate_figure;
using common::time_figure;
using common::times_figure;
using result_file::benchmark;
using statistics::most_apart;

/// A call that returns within this part of a copy's time has not waited for it.
constexpr double asynchronous_part = 0.5;
/// Of a finding without a measured factor: the copy could at most overlap with as much work.
constexpr double weight_of_blocking = 2;
constexpr const char* enqueue = "enqueue_ns";  // the time until a call that need not wait returns

std::string asked_size(const measured& benchmark) {
  return common::size_text(static_cast<double>(benchmark.described->size_bytes.value_or(0)));
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
    const auto factor = times_as_long(*slow, *fast);
    auto text = fmt::format(
        "Copies of pinned memory are {} as fast as those of pageable memory: {} {} at {} instead "
        "of {}",
        times_figure(factor), size_words(*slow), seen_from_device(towards), rate_of_link(of, *fast),
        rate_of_link(of, *slow));
    const auto* staged = at_size_of(of.copies(towards, "pageable", "staged"), *slow);
    if (staged && is_slower(*slow, *staged, most_apart))
      text += fmt::format(
          ". Staged copies of pageable memory reach {}: use staged_copier where memory cannot be "
          "pinned",
          rate_of_link(of, *staged));
    penalties.push_back({"pageable_slower", text + '.', factor});
  }
  if (penalties.size() < 2) return penalties;
  return {*std::ranges::max_element(penalties, {}, &finding::weight)};
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
      size_words(*pageable), time_figure(*returned), time_words(*pageable));
  const auto* pinned = at_size_of(timed_apart(of, "pinned"), *pageable);
  const auto at_once = pinned ? pinned->median(enqueue) : std::nullopt;
  if (at_once && *at_once < asynchronous_part * pinned->median_ns)
    text +=
        fmt::format(". From pinned memory it returns after {}, and the data have arrived after {}",
                    time_figure(*at_once), time_words(*pinned));
  return {finding{"asynchronous_copy_blocks", text + '.', weight_of_blocking}};
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
        others += fmt::format(", {} with {}", rate_words(*other), words_of_method(*other));
    return {
        finding{"gathering_faster",
                fmt::format("{} in blocks of {}, scattered over pinned memory, reach the device at "
                            "{} with {}, {} with {}{}.",
                            size_words(*slow), blocks, rate_words(*fast), words_of_method(*fast),
                            rate_words(*slow), words_of_method(*slow), others),
                times_as_long(*slow, *fast)}};
  }
  return {};
}

findings rate_of_both_ways(const run& of) {
  const auto* const duplex =
      largest(of.plainest("duplex", [](const benchmark& copy) { return copy.memory == "pinned"; }));
  if (!duplex || !duplex->bytes) return {};
  const auto alone_to_device = duplex->median("h2d_alone_gb_per_s");
  std::vector<std::string> parts;
  double most_slowed = 0;
  for (const auto towards : both_directions) {
    const auto name = result_file::to_string(towards);
    const auto alone = duplex->median(name + "_alone_gb_per_s");
    const auto busy = duplex->median(name + "_gb_per_s");
    if (!alone || !busy) continue;
    parts.push_back(fmt::format("{} {} ({} alone)", rate_figure(*busy), seen_from_device(towards),
                                rate_figure(*alone)));
    most_slowed = std::max(most_slowed, *alone / *busy);
  }
  if (!alone_to_device || parts.empty()) return {};
  const auto of_one = duplex->gb_per_s() / *alone_to_device;
  return {
      finding{"both_ways",
              fmt::format("Both directions at once, {} of pinned memory each, carry {} until both "
                          "have ended, {} as much as to the device alone. While both run: {}.",
                          asked_size(*duplex), rate_words(*duplex), times_figure(of_one),
                          fmt::join(parts, ", ")),
              std::max(most_slowed, of_one)}};
}

/// The second plainest is the cut that the library chooses. The fastest of all would need a search.
findings gain_of_overlap(const run& of) {
  const auto all =
      of.matching("overlap", [](const benchmark& trip) { return trip.memory == "pinned"; });
  const auto both = all.size() > 1 ? common_pair(*all[0], *all[1]) : std::nullopt;
  if (!is_slower(both, most_apart)) return {};
  const auto& [slow, fast] = *both;
  return {
      finding{"overlap_faster",
              fmt::format("Upload, kernel and download of {} of pinned memory take {} when pieces "
                          "of it overlap, {} one after the other.",
                          size_words(*slow), time_words(*fast), time_words(*slow)),
              times_as_long(*slow, *fast)}};
}

findings gain_of_messages(const run& of) {
  const auto both = plainest_and_fastest(of.matching("latency"));
  if (!is_slower(both, most_apart)) return {};
  const auto& [slow, fast] = *both;
  return {
      finding{"messages_faster",
              fmt::format("A message to the device and its answer take {} with {}, and {} with {}.",
                          time_words(*fast), words_of_method(*fast), time_words(*slow),
                          words_of_method(*slow)),
              times_as_long(*slow, *fast)}};
}

}  // namespace

findings matters_of_transfers(const run& of) {
  findings all;
  for (const auto find : {penalty_of_pageable, blocking_calls, gain_of_gathering, rate_of_both_ways,
                          gain_of_overlap, gain_of_messages})
    std::ranges::move(find(of), std::back_inserter(all));
  return all;
}

}  // namespace bench_transfers::report
