#include "src/gate/report/messages.hpp"

#include <string>
#include <utility>
#include <variant>

#include "src/gate/report/wording.hpp"

namespace bench_transfers::gate {
namespace {

using json = nlohmann::ordered_json;

/// The code and the data of each message.
using content = std::pair<std::string, json>;

content of(const reasons::machine_differs& r) {
  return {"machine_differs", {{"differences", r.keys.size()}, {"keys", r.keys}}};
}
content of(const reasons::too_few_runs& r) {
  return {"too_few_runs", {{"runs", r.runs}, {"needed", r.needed}}};
}
content of(const reasons::runs_disturbed& r) {
  return {"runs_disturbed", {{"disturbed", r.disturbed}, {"runs", r.runs}}};
}
content of(const reasons::benchmarks_missing& r) {
  return {"benchmarks_missing", {{"class", to_string(r.kind)}, {"count", r.count}}};
}
content of(const reasons::procedures_differ& r) {
  return {"procedures_differ", {{"class", to_string(r.kind)}, {"count", r.count}}};
}
content of(const reasons::environment_changed& r) {
  return {"environment_changed",
          {{"class", to_string(r.kind)},
           {"benchmarks", r.benchmarks},
           {"of", r.of},
           {"slowdown", r.slowdown}}};
}
content of(const reasons::ambiguous& r) {
  return {"ambiguous", {{"class", to_string(r.kind)}, {"count", r.count}}};
}
content of(const reasons::too_noisy& r) { return {"too_noisy", {{"class", to_string(r.kind)}}}; }
content of(const reasons::too_few_can_show& r) {
  return {"too_few_can_show",
          {{"class", to_string(r.kind)},
           {"can_show", r.can_show},
           {"of", r.benchmarks},
           {"compared", r.compared}}};
}
content of(const reasons::seen_slower& r) {
  return {"seen_slower", {{"class", to_string(r.kind)}, {"count", r.count}, {"again", r.again}}};
}
content of(const reasons::nothing_compared&) { return {"nothing_compared", json::object()}; }
content of(const reasons::repetitions_left_out& r) {
  return {"repetitions_left_out", {{"class", to_string(r.kind)}, {"count", r.count}}};
}
content of(const reasons::class_crept& r) {
  return {"class_crept", {{"class", to_string(r.kind)}, {"slowdown", r.slowdown}}};
}
content of(const reasons::runs_older& r) {
  return {"runs_older", {{"older", r.older}, {"runs", r.runs}}};
}

content of(const notes::faults_injected& n) {
  return {"faults_injected", {{"file", n.file}, {"faults", n.faults}}};
}
content of(const notes::interrupted& n) { return {"interrupted", {{"file", n.file}}}; }
content of(const notes::in_parts& n) {
  return {"in_parts", {{"file", n.file}, {"parts", n.parts}}};
}
content of(const notes::warned& n) {
  return {"run_warning", {{"file", n.file}, {"warning", n.code}}};
}
content of(const notes::slow_runs& n) { return {"slow_runs", {{"benchmarks", n.benchmarks}}}; }
content of(const notes::baseline_crept& n) {
  return {"baseline_crept",
          {{"benchmarks", n.benchmarks}, {"worst", n.worst}, {"slowdown", n.slowdown}}};
}
content of(const notes::no_fingerprint&) { return {"no_fingerprint", json::object()}; }
content of(const notes::age_unknown& n) {
  return {"age_unknown", {{"undated", n.undated}, {"runs", n.runs}}};
}
content of(const notes::one_session&) { return {"one_session", json::object()}; }
content of(const notes::measured_again& n) {
  return {"measured_again", {{"suspects", n.suspects}, {"runs", n.runs}}};
}

content of(const remarks::failed& r) {
  return {"failed", {{"failed", r.failed}, {"runs", r.runs}}};
}
content of(const remarks::no_such_field& r) { return {"no_such_field", {{"field", r.field}}}; }
content of(const remarks::not_measured&) { return {"not_measured", json::object()}; }
content of(const remarks::measured_by_some& r) {
  return {"measured_by_some", {{"measured", r.measured}, {"runs", r.runs}}};
}
content of(const remarks::too_few_runs& r) {
  return {"too_few_runs", {{"measured", r.measured}, {"runs", r.runs}, {"needed", r.needed}}};
}
content of(const remarks::implausibly_fast& r) {
  return {"implausibly_fast", {{"factor", r.factor}}};
}
content of(const remarks::slow_runs& r) {
  return {"slow_runs", {{"slow", r.slow}, {"runs", r.runs}, {"slowdown", r.slowdown}}};
}
content of(const remarks::other_bytes& r) {
  return {"other_bytes", {{"before", r.before}, {"after", r.after}}};
}
content of(const remarks::reference_slower& r) {
  return {"reference_slower", {{"slowdown", r.slowdown}}};
}
content of(const remarks::measured_in_turn& r) {
  return {"measured_in_turn", {{"slowdown", r.slowdown}, {"p", r.p}}};
}
content of(const remarks::not_measured_again&) { return {"not_measured_again", json::object()}; }
content of(const remarks::few_repetitions& r) {
  return {"few_repetitions", {{"few", r.few}, {"runs", r.runs}}};
}
content of(const remarks::other_work& r) {
  return {"other_work", {{"key", r.key}, {"before", r.before}, {"after", r.after}}};
}
content of(const remarks::other_procedure& r) {
  return {"other_procedure", {{"before", r.before}, {"after", r.after}}};
}
content of(const remarks::mean_slower& r) { return {"mean_slower", {{"slowdown", r.slowdown}}}; }
content of(const remarks::fastest_slower& r) {
  return {"fastest_slower", {{"slowdown", r.slowdown}}};
}
content of(const remarks::fastest_not_slower& r) {
  return {"fastest_not_slower", {{"at_most_95", r.at_most_95}}};
}
content of(const remarks::most_runs_slower& r) {
  return {"most_runs_slower", {{"slow", r.slow}, {"runs", r.runs}}};
}
content of(const remarks::mean_of_most_runs_slower& r) {
  return {"mean_of_most_runs_slower", {{"slow", r.slow}, {"runs", r.runs}}};
}
content of(const remarks::mean_slow_runs& r) {
  return {"mean_slow_runs", {{"slow", r.slow}, {"runs", r.runs}, {"slowdown", r.slowdown}}};
}

template <class Message>
common::message message_of(const Message& message, std::string text) {
  auto [code, data] = std::visit([](const auto& one) { return of(one); }, message);
  return {std::move(code), std::move(data), std::move(text)};
}

}  // namespace

common::message message_of(const reason& cause, const limits& limits) {
  return message_of(cause, sentence_of(cause, limits));
}

common::message message_of(const note& message) {
  return message_of(message, sentence_of(message));
}

common::message message_of(const remark& message) {
  return message_of(message, sentence_of(message));
}

}  // namespace bench_transfers::gate
