#include "src/trust/marks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/common/text.hpp"

namespace bench_transfers::trust {
namespace {

using indices = std::vector<std::size_t>;

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
}

class conclusion {
 public:
  explicit conclusion(judgement& given) : given_(given) {}

  /// Indices of the findings about these subjects, in the order of the subjects.
  [[nodiscard]] indices about(std::initializer_list<subject> subjects) const {
    indices found;
    for (const auto wanted : subjects)
      for (std::size_t i = 0; i < given_.findings.size(); ++i)
        if (given_.findings[i].about == wanted) found.push_back(i);
    return found;
  }

  void mark_link() {
    auto needed = about({subject::link, subject::rate});
    if (needed.empty()) return;
    auto evidence = needed;
    for (const auto index : about({subject::both_ways, subject::memory})) evidence.push_back(index);
    add("Link", "full speed", evidence, needed, "the link ran at full speed");
  }

  void mark_throttling() {
    std::vector<std::string> known;
    for (const auto& [name, clocks] :
         {std::pair("GPU", subject::gpu_clocks), std::pair("CPU", subject::cpu_clocks)})
      if (const auto asked = about({clocks}); !asked.empty() && names_unknown(asked).empty())
        known.emplace_back(name);
    const auto evidence = about({subject::gpu_clocks, subject::cpu_clocks, subject::governor});
    const auto where = "none on " + common::in_sentence(known);
    for (auto& name : known) name = "the " + name;
    add("Throttling", where, evidence, {evidence.front()},
        fmt::format("no throttling of {} was seen", common::in_sentence(known)));
  }

  void mark_noise(const noise& seen) {
    const auto evidence = about({subject::noise});
    add("Noise", seen.verdict, evidence, evidence, seen.clause);
  }

  void mark_unknown() {
    const auto asked =
        about({subject::link, subject::rate, subject::host, subject::memory, subject::gpu_clocks,
               subject::cpu_clocks, subject::governor, subject::noise});
    const auto names = names_unknown(asked);
    indices evidence;
    for (const auto index : asked)
      if (!given_.findings[index].unknown.empty()) evidence.push_back(index);
    if (names.empty())
      given_.marks.push_back({"Facts", state::good, "all known", "every fact is in the file", {}});
    else
      given_.marks.push_back({"Facts", state::unknown, fmt::format("{} not known", names.size()),
                              fmt::format("{}", fmt::join(names, ", ")), evidence});
  }

  [[nodiscard]] verdict verdict_of_marks() const {
    std::vector<std::string> doubts, seen;
    for (const auto& mark : given_.marks) {
      add_once(seen, mark.clause);
      auto name = mark.name;
      name.front() |= 0x20;  // a small letter
      if (mark.state == state::warning)
        doubts.push_back(fmt::format("{} ({})", name, mark.details));
    }
    const auto unknown = text_of_unknown();
    const auto otherwise = seen.empty() ? "" : fmt::format("Otherwise {}.", fmt::join(seen, ", "));
    const auto sentences = [](std::vector<std::string> texts) {
      std::erase(texts, "");
      return fmt::format("{}", fmt::join(texts, " "));
    };
    if (!doubts.empty())
      return {"Beware:",
              sentences({fmt::format("{}.", fmt::join(doubts, ", ")), otherwise, unknown}), true};
    if (warns(about({subject::run})))
      return {"The run itself is in doubt, see below.", sentences({otherwise, unknown}), true};
    if (seen.empty()) return {"No verdict.", unknown, false};
    return {"No fault seen:", sentences({fmt::format("{}.", fmt::join(seen, ", ")), unknown}),
            false};
  }

  [[nodiscard]] bool warns(const indices& evidence) const {
    return std::ranges::any_of(evidence,
                               [&](std::size_t index) { return given_.findings[index].warns; });
  }

 private:
  [[nodiscard]] std::vector<std::string> names_unknown(const indices& asked) const {
    std::vector<std::string> names;
    for (const auto index : asked) add_once(names, given_.findings[index].unknown);
    return names;
  }

  [[nodiscard]] std::string text_of_unknown() const {
    const auto names = names_unknown(given_.marks.back().evidence);
    if (names.empty()) return "";
    const auto others = static_cast<double>(names.size() - 1);
    return fmt::format(
        "Not known: {}{}.", names.front(),
        others > 0 ? ", and " + common::counted(others, "more fact", "more facts") : "");
  }

  void add(const char* name, const std::string& good, const indices& evidence,
           const indices& needed, const std::string& clause) {
    const bool is_doubted = warns(evidence);
    std::vector<std::string> details;
    for (const auto index : evidence)
      if (const auto& finding = given_.findings[index];
          !finding.brief.empty() && (finding.warns || !is_doubted))
        details.push_back(finding.brief);
    const bool is_known = !needed.empty() && names_unknown(needed).empty();
    const auto verdict = is_doubted ? "beware" : is_known ? good : "not known";
    given_.marks.push_back({name,
                            is_doubted ? state::warning
                            : is_known ? state::good
                                       : state::unknown,
                            verdict, fmt::format("{}", fmt::join(details, ", ")), evidence,
                            is_known && !is_doubted ? clause : ""});
  }

  judgement& given_;
};

}  // namespace

void conclude(judgement& given, const noise& seen, bool is_falsified, bool on_host) {
  conclusion concluded(given);
  if (is_falsified) {
    for (std::size_t i = 0; i < given.findings.size(); ++i) given.alerts.push_back(i);
    return;
  }
  given.alerts = concluded.about({subject::run});
  for (const auto index : concluded.about({subject::host}))
    if (given.findings[index].warns) given.alerts.push_back(index);
  if (!on_host) concluded.mark_link();
  concluded.mark_throttling();
  concluded.mark_noise(seen);
  concluded.mark_unknown();
  given.verdict = concluded.verdict_of_marks();
}

}  // namespace bench_transfers::trust
