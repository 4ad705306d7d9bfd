#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "src/common/figures.hpp"
#include "src/common/text.hpp"
#include "src/report/rule_facts.hpp"

namespace bench_transfers::report {
namespace {

constexpr std::size_t shown_as_rate = 1 << 20;

std::string size_words(std::size_t bytes) { return common::size_text(static_cast<double>(bytes)); }

/// The rate, or the time of a small transfer.
std::string figure_of(const pick& shown) {
  return shown.size < shown_as_rate ? common::time_figure(shown.chosen->median_ns)
                                    : common::rate_figure(shown.chosen->gb_per_s());
}

std::string interval_text(const statistics::interval& ends) {
  return fmt::format("[{}, {}]", common::times_digits(ends.low), common::times_digits(ends.high));
}

std::string factor_text(const statistics::ratio& gain) {
  return common::times_figure(gain.value) +
         (gain.interval ? ' ' + interval_text(*gain.interval) : "");
}

std::string nothing_faster(bool is_certain) {
  return is_certain ? "nothing measured is clearly faster"
                    : fmt::format(
                          "nothing measured is more than {} faster (too few repetitions "
                          "to tell less apart)",
                          percent_beyond(statistics::most_apart));
}

/// At the end of a row.
const char* doubt_of(outcome known) {
  switch (known) {
    case outcome::is_plain: return ", the plain copy";
    case outcome::too_few_repetitions: return ", too few repetitions";
    case outcome::no_clear_gain: return ", not clear";
    case outcome::clear_gain: break;
  }
  return "";
}

gained row_of(const pick& shown) {
  return {.benchmark = shown.chosen->described->name,
          .gain = shown.gain,
          .is_clear = shown.outcome == outcome::clear_gain,
          .subject = fmt::format("{} {}, {}: {}", shown.strategy(), way(shown.towards),
                                 size_words(shown.size), figure_of(shown)),
          .text = factor_text(shown.gain),
          .doubt = doubt_of(shown.outcome)};
}

bool has_factor(const pick& shown) {
  return shown.outcome == outcome::too_few_repetitions || shown.outcome == outcome::clear_gain;
}

/// `compared`: behind a factor, with what the strategy compares.
std::string gain_text(const pick& shown, const std::string& compared) {
  switch (shown.outcome) {
    case outcome::is_plain: return ", and " + nothing_faster(shown.is_certain);
    case outcome::no_clear_gain: return ", no clear gain " + interval_text(*shown.gain.interval);
    case outcome::too_few_repetitions:
      return ", " + factor_text(shown.gain) + compared + " (too few repetitions to be sure)";
    case outcome::clear_gain: break;
  }
  return ", " + factor_text(shown.gain) + compared;
}

/// A rule for small transfers begins with the plain copy, so nothing more is said of its gain.
std::string gain_text_if_small(const pick& shown, const std::string& compared) {
  if (shown.is_plain()) return "";
  return gain_text(shown, compared) + (shown.reuse
                                           ? fmt::format(", if its memory is used {} times or more",
                                                         common::grouped(shown.reuse->enough))
                                           : "");
}

bool have_one_size(const picks& all) {
  return std::ranges::all_of(all, [&](const pick& each) { return each.size == all[0].size; });
}

/// "At 64 MiB: ", if all have one size.
std::string common_size(const picks& all) {
  return have_one_size(all) ? fmt::format("At {}: ", size_words(all.front().size)) : "";
}

enum class strategy_names { left_out, said };

/// Of each pick its figure and its gain. The first factor is followed by `compared`.
std::vector<std::string> texts_of(const picks& all, strategy_names names, std::string compared,
                                  std::string (*gain_words)(const pick&, const std::string&)) {
  const bool is_size_common = have_one_size(all);
  std::vector<std::string> texts;
  for (const auto& each : all) {
    texts.push_back(fmt::format(
        "{}{} {}{}{}", names == strategy_names::said ? each.strategy() + ' ' : "", figure_of(each),
        way(each.towards), is_size_common ? "" : fmt::format(" ({})", size_words(each.size)),
        gain_words(each, compared)));
    if (has_factor(each)) compared.clear();
  }
  return texts;
}

strategy_names names_in(const decided_rule& rule) {
  return rule.uses.size() > 1 ? strategy_names::said : strategy_names::left_out;
}

std::string times_or_fewer(double count) {
  return count == 1 ? "once" : common::grouped(count) + " times or fewer";
}

/// When to use other strategies, because the memory is used too seldom.
std::string few_uses_text(const picks& all) {
  std::vector<std::string> counts, instead;
  std::set<double> different_counts;
  for (const auto& each : all) {
    if (!each.reuse) continue;
    different_counts.insert(each.reuse->too_few);
    counts.push_back(times_or_fewer(each.reuse->too_few) + ' ' + way(each.towards));
    for (const auto& name : each.reuse->instead)
      if (std::ranges::find(instead, name) == instead.end()) instead.push_back(name);
  }
  if (counts.empty()) return "";
  const bool is_one_count = counts.size() == all.size() && different_counts.size() == 1;
  return fmt::format(" If the memory is used {}, use {} instead.",
                     is_one_count ? times_or_fewer(*different_counts.begin())
                                  : fmt::format("{}", fmt::join(counts, " or ")),
                     fmt::join(instead, " or "));
}

std::string cores_text(const decided_rule& rule) {
  if (!rule.cores) return "";
  return fmt::format(" {} keeps up to {:.1f} CPU cores busy.",
                     names_in(rule) == strategy_names::said ? rule.cores->strategy : "It",
                     rule.cores->count);
}

std::string why_large(const decided_rule& rule, const std::string& compared) {
  const auto texts = texts_of(rule.picks, names_in(rule), compared, gain_text);
  return fmt::format("{}{}.{}{}", common_size(rule.picks), fmt::join(texts, "; "),
                     few_uses_text(rule.picks), cores_text(rule));
}

std::string why_without_gain(const decided_rule& rule, const std::string& compared) {
  picks others;
  std::ranges::copy_if(rule.picks, std::back_inserter(others), std::not_fn(&pick::is_plain));
  return fmt::format("Nothing measured is clearly faster. {}{}.", common_size(others),
                     fmt::join(texts_of(others, strategy_names::said, compared, gain_text), "; "));
}

/// Up to which size the plain copy is to be used, and why.
std::string plain_ranges_text(const decided_rule& rule) {
  const auto& ranges = rule.plain_ranges;
  if (ranges.empty()) return "";
  std::vector<std::string> ends;
  for (const auto& range : ranges)
    ends.push_back(fmt::format("{} {}", size_words(range.largest), way(range.towards)));
  return fmt::format("Up to {} {}{}. ", fmt::join(ends, " and "),
                     std::ranges::all_of(ranges, &plain_range::are_ties)
                         ? nothing_faster(std::ranges::any_of(ranges, &plain_range::is_certain))
                         : "nothing is, with the costs of its memory, clearly faster",
                     names_in(rule) == strategy_names::said
                         ? " than " + rule.picks[0].plain->described->strategy
                         : "");
}

std::string why_small(const decided_rule& rule, const std::string& compared) {
  const bool is_plain_everywhere = rule.plain_ranges.size() == rule.picks.size();
  const auto texts = texts_of(rule.picks, names_in(rule), compared, gain_text_if_small);
  return fmt::format("{}{}{}.", plain_ranges_text(rule), common_size(rule.picks),
                     fmt::join(texts, is_plain_everywhere ? " and " : "; "));
}

std::string why_of(const decided_rule& rule, const std::string& compared) {
  if (rule.subject == rule_subject::small_transfers) return why_small(rule, compared);
  return rule.is_without_gain ? why_without_gain(rule, compared) : why_large(rule, compared);
}

struct title {
  const char *code, *data;
};

title title_of(rule_subject subject) {
  switch (subject) {
    case rule_subject::large_arrays: return {"large", "Large arrays, copied again and again"};
    case rule_subject::small_transfers: return {"small", "Small transfers"};
    case rule_subject::ordinary_memory: break;
  }
  return {"ordinary", "Large arrays that stay in ordinary (pageable) memory"};
}

rule in_words(const decided_rule& decided, const std::string& compared) {
  const auto [code, data] = title_of(decided.subject);
  rule worded{code, data, decided.uses, why_of(decided, compared)};
  std::ranges::transform(decided.picks, std::back_inserter(worded.gains), row_of);
  return worded;
}

}  // namespace

std::vector<rule> in_words(const decided_rules& decided) {
  std::vector<rule> rules;
  const std::string compared = " as fast as plain cudaMemcpy";
  bool is_memory_named = false;
  for (const auto& each : decided.rules) {
    rules.push_back(in_words(each, compared + (is_memory_named ? "" : " of pageable memory")));
    is_memory_named = is_memory_named || std::ranges::any_of(each.picks, has_factor);
  }
  if (!rules.empty() && decided.lacks_allocation)
    rules.front().why += " What allocating the memory costs was not measured.";
  return rules;
}

}  // namespace bench_transfers::report
