#include "src/doctor/checks/diagnose.hpp"

#include <map>

#include "src/doctor/checks/registration.hpp"
#include "src/doctor/checks/remedies.hpp"

namespace bench_transfers::doctor {
namespace {

/// Those of one topic are in the order in which they were added.
std::multimap<checks::topic, checks::check>& registered() {
  static std::multimap<checks::topic, checks::check> all;
  return all;
}

}  // namespace

checks::registration::registration(topic about, std::initializer_list<check> checks) {
  for (const auto look : checks) registered().emplace(about, look);
}

diagnosis diagnose(const facts& facts) {
  diagnosis diagnosis;
  for (const auto& [about, look] : registered()) look(facts, diagnosis);
  for (auto& found : diagnosis.findings) found.fix = possible_here(facts.host, found.fix);
  for (auto& open : diagnosis.unknowns) open.fix = possible_here(facts.host, open.fix);
  return diagnosis;
}

}  // namespace bench_transfers::doctor
