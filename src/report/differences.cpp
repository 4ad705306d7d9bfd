#include "src/report/differences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "src/common/message.hpp"
#include "src/common/text.hpp"
#include "src/comparison/compare.hpp"
#include "src/comparison/words.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/result_file/procedure.hpp"

namespace bench_transfers::report {
namespace {

using json = nlohmann::ordered_json;

/// "−1.20 %": with a true minus.
std::string shift_text(double shift) {
  const auto text = comparison::shift_text(shift);
  return text.starts_with('-') ? "−" + text.substr(1) : text;
}

/// "+12.3 % [+11.9, +12.8]".
std::string text_of(const comparison::difference& of) {
  const auto text = shift_text(of.shift);
  if (!of.interval_95) return text;
  const auto end = [](double shift) {
    auto figure = shift_text(shift);
    if (figure.ends_with(" %")) figure.resize(figure.size() - 2);
    return figure;
  };
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

/// What `compare` says of two runs: the second beside the first.
struct compared_pair {
  std::map<std::string, comparison::compared_benchmark> benchmarks;  ///< by the common name
  comparison::comparison_result result;
  std::string problem;  ///< why they cannot be compared; empty: none

  [[nodiscard]] const comparison::compared_benchmark* find(const std::string& name) const {
    const auto found = benchmarks.find(name);
    return found == benchmarks.end() ? nullptr : &found->second;
  }
};

/// Whether the sides have a benchmark in common.
bool have_any_in_common(const comparison::side& first, const comparison::side& second) {
  return std::ranges::any_of(first.facts,
                             [&](const auto& entry) { return second.facts.contains(entry.first); });
}

compared_pair compare(const comparable& first, const comparable& second,
                      const std::string& counter) {
  compared_pair pair;
  const auto one = first.sides.find(counter), other = second.sides.find(counter);
  pair.problem = first.problem.empty() ? second.problem : first.problem;
  if (one == first.sides.end() || other == second.sides.end() ||
      !have_any_in_common(one->second, other->second))
    return pair;
  try {
    pair.result = comparison::compare(one->second, other->second);
  } catch (const gate::bad_input& error) {
    pair.problem = error.what();
  }
  for (const auto& group : pair.result.groups)
    for (const auto& benchmark : group.benchmarks)
      pair.benchmarks.emplace(benchmark.name, benchmark);
  return pair;
}

/// Every two of several runs, compared when asked for.
class compared_pairs {
 public:
  explicit compared_pairs(std::span<const comparable* const> runs) : runs_(runs) {}

  const compared_pair& of(std::size_t first, std::size_t second, const std::string& counter) {
    const auto key = std::tuple(first, second, counter);
    auto known = pairs_.find(key);
    if (known == pairs_.end())
      known = pairs_.emplace(key, compare(*runs_[first], *runs_[second], counter)).first;
    return known->second;
  }

 private:
  std::span<const comparable* const> runs_;
  std::map<std::tuple<std::size_t, std::size_t, std::string>, compared_pair> pairs_;
};

/// One question, answered by all runs.
struct answers {
  const question* asked;
  std::size_t size;
  std::vector<std::string> benchmarks;
  std::string common_name;
  std::vector<const comparison::compared_benchmark*> compared;  ///< with each further run

  [[nodiscard]] std::string subject() const {
    return asked->at
               ? asked->text
               : fmt::format("{}, {}", asked->text, common::size_text(static_cast<double>(size)));
  }
};

class comparing {
 public:
  comparing(std::span<const comparable* const> runs, compared_pairs& pairs)
      : runs_(runs), pairs_(pairs) {}

  json document() {
    json document{{"runs", runs_.size()}};
    document["questions"] = json::array();
    for (const auto& asked : runs_.front()->questions)
      if (auto given = answers_to(asked)) {
        document["questions"].push_back(to_json(*given));
        all_.push_back(std::move(*given));
      }
    document["differences"] = json::array();
    for (std::size_t i = 1; !all_.empty() && i < runs_.size(); ++i)
      document["differences"].push_back(summary_of(i));
    add_basis(document);
    document["transfers"] = differences_of_transfers();
    document["problems"] = common::to_json(problems());
    return document;
  }

 private:
  /// Of the first run and a further one.
  const compared_pair& with_first(std::size_t further, const std::string& counter = time_counter) {
    return pairs_.of(0, further, counter);
  }

  /// What the intervals cover. If it is not the same for all runs, they are said to cover the less.
  void add_basis(json& document) {
    const comparison::comparison_result* least = nullptr;
    for (std::size_t i = 1; i < runs_.size(); ++i)
      if (const auto& result = with_first(i).result;
          least == nullptr || result.basis == comparison::basis::repetitions)
        least = &result;
    document["interval"] = comparison::interval_title(least->basis);
    document["explanation"] = fmt::format(
        "{} As in bench_transfers compare, a run is slower or faster if its interval, widened for "
        "all benchmarks together, does not contain zero. Different hosts, and other programs on "
        "them, may also be the reason.",
        comparison::basis_sentence(*least));
  }

  /// At the largest size that all have; none if they have none.
  std::optional<answers> answers_to(const question& asked) {
    if (!asked.is_compared) return std::nullopt;
    for (auto of_size = asked.sizes.rbegin(); of_size != asked.sizes.rend(); ++of_size)
      if (!asked.at || of_size->first == *asked.at)
        if (auto given = answers_at(asked, of_size->first)) return given;
    return std::nullopt;
  }

  std::optional<answers> answers_at(const question& asked, std::size_t size) {
    const auto& first = asked.sizes.at(size);
    answers given{&asked, size, {first.benchmark}, first.common_name, {}};
    for (std::size_t i = 1; i < runs_.size(); ++i) {
      const auto& questions = runs_[i]->questions;
      const auto same = std::ranges::find(questions, asked.text, &question::text);
      if (same == questions.end()) return std::nullopt;
      const auto at_size = same->sizes.find(size);
      const auto* compared = with_first(i, asked.counter).find(first.common_name);
      if (at_size == same->sizes.end() || compared == nullptr) return std::nullopt;
      given.benchmarks.push_back(at_size->second.benchmark);
      given.compared.push_back(compared);
    }
    return given;
  }

  /// Whether a run is slower than another, of times multiplied by `weights`.
  bool is_slower(std::size_t run, std::size_t other, const answers& given,
                 const std::vector<double>& weights) {
    const bool is_second = run > other;
    const auto& pair = pairs_.of(std::min(run, other), std::max(run, other), given.asked->counter);
    const auto* compared = pair.find(given.common_name);
    if (compared == nullptr || !compared->difference.interval_all) return false;
    const double weight = std::log(weights[std::max(run, other)] / weights[std::min(run, other)]);
    const auto& ends = *compared->difference.interval_all;
    const auto known = comparison::finding_of(
        statistics::interval{ends.low + weight, ends.high + weight}, pair.result.basis);
    return known == (is_second ? comparison::finding::slower : comparison::finding::faster);
  }

  /// A place is one more than the number of runs that are faster.
  std::vector<std::size_t> ranks_of(const answers& given, const std::vector<double>& weights) {
    std::vector<std::size_t> places(runs_.size(), 1);
    for (std::size_t i = 0; i < runs_.size(); ++i)
      for (std::size_t j = 0; j < runs_.size(); ++j)
        if (i != j && is_slower(i, j, given, weights)) ++places[i];
    return places;
  }

  std::vector<std::size_t> ranks_of(const answers& given) {
    return ranks_of(given, std::vector<double>(runs_.size(), 1));
  }

  /// By the part of its link that each run reaches; null if one is not known.
  json ranks_by_link(const answers& given) {
    std::vector<double> limits;
    for (const auto* run : runs_) {
      if (!run->link_limit) return nullptr;
      limits.push_back(*run->link_limit);
    }
    return ranks_of(given, limits);
  }

  json to_json(const answers& given) {
    auto differences = json::array();
    for (const auto* each : given.compared) differences.push_back(report::to_json(*each));
    return {{"question", given.asked->text},   {"subject", given.subject()},
            {"size_bytes", given.size},        {"counter", given.asked->counter},
            {"is_rate", given.asked->is_rate}, {"benchmarks", given.benchmarks},
            {"ranks", ranks_of(given)},        {"ranks_by_link", ranks_by_link(given)},
            {"differences", differences}};
  }

  /// What is better or worse in a further run.
  [[nodiscard]] std::string summary_of(std::size_t further) const {
    std::vector<std::string> parts;
    const auto add = [&](comparison::finding known, const char* words) {
      std::vector<std::string> texts;
      for (const auto& given : all_)
        if (const auto& seen = given.compared[further - 1]->difference; seen.known == known)
          texts.push_back(fmt::format("{} ({})", given.subject(), text_of(seen)));
      if (!texts.empty()) parts.push_back(words + common::in_sentence(texts));
    };
    add(comparison::finding::faster, "better at ");
    add(comparison::finding::slower, "worse at ");
    for (const auto known : {comparison::finding::not_told, comparison::finding::needs_runs,
                             comparison::finding::no_interval})
      if (const auto count = std::ranges::count_if(all_, [&](const answers& given) {
            return given.compared[further - 1]->difference.known == known;
          }))
        parts.push_back(fmt::format("{} at {} of {} questions", comparison::words_of(known), count,
                                    all_.size()));
    return fmt::format("{}", fmt::join(parts, "; "));
  }

  json differences_of_transfers() {
    auto all = json::object();
    for (const auto& [common_name, benchmark] : runs_.front()->transfers) {
      auto entries = json::array();
      for (std::size_t i = 1; i < runs_.size(); ++i) {
        const auto* seen = with_first(i).find(common_name);
        entries.push_back(seen != nullptr ? report::to_json(*seen) : json());
      }
      all[benchmark] = std::move(entries);
    }
    return all;
  }

  /// What keeps runs, or benchmarks of them, from being compared.
  std::vector<common::message> problems() {
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
  compared_pairs& pairs_;
  std::vector<answers> all_;
};

/// The runs' values by this counter, under their common names.
comparison::side side_of(const run& of, const std::string& file, const std::string& counter) {
  const auto metric = counter == time_counter ? gate::metric() : gate::metric::named(counter);
  auto side = comparison::side_of(of.read(), file, metric);
  for (const auto& [name, described] : of.read().benchmarks) {
    const auto common = common_name_of(described);
    for (auto& process : side.runs)
      if (auto entry = process.benchmarks.extract(name)) {
        entry.key() = common;
        process.benchmarks.insert(std::move(entry));
      }
    if (auto entry = side.facts.extract(name)) {
      entry.key() = common;
      side.facts.insert(std::move(entry));
    }
  }
  return side;
}

}  // namespace

comparable comparable_of(const run& of, const std::string& file) {
  comparable made{
      !of.read().on_host, of.is_falsified(), of.link_limit(), questions_of(of), {}, {}, {}};
  for (const auto& benchmark : of.benchmarks())
    if (trust::is_transfer(benchmark) || benchmark.described->role == "duplex")
      made.transfers.emplace(common_name_of(*benchmark.described), benchmark.described->name);
  try {
    std::set<std::string> counters{time_counter};
    for (const auto& asked : made.questions) counters.insert(asked.counter);
    for (const auto& counter : counters) made.sides.emplace(counter, side_of(of, file, counter));
  } catch (const gate::bad_input& error) {
    made.problem = error.what();
  }
  return made;
}

json comparisons_of(std::vector<comparable> runs) {
  constexpr std::array most_compared{std::size_t{6},
                                     std::size_t{12}};  // in a section of a report, and in a figure
  std::vector<const comparable*> of_gpus;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (auto& [counter, side] : runs[i].sides)
      for (auto& process : side.runs) process.file = fmt::format("run {}", i + 1);
    if (runs[i].is_of_gpu) of_gpus.push_back(&runs[i]);
  }
  compared_pairs pairs(of_gpus);
  auto all = json::array();
  std::size_t before = 1;
  for (const auto most : most_compared) {
    const auto first = std::span(of_gpus).first(std::min(most, of_gpus.size()));
    if (first.size() > std::exchange(before, first.size()) &&
        std::ranges::none_of(first, &comparable::is_falsified))
      all.push_back(comparing(first, pairs).document());
  }
  return all;
}

}  // namespace bench_transfers::report
