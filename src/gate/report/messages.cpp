#include "src/gate/report/messages.hpp"

#include <string>
#include <utility>
#include <variant>

#include "src/gate/model/verdict.hpp"
#include "src/gate/report/overloaded.hpp"
#include "src/gate/report/wording.hpp"

namespace bench_transfers::gate {
namespace {

using json = nlohmann::ordered_json;

/// A message's code and data.
using content = std::pair<std::string, json>;

content content_of(const reason& cause) {
  using namespace reasons;
  return std::visit(
      overloaded{
          [](const machine_differs& r) -> content {
            return {"machine_differs", {{"differences", r.differences}}};
          },
          [](const too_few_runs& r) -> content {
            return {"too_few_runs", {{"runs", r.runs}, {"needed", r.needed}}};
          },
          [](const runs_disturbed& r) -> content {
            return {"runs_disturbed", {{"disturbed", r.disturbed}, {"runs", r.runs}}};
          },
          [](const benchmarks_missing& r) -> content {
            return {"benchmarks_missing", {{"class", to_string(r.kind)}, {"count", r.count}}};
          },
          [](const environment_changed& r) -> content {
            return {"environment_changed",
                    {{"class", to_string(r.kind)},
                     {"benchmarks", r.benchmarks},
                     {"of", r.of},
                     {"slowdown", r.slowdown}}};
          },
          [](const ambiguous& r) -> content {
            return {"ambiguous", {{"class", to_string(r.kind)}, {"count", r.count}}};
          },
          [](const too_noisy& r) -> content {
            return {"too_noisy", {{"class", to_string(r.kind)}}};
          },
          [](const too_few_can_show& r) -> content {
            return {"too_few_can_show",
                    {{"class", to_string(r.kind)},
                     {"can_show", r.can_show},
                     {"of", r.benchmarks},
                     {"compared", r.compared}}};
          },
          [](const seen_slower& r) -> content {
            return {"seen_slower",
                    {{"class", to_string(r.kind)}, {"count", r.count}, {"again", r.again}}};
          },
          [](const nothing_compared&) -> content {
            return {"nothing_compared", json::object()};
          },
          [](const repetitions_left_out& r) -> content {
            return {"repetitions_left_out", {{"class", to_string(r.kind)}, {"count", r.count}}};
          },
          [](const class_crept& r) -> content {
            return {"class_crept", {{"class", to_string(r.kind)}, {"slowdown", r.slowdown}}};
          },
          [](const runs_older& r) -> content {
            return {"runs_older", {{"older", r.older}, {"runs", r.runs}}};
          }},
      cause);
}

content content_of(const note& message) {
  using namespace notes;
  return std::visit(
      overloaded{
          [](const faults_injected& n) -> content {
            return {"faults_injected", {{"file", n.file}, {"faults", n.faults}}};
          },
          [](const interrupted& n) -> content {
            return {"interrupted", {{"file", n.file}}};
          },
          [](const in_parts& n) -> content {
            return {"in_parts", {{"file", n.file}, {"parts", n.parts}}};
          },
          [](const warned& n) -> content {
            return {"run_warning", {{"file", n.file}, {"warning", n.code}}};
          },
          [](const slow_runs& n) -> content {
            return {"slow_runs", {{"benchmarks", n.benchmarks}}};
          },
          [](const baseline_crept& n) -> content {
            return {"baseline_crept",
                    {{"benchmarks", n.benchmarks}, {"worst", n.worst}, {"slowdown", n.slowdown}}};
          },
          [](const no_fingerprint&) -> content {
            return {"no_fingerprint", json::object()};
          },
          [](const age_unknown& n) -> content {
            return {"age_unknown", {{"undated", n.undated}, {"runs", n.runs}}};
          },
          [](const one_session&) -> content {
            return {"one_session", json::object()};
          },
          [](const measured_again& n) -> content {
            return {"measured_again", {{"suspects", n.suspects}, {"runs", n.runs}}};
          }},
      message);
}

content content_of(const remark& message) {
  using namespace remarks;
  return std::visit(
      overloaded{
          [](const failed& r) -> content {
            return {"failed", {{"failed", r.failed}, {"runs", r.runs}}};
          },
          [](const no_such_field& r) -> content {
            return {"no_such_field", {{"field", r.field}}};
          },
          [](const not_measured&) -> content {
            return {"not_measured", json::object()};
          },
          [](const measured_by_some& r) -> content {
            return {"measured_by_some", {{"measured", r.measured}, {"runs", r.runs}}};
          },
          [](const too_few_runs& r) -> content {
            return {"too_few_runs",
                    {{"measured", r.measured}, {"runs", r.runs}, {"needed", r.needed}}};
          },
          [](const implausibly_fast& r) -> content {
            return {"implausibly_fast", {{"factor", r.factor}}};
          },
          [](const slow_runs& r) -> content {
            return {"slow_runs", {{"slow", r.slow}, {"runs", r.runs}, {"slowdown", r.slowdown}}};
          },
          [](const other_bytes& r) -> content {
            return {"other_bytes", {{"before", r.before}, {"after", r.after}}};
          },
          [](const reference_slower& r) -> content {
            return {"reference_slower", {{"slowdown", r.slowdown}}};
          },
          [](const measured_in_turn& r) -> content {
            return {"measured_in_turn", {{"slowdown", r.slowdown}, {"p", r.p}}};
          },
          [](const not_measured_again&) -> content {
            return {"not_measured_again", json::object()};
          },
          [](const few_repetitions& r) -> content {
            return {"few_repetitions", {{"few", r.few}, {"runs", r.runs}}};
          },
          [](const other_work& r) -> content {
            return {"other_work", {{"key", r.key}, {"before", r.before}, {"after", r.after}}};
          },
          [](const mean_slower& r) -> content {
            return {"mean_slower", {{"slowdown", r.slowdown}}};
          }},
      message);
}

common::message message_from(content parts, std::string text) {
  return {std::move(parts.first), std::move(parts.second), std::move(text)};
}

}  // namespace

common::message message_of(const reason& cause, const limits& limits) {
  return message_from(content_of(cause), sentence_of(cause, limits));
}

common::message message_of(const note& message) {
  return message_from(content_of(message), sentence_of(message));
}

common::message message_of(const remark& message) {
  return message_from(content_of(message), sentence_of(message));
}

}  // namespace bench_transfers::gate
