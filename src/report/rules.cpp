#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "src/advice/small_transfers.hpp"
#include "src/common/figures.hpp"
#include "src/common/text.hpp"
#include "src/report/choices.hpp"
#include "src/report/said.hpp"

namespace bench_transfers::report {
namespace {

using common::in_sentence;

/// More cores than that of the thread that calls are worth a warning.
constexpr double many_cores = 1.5;
constexpr std::size_t shown_as_rate = 1 << 20;

/// What is chosen of a choice.
struct picked {
  report::choice choice;
  const measured* chosen;

  [[nodiscard]] const std::string& name() const { return chosen->described->strategy; }
  [[nodiscard]] bool is_plain() const { return choice.is_plain(*chosen); }
  [[nodiscard]] statistics::ratio gain() const {
    return is_plain() ? statistics::ratio() : choice.gain(*chosen);
  }
};
using all_picked = std::vector<picked>;
using all_choices = std::vector<choice>;

enum class end { smallest, largest };  // of sizes

std::string size(const choice& sized) { return common::size_text(static_cast<double>(sized.size)); }
std::string percent_beyond(double factor) { return fmt::format("{:.0f} %", 100 * (factor - 1)); }

std::string nothing_faster(bool is_certain) {
  return is_certain ? "nothing measured is clearly faster"
                    : fmt::format(
                          "nothing measured is more than {} faster (too few repetitions "
                          "to tell less apart)",
                          percent_beyond(statistics::most_apart));
}

std::string interval_text(const statistics::interval& ends) {
  return fmt::format("[{}, {}]", common::times_digits(ends.low), common::times_digits(ends.high));
}

/// What a reader asks for: the rate, or the time of a small transfer.
std::string figure_of(const picked& pick) {
  return pick.choice.size < shown_as_rate ? common::time_figure(pick.chosen->median_ns)
                                          : common::rate_figure(pick.chosen->gb_per_s());
}

/// What a row and a sentence say of a gain; no factor unless it counts.
struct said_gain {
  std::string doubt, factor, rest;
};

std::string factor_text(const statistics::ratio& gain) {
  return common::times_figure(gain.value) +
         (gain.interval ? ' ' + interval_text(*gain.interval) : "");
}

said_gain say_gain(const picked& pick, const statistics::ratio& gain) {
  if (pick.is_plain())
    return {", the plain copy", "", ", and " + nothing_faster(pick.choice.is_certain())};
  if (!gain.interval)
    return {", too few repetitions", factor_text(gain), " (too few repetitions to be sure)"};
  if (!gain.is_above_one())
    return {", not clear", "", ", no clear gain " + interval_text(*gain.interval)};
  return {"", factor_text(gain), ""};
}

std::vector<gained> gained_by(const all_picked& picks) {
  std::vector<gained> rows;
  for (const auto& pick : picks) {
    const auto gain = pick.gain();
    const auto said = say_gain(pick, gain);
    rows.push_back({.benchmark = pick.chosen->described->name,
                    .gain = gain,
                    .is_clear = gain.is_above_one(),
                    .is_factor_said = !said.factor.empty(),
                    .subject = fmt::format("{} {}, {}: {}", pick.name(), way(pick.choice.towards),
                                           size(pick.choice), figure_of(pick)),
                    .text = factor_text(gain),
                    .doubt = said.doubt});
  }
  return rows;
}

bool have_one_size(const all_picked& picks) {
  return std::ranges::all_of(
      picks, [&](const picked& pick) { return pick.choice.size == picks.front().choice.size; });
}

/// "At 64 MiB: ", if all have one size.
std::string common_size(const all_picked& picks) {
  return have_one_size(picks) ? fmt::format("At {}: ", size(picks.front().choice)) : "";
}

/// The direction, with the size unless all have one.
std::string place_of(const picked& pick, const all_picked& all) {
  return way(pick.choice.towards) +
         (have_one_size(all) ? "" : fmt::format(" ({})", size(pick.choice)));
}

std::string time_text(const picked& pick, const all_picked& all, bool with_name) {
  return fmt::format("{}{} {}", with_name ? pick.name() + ' ' : "", figure_of(pick),
                     place_of(pick, all));
}

/// With what gains compare, after the rules that were said before.
std::string compared_after(const std::vector<rule>& said) {
  const auto has_factor = [](const rule& rule) {
    return std::ranges::any_of(rule.gains, &gained::is_factor_said);
  };
  return fmt::format(" as fast as plain cudaMemcpy{}",
                     std::ranges::any_of(said, has_factor) ? "" : " of pageable memory");
}

/// Of each pick; `once`, with what gains compare, is said of the first.
std::vector<std::string> gain_texts(const all_picked& picks, bool with_names, std::string once) {
  std::vector<std::string> texts;
  for (const auto& pick : picks) {
    const auto said = say_gain(pick, pick.gain());
    texts.push_back(time_text(pick, picks, with_names));
    if (!said.factor.empty()) texts.back() += ", " + said.factor + std::exchange(once, "");
    texts.back() += said.rest;
  }
  return texts;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

std::vector<std::string> names_of(const all_picked& picks) {
  std::vector<std::string> names;
  for (const auto& pick : picks) add_once(names, pick.name());
  return names;
}

std::string cores_text(const all_picked& picks) {
  const auto cores = [](const picked& pick) { return pick.chosen->median("cores").value_or(0); };
  const auto& busiest = *std::ranges::max_element(picks, {}, cores);
  if (cores(busiest) < many_cores) return "";
  return fmt::format(" {} keeps up to {:.1f} CPU cores busy.",
                     names_of(picks).size() == 1 ? "It" : busiest.name(), cores(busiest));
}

class rule_maker {
 public:
  explicit rule_maker(const run& measured_run) : run_(measured_run), choices_(measured_run) {}

  [[nodiscard]] std::vector<rule> rules() const {
    std::vector<rule> rules;
    const auto add = [&](std::optional<rule> rule) {
      if (rule) rules.push_back(std::move(*rule));
    };
    add(of_largest("large", "Large arrays, copied again and again", among::all_memory, rules));
    add(of_small(rules));
    add(of_largest("ordinary", "Large arrays that stay in ordinary (pageable) memory",
                   among::ordinary_memory, rules));
    say_what_is_missing(rules);
    return rules;
  }

 private:
  /// First of all, that the costs of memory are not known.
  void say_what_is_missing(std::vector<rule>& rules) const {
    const auto terms = choices_.terms();
    if (!rules.empty() && terms && !terms->allocation)
      rules.front().why += " What allocating the memory costs was not measured.";
  }

  [[nodiscard]] all_choices at_ends(end which, among memory) const {
    all_choices ends;
    for (const auto towards : both_directions)
      if (const auto sizes = choices_.sizes(towards, memory); !sizes.empty())
        if (auto found =
                choices_.at(towards, which == end::largest ? sizes.back() : sizes.front(), memory))
          ends.push_back(std::move(*found));
    return ends;
  }

  [[nodiscard]] std::optional<rule> of_largest(const char* code, const char* data, among memory,
                                               const std::vector<rule>& said) const {
    const auto largest = at_ends(end::largest, memory);
    if (largest.empty()) return std::nullopt;
    const auto picks = pick_best(largest);
    const auto has_gain = [](const picked& pick) {
      return !pick.choice.is_certain() || pick.gain().is_above_one();
    };
    if (!std::ranges::all_of(picks, &picked::is_plain) && std::ranges::none_of(picks, has_gain))
      return without_clear_gain(code, data, picks, said);
    return rule{
        code, data, uses_of(picks),
        fmt::format(
            "{}{}.{}{}", common_size(picks),
            fmt::join(gain_texts(picks, names_of(picks).size() > 1, compared_after(said)), "; "),
            few_uses_text(picks), cores_text(picks)),
        gained_by(picks)};
  }

  /// In all directions the same strategy, if one is good enough in each.
  static all_picked pick_best(const all_choices& choices) {
    const auto name = [](const measured* each) { return each->described->strategy; };
    const auto& of_first = choices.front().as_good;
    const auto common = std::ranges::find_if(of_first, [&](const measured* good) {
      return std::ranges::all_of(choices, [&](const choice& choice) {
        return std::ranges::count(choice.as_good, name(good), name) > 0;
      });
    });
    all_picked picks;
    for (const auto& choice : choices)
      picks.push_back(
          {choice, common == of_first.end() ? &choice.best() : choice.candidate(name(*common))});
    return picks;
  }

  /// Names the plain copy, and what was compared with it.
  [[nodiscard]] rule without_clear_gain(const char* code, const char* data, const all_picked& picks,
                                        const std::vector<rule>& said) const {
    all_picked others;
    std::ranges::copy_if(picks, std::back_inserter(others), std::not_fn(&picked::is_plain));
    return {code,
            data,
            {use_of(picks.front().choice.plain->described->strategy)},
            fmt::format("Nothing measured is clearly faster. {}{}.", common_size(others),
                        fmt::join(gain_texts(others, true, compared_after(said)), "; ")),
            gained_by(picks)};
  }

  /// What advice names instead for memory that is used less often.
  [[nodiscard]] std::string few_uses_text(const all_picked& picks) const {
    std::vector<std::pair<direction, double>> counts;
    std::vector<std::string> others;
    for (const auto& pick : picks) {
      const auto count = choices_.pays_behind(pick.choice, pick.name());
      if (!count) continue;
      counts.emplace_back(pick.choice.towards, *count);
      for (const auto& name : choices_.advised(pick.choice).names)
        if (name != pick.name()) add_once(others, name);
    }
    if (counts.empty()) return "";
    const auto often = [](double count) {
      return count == 1 ? "once" : common::grouped(count) + " times or fewer";
    };
    auto few = often(counts.front().second);
    const auto is_same = [&](const auto& each) { return each.second == counts.front().second; };
    if (counts.size() < picks.size() || !std::ranges::all_of(counts, is_same)) {
      few += ' ' + way(counts.front().first);
      for (std::size_t i = 1; i < counts.size(); ++i)
        few += fmt::format(" or {} {}", often(counts[i].second), way(counts[i].first));
    }
    return fmt::format(" If the memory is used {}, use {} instead.", few,
                       fmt::join(others, " or "));
  }

  /// Up to which size a plain copy is as good as anything, and what is better.
  [[nodiscard]] std::optional<rule> of_small(const std::vector<rule>& said) const {
    const auto smallest = at_ends(end::smallest, among::all_memory);
    if (smallest.empty()) return std::nullopt;
    std::vector<all_choices> plain;
    all_picked picks;
    for (const auto& choice : smallest) {
      plain.push_back(where_plain(choice.towards));
      picks.push_back(pick_at_clear_size(choice));
    }
    const bool with_names = names_of(picks).size() > 1;
    auto texts = gain_texts(picks, with_names, compared_after(said));
    for (std::size_t i = 0; i < picks.size(); ++i)
      texts[i] = picks[i].is_plain() ? time_text(picks[i], picks, with_names)
                                     : texts[i] + reuse_text(picks[i]);
    const bool is_always_plain = std::ranges::none_of(plain, &all_choices::empty);
    return rule{
        "small", "Small transfers", uses_of(picks),
        fmt::format(
            "{}{}{}.",
            up_to_text(plain, with_names ? picks.front().choice.plain->described->strategy : ""),
            common_size(picks), fmt::join(texts, is_always_plain ? " and " : "; ")),
        gained_by(picks)};
  }

  /// What is decided at the smallest size; if its gain is clear only at a larger size, at that one.
  [[nodiscard]] picked pick_at_clear_size(const choice& smallest) const {
    const auto& chosen = choices_.decide(smallest);
    if (smallest.is_plain(chosen) || !smallest.is_certain()) return {smallest, &chosen};
    for (const auto at_size : choices_.sizes(smallest.towards)) {
      if (static_cast<double>(at_size) > advice::largest_small_transfer) break;
      const auto choice = choices_.at(smallest.towards, at_size);
      const auto* same = choice ? choice->candidate(chosen.described->strategy) : nullptr;
      if (same && choice->gain(*same).is_above_one()) return {*choice, same};
    }
    return {smallest, &chosen};
  }

  /// The choices from the smallest size on, up to where a plain copy is as good.
  [[nodiscard]] all_choices where_plain(direction towards) const {
    all_choices plain;
    for (const auto at_size : choices_.sizes(towards)) {
      auto choice = choices_.at(towards, at_size);
      if (!choice) continue;
      if (!choice->is_plain(choices_.decide(*choice))) break;
      plain.push_back(std::move(*choice));
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
    const auto transfers = choices_.pays_from(pick.choice, pick.name());
    if (transfers.value_or(1) == 1) return "";
    return fmt::format(", if its memory is used {} times or more", common::grouped(*transfers));
  }

  [[nodiscard]] std::vector<use> uses_of(const all_picked& picks) const {
    const auto names = names_of(picks);
    if (names.size() == 1) return {use_of(names.front())};
    std::vector<use> uses;
    for (const auto& pick : picks) {
      uses.push_back(use_of(pick.name()));
      uses.back().place = way(pick.choice.towards);
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
