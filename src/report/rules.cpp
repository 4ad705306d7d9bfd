#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/advice/small_transfers.hpp"
#include "src/common/figures.hpp"
#include "src/common/text.hpp"
#include "src/report/choices.hpp"
#include "src/report/said.hpp"

namespace bench_transfers::report {
namespace {

using common::in_sentence;

constexpr const char* against = " as fast as plain cudaMemcpy";
constexpr const char* of_pageable_memory = " of pageable memory";
/// More cores than that of the thread that calls are worth a warning.
constexpr double many_cores = 1.5;
constexpr std::size_t shown_as_rate = 1 << 20;

/// What is chosen of a choice.
struct picked {
  const report::choice* of;
  const measured* chosen;

  [[nodiscard]] const std::string& name() const { return chosen->described->strategy; }
  [[nodiscard]] bool is_plain() const { return of->is_plain(*chosen); }
};
using all_picked = std::vector<picked>;
using all_choices = std::vector<choice>;

std::string size(const choice& at) { return common::size_text(static_cast<double>(at.size)); }
std::string percent_beyond(double factor) { return fmt::format("{:.0f} %", 100 * (factor - 1)); }

std::string nothing_faster(bool is_certain) {
  return is_certain ? "nothing measured is clearly faster"
                    : fmt::format(
                          "nothing measured is more than {} faster (too few repetitions "
                          "to tell less apart)",
                          percent_beyond(statistics::most_apart));
}

std::string interval_text(const statistics::interval& ends) {
  auto text =
      fmt::format("[{}, {}]", common::times_figure(ends.low), common::times_figure(ends.high));
  constexpr std::string_view sign = "×";
  for (auto at = text.find(sign); at != std::string::npos; at = text.find(sign))
    text.erase(at, sign.size());
  return text;
}

/// What a reader asks for: the rate, or the time of a small transfer.
std::string figure_of(const picked& pick) {
  const auto& [of, chosen] = pick;
  return of->size < shown_as_rate ? common::time_figure(chosen->median_ns)
                                  : common::rate_figure(chosen->gb_per_s());
}

std::string time_text(const picked& pick, bool with_name, const std::string& place) {
  return fmt::format("{}{} {}", with_name ? pick.name() + ' ' : "", figure_of(pick), place);
}

gained gained_by(const picked& pick) {
  gained made{pick.chosen->described->name,
              pick.is_plain() ? statistics::ratio() : pick.of->gain(*pick.chosen),
              false,
              fmt::format("{} {}, {}: {}", pick.name(), way(pick.of->towards), size(*pick.of),
                          figure_of(pick)),
              "",
              ""};
  made.is_clear = made.gain.is_above_one();
  made.text = common::times_figure(made.gain.value);
  if (made.gain.interval) made.text += ' ' + interval_text(*made.gain.interval);
  if (pick.is_plain())
    made.doubt = ", the plain copy";
  else if (!made.is_clear)
    made.doubt = made.gain.interval ? ", not clear" : ", too few repetitions";
  return made;
}

std::string gain_text(const picked& pick, bool with_name, const std::string& place) {
  const auto text = time_text(pick, with_name, place);
  if (pick.is_plain()) return text + ", and " + nothing_faster(pick.of->is_certain());
  const auto gain = pick.of->gain(*pick.chosen);
  const auto factor = common::times_figure(gain.value);
  if (!gain.interval)
    return fmt::format("{}, {}{} (too few repetitions to be sure)", text, factor, against);
  const auto interval = interval_text(*gain.interval);
  if (!gain.is_above_one()) return fmt::format("{}, no clear gain {}", text, interval);
  return fmt::format("{}, {} {}{}", text, factor, interval, against);
}

bool have_one_size(const all_picked& picks) {
  return std::ranges::all_of(
      picks, [&](const picked& pick) { return pick.of->size == picks.front().of->size; });
}

std::string at(const all_picked& picks) {
  return have_one_size(picks) ? fmt::format("At {}: ", size(*picks.front().of)) : "";
}

/// The direction, with the size unless all have one.
std::string place_of(const picked& pick, const all_picked& all) {
  return way(pick.of->towards) + (have_one_size(all) ? "" : fmt::format(" ({})", size(*pick.of)));
}

std::vector<std::string> names_of(const all_picked& picks) {
  std::vector<std::string> names;
  for (const auto& pick : picks)
    if (std::ranges::find(names, pick.name()) == names.end()) names.push_back(pick.name());
  return names;
}

/// Says what gains are compared with only at the first of them.
std::string joined(const std::vector<std::string>& gains) {
  auto text = fmt::format("{}", fmt::join(gains, "; "));
  const std::string_view again = against;
  const auto first = text.find(again);
  for (auto next = first; first != std::string::npos;) {
    next = text.find(again, first + again.size());
    if (next == std::string::npos) break;
    text.erase(next, again.size());
  }
  return text;
}

std::string cores_text(const all_picked& picks) {
  const auto cores = [](const picked& pick) { return pick.chosen->median("cores").value_or(0); };
  const auto& busiest = *std::ranges::max_element(picks, {}, cores);
  if (cores(busiest) < many_cores) return "";
  return fmt::format(" {} keeps up to {:.1f} CPU cores busy.",
                     names_of(picks).size() == 1 ? "It" : busiest.name(), cores(busiest));
}

/// "20 times or fewer".
std::string at_most(double count) {
  return count == 1 ? "once" : fmt::format("{} times or fewer", common::grouped(count));
}

class rule_maker {
 public:
  explicit rule_maker(const run& of) : run_(of), choices_(of) {}

  std::vector<rule> rules() {
    std::vector<rule> made;
    for (auto each :
         {of_largest("large", "Large arrays, copied again and again", false), of_small(),
          of_largest("ordinary", "Large arrays that stay in ordinary (pageable) memory", true)})
      if (each) made.push_back(std::move(*each));
    say_what_is_missing(made);
    say_what_is_plain(made);
    return made;
  }

 private:
  /// First of all, that the costs of memory are not known.
  void say_what_is_missing(std::vector<rule>& made) const {
    const auto terms = choices_.terms();
    if (!made.empty() && terms && !terms->allocation)
      made.front().why += " What allocating the memory costs was not measured.";
  }

  /// At the first comparison with a plain cudaMemcpy, which memory that copies.
  static void say_what_is_plain(std::vector<rule>& made) {
    for (auto& each : made)
      if (const auto place = each.why.find(against); place != std::string::npos) {
        each.why.insert(place + std::string_view(against).size(), of_pageable_memory);
        return;
      }
  }

  [[nodiscard]] all_choices at_ends(bool at_largest, bool of_pageable) const {
    all_choices made;
    for (const auto towards : both_directions)
      if (const auto sizes = choices_.sizes(towards, of_pageable); !sizes.empty())
        if (auto one = choices_.at(towards, at_largest ? sizes.back() : sizes.front(), of_pageable))
          made.push_back(std::move(*one));
    return made;
  }

  [[nodiscard]] std::optional<rule> of_largest(const char* code, const char* data,
                                               bool of_pageable) const {
    const auto made = at_ends(true, of_pageable);
    if (made.empty()) return std::nullopt;
    const auto picks = pick_best(made);
    const auto has_gain = [](const picked& pick) {
      return !pick.of->is_certain() || pick.of->gain(*pick.chosen).is_above_one();
    };
    if (!std::ranges::all_of(picks, &picked::is_plain) && std::ranges::none_of(picks, has_gain))
      return without_clear_gain(code, data, picks);
    return rule{
        code, data, uses_of(picks),
        fmt::format("{}{}.{}{}", at(picks), joined(gains(picks, names_of(picks).size() > 1)),
                    few_uses_text(picks), cores_text(picks)),
        gained_by_each(picks)};
  }

  /// In all directions the same strategy, if one is good enough in each.
  static all_picked pick_best(const all_choices& made) {
    const auto is_good_in = [](const std::string& strategy, const choice& one) {
      return std::ranges::any_of(
          one.as_good, [&](const measured* good) { return good->described->strategy == strategy; });
    };
    const auto& of_first = made.front().as_good;
    const auto common = std::ranges::find_if(of_first, [&](const measured* good) {
      return std::ranges::all_of(
          made, [&](const choice& one) { return is_good_in(good->described->strategy, one); });
    });
    all_picked picks;
    for (const auto& one : made)
      picks.push_back({&one, common == of_first.end()
                                 ? &one.best()
                                 : one.candidate((*common)->described->strategy)});
    return picks;
  }

  static std::vector<gained> gained_by_each(const all_picked& picks) {
    std::vector<gained> made;
    std::ranges::transform(picks, std::back_inserter(made), gained_by);
    return made;
  }

  static std::vector<std::string> gains(const all_picked& picks, bool with_names) {
    std::vector<std::string> texts;
    for (const auto& pick : picks)
      texts.push_back(gain_text(pick, with_names, place_of(pick, picks)));
    return texts;
  }

  /// Names the plain copy, and what was compared with it.
  [[nodiscard]] rule without_clear_gain(const char* code, const char* data,
                                        const all_picked& picks) const {
    all_picked others;
    std::ranges::copy_if(picks, std::back_inserter(others), std::not_fn(&picked::is_plain));
    return {code,
            data,
            {use_of(picks.front().of->plain->described->strategy)},
            fmt::format("Nothing measured is clearly faster. {}{}.", at(others),
                        joined(gains(others, true))),
            gained_by_each(picks)};
  }

  /// What advice names instead for memory that is used less often.
  [[nodiscard]] std::string few_uses_text(const all_picked& picks) const {
    std::vector<std::pair<direction, double>> counts;
    std::vector<std::string> others;
    for (const auto& pick : picks) {
      const auto count = choices_.pays_behind(*pick.of, pick.name());
      if (!count) continue;
      counts.emplace_back(pick.of->towards, *count);
      for (const auto& name : choices_.advised(*pick.of).names)
        if (name != pick.name() && std::ranges::find(others, name) == others.end())
          others.push_back(name);
    }
    if (counts.empty()) return "";
    auto few = at_most(counts.front().second);
    const auto is_same = [&](const auto& each) { return each.second == counts.front().second; };
    if (counts.size() < picks.size() || !std::ranges::all_of(counts, is_same)) {
      few += ' ' + way(counts.front().first);
      for (std::size_t i = 1; i < counts.size(); ++i)
        few += fmt::format(" or {} {}", common::grouped(counts[i].second), way(counts[i].first));
    }
    return fmt::format(" If the memory is used {}, use {} instead.", few,
                       fmt::join(others, " or "));
  }

  /// Up to which size a plain copy is as good as anything, and what is better.
  [[nodiscard]] std::optional<rule> of_small() const {
    auto made = at_ends(false, false);
    if (made.empty()) return std::nullopt;
    std::vector<all_choices> plain;
    for (const auto& one : made) plain.push_back(where_plain(one.towards));
    all_picked picks;
    for (auto& one : made) picks.push_back(show_clear_size(one));
    const bool with_names = names_of(picks).size() > 1;
    std::vector<std::string> texts;
    for (const auto& pick : picks) {
      const auto place = place_of(pick, picks);
      texts.push_back(pick.chosen == pick.of->plain
                          ? time_text(pick, with_names, place)
                          : gain_text(pick, with_names, place) + reuse_text(pick));
    }
    const bool is_always_plain = std::ranges::none_of(plain, &all_choices::empty);
    return rule{
        "small", "Small transfers", uses_of(picks),
        fmt::format(
            "{}{}{}.",
            up_to_text(plain, with_names ? made.front().plain->described->strategy : std::string()),
            at(picks),
            is_always_plain ? fmt::format("{}", fmt::join(texts, " and ")) : joined(texts)),
        gained_by_each(picks)};
  }

  /// A strategy at the smallest size at which its gain is clear, to which the choice is changed;
  /// else as it is.
  [[nodiscard]] picked show_clear_size(choice& made) const {
    const auto& chosen = choices_.decide(made);
    if (&chosen == made.plain || !made.is_certain()) return {&made, &chosen};
    const auto strategy = chosen.described->strategy;
    for (const auto at_size : choices_.sizes(made.towards)) {
      if (static_cast<double>(at_size) > advice::largest_small_transfer) break;
      auto other = choices_.at(made.towards, at_size);
      const auto* same = other ? other->candidate(strategy) : nullptr;
      if (!same || !other->gain(*same).is_above_one()) continue;
      made = std::move(*other);
      return {&made, same};
    }
    return {&made, &chosen};
  }

  /// The choices from the smallest size on, up to where a plain copy is as good.
  [[nodiscard]] all_choices where_plain(direction towards) const {
    all_choices plain;
    for (const auto at_size : choices_.sizes(towards)) {
      auto one = choices_.at(towards, at_size);
      if (!one) continue;
      if (&choices_.decide(*one) != one->plain) break;
      plain.push_back(std::move(*one));
    }
    return plain;
  }

  /// Empty if a plain copy is never as good. `name` is that of the plain copy, if it must be said.
  static std::string up_to_text(const std::vector<all_choices>& by_direction,
                                const std::string& name) {
    std::vector<std::string> ends;
    bool are_ties = true, is_certain = false;
    for (const auto& of_direction : by_direction) {
      if (of_direction.empty()) continue;
      ends.push_back(
          fmt::format("{} {}", size(of_direction.back()), way(of_direction.back().towards)));
      are_ties = are_ties && std::ranges::all_of(of_direction, &choice::is_tie);
      is_certain = is_certain || std::ranges::any_of(of_direction, &choice::is_certain);
    }
    if (ends.empty()) return "";
    return fmt::format("Up to {} {}{}. ", fmt::join(ends, " and "),
                       are_ties ? nothing_faster(is_certain)
                                : "nothing is, with the costs of its memory, clearly faster",
                       name.empty() ? "" : " than " + name);
  }

  /// How often memory must be used until it pays, if not at once.
  [[nodiscard]] std::string reuse_text(const picked& pick) const {
    const auto transfers = choices_.pays_from(*pick.of, pick.name());
    if (transfers.value_or(1) == 1) return "";
    return fmt::format(", if its memory is used {} times or more", common::grouped(*transfers));
  }

  [[nodiscard]] std::vector<use> uses_of(const all_picked& picks) const {
    const auto names = names_of(picks);
    if (names.size() == 1) return {use_of(names.front())};
    std::vector<use> uses;
    for (const auto& pick : picks) {
      uses.push_back(use_of(pick.name()));
      uses.back().place = way(pick.of->towards);
    }
    return uses;
  }

  [[nodiscard]] use use_of(const std::string& strategy) const {
    const auto& listed = result_file::member(run_.read().facts, {"strategies"});
    if (listed.is_array())
      for (const auto& entry : listed)
        if (result_file::text_at(entry, {"name"}) == strategy)
          return {strategy, result_file::text_at(entry, {"summary"}), ""};
    return {strategy, "", ""};
  }

  const run& run_;
  report::choices choices_;
};

}  // namespace

std::vector<rule> rules_of(const run& of) {
  if (of.read().on_host || of.is_falsified()) return {};
  return rule_maker(of).rules();
}

std::vector<common::message> basis_of_recommendations(const run& of) {
  const auto terms = choices(of).terms();
  if (!terms) return {};
  std::vector<std::string> summed, missing;
  const auto add = [&](bool is_measured, const char* words) {
    (is_measured ? summed : missing).emplace_back(words);
  };
  add(terms->allocation, "allocating and freeing memory once for all its uses");
  add(terms->cpu_writes, "filling the memory by the CPU before an upload");
  add(terms->cpu_reads, "reading it by the CPU after a download");
  summed.emplace_back("the transfer");
  const auto small = common::size_text(advice::largest_small_transfer);
  std::vector<common::message> said{
      {"predicted",
       {{"alike", statistics::alike},
        {"most_apart", statistics::most_apart},
        {"largest_small_transfer", advice::largest_small_transfer}},
       fmt::format(
           "Times are predicted from this run by bench_transfers advise: {}. {}The plainest "
           "strategy within {} of the fastest is named, or within {} if the two cannot be told "
           "apart. Up to {} it is the plain copy, unless the repetitions of such copies show that "
           "another strategy is clearly faster.",
           summed.size() > 1 ? "the sum of " + in_sentence(summed) : "the transfer alone",
           terms->cpu_writes || terms->cpu_reads
               ? "What the CPU pays is pooled over kinds of memory that are alike in effect. "
               : "",
           percent_beyond(statistics::alike), percent_beyond(statistics::most_apart), small)},
      {"map", nlohmann::ordered_json::object(),
       fmt::format("predicted by bench_transfers advise: allocating the memory, filling or reading "
                   "it by the CPU, the transfer; CPU access is pooled over kinds of memory alike "
                   "in effect; the plainest within {}, or within {} if it cannot be told from the "
                   "fastest; up to {} the plain copy, unless its repetitions are clearly slower; "
                   "*: extrapolated, of sizes at which a part was not measured",
                   percent_beyond(statistics::alike), percent_beyond(statistics::most_apart),
                   small)},
      {"extrapolated", nlohmann::ordered_json::object(),
       "Extrapolated: at that size a part of the sum was not measured, mostly allocating or the "
       "CPU's access, which are measured at fewer sizes than transfers."}};
  if (!missing.empty())
    said.push_back({"not_included", nlohmann::ordered_json::object(),
                    fmt::format("Not measured here, and not included: {}.", in_sentence(missing))});
  return said;
}

}  // namespace bench_transfers::report
