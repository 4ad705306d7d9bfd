#include <fmt/format.h>

#include <set>
#include <sstream>
#include <string>

#include "src/doctor/checks/diagnose.hpp"
#include "src/doctor/report/report.hpp"
#include "tests/approval/printed/printed.hpp"
#include "tests/unit/doctor/made_up_machines.hpp"

namespace bench_transfers::printed_doctor {
namespace {

using namespace doctor;
using printed::titled;

/// Machines whose whole document is shown.
const std::set<std::string> in_full{"switch with lost lanes, and copies as fast as they allow",
                                    "tunnel of USB4 whose ends differ"};

/// What programs read of each finding, beside what people read.
std::string facts_of(nlohmann::ordered_json document) {
  std::string text;
  for (const auto* list : {"findings", "cannot_be_known"})
    for (auto& each : document.at(list)) {
      each.erase("what");
      text += each.dump() + "\n";
    }
  return text;
}

/// Without lines that were said of a machine before: what is found is named, and its text once.
std::string only_new(const std::string& text, std::set<std::string>& said) {
  std::istringstream lines(text);
  std::string shown;
  for (std::string line; std::getline(lines, line);)
    if (said.insert(line).second) shown += line + "\n";
  return shown;
}

}  // namespace

std::string answers() {
  std::string text;
  std::set<std::string> said;
  for (const auto& named : all_machines()) {
    const auto facts = named.make().collect();
    const auto found = diagnose(facts);
    const auto document = document_of(facts, found);
    text += titled(fmt::format("{}: {}", named.name, to_string(conclude(found))),
                   facts_of(document) + only_new(text_of(facts, found), said));
    if (in_full.contains(named.name)) text += titled(named.name + ", JSON", document.dump(1));
  }
  return text;
}

}  // namespace bench_transfers::printed_doctor
