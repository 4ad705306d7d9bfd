#include "src/report/differences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "src/common/message.hpp"
#include "src/common/text.hpp"
#include "src/comparison/words.hpp"
#include "src/report/compared_pairs.hpp"
#include "src/result_file/procedure.hpp"

namespace bench_transfers::report {
namespace {

using json = nlohmann::ordered_json;

std::string with_true_minus(const std::string& figure) {
  return figure.starts_with('-') ? "−" + figure.substr(1) : figure;
}

/// "+12.3 % [+11.9, +12.8]".
std::string text_of(const comparison::difference& of) {
  const auto text = with_true_minus(comparison::shift_text(of.shift));
  if (!of.interval_95) return text;
  const auto end = [](double shift) { return with_true_minus(comparison::shift_digits(shift)); };
  return fmt::format("{} [{}, {}]", text, end(of.interval_95->low), end(of.interval_95->high));
}

json to_json(const comparison::compared_benchmark& benchmark) {
  const auto& of = benchmark.difference;
  const auto& ends = of.interval_95;
  return {{"first", benchmark.first_ns},
          {"second", benchmark.second_ns},
          {"value", std::expm1(of.shift)},
          {"low", ends ? json(std::expm1(ends->low)) : json()},
          {"high", ends ? json(std::expm1(ends->high)) : json()},
          {"known", comparison::to_string(of.known)},
          {"text", text_of(of)},
          {"doubt", of.is_told() ? "" : ", " + comparison::words_of(of.known)}};
}

/// One question, answered by all runs.
struct answers {
  const question* asked;
  std::size_t size;
  std::vector<std::string> benchmarks;
  std::string common_name;
  std::vector<const comparison::compared_benchmark*> compared;  ///< with each further run
  std::vector<std::size_t> ranks = {};                          ///< of each run, 1: none is faster
  /// By the part of its link that each run reaches; none if a link's limit is not known.
  std::optional<std::vector<std::size_t>> ranks_by_link = {};

  [[nodiscard]] const comparison::difference& with_run(std::size_t further) const {
    return compared[further - 1]->difference;
  }
  [[nodiscard]] std::string subject() const {
    return asked->at
               ? asked->text
               : fmt::format("{}, {}", asked->text, common::size_text(static_cast<double>(size)));
  }
};

json to_json(const answers& given) {
  return {{"question", given.asked->text},
          {"subject", given.subject()},
          {"size_bytes", given.size},
          {"counter", given.asked->counter},
          {"is_rate", given.asked->is_rate},
          {"benchmarks", given.benchmarks},
          {"ranks", given.ranks},
          {"ranks_by_link", common::or_null(given.ranks_by_link)},
          {"differences",
           common::list_of(given.compared, [](const auto* each) { return to_json(*each); })}};
}

/// Several runs, each beside the first of them.
class runs_side_by_side {
 public:
  runs_side_by_side(std::span<const comparable* const> runs, const compared_pairs& pairs)
      : runs_(runs), pairs_(pairs) {
    for (const auto& asked : runs_.front()->questions)
      if (auto given = answers_to(asked)) answers_.push_back(std::move(*given));
  }

  [[nodiscard]] json document() const {
    const auto& least = least_basis();
    return {{"runs", runs_.size()},
            {"questions",
             common::list_of(answers_, [](const answers& given) { return to_json(given); })},
            {"differences", summaries()},
            {"interval", comparison::interval_title(least.basis)},
            {"explanation",
             fmt::format("{} As in bench_transfers compare, a run is slower or faster if its "
                         "interval, widened for all benchmarks together, does not contain zero. "
                         "Different hosts, and other programs on them, may also be the reason.",
                         comparison::basis_sentence(least))},
            {"transfers", differences_of_transfers()},
            {"problems", common::to_json(problems())}};
  }

 private:
  /// Of the first run and a further one.
  [[nodiscard]] const compared_pair& with_first(std::size_t further,
                                                const std::string& counter = time_counter) const {
    return pairs_.of(0, further, counter);
  }

  /// If the intervals do not cover the same for all runs, they are said to cover the less.
  [[nodiscard]] const comparison::comparison_result& least_basis() const {
    for (std::size_t i = 1; i < runs_.size(); ++i)
      if (const auto& result = with_first(i).result; result.basis == comparison::basis::repetitions)
        return result;
    return with_first(1).result;
  }

  /// At the largest size that all have; none if they have none.
  [[nodiscard]] std::optional<answers> answers_to(const question& asked) const {
    if (!asked.is_compared) return std::nullopt;
    for (auto of_size = asked.sizes.rbegin(); of_size != asked.sizes.rend(); ++of_size)
      if (!asked.at || of_size->first == *asked.at)
        if (auto given = answers_at(asked, of_size->first)) return given;
    return std::nullopt;
  }

  [[nodiscard]] std::optional<answers> answers_at(const question& asked, std::size_t size) const {
    const auto& first = asked.sizes.at(size);
    answers given{&asked, size, {first.benchmark}, first.common_name, {}};
    for (std::size_t i = 1; i < runs_.size(); ++i) {
      const auto& questions = runs_[i]->questions;
      const auto same = std::ranges::find(questions, asked.code, &question::code);
      if (same == questions.end()) return std::nullopt;
      const auto at_size = same->sizes.find(size);
      const auto* compared = with_first(i, asked.counter).find(first.common_name);
      if (at_size == same->sizes.end() || compared == nullptr) return std::nullopt;
      given.benchmarks.push_back(at_size->second.benchmark);
      given.compared.push_back(compared);
    }
    given.ranks = ranks_of(given, std::vector<double>(runs_.size(), 1));
    if (const auto limits = link_limits()) given.ranks_by_link = ranks_of(given, *limits);
    return given;
  }

  /// Whether a run is slower than another, of times multiplied by `weights`.
  [[nodiscard]] bool is_slower(std::size_t run, std::size_t other, const answers& given,
                               const std::vector<double>& weights) const {
    const auto [first, second] = std::minmax(run, other);
    const auto& pair = pairs_.of(first, second, given.asked->counter);
    const auto* compared = pair.find(given.common_name);
    if (compared == nullptr || !compared->difference.interval_all) return false;
    const double weight = std::log(weights[second] / weights[first]);
    const auto& ends = *compared->difference.interval_all;
    const auto known = comparison::finding_of(
        statistics::interval{ends.low + weight, ends.high + weight}, pair.result.basis);
    return known == (run == second ? comparison::finding::slower : comparison::finding::faster);
  }

  /// A place is one more than the number of runs that are faster.
  [[nodiscard]] std::vector<std::size_t> ranks_of(const answers& given,
                                                  const std::vector<double>& weights) const {
    std::vector<std::size_t> places(runs_.size(), 1);
    for (std::size_t i = 0; i < runs_.size(); ++i)
      for (std::size_t j = 0; j < runs_.size(); ++j)
        if (i != j && is_slower(i, j, given, weights)) ++places[i];
    return places;
  }

  /// None if one is not known.
  [[nodiscard]] std::optional<std::vector<double>> link_limits() const {
    std::vector<double> limits;
    for (const auto* run : runs_) {
      if (!run->link_limit) return std::nullopt;
      limits.push_back(*run->link_limit);
    }
    return limits;
  }

  /// Of each further run; none without an answer.
  [[nodiscard]] json summaries() const {
    auto all = json::array();
    for (std::size_t i = 1; !answers_.empty() && i < runs_.size(); ++i)
      all.push_back(summary_of(i));
    return all;
  }

  /// What is better or worse in a further run.
  [[nodiscard]] std::string summary_of(std::size_t further) const {
    std::vector<std::string> parts;
    for (const auto& [known, words] : {std::pair(comparison::finding::faster, "better at "),
                                       std::pair(comparison::finding::slower, "worse at ")}) {
      std::vector<std::string> texts;
      for (const auto& given : answers_)
        if (const auto& seen = given.with_run(further); seen.known == known)
          texts.push_back(fmt::format("{} ({})", given.subject(), text_of(seen)));
      if (!texts.empty()) parts.push_back(words + common::in_sentence(texts));
    }
    for (const auto known : {comparison::finding::not_told, comparison::finding::needs_runs,
                             comparison::finding::no_interval})
      if (const auto count = std::ranges::count_if(answers_, [&](const answers& given) {
            return given.with_run(further).known == known;
          }))
        parts.push_back(fmt::format("{} at {} of {} questions", comparison::words_of(known), count,
                                    answers_.size()));
    return fmt::format("{}", fmt::join(parts, "; "));
  }

  [[nodiscard]] json differences_of_transfers() const {
    auto all = json::object();
    for (const auto& [common_name, benchmark] : runs_.front()->transfers) {
      auto entries = json::array();
      for (std::size_t i = 1; i < runs_.size(); ++i) {
        const auto* seen = with_first(i).find(common_name);
        entries.push_back(seen != nullptr ? to_json(*seen) : json());
      }
      all[benchmark] = std::move(entries);
    }
    return all;
  }

  /// What keeps runs, or benchmarks of them, from being compared.
  [[nodiscard]] std::vector<common::message> problems() const {
    std::vector<common::message> found;
    std::set<std::string> other_procedures, others;
    for (std::size_t i = 1; i < runs_.size(); ++i) {
      const auto& pair = with_first(i);
      if (!pair.problem.empty() && others.insert(pair.problem).second)
        found.push_back({"not_comparable", json::object(), pair.problem});
      const auto& names = pair.result.left_out.other_procedure;
      other_procedures.insert(names.begin(), names.end());
    }
    if (auto differ = result_file::procedures_differ(other_procedures))
      found.push_back(std::move(*differ));
    return found;
  }

  std::span<const comparable* const> runs_;
  const compared_pairs& pairs_;
  std::vector<answers> answers_;
};

/// The first runs: as many as a section of a report has, and as a figure has, if there are more.
std::vector<std::span<const comparable* const>> compared_together(
    std::span<const comparable* const> runs) {
  constexpr std::size_t in_section = 6, in_figure = 12;
  std::vector<std::span<const comparable* const>> together;
  std::size_t before = 1;
  for (const auto most : {in_section, in_figure}) {
    const auto first = runs.first(std::min(most, runs.size()));
    if (first.size() > std::exchange(before, first.size()) &&
        std::ranges::none_of(first, &comparable::is_falsified))
      together.push_back(first);
  }
  return together;
}

}  // namespace

json comparisons_of(std::vector<comparable> runs) {
  std::vector<const comparable*> of_gpus;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (auto& [counter, side] : runs[i].sides)
      for (auto& process : side.runs) process.file = fmt::format("run {}", i + 1);
    if (runs[i].is_of_gpu) of_gpus.push_back(&runs[i]);
  }
  const auto together = compared_together(of_gpus);
  if (together.empty()) return json::array();
  const compared_pairs pairs(together.back());
  return common::list_of(
      together, [&](const auto& some) { return runs_side_by_side(some, pairs).document(); });
}

}  // namespace bench_transfers::report
