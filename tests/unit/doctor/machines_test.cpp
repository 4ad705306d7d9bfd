// What holds of the answers to every made-up machine. tests/approval shows the answers.

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <string>

#include "src/doctor/checks/diagnose.hpp"
#include "src/doctor/path_links.hpp"
#include "src/doctor/report/report.hpp"
#include "tests/basics.hpp"
#include "tests/unit/doctor/made_up_machines.hpp"

namespace bench_transfers::doctor::machines_test {
namespace {

/// The codes in the tables of docs/DOCTOR.md: rows that begin with "| `code` |".
std::set<std::string> documented_codes() {
  std::ifstream page(PROJECT_DIR "/docs/DOCTOR.md");
  std::set<std::string> list;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `")) list.insert(line.substr(3, line.find('`', 3) - 3));
  return list;
}

TEST(doctor_machines, have_evidence_and_a_remedy_for_every_answer_and_a_row_of_the_page) {
  std::set<std::string> codes;
  for (const auto& named : all_machines()) {
    SCOPED_TRACE(named.name);
    const auto facts = named.make().collect();
    const auto found = diagnose(facts);
    for (const auto& entry : found.findings) {
      codes.insert(entry.code);
      EXPECT_TRUE(entry.evidence.is_object() && !entry.evidence.empty()) << entry.code;
      EXPECT_FALSE(entry.fix.text.empty()) << entry.code;
      EXPECT_TRUE(!entry.fix.command.empty() || facts.host.platform.wsl) << entry.code;
      EXPECT_TRUE(!entry.cost || !entry.cost->reference.empty()) << entry.code;
      EXPECT_TRUE(!entry.cost || (entry.cost->most_lost > 0 && entry.cost->most_lost < 1));
      EXPECT_EQ(entry.what.find('\n'), std::string::npos);
    }
    for (const auto& entry : found.unknowns) {
      codes.insert(entry.code);
      EXPECT_TRUE(entry.evidence.is_object()) << entry.code;
      EXPECT_FALSE(entry.fix.text.empty()) << entry.code;
    }
  }
  EXPECT_EQ(documented_codes(), codes);
}

TEST(doctor_links, say_the_cap_that_follows_from_the_payload_where_that_is_shown) {
  auto machine = two_gpus(0);
  const auto without = machine.collect();
  EXPECT_THAT(text_of(without, diagnose(without)), Not(HasSubstr("packets")));
  const auto& gpu = machine.gpus.front().facts.bus_id;
  machine.write(made_up_machine::device_file(gpu, "config"),
                made_up_pcie_configuration(0x2110U, 0));
  const auto facts = machine.collect();
  const auto links = links_of(facts, facts.gpus.front());
  const auto [low, high] =
      packet_limit_of(facts.gpus.front(), links.at(topology::narrowest(links).value()));
  EXPECT_THAT(
      text_of(facts, diagnose(facts)),
      HasSubstr(fmt::format("packets of at most 128 bytes: {:.1f} to {:.1f} GB/s", low, high)));
  const auto entry = document_of(facts, diagnose(facts)).at("gpus").at(0);
  EXPECT_EQ(entry.at("max_payload_bytes"), 128);
  EXPECT_EQ(entry.at("max_read_request_bytes"), 512);
  EXPECT_NEAR(entry.at("packet_limit_gb_per_s").at(0).get<double>(), low, 0.001);
}

TEST(doctor_links, none_are_narrowest_without_links) {
  EXPECT_EQ(topology::narrowest({}), std::nullopt);
}

}  // namespace
}  // namespace bench_transfers::doctor::machines_test
