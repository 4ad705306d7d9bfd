// Replaces the sentences of gate_transfers in src/gate/report/wording.cpp, to show that no code
// depends on them.

#include <string>

#include "src/gate/report/wording.hpp"

namespace bench_transfers::gate {

std::string sentence_of(const reason& cause, const limits&) {
  return "plugh reason " + std::to_string(cause.index());
}
std::string sentence_of(const note& message) {
  return "plugh note " + std::to_string(message.index());
}
std::string sentence_of(const remark& message) {
  return "plugh remark " + std::to_string(message.index());
}
std::string sentence_of(const pin_warning& warning) {
  return "plugh warning " + std::to_string(warning.index());
}
std::string other_procedure_text(std::size_t) { return "plugh procedure"; }
std::string metric_text(const metric&) { return "plugh metric"; }
std::string thresholds_text(const limits&) { return "plugh thresholds"; }
std::string verdict_sentence(const report&) { return "plugh verdict"; }
std::string origin_sentence(const report&) { return "plugh origin"; }
std::string verdict_text(const report&, verdict result) {
  return "plugh " + std::to_string(static_cast<int>(result));
}
std::string changed_title(const report&) { return "plugh title"; }
std::string changed_text(const changed_fact&) { return "plugh"; }
std::string class_sentence(const report&, const class_answer&) { return "plugh class"; }
std::string counts_sentence(const report&) { return "plugh counts"; }
std::string figures_sentence(const finding&, const metric&) { return "plugh figures"; }
std::string advisory_sentence(const report&) { return "plugh advisory"; }
std::string measuring_again_text(std::size_t, std::size_t) { return "plugh again"; }

}  // namespace bench_transfers::gate
