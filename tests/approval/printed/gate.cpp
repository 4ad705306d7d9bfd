#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/gate/report/reports.hpp"
#include "src/gate/report/wording.hpp"
#include "tests/approval/printed/printed.hpp"
#include "tests/unit/gate/made_up_report.hpp"

namespace bench_transfers::printed_gate {
namespace {

using namespace gate;
using printed::titled;

constexpr std::chrono::sys_seconds some_time{std::chrono::seconds{1'800'000'000}};

std::string in_every_form(const std::string& title, const report& answer) {
  return titled(title, text_of(answer)) + titled(title + ", all", text_of(answer, true)) +
         titled(title + ", Markdown", markdown_of(answer)) +
         titled(title + ", JUnit", junit_of(answer, some_time)) +
         titled(title + ", JSON", json_of(answer));
}

report one_of_each_verdict() {
  auto allowed = without_figures("e/allowed", verdict::missing, remarks::not_measured{});
  allowed.excused = true;
  auto again = compared("a/slower", verdict::slower, 0.1);
  again.note = remarks::measured_in_turn{0.09, 0.001};
  auto cleared = compared("h/cleared", verdict::unchanged, 0.001);
  cleared.note = remarks::measured_in_turn{0.001, 0.5};
  cleared.advisory = true;
  auto answer = report_of(
      exit_code::regression,
      {again, compared("b/ambiguous", verdict::ambiguous, 0.04),
       without_figures("d/missing", verdict::missing, remarks::not_measured{}), allowed,
       compared("f/faster", verdict::faster, -0.1), without_figures("g/new", verdict::added),
       compared("hidden", verdict::not_known, 0.5), compared("noisy", verdict::not_known, 0.01),
       cleared, compared("i/unchanged", verdict::unchanged, 0)},
      {reasons::ambiguous{benchmark_class::link, 1}});
  answer.changed = {{{"link.generation", "5", "4"}, false}, {{"kernel.release", "6.1", ""}, true}};
  answer.classes.front().shared = shift_of_all(0.03, 0.01, false);
  answer.notes.emplace_back(notes::interrupted{"run.json"});
  return answer;
}

/// A message without an example here would reach users unread.
template <class Message>
void require_every_kind(const std::vector<Message>& said) {
  for (std::size_t kind = 0; kind < std::variant_size_v<Message>; ++kind)
    if (std::ranges::find(said, kind, &Message::index) == said.end())
      throw std::logic_error(fmt::format("every_message() lacks kind {} of {}", kind, said.size()));
}

report every_message() {
  using enum benchmark_class;
  const std::vector<std::pair<verdict, remark>> said{
      {verdict::missing, remarks::failed{1, 3}},
      {verdict::missing, remarks::no_such_field{"gb_per_s"}},
      {verdict::missing, remarks::not_measured{}},
      {verdict::missing, remarks::measured_by_some{1, 3}},
      {verdict::missing, remarks::too_few_runs{2, 2, 3}},
      {verdict::missing, remarks::other_bytes{4096, 8192}},
      {verdict::missing, remarks::not_measured_again{}},
      {verdict::missing, remarks::other_work{"label", "batch 64", "batch 8"}},
      {verdict::missing, remarks::other_procedure{1, 2}},
      {verdict::ambiguous, remarks::implausibly_fast{25}},
      {verdict::ambiguous, remarks::reference_slower{0.04}},
      {verdict::ambiguous, remarks::measured_in_turn{0.1, 0.01}},
      {verdict::not_known, remarks::slow_runs{1, 3, 0.5}},
      {verdict::not_known, remarks::few_repetitions{2, 3}},
      {verdict::ambiguous, remarks::few_repetitions{3, 3}},
      {verdict::ambiguous, remarks::mean_slower{0.07}},
      {verdict::ambiguous, remarks::mean_slow_runs{1, 3, 0.6}},
      {verdict::ambiguous, remarks::most_runs_slower{2, 3}},
      {verdict::ambiguous, remarks::mean_of_most_runs_slower{2, 3}},
      {verdict::ambiguous, remarks::fastest_slower{0.03}},
      {verdict::ambiguous, remarks::fastest_not_slower{0.01}}};
  std::vector<remark> remarks_said;
  std::vector<finding> findings;
  for (const auto& [result, message] : said) {
    findings.push_back(without_figures(fmt::format("remark/{}", findings.size()), result, message));
    remarks_said.push_back(message);
  }
  auto answer = report_of(
      exit_code::inconclusive, findings,
      {reasons::machine_differs{{"link.width"}}, reasons::too_few_runs{2, 3},
       reasons::runs_disturbed{2, 3}, reasons::benchmarks_missing{host, 4},
       reasons::procedures_differ{host, 2}, reasons::environment_changed{latency, 5, 5, 0.1},
       reasons::environment_changed{latency, 5, 12, -0.1}, reasons::ambiguous{link, 6},
       reasons::too_noisy{link}, reasons::too_few_can_show{link, 1, 20, 30},
       reasons::too_few_can_show{link, 1, 2, 2}, reasons::too_few_can_show{latency, 0, 2, 2},
       reasons::nothing_compared{}, reasons::repetitions_left_out{link, 7},
       reasons::runs_older{2, 3}, reasons::class_crept{host, 0.05},
       reasons::seen_slower{link, 2, 0}, reasons::seen_slower{host, 3, 1}});
  answer.notes = {notes::faults_injected{"r.json", {"fail@x"}},
                  notes::interrupted{"r.json"},
                  notes::in_parts{"r.json", 2},
                  notes::no_fingerprint{},
                  notes::age_unknown{2, 3},
                  notes::one_session{},
                  notes::measured_again{3, 8},
                  notes::warned{"r.json", "other_load", "the CPU is busy"},
                  notes::slow_runs{2},
                  notes::baseline_crept{2, "x", 0.05}};
  require_every_kind(remarks_said);
  require_every_kind(answer.notes);
  require_every_kind(answer.reasons);
  return answer;
}

/// Names that Markdown, XML and terminals give a meaning to.
report hostile_names() {
  return report_of(exit_code::regression,
                   {compared("a|b`c`<b>*d*_e_\n[f](g)@h #12 https://i.j www.k.l &amp; \\|",
                             verdict::slower, 0.1),
                    compared("copy_async/pinned_wc/h2d/1MiB", verdict::slower, 0.1),
                    compared("a<b>&amp;\"'|]]>µ日", verdict::slower, 0.1),
                    compared("x\xef\xbf\xbf\xef\xbf\xbey", verdict::slower, 0.1)});
}

std::string verdicts() {
  const auto same = compared("b", verdict::unchanged, 0);
  auto allowed = without_figures("c", verdict::missing);
  allowed.excused = true;
  auto on_host = report_of(exit_code::pass, {same});
  on_host.on_host = true;
  auto rate = compared("a", verdict::slower, 0.1);
  rate.before = 55.0;
  rate.after = 50.0;
  auto of_rates = report_of(exit_code::regression, {rate});
  of_rates.judged_by = metric::named("gb_per_s");
  auto moved_together =
      report_of(exit_code::inconclusive, {compared("a", verdict::not_known, 0.5), same},
                {reasons::too_noisy{benchmark_class::link}});
  moved_together.classes.front().shared = shift_of_all(0.4, 0, true);
  auto few = report_of(exit_code::inconclusive,
                       {without_figures("a", verdict::missing, remarks::too_few_runs{2, 2, 3})},
                       {reasons::too_few_runs{2, 3}});
  few.processes_after = 2;
  std::vector<finding> many;
  for (int i = 0; i < 30; ++i)
    many.push_back(without_figures(fmt::format("new/{}", i), verdict::added));
  return titled("one is the same", text_of(report_of(exit_code::pass, {same}))) +
         titled("two are", text_of(report_of(exit_code::pass, {same, same}))) +
         titled("one of two is",
                text_of(report_of(exit_code::pass, {same, compared("c", verdict::not_known, 0)}))) +
         titled("with doubts",
                text_of(report_of(exit_code::regression, {compared("a", verdict::slower, 0.1)},
                                  {reasons::too_noisy{benchmark_class::link}}))) +
         titled(
             "missing and allowed",
             text_of(report_of(exit_code::regression, {compared("b", verdict::slower, 0.1), allowed,
                                                       without_figures("d", verdict::missing)}))) +
         titled("a rate", text_of(of_rates)) +
         titled("a class as a whole", text_of(moved_together)) +
         titled("too few runs", text_of(few)) + titled("too few runs, all", text_of(few, true)) +
         titled("30 are new", text_of(report_of(exit_code::pass, many))) +
         titled("21 are", text_of(report_of(exit_code::pass, {many.begin(), many.begin() + 21}))) +
         in_every_form("without a GPU", on_host) +
         titled("nothing but a reason, JUnit",
                junit_of(report_of(exit_code::inconclusive, {same},
                                   {reasons::machine_differs{{"a", "b", "c", "d"}}}),
                         some_time));
}

std::string power_of_a_baseline() {
  baseline of_five;
  of_five.device = "Made-up GPU";
  of_five.processes.resize(5);
  const std::vector<power_line> lines{
      {"a/good", benchmark_class::link, 0.02, 1e6, 0.025, 0.03, 0.001, 0.002, false, 3},
      {"a/bad", benchmark_class::link, 0.02, 1e6, 2000, 3000, 0.1, 0.2, true, std::nullopt}};
  return text_of(of_five, lines, std::vector{capability{benchmark_class::link, 2, 1}}, 3, {});
}

}  // namespace

std::string answers() {
  const auto messages = every_message();
  return in_every_form("one of each verdict", one_of_each_verdict()) +
         titled("every message", text_of(messages, true)) +
         titled("every message, JSON", json_of(messages)) +
         in_every_form("hostile names", hostile_names()) + verdicts() +
         titled("power", power_of_a_baseline());
}

}  // namespace bench_transfers::printed_gate
