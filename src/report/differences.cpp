#include "src/report/differences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "src/common/figures.hpp"
#include "src/common/message.hpp"
#include "src/common/text.hpp"
#include "src/result_file/contradictions.hpp"
#include "src/result_file/procedure.hpp"
#include "src/statistics/ratio.hpp"

namespace bench_transfers::report {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* time_counter = "median_ns";
constexpr const char* work_counter = "cpu_s_per_gb";
/// Processes of one machine may differ by as much.
constexpr double one_process = 1.02;
/// Up to this size the time of a copy is asked for, not its rate.
constexpr std::size_t small = 64 * 1024;

std::string size_text(std::size_t bytes) { return common::size_text(static_cast<double>(bytes)); }

sample sample_of(const measured& benchmark, const char* counter) {
  const auto& described = *benchmark.described;
  return {described.name, benchmark.values(counter),
          benchmark.bytes.value_or(0) / (described.direction == direction::both ? 2 : 1),
          result_file::procedure_of(*benchmark.rows.front())};
}

std::map<std::size_t, sample> samples_of(const series& sizes, const char* counter = time_counter) {
  std::map<std::size_t, sample> samples;
  for (const auto& [size, benchmark] : sizes)
    if (auto one = sample_of(*benchmark, counter); !one.values.empty())
      samples.emplace(size, std::move(one));
  return samples;
}

std::vector<question> questions_of(const run& of) {
  std::vector<question> asked;
  for (const auto* memory : {"pinned", "pageable"})
    for (const auto towards : both_directions)
      asked.push_back({fmt::format("{} memory {}", memory, way(towards)), time_counter, true, true,
                       true, std::nullopt, samples_of(of.copies(towards, memory))});
  const auto& duplex = of.plainest(
      "duplex", [](const result_file::benchmark& copy) { return copy.memory == "pinned"; });
  asked.push_back({"pinned memory both ways at once", time_counter, true, true, true, std::nullopt,
                   samples_of(duplex)});
  for (const auto towards : both_directions)
    asked.push_back({fmt::format("pageable memory {}, staged", way(towards)), time_counter, true,
                     false, true, std::nullopt,
                     samples_of(of.copies(towards, "pageable", "staged"))});
  for (const auto towards : both_directions) {
    auto copies = samples_of(of.copies(towards, "pinned"));
    std::vector<std::size_t> sizes{small};
    if (!copies.empty() && copies.begin()->first < small) sizes.push_back(copies.begin()->first);
    for (const auto size : sizes)
      asked.push_back(
          {fmt::format("time of a small copy {}, pinned memory, {}", way(towards), size_text(size)),
           time_counter, false, false, true, size, copies});
    std::erase_if(copies, [](const auto& of_size) { return of_size.first > small; });
    asked.push_back({fmt::format("small pinned copy {}", way(towards)), time_counter, false, true,
                     false, std::nullopt, std::move(copies)});
  }
  for (const auto* memory : {"pinned", "pageable"})
    asked.push_back({fmt::format("work of the CPU, {} memory to the device", memory), work_counter,
                     true, false, true, std::nullopt,
                     samples_of(of.copies(direction::h2d, memory), work_counter)});
  std::erase_if(asked, [](const question& each) { return each.sizes.empty(); });
  return asked;
}

bool is_clearly_more(const sample& more, const sample& less) {
  return statistics::median(more.values) >= one_process * statistics::median(less.values) &&
         statistics::is_clearly_larger(more.values, less.values);
}

/// 1: clearly better than the first, -1: clearly worse.
int clear_sign(const sample& first, const sample& other) {
  return is_clearly_more(first, other) ? 1 : is_clearly_more(other, first) ? -1 : 0;
}

/// Why a difference may be chance, as far as its repetitions are few.
std::string why_not_known(const sample& first, const sample& other) {
  const auto counts = std::minmax({first.values.size(), other.values.size()});
  if (counts.first > 1) return "too few repetitions";
  return counts.second == 1 ? "one repetition each" : "one repetition";
}

/// "+12.3 %", with a true minus.
std::string gain_text(double factor) {
  auto text = common::percent_figure(factor - 1, true);
  return text.starts_with('-') ? "−" + text.substr(1) : text;
}

std::string gain_text(const statistics::ratio& gain) {
  const auto text = gain_text(gain.value);
  if (!gain.interval) return text;
  const auto end = [](double factor) {
    auto figure = gain_text(factor);
    if (figure.ends_with(" %")) figure.resize(figure.size() - 2);
    return figure;
  };
  return fmt::format("{} [{}, {}]", text, end(gain.interval->low), end(gain.interval->high));
}

/// What another run is beside the first.
struct difference {
  statistics::ratio gain;  ///< how many times as good
  int clear;
  std::string why_not_known;  ///< empty if there is an interval

  [[nodiscard]] std::string text() const { return gain_text(gain); }
  /// That it is not clear, and why, if that is not seen from its interval.
  [[nodiscard]] std::string doubt() const {
    if (clear != 0) return "";
    if (!gain.interval) return fmt::format(", {}: no interval", why_not_known);
    if (gain.interval->low <= 1 && 1 <= gain.interval->high) return ", not clear";
    const bool is_large = std::max(gain.value, 1 / gain.value) >= one_process;
    return fmt::format(", not clear: {}", is_large ? "repetitions overlap" : "less than 2 %");
  }
};

json to_json(const difference& of) {
  const auto& ends = of.gain.interval;
  return {{"gain", of.gain.value},
          {"low", ends ? json(ends->low) : json()},
          {"high", ends ? json(ends->high) : json()},
          {"clear", of.clear},
          {"why_not_known", of.why_not_known},
          {"text", of.text()},
          {"doubt", of.doubt()}};
}

/// A place is one more than the number of those that are clearly better.
std::vector<std::size_t> ranks_of(const std::vector<sample>& samples) {
  std::vector<std::size_t> places;
  for (const auto& each : samples)
    places.push_back(
        1 + static_cast<std::size_t>(std::ranges::count_if(
                samples, [&](const sample& other) { return is_clearly_more(each, other); })));
  return places;
}

/// One question, answered by all runs.
struct answers {
  const question* asked;
  std::size_t size;
  std::vector<sample> samples;
  std::vector<difference> differences;  ///< of each further run

  [[nodiscard]] std::string subject() const {
    return asked->at ? asked->text : fmt::format("{}, {}", asked->text, size_text(size));
  }
};

class comparing {
 public:
  explicit comparing(std::span<const comparable* const> runs) : runs_(runs) {}

  json document() {
    json document{{"runs", runs_.size()}, {"least_percent", percent_of_one_process()}};
    document["questions"] = json::array();
    for (const auto& asked : runs_.front()->questions)
      if (auto given = answers_to(asked)) {
        document["questions"].push_back(to_json(*given));
        all_.push_back(std::move(*given));
      }
    document["differences"] = json::array();
    for (std::size_t i = 0; !all_.empty() && i + 1 < runs_.size(); ++i)
      document["differences"].push_back(summary_of(i));
    const auto least = fmt::format("{:.0f} %", percent_of_one_process());
    document["rule"] = least + " or more, and 95 % of all pairs of repetitions agree";
    document["explanation"] = fmt::format(
        "A difference is clear if it is {} or more, since two processes of one "
        "machine may differ by less, and if 95 % of all pairs of repetitions agree. "
        "A difference may also be that of the hosts, and of what else ran there.",
        least);
    document["transfers"] = differences_of_transfers();
    const auto problem = result_file::procedures_differ(other_procedures_);
    document["problems"] =
        common::to_json(problem ? std::vector{*problem} : std::vector<common::message>());
    return document;
  }

 private:
  static double percent_of_one_process() { return 100 * (one_process - 1); }

  /// Whether one procedure has measured both.
  bool are_comparable(const sample& first, const sample& other) {
    const bool is_other = result_file::is_other_procedure(first.procedure, other.procedure);
    if (is_other) other_procedures_.insert(first.benchmark);
    return !is_other;
  }

  difference compare(const sample& first, const sample& other) {
    const auto gain = statistics::ratio_of(first.values, other.values, limits_);
    return {gain, clear_sign(first, other), gain.interval ? "" : why_not_known(first, other)};
  }

  /// At the largest size that all have; none if they have none.
  std::optional<answers> answers_to(const question& asked) {
    if (!asked.is_compared) return std::nullopt;
    std::vector<const question*> same;
    for (const auto* run : runs_) {
      const auto found = std::ranges::find(run->questions, asked.text, &question::text);
      if (found == run->questions.end()) return std::nullopt;
      same.push_back(&*found);
    }
    const auto have_all = [&](std::size_t size) {
      return std::ranges::all_of(same,
                                 [&](const question* each) { return each->sizes.contains(size); });
    };
    for (auto of_size = asked.sizes.rbegin(); of_size != asked.sizes.rend(); ++of_size) {
      const auto size = of_size->first;
      if ((asked.at && size != *asked.at) || !have_all(size)) continue;
      answers given{&asked, size, {}, {}};
      for (const auto* each : same) given.samples.push_back(each->sizes.at(size));
      if (!std::ranges::all_of(given.samples, [&](const sample& each) {
            return are_comparable(given.samples.front(), each);
          }))
        continue;
      for (std::size_t i = 1; i < same.size(); ++i)
        given.differences.push_back(compare(given.samples.front(), given.samples[i]));
      return given;
    }
    return std::nullopt;
  }

  /// By the times that the raw rate of each link needs; null if one is not known.
  json ranks_by_link(const answers& given) const {
    auto samples = given.samples;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto limit = runs_[i]->link_limit;
      if (!limit || samples[i].bytes_one_way <= 0) return nullptr;
      for (auto& value : samples[i].values) value *= *limit / samples[i].bytes_one_way;
    }
    return ranks_of(samples);
  }

  json to_json(const answers& given) const {
    auto names = json::array(), differences = json::array();
    for (const auto& each : given.samples) names.push_back(each.benchmark);
    for (const auto& each : given.differences) differences.push_back(report::to_json(each));
    return {{"question", given.asked->text},    {"subject", given.subject()},
            {"size_bytes", given.size},         {"counter", given.asked->counter},
            {"is_rate", given.asked->is_rate},  {"benchmarks", names},
            {"ranks", ranks_of(given.samples)}, {"ranks_by_link", ranks_by_link(given)},
            {"differences", differences}};
  }

  /// What is clearly better or worse in a further run.
  [[nodiscard]] std::string summary_of(std::size_t further) const {
    std::vector<std::string> better, worse, parts;
    std::vector<std::pair<std::string, std::size_t>> unknown;
    std::size_t alike = 0;
    for (const auto& given : all_) {
      const auto& seen = given.differences[further];
      const auto text = fmt::format("{} ({})", given.subject(), seen.text());
      if (seen.clear != 0) {
        (seen.clear > 0 ? better : worse).push_back(text);
      } else if (seen.gain.interval) {
        ++alike;
      } else {
        auto known = std::ranges::find(unknown, seen.why_not_known,
                                       &std::pair<std::string, std::size_t>::first);
        if (known == unknown.end()) known = unknown.insert(known, {seen.why_not_known, 0});
        ++known->second;
      }
    }
    if (!better.empty()) parts.push_back("clearly better at " + common::in_sentence(better));
    if (!worse.empty()) parts.push_back("clearly worse at " + common::in_sentence(worse));
    if (alike > 0)
      parts.push_back(
          fmt::format("not clearly different at {} of {} questions", alike, all_.size()));
    for (const auto& [why, count] : unknown)
      parts.push_back(
          fmt::format("{} at {} of {} questions: no interval", why, count, all_.size()));
    return fmt::format("{}", fmt::join(parts, "; "));
  }

  json differences_of_transfers() {
    auto all = json::object();
    for (const auto& [place, first] : runs_.front()->transfers) {
      auto entries = json::array();
      for (std::size_t i = 1; i < runs_.size(); ++i) {
        const auto same = runs_[i]->transfers.find(place);
        const bool is_compared =
            same != runs_[i]->transfers.end() && are_comparable(first, same->second);
        entries.push_back(is_compared ? report::to_json(compare(first, same->second)) : json());
      }
      all[first.benchmark] = std::move(entries);
    }
    return all;
  }

  std::span<const comparable* const> runs_;
  std::vector<answers> all_;
  std::set<std::string> other_procedures_;  ///< benchmarks
  statistics::pair_limits limits_;
};

}  // namespace

comparable comparable_of(const run& of) {
  comparable made{!of.read().on_host, of.is_falsified(), of.link_limit(), questions_of(of), {}};
  for (const auto& benchmark : of.benchmarks()) {
    if (!trust::is_transfer(benchmark)) continue;
    const auto& described = *benchmark.described;
    made.transfers.emplace(result_file::benchmark_name(described.strategy, described.variant,
                                                       described.size_bytes, described.cache),
                           sample_of(benchmark, time_counter));
  }
  return made;
}

json followed_questions(const comparable& of) {
  auto all = json::array();
  for (const auto& asked : of.questions) {
    if (!asked.is_followed) continue;
    auto names = json::array();
    for (const auto& [size, one] : asked.sizes) names.push_back(one.benchmark);
    all.push_back({{"question", asked.text}, {"is_rate", asked.is_rate}, {"benchmarks", names}});
  }
  return all;
}

json comparisons_of(std::span<const comparable> runs) {
  constexpr std::array most_compared{std::size_t{6},
                                     std::size_t{12}};  // in a section of a report, and in a figure
  std::vector<const comparable*> of_gpus;
  for (const auto& run : runs)
    if (run.is_of_gpu) of_gpus.push_back(&run);
  auto all = json::array();
  std::size_t before = 1;
  for (const auto most : most_compared) {
    const auto first = std::span(of_gpus).first(std::min(most, of_gpus.size()));
    if (first.size() > std::exchange(before, first.size()) &&
        std::ranges::none_of(first, &comparable::is_falsified))
      all.push_back(comparing(first).document());
  }
  return all;
}

}  // namespace bench_transfers::report
